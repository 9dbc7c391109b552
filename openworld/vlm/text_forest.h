#pragma once

// The text forest: a batch of prompts in which what is common is one branch.
//
// CLIP's text tower is causal, so the hidden state of a row depends on the rows before it and on
// nothing else, in every block, forward and backward. Two prompts that begin with the same rows
// therefore share the states of those rows, and nothing after the row that is read matters. A batch
// of prompts is laid out as a forest:
//
//     "a photo of a cat."   SOT - a - photo - of - a -+- cat - . - EOT*
//     "a photo of a dog."                             +- dog - . - EOT*
//
// A node is one row of the tower's input, its ancestors are the rows it attends to, and starred
// nodes are read out. Here 11 rows replace 2 x 77. With 16 learned context rows and 50 class names
// 3850 rows become some 270, and so do the rows of the backward pass.
//
// What else the layout knows:
// - Lengths are ragged: nothing is padded, and rows that lead to no read-out are dropped.
// - A row is a token (frozen) or a learnable row. Rows with no learnable row among themselves and
//   their ancestors are frozen: they need no gradient and can be kept from one step to the next.
// - A deep prompt replaces a row's state at the input of a later block (MaPLe, PromptSRC, TCP).
//   Prompts that differ only in such a replacement share everything before that block: the plan
//   has stages, each with its own layout, refined from the one before.
// - A row that no row may see, itself included, is a read-out that costs the others nothing (RPO);
//   siblings never see each other.
//
// text_tower.h runs a plan.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace openworld {

// At the input of `block` (1 or later) the row's state becomes row `learnable` of the learnable
// matrix.
struct DeepRow {
  std::int32_t block = 0;
  std::int32_t learnable = 0;

  auto operator<=>(const DeepRow&) const = default;
};

struct PromptRow {
  std::int32_t token = -1;         // id in the vocabulary, or -1
  std::int32_t learnable = -1;     // else a row of the learnable matrix
  bool positioned = true;          // whether the positional embedding of its depth is added
  bool visible = true;             // whether it and its descendants may attend to it
  std::vector<DeepRow> deep = {};  // by increasing block

  auto operator<=>(const PromptRow&) const = default;
};

inline PromptRow token_row(std::int32_t token) {
  return {.token = token};
}
inline PromptRow learnable_row(std::int32_t row) {
  return {.learnable = row};
}

class TextForest {
 public:
  using Node = std::int32_t;
  static constexpr Node kRoot = -1;

  // The child of `parent` with this row; made if there is none yet. Throws Error for a row that is
  // both or neither token and learnable, whose deep rows are not ordered, or, at the root, that
  // sees nothing.
  Node add(Node parent, const PromptRow& row);

  // A path of rows below `parent`; its last node.
  Node add(Node parent, std::span<const PromptRow> rows);

  // Reads `node`: the index of its feature in the result. A node may be read more than once.
  std::size_t read(Node node);

  std::size_t nodes() const { return rows_.size(); }
  const PromptRow& row(Node node) const { return rows_[static_cast<std::size_t>(node)]; }
  Node parent(Node node) const { return parents_[static_cast<std::size_t>(node)]; }
  std::int32_t depth(Node node) const { return depths_[static_cast<std::size_t>(node)]; }
  std::span<const Node> readouts() const { return readouts_; }

 private:
  std::vector<PromptRow> rows_;
  std::vector<Node> parents_;  // a parent comes before its children
  std::vector<std::int32_t> depths_;
  std::vector<Node> readouts_;
  std::map<std::pair<Node, PromptRow>, Node> index_;
};

}  // namespace openworld
