#include "openworld/checkpoint/weights_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/file_kind.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/safetensors.h"
#include "openworld/io/torch_file.h"

namespace openworld {
namespace {

// Files that users have in place of the weights more often than damaged ones.
void refuse_stand_ins(std::string_view start, const Origin& origin) {
  if (start.empty()) origin.fail("is empty; expected weights");
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    origin.fail(
        "is a git-lfs pointer and not the weights themselves; fetch them with `git lfs pull`");
  }
  const std::size_t text = start.find_first_not_of(" \t\r\n");
  if (text != std::string_view::npos && start[text] == '<') {
    origin.fail(fmt::format("is a web page and not weights: it starts with {}; download it again",
                            in_quotes(start.substr(text, 20))));
  }
}

void refuse_other_files(std::string_view start, const Origin& origin) {
  const std::string_view what = foreign_kind(start);
  if (what.empty()) return;
  origin.fail(fmt::format(
      "is {} and not weights; expected a file in safetensors format or of torch.save", what));
}

void add_file(Weights& weights, const Origin& origin) {
  const Bytes bytes = map_file(origin);
  const std::string_view start = as_text(bytes.values).substr(0, 256);
  refuse_stand_ins(start, origin);
  std::vector<StoredTensor> tensors;
  // The length of a safetensors header may begin with the bytes of a zip archive or a pickle: "PK"
  // is 19280. Its upper half is 0 and a brace follows, which is so for neither of these.
  const bool is_safetensors =
      start.size() > 8 && start.substr(4, 5) == std::string_view("\0\0\0\0{", 5);
  if (!is_safetensors && (start.starts_with("PK") || start.starts_with('\x80'))) {
    TorchFile file = parse_torch_file(bytes, origin);
    if (!file.named) {
      origin.fail(
          "holds tensors without names; expected the state dict of a CLIP model. Features are for "
          "`openworld score`");
    }
    weights.script = weights.script || file.script;
    tensors = std::move(file.tensors);
  } else {
    if (!is_safetensors) refuse_other_files(start, origin);
    tensors = parse_safetensors(bytes, origin).tensors;
  }
  weights.files.push_back(origin.file);
  weights.bytes.push_back(bytes);
  std::move(tensors.begin(), tensors.end(), std::back_inserter(weights.tensors));
}

}  // namespace

Weights open_weights(const std::vector<std::string>& files, std::string_view function) {
  Weights weights;
  for (const std::string& file : files) add_file(weights, {std::string(function), file});
  std::set<std::string_view> names;
  for (const StoredTensor& tensor : weights.tensors) {
    if (names.insert(tensor.name).second) continue;
    Origin{std::string(function), files[0]}.fail(
        fmt::format("tensor {} is in two of the {} shards", in_quotes(tensor.name), files.size()));
  }
  return weights;
}

std::vector<std::string> read_shard_index(const std::string& index, std::string_view function) {
  const Origin origin{std::string(function), index};
  const nlohmann::json json = read_json_file(
      origin, {.bytes = kSafetensorsLimits.bytes, .depth = 8, .values = kSafetensorsLimits.values});
  const std::string folder = index.substr(0, index.rfind('/') + 1);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end() || !map->is_object() || map->empty()) {
    origin.fail("has no weight_map from tensors to files");
  }
  std::set<std::string> files;
  for (const auto& [name, file] : map->items()) {
    const std::string text = file.is_string() ? file.get<std::string>() : "";
    // A name and no path: an index must not reach out of its folder.
    if (text.empty() || text[0] == '.' || text.find('/') != std::string::npos ||
        text.find('\0') != std::string::npos) {
      origin.fail(fmt::format("places tensor {} in {}; expected the name of a file beside it",
                              in_quotes(name), in_quotes(text)));
    }
    files.insert(folder + text);
  }
  constexpr std::size_t kMaxShards = 1000;
  if (files.size() > kMaxShards) {
    origin.fail(fmt::format("lists {} files; expected at most {}", files.size(), kMaxShards));
  }
  return {files.begin(), files.end()};
}

}  // namespace openworld
