#include "openworld/io/torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "openworld/base/threads.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/pickle.h"
#include "openworld/io/utf8.h"
#include "openworld/io/zip.h"
#include "openworld/io/zip_format.h"

namespace openworld {
namespace {

using Kind = PickleValue::Kind;

constexpr int kMaxDepth = 64;                // of modules in modules; CLIP has 6
constexpr std::size_t kMaxVisits = 200'000;  // of attributes: shared modules may multiply
constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxTensorDimensions = 16;
constexpr std::size_t kTextBytes = 128;  // beside its characters: as kStringBytes of npy_values.h

// LONG1 of ten bytes, the magic number, after PROTO 2.
constexpr std::string_view kLegacyStart("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19",
                                        14);

class TorchReader {
 public:
  TorchReader(const ZipArchive& archive, std::string folder)
      : archive_(archive), origin_(archive.origin()), folder_(std::move(folder)) {}

  TorchFile read() {
    require_little_endian();
    const ZipMember* member = archive_.find(folder_ + "data.pkl");
    if (member->size > kMaxPickle) {
      origin_.fail(
          fmt::format("has a data.pkl of {} bytes; expected at most {}", member->size, kMaxPickle));
    }
    const Bytes bytes = archive_.read(*member);
    pickle_ = parse_pickle(bytes.values, origin_);
    result_.script = archive_.find(folder_ + "constants.pkl") != nullptr;
    const PickleValue& root = pickle_[pickle_.root];
    if (root.kind == Kind::kObject) {
      add_object(root, "", 0);
    } else if (root.kind == Kind::kDict) {
      add_dict(unwrapped(root));
    } else if (root.kind == Kind::kList || root.kind == Kind::kTuple) {
      result_.named = false;
      for (std::size_t i = 0; i < root.items.size(); ++i) {
        add(std::to_string(i), pickle_[root.items[i]]);
      }
    } else if (as_tensor(root, "0") != nullptr) {
      result_.named = false;
      add("0", root);
    } else {
      origin_.fail("holds neither a module nor tensors");
    }
    check_storages();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail_tensor(const std::string& name, std::string_view what) const {
    origin_.fail(fmt::format("tensor {} {}", in_quotes(name), what));
  }

  void require_little_endian() const {
    const ZipMember* member = archive_.find(folder_ + "byteorder");
    if (member == nullptr) return;
    const Bytes order = archive_.peek(*member, 16);
    if (as_text(order.values) != "little") {
      origin_.fail(
          fmt::format("has byte order {}; expected little", in_quotes(as_text(order.values))));
    }
  }

  const PickleValue& unwrapped(const PickleValue& root) const {
    for (const std::string_view key : {"state_dict", "model"}) {
      const PickleValue* inner = pickle_.find(root, key);
      if (inner != nullptr && inner->kind == Kind::kDict) return *inner;
    }
    return root;
  }

  bool is_call(const PickleValue& value, std::string_view function) const {
    return value.kind == Kind::kCall && pickle_[value.items[0]].text == function;
  }

  // A parameter is a tensor with a flag.
  const PickleValue* as_tensor(const PickleValue& value, const std::string& name) const {
    if (is_call(value, "_rebuild_tensor_v2")) return &value;
    if (!is_call(value, "_rebuild_parameter")) return nullptr;
    const auto& arguments = pickle_[value.items[1]].items;
    if (arguments.empty() || !is_call(pickle_[arguments[0]], "_rebuild_tensor_v2")) {
      fail_tensor(name, "is a parameter without a tensor");
    }
    return &pickle_[arguments[0]];
  }

  std::string full_name(const std::string& prefix, const PickleValue& key) {
    if (++visits_ > kMaxVisits) {
      origin_.fail(fmt::format("has more than {} attributes", kMaxVisits));
    }
    if (key.kind != Kind::kText || prefix.size() + key.text.size() > kMaxName) {
      origin_.fail(
          fmt::format("has a key that is not a string, or a name longer than {} bytes", kMaxName));
    }
    return prefix + std::string(key.text);
  }

  void add_dict(const PickleValue& dict) {
    for (std::size_t i = 0; i < dict.items.size(); i += 2) {
      add(full_name("", pickle_[dict.items[i]]), pickle_[dict.items[i + 1]]);
    }
  }

  void add_object(const PickleValue& object, const std::string& prefix, int depth) {
    if (depth > kMaxDepth) {
      origin_.fail(fmt::format("has modules nested deeper than {}", kMaxDepth));
    }
    if (object.items.size() < 3) return;  // never built: no attributes
    const PickleValue& state = pickle_[object.items[2]];
    if (state.kind != Kind::kDict) origin_.fail("has a module whose state is not a dict");
    for (std::size_t i = 0; i < state.items.size(); i += 2) {
      const std::string name = full_name(prefix, pickle_[state.items[i]]);
      const PickleValue& value = pickle_[state.items[i + 1]];
      if (value.kind == Kind::kObject) {
        add_object(value, name + ".", depth + 1);
      } else {
        add(name, value);
      }
    }
  }

  void add(const std::string& name, const PickleValue& value) {
    const PickleValue* tensor = as_tensor(value, name);
    if (tensor == nullptr) {
      add_texts(name, value);
      return;
    }
    if (!names_.insert(name).second) fail_tensor(name, "appears twice");
    result_.tensors.push_back(read_tensor(name, pickle_[tensor->items[1]]));
  }

  // Nothing if it is not a list of strings. A list may be in a file once and in a dict many times,
  // so that their sum is limited.
  void add_texts(const std::string& name, const PickleValue& list) {
    if (list.kind != Kind::kList && list.kind != Kind::kTuple) return;
    if (list.items.empty() || pickle_[list.items[0]].kind != Kind::kText) return;
    texts_ += kTextBytes * list.items.size();
    std::vector<std::string> texts;
    for (const PickleId id : list.items) {
      const PickleValue& item = pickle_[id];
      if (item.kind != Kind::kText) return;
      texts_ += item.text.size();
      request_memory(texts_, archive_.bytes().size(),
                     fmt::format("{} of {} texts", in_quotes(name), list.items.size()), origin_);
      if (!decode_utf8(item.text)) {
        origin_.fail(fmt::format("{}[{}] is not valid UTF-8", in_quotes(name), texts.size()));
      }
      texts.emplace_back(item.text);
    }
    result_.texts.push_back({name, std::move(texts)});
  }

  std::vector<std::int64_t> whole_numbers(const std::string& name, const PickleValue& tuple) const {
    const bool listed = tuple.kind == Kind::kTuple && tuple.items.size() <= kMaxTensorDimensions;
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; listed && i < tuple.items.size(); ++i) {
      const PickleValue& item = pickle_[tuple.items[i]];
      if (item.kind == Kind::kInteger && item.integer >= 0) numbers.push_back(item.integer);
    }
    if (!listed || numbers.size() != tuple.items.size()) {
      fail_tensor(name, fmt::format("has a shape or strides that are not a tuple of up to {} whole "
                                    "numbers",
                                    kMaxTensorDimensions));
    }
    return numbers;
  }

  // _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks[, metadata])
  StoredTensor read_tensor(const std::string& name, const PickleValue& arguments) {
    const auto& items = arguments.items;
    if (items.size() < 6 || pickle_[items[1]].kind != Kind::kInteger ||
        pickle_[items[0]].kind != Kind::kPersistent) {
      fail_tensor(name, "has malformed arguments");
    }
    const auto [type, storage] = find_storage(name, pickle_[pickle_[items[0]].items[0]]);
    const std::int64_t offset = pickle_[items[1]].integer;
    StoredTensor tensor{name,
                        type->type,
                        whole_numbers(name, pickle_[items[2]]),
                        whole_numbers(name, pickle_[items[3]]),
                        {}};
    const std::size_t item_size = type->item_size;
    const std::string shape = tensor_shape_text(tensor.shape);
    if (tensor.strides.size() != tensor.shape.size()) {
      fail_tensor(name, fmt::format("has shape {} and {} strides", shape, tensor.strides.size()));
    }
    const auto size = checked_byte_count(tensor.shape, item_size);
    if (!size) fail_tensor(name, fmt::format("has shape {}, more than can be addressed", shape));
    total_ += static_cast<std::uint64_t>(*size);
    request_memory(
        total_, archive_.bytes().size(),
        fmt::format("tensor {} of shape {}, with those before it,", in_quotes(name), shape),
        origin_);
    // One past the last item. Strides of sides that are never stepped along may be anything.
    std::int64_t span = *size == 0 ? 0 : 1;
    bool inside = offset >= 0;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      if (*size == 0 || tensor.shape[d] == 1) tensor.strides[d] = 0;
      std::int64_t step = 0;
      inside = inside &&
               !__builtin_mul_overflow(tensor.strides[d],
                                       std::max<std::int64_t>(tensor.shape[d], 1) - 1, &step) &&
               !__builtin_add_overflow(span, step, &span);
    }
    const auto items_there = static_cast<std::int64_t>(storage.size() / item_size);
    if (!inside || span > items_there || offset > items_there - span) {
      fail_tensor(name, fmt::format("with shape {}, strides {} and offset {} does not fit its "
                                    "storage of {} items",
                                    shape, tensor_shape_text(tensor.strides), offset, items_there));
    }
    tensor.bytes = {storage.values.subspan(static_cast<std::size_t>(offset) * item_size,
                                           static_cast<std::size_t>(span) * item_size),
                    storage.owner};
    return tensor;
  }

  // The persistent id ("storage", class, key, device, number of items).
  std::pair<const TensorTypeRow*, Bytes> find_storage(const std::string& name,
                                                      const PickleValue& id) {
    const auto item = [&](std::size_t i) -> const PickleValue& { return pickle_[id.items[i]]; };
    if (id.kind != Kind::kTuple || id.items.size() < 5 || item(0).text != "storage" ||
        item(1).kind != Kind::kClass || item(2).kind != Kind::kText ||
        item(2).text.size() > kMaxName || item(4).kind != Kind::kInteger || item(4).integer < 0) {
      fail_tensor(name, "has a malformed storage");
    }
    const auto types = tensor_types();
    const auto type = std::find_if(types.begin(), types.end(), [&](const TensorTypeRow& row) {
      return row.torch_storage == item(1).text;
    });
    if (type == types.end()) fail_tensor(name, "has a storage of an unknown class");
    const std::string key = "data/" + std::string(item(2).text);
    const ZipMember* member = archive_.find(folder_ + key);
    if (member == nullptr) {
      fail_tensor(name,
                  fmt::format("has its data in {}, which is not in the archive", in_quotes(key)));
    }
    const auto expected = checked_byte_count(std::vector{item(4).integer}, type->item_size);
    if (member->method != zip::kStored || !expected || !std::cmp_equal(member->size, *expected)) {
      fail_tensor(name, fmt::format("has {} bytes in {}, {}; expected {} items of {}, stored",
                                    member->size, in_quotes(key),
                                    member->method == zip::kStored ? "stored" : "compressed",
                                    item(4).integer, type->name));
    }
    storages_.insert(member);
    return {&*type, archive_.peek(*member, member->size)};
  }

  // Folding the CRC takes a tenth of a second for each GB, and the pages are needed anyway.
  void check_storages() const {
    const std::vector<const ZipMember*> members(storages_.begin(), storages_.end());
    parallel_for(members.size(), 0, [&](std::size_t i) { archive_.read(*members[i]); });
  }

  const ZipArchive& archive_;
  const Origin& origin_;
  const std::string folder_;
  Pickle pickle_;
  TorchFile result_;
  std::set<std::string> names_;
  std::set<const ZipMember*> storages_;
  std::size_t visits_ = 0;
  std::uint64_t texts_ = 0;  // bytes of all texts
  std::uint64_t total_ = 0;  // bytes of all tensors, which may repeat items or share storages
};

// The one folder, with a slash at its end.
std::string find_folder(const ZipArchive& archive) {
  constexpr std::string_view kPickle = "data.pkl";
  for (const ZipMember& member : archive.members()) {
    const std::string_view name = member.name;
    const std::size_t slash = name.find('/');
    if (slash != std::string_view::npos && name.substr(slash + 1) == kPickle) {
      return std::string(name.substr(0, slash + 1));
    }
  }
  archive.origin().fail(
      "is a zip archive but not a PyTorch file: expected one folder with data.pkl");
}

}  // namespace

TorchFile parse_torch_file(const Bytes& bytes, const Origin& origin) {
  const std::string_view text = as_text(bytes.values);
  if (text.starts_with(kLegacyStart)) {
    origin.fail(
        "is in the legacy format of torch.save; convert it in Python with "
        "torch.save(torch.load(path), path), torch 1.6 or later");
  }
  if (text.starts_with('\x80')) {
    // Not a PyTorch file. Parse it anyway: the error then names the code that it would have run.
    parse_pickle(bytes.values, origin);
    origin.fail("is a bare pickle; expected the zip archive that torch.save writes");
  }
  const ZipArchive archive(bytes, origin);
  return TorchReader(archive, find_folder(archive)).read();
}

}  // namespace openworld
