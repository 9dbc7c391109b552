#include "openworld/io/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "openworld/base/text_map.h"
#include "openworld/io/column.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// What values take in memory, with what malloc and a growing list add: `{},` is three bytes of
// text and 96 of memory. Texts longer than 15 bytes take their length more.
constexpr std::size_t kNumberBytes = 32, kTextBytes = 80, kListBytes = 64, kObjectBytes = 96,
                      kKeyBytes = 128;

// Counts against the limits. A member of a SAX handler that returns false ends the parse; `problem`
// then says why.
class Counter {
 public:
  Counter(const JsonLimits& limits, std::size_t text_bytes)
      : limits_(limits),
        file_bytes_(limits.file_bytes > 0 ? limits.file_bytes : text_bytes),
        most_bytes_(memory_for(file_bytes_)) {}

  bool value(std::size_t bytes) {
    if (++values_ > limits_.values) {
      return stop(fmt::format("has more than {} JSON values", limits_.values));
    }
    bytes_ += bytes;
    if (bytes_ <= most_bytes_) return true;
    return stop(
        memory_refusal(bytes_, file_bytes_, fmt::format("JSON of {} values or more", values_)));
  }
  bool open(std::size_t bytes) {
    if (!value(bytes)) return false;
    if (++depth_ <= limits_.depth) return true;
    return stop(fmt::format("has JSON nested deeper than {}", limits_.depth));
  }
  bool close() {
    --depth_;
    return true;
  }
  bool twice(std::string_view key) {
    return stop(fmt::format("has the key {} twice in one JSON object", in_quotes(key)));
  }
  bool malformed(std::size_t position, const Json::exception& error) {
    constexpr int kOutOfRange = 406;
    return stop(error.id == kOutOfRange
                    ? "has a number that is out of range"
                    : fmt::format("is not valid JSON: error at byte {}", position));
  }
  std::string take_problem() { return std::move(problem_); }

 private:
  bool stop(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  const JsonLimits& limits_;
  std::uint64_t file_bytes_, most_bytes_, bytes_ = 0;
  std::size_t values_ = 0, depth_ = 0;
  std::string problem_;
};

// Appends a key that the object does not have; the value, or null if it has it. nlohmann's own
// insertion into an ordered object compares with every key before it.
Json* insert(Json& object, std::string& key, TextSet*) {
  const auto [at, is_new] = object.get_ref<Json::object_t&>().emplace(std::move(key), nullptr);
  return is_new ? &at->second : nullptr;
}
OrderedJson* insert(OrderedJson& object, std::string& key, TextSet* keys) {
  if (!keys->insert(key).second) return nullptr;
  auto& list =
      static_cast<OrderedJson::object_t::Container&>(object.get_ref<OrderedJson::object_t&>());
  return &list.emplace_back(std::move(key), nullptr).second;
}

// Builds a document. nlohmann's parser with a callback takes time quadratic in the length of a
// list, so the events are handled here.
template <class J>
class Builder {
 public:
  Builder(const JsonLimits& limits, std::size_t text_bytes) : counter_(limits, text_bytes) {}

  bool null() { return put(nullptr, kNumberBytes); }
  bool boolean(bool value) { return put(value, kNumberBytes); }
  bool number_integer(std::int64_t value) { return put(value, kNumberBytes); }
  bool number_unsigned(std::uint64_t value) { return put(value, kNumberBytes); }
  bool number_float(double value, const std::string&) { return put(value, kNumberBytes); }
  bool string(std::string& value) {
    const std::size_t bytes = kTextBytes + value.size();
    return put(std::move(value), bytes);
  }
  bool binary(typename J::binary_t&) { return false; }

  bool start_object(std::size_t) { return start(J::value_t::object, kObjectBytes); }
  bool end_object() { return end(); }
  bool start_array(std::size_t) { return start(J::value_t::array, kListBytes); }
  bool end_array() { return end(); }

  bool key(std::string& key) {
    if (!counter_.value(kKeyBytes + key.size())) return false;
    slot_ = insert(*open_.back().value, key, &open_.back().keys);
    return slot_ != nullptr || counter_.twice(key);
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    return counter_.malformed(position, error);
  }

  J take() { return std::move(root_); }
  std::string take_problem() { return counter_.take_problem(); }

 private:
  struct Open {
    J* value;
    TextSet keys{};  // of an ordered object
  };

  J* place(J&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    J& parent = *open_.back().value;
    if (parent.is_object()) {
      *slot_ = std::move(value);
      return slot_;
    }
    return &parent.template get_ref<typename J::array_t&>().emplace_back(std::move(value));
  }
  template <class T>
  bool put(T&& value, std::size_t bytes) {
    if (!counter_.value(bytes)) return false;
    place(J(std::forward<T>(value)));
    return true;
  }
  bool start(typename J::value_t type, std::size_t bytes) {
    if (!counter_.open(bytes)) return false;
    open_.push_back({place(J(type))});
    return true;
  }
  bool end() {
    open_.pop_back();
    return counter_.close();
  }

  Counter counter_;
  J root_;
  std::vector<Open> open_;
  J* slot_ = nullptr;  // where the value of the last key goes
};

// The document, or why there is none.
template <class J>
std::pair<J, std::string> build(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return {J(),
            fmt::format("has {} bytes of JSON; expected at most {}", text.size(), limits.bytes)};
  }
  Builder<J> builder(limits, text.size());
  if (!J::sax_parse(text.begin(), text.end(), &builder)) return {J(), builder.take_problem()};
  return {builder.take(), ""};
}

template <class J>
J parse(std::string_view text, const Origin& origin, const JsonLimits& limits) {
  auto [document, problem] = build<J>(text, limits);
  if (!problem.empty()) origin.fail(problem);
  return std::move(document);
}

}  // namespace

Json parse_json(std::string_view text, const Origin& origin, const JsonLimits& limits) {
  return parse<Json>(text, origin, limits);
}

Json parse_json(std::span<const std::byte> bytes, const Origin& origin, const JsonLimits& limits) {
  return parse<Json>(as_text(bytes), origin, limits);
}

OrderedJson parse_ordered_json(std::string_view text, const Origin& origin,
                               const JsonLimits& limits) {
  return parse<OrderedJson>(text, origin, limits);
}

std::optional<OrderedJson> try_parse_json(std::string_view text, const JsonLimits& limits) {
  auto [document, problem] = build<OrderedJson>(text, limits);
  if (!problem.empty()) return std::nullopt;
  return std::move(document);
}

void check_json(std::string_view text, const Origin& origin, const JsonLimits& limits) {
  parse<Json>(text, origin, limits);
}

Json read_json_file(const Origin& origin, const JsonLimits& limits) {
  return parse_json(map_file(origin).values, origin, limits);
}

}  // namespace openworld
