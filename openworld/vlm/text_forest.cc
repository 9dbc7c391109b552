#include "openworld/vlm/text_forest.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"

namespace openworld {
namespace {

void check(TextForest::Node parent, const PromptRow& row) {
  constexpr auto kFunction = "TextForest::add";
  if ((row.token >= 0) == (row.learnable >= 0)) {
    fail(kFunction,
         fmt::format("a row is a token or a learnable row, got token {} and learnable {}",
                     row.token, row.learnable));
  }
  if (parent == TextForest::kRoot && !row.visible) {
    fail(kFunction, "the first row of a prompt must be visible, or it attends to nothing");
  }
  std::int32_t block = 0;
  for (const DeepRow& deep : row.deep) {
    if (deep.block <= block || deep.learnable < 0) {
      fail(kFunction, fmt::format("deep rows need increasing blocks from 1 on and a learnable row, "
                                  "got block {} after {}, row {}",
                                  deep.block, block, deep.learnable));
    }
    block = deep.block;
  }
}

}  // namespace

TextForest::Node TextForest::add(Node parent, const PromptRow& row) {
  if (parent < kRoot || parent >= static_cast<Node>(nodes())) {
    fail("TextForest::add", fmt::format("no node {}, there are {}", parent, nodes()));
  }
  check(parent, row);
  const auto [found, is_new] = index_.try_emplace({parent, row}, static_cast<Node>(nodes()));
  if (is_new) {
    rows_.push_back(row);
    parents_.push_back(parent);
    depths_.push_back(parent == kRoot ? 0 : depth(parent) + 1);
  }
  return found->second;
}

TextForest::Node TextForest::add(Node parent, std::span<const PromptRow> rows) {
  for (const PromptRow& row : rows) parent = add(parent, row);
  return parent;
}

std::size_t TextForest::read(Node node) {
  if (node < 0 || node >= static_cast<Node>(nodes())) {
    fail("TextForest::read", fmt::format("no node {}, there are {}", node, nodes()));
  }
  readouts_.push_back(node);
  return readouts_.size() - 1;
}

}  // namespace openworld
