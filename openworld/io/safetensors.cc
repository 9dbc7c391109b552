#include "openworld/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"

namespace openworld {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the length is read as it is");

constexpr std::size_t kPrefix = 8;
constexpr std::size_t kMaxShape = 16;  // CLIP has 4

class HeaderReader {
 public:
  HeaderReader(const Bytes& data, const Origin& origin) : data_(data), origin_(origin) {}

  Safetensors read(const Json& header) const {
    if (!header.is_object()) origin_.fail("has a safetensors header that is not a JSON object");
    std::vector<Placed> placed;
    Safetensors result;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        result.metadata = read_metadata(entry);
      } else {
        placed.push_back(read_tensor(name, entry));
      }
    }
    // Empty tensors have the same begin and end as a neighbour, and come before it.
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::size_t end = 0;
    for (Placed& each : placed) {
      if (each.begin != end) {
        fail_tensor(each.tensor.name, fmt::format("starts at byte {} of the data; expected {}, "
                                                  "where the one before it ends",
                                                  each.begin, end));
      }
      end = each.end;
      result.tensors.push_back(std::move(each.tensor));
    }
    if (end != data_.size()) {
      origin_.fail(fmt::format("has {} bytes of data; expected {}", data_.size(), end));
    }
    return result;
  }

 private:
  struct Placed {
    StoredTensor tensor;
    std::size_t begin, end;
  };

  [[noreturn]] void fail_tensor(const std::string& name, std::string_view what) const {
    origin_.fail(fmt::format("tensor {} {}", in_quotes(name), what));
  }

  std::map<std::string, std::string> read_metadata(const Json& entry) const {
    std::map<std::string, std::string> metadata;
    if (!entry.is_object()) origin_.fail("has __metadata__ that is not a JSON object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) {
        origin_.fail(fmt::format("has __metadata__ {} that is not a string", in_quotes(key)));
      }
      metadata[key] = value.get<std::string>();
    }
    return metadata;
  }

  // The whole numbers of a list in `entry`, with at most `longest` items.
  std::vector<std::int64_t> read_numbers(const std::string& name, const Json& entry,
                                         const char* key, std::size_t longest) const {
    const Json& list = entry.at(key);
    const auto is_number = [](const Json& n) {
      return n.is_number_unsigned() && n.get<std::uint64_t>() < std::uint64_t{1} << 62;
    };
    if (!list.is_array() || list.size() > longest ||
        !std::all_of(list.begin(), list.end(), is_number)) {
      fail_tensor(
          name, fmt::format("has a {} that is not a list of up to {} whole numbers", key, longest));
    }
    return list.get<std::vector<std::int64_t>>();
  }

  Placed read_tensor(const std::string& name, const Json& entry) const {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets")) {
      fail_tensor(name, "has a malformed entry; expected dtype, shape and data_offsets");
    }
    const Json& dtype = entry.at("dtype");
    const auto row = std::find_if(tensor_types().begin(), tensor_types().end(),
                                  [&](const TensorTypeRow& type) { return dtype == type.name; });
    if (row == tensor_types().end()) {
      fail_tensor(name, fmt::format("has dtype {}, which is not supported",
                                    dtype.is_string() ? in_quotes(dtype.get<std::string>())
                                                      : "that is not a string"));
    }
    StoredTensor tensor{name, row->type, read_numbers(name, entry, "shape", kMaxShape), {}, {}};
    const auto offsets = read_numbers(name, entry, "data_offsets", 2);
    const std::string shape = tensor_shape_text(tensor.shape);
    const auto size = checked_byte_count(tensor.shape, row->item_size);
    if (!size) fail_tensor(name, fmt::format("has shape {}, more than can be addressed", shape));
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] - offsets[0] != *size) {
      fail_tensor(name, fmt::format("has data_offsets {}; expected {} bytes for {} and shape {}",
                                    tensor_shape_text(offsets), *size, row->name, shape));
    }
    if (std::cmp_greater(offsets[1], data_.size())) {
      fail_tensor(name, fmt::format("ends at byte {} of the data, of which there are {}: is the "
                                    "file whole?",
                                    offsets[1], data_.size()));
    }
    tensor.strides = row_major_strides(tensor.shape);
    const auto begin = static_cast<std::size_t>(offsets[0]);
    tensor.bytes = {data_.values.subspan(begin, static_cast<std::size_t>(*size)), data_.owner};
    return {std::move(tensor), begin, static_cast<std::size_t>(offsets[1])};
  }

  const Bytes& data_;
  const Origin& origin_;
};

}  // namespace

Safetensors parse_safetensors(const Bytes& bytes, const Origin& origin) {
  if (bytes.size() < kPrefix) {
    origin.fail(fmt::format("is not in safetensors format: it has {} bytes", bytes.size()));
  }
  std::uint64_t length;
  std::memcpy(&length, bytes.values.data(), sizeof length);
  const auto rest = bytes.values.subspan(kPrefix);
  if (length > kSafetensorsLimits.bytes) {
    origin.fail(fmt::format(
        "is not in safetensors format: it starts with {}; expected the length of a header, at most "
        "{}",
        in_quotes(as_text(bytes.values.first(kPrefix))), kSafetensorsLimits.bytes));
  }
  if (length > rest.size()) {
    origin.fail(
        fmt::format("has a safetensors header of {} bytes of which {} are there: is the "
                    "file whole?",
                    length, rest.size()));
  }
  if (length == 0 || rest[0] != std::byte{'{'}) {
    origin.fail("is not in safetensors format: expected a JSON object after the header length");
  }
  const Json header = parse_json(rest.first(length), origin, kSafetensorsLimits);
  return HeaderReader({rest.subspan(length), bytes.owner}, origin).read(header);
}

void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::function<std::span<const std::byte>(std::size_t)>& data,
                       std::string_view function) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::vector<std::size_t> sizes;
  std::size_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    const TensorTypeRow& type = tensor_type(tensor.type);
    assert(begin % type.item_size == 0);
    sizes.push_back(
        static_cast<std::size_t>(checked_byte_count(tensor.shape, type.item_size).value()));
    header[tensor.name] = {{"dtype", type.name},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, begin + sizes.back()}}};
    begin += sizes.back();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();

  AtomicFile file(path, function);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(text)));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = data(i);
    assert(bytes.size() == sizes[i]);
    file.write(bytes);
  }
  file.commit();
}

}  // namespace openworld
