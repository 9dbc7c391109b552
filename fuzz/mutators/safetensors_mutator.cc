#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/mutators/mutators.h"
#include "openworld/io/tensor_file.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPrefix = 8;

std::string joined(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string file(kPrefix, '\0');
  std::memcpy(file.data(), &length, kPrefix);
  return file.append(header).append(data);
}

bool is_tensor(const Json& entry) {
  return entry.is_object() && entry.contains("shape") && entry["shape"].is_array() &&
         entry.contains("dtype") && entry["dtype"].is_string();
}

std::size_t bytes_of(const Json& entry) {
  std::uint64_t size = 0;
  for (const TensorTypeRow& type : tensor_types()) {
    if (entry["dtype"] == type.name) size = type.item_size;
  }
  for (const Json& side : entry["shape"]) {
    if (!side.is_number_unsigned() || side.get<std::uint64_t>() > 64) return 0;
    size *= side.get<std::uint64_t>();
  }
  return size;
}

// No less than the depth of a JSON text; copying and writing JSON takes a stack frame for each
// level.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

// Gives a tensor another shape or type, and all tensors places one after the other.
std::string reshaped(const std::string& header, const std::string& data, std::size_t most,
                     Dice& dice) {
  if (depth_of(header) > 100) return {};
  Json json = Json::parse(header, nullptr, false);
  if (!json.is_object() || json.empty()) return {};
  auto chosen = json.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(dice.below(json.size())));
  if (!is_tensor(*chosen)) return {};
  if (dice.one_in(2)) {
    (*chosen)["dtype"] = tensor_types()[dice.below(tensor_types().size())].name;
  } else {
    Json shape = Json::array();
    for (std::size_t d = dice.below(5); d > 0; --d) shape.push_back(dice.below(5));
    (*chosen)["shape"] = shape;
  }
  std::size_t end = 0;
  for (auto& [name, entry] : json.items()) {
    if (!is_tensor(entry)) continue;
    const std::size_t size = bytes_of(entry);
    entry["data_offsets"] = {end, end + size};
    end += size;
    if (end > most) return {};
  }
  std::string body = data;
  body.resize(end, '\x3f');
  return joined(json.dump(-1, ' ', false, Json::error_handler_t::replace), body);
}

}  // namespace

std::string mutate_safetensors(std::string file, std::size_t most, Dice& dice) {
  std::uint64_t length = 0;
  if (file.size() < kPrefix) return file;
  std::memcpy(&length, file.data(), kPrefix);
  if (length > file.size() - kPrefix) return file;
  const std::string header = file.substr(kPrefix, length), data = file.substr(kPrefix + length);
  const std::size_t room = most > kPrefix + data.size() ? most - kPrefix - data.size() : 0;
  switch (dice.below(6)) {
    case 0:
      return joined(header, dice.bytes(data, most - std::min(most, kPrefix + header.size())));
    case 1:
    case 2:
      return reshaped(header, data, most, dice);
    default:
      return joined(mutate_json(header, room, dice), data);
  }
}

}  // namespace openworld
