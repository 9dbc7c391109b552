#include "openworld/text/vocabulary_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace openworld {
namespace {

using Json = nlohmann::json;

// Takes the one object as it is read; anything else than a number in it is refused at once, so that
// nothing can nest.
class VocabReader : public nlohmann::json_sax<Json> {
 public:
  explicit VocabReader(const Origin& origin) : origin_(origin) {}

  std::vector<std::pair<std::string, std::uint64_t>> entries;

  bool start_object(std::size_t) override {
    if (inside_) unexpected("an object");
    inside_ = true;
    return true;
  }
  bool key(string_t& token) override {
    entries.emplace_back(std::move(token), 0);
    return true;
  }
  bool number_unsigned(number_unsigned_t id) override {
    if (!inside_) unexpected("a number");
    entries.back().second = id;
    return true;
  }
  bool end_object() override { return true; }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool string(string_t&) override { unexpected("a string"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool start_array(std::size_t) override { unexpected("a list"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    origin_.fail(fmt::format("is not valid JSON at byte {}", position));
  }

 private:
  [[noreturn]] void unexpected(std::string_view what) const {
    if (!inside_) origin_.fail(fmt::format("is {}; expected an object of token: id", what));
    origin_.fail(fmt::format("token {} has {} as its id; expected an integer of 0 or more",
                             in_quotes(entries.back().first), what));
  }

  const Origin& origin_;
  bool inside_ = false;
};

}  // namespace

std::vector<std::string> parse_vocab_json(std::string_view json, const Origin& origin) {
  VocabReader reader(origin);
  Json::sax_parse(json, &reader);
  std::vector<std::string> tokens(reader.entries.size());
  std::vector<bool> taken(tokens.size());
  for (auto& [token, id] : reader.entries) {
    if (id >= tokens.size()) {
      origin.fail(fmt::format("token {} has id {}; expected ids from 0 to {}, one for each token",
                              in_quotes(token), id, tokens.size() - 1));
    }
    if (taken[id]) {
      origin.fail(fmt::format("tokens {} and {} both have id {}", in_quotes(tokens[id]),
                              in_quotes(token), id));
    }
    taken[id] = true;
    tokens[id] = std::move(token);
  }
  std::vector<std::string_view> sorted(tokens.begin(), tokens.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin != sorted.end()) {
    origin.fail(fmt::format("has the token {} twice", in_quotes(*twin)));
  }
  return tokens;
}

std::string make_vocab_json(const std::vector<std::string>& tokens) {
  std::string text = "{";
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    text += fmt::format("{}{}: {}", id > 0 ? ", " : "", Json(tokens[id]).dump(), id);
  }
  return text + "}\n";
}

}  // namespace openworld
