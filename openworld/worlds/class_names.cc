#include "openworld/worlds/class_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/base/trimmed.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr JsonLimits kNameLimits{
    .bytes = std::size_t{1} << 26, .depth = 4, .values = std::size_t{1} << 22};

std::string name_in(const nlohmann::json& value, std::string_view where, const Origin& origin) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    origin.fail(
        fmt::format("{} is {}; expected a class name in quotes", where, in_quotes(value.dump())));
  }
  return value.get<std::string>();
}

}  // namespace

ClassNames ClassNames::load(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  return parse(without_byte_order_mark(as_text(bytes.values)), origin.file.ends_with(".json"),
               origin);
}

ClassNames ClassNames::parse(std::string_view text, bool json, const Origin& origin) {
  ClassNames names;
  names.origin_ = origin;
  if (!decode_utf8(text)) origin.fail("is not valid UTF-8");
  if (json) {
    const auto root = parse_json(text, origin, kNameLimits);
    if (root.is_array()) {
      for (const auto& value : root) {
        names.list_.push_back(name_in(value, fmt::format("item {}", names.list_.size()), origin));
      }
    } else if (root.is_object()) {
      names.is_object_ = true;
      for (const auto& [key, value] : root.items()) {
        names.keyed_[key] = name_in(value, fmt::format("the name of {}", in_quotes(key)), origin);
      }
    } else {
      origin.fail("holds neither a list nor an object; expected class names");
    }
  } else {
    bool all_have_two = true;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = trimmed(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.empty()) continue;
      names.list_.emplace_back(line);
      const std::size_t space = line.find_first_of(" \t");
      all_have_two = all_have_two && space != std::string_view::npos;
      if (all_have_two)
        names.keyed_[std::string(line.substr(0, space))] = trimmed(line.substr(space));
    }
    if (!all_have_two) names.keyed_.clear();
  }
  if (names.list_.empty() && names.keyed_.empty()) origin.fail("has no class names");
  return names;
}

std::vector<std::string> ClassNames::for_folders(const std::vector<std::string>& folders) const {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const auto found = keyed_.find(folder);
    if (found == keyed_.end()) break;
    names.push_back(found->second);
  }
  if (names.size() == folders.size()) return names;
  const std::vector<std::string> list =
      is_object_ && !keyed_.count("0") ? std::vector<std::string>() : by_label();
  if (list.empty()) {
    origin_.fail(fmt::format("has no name for the folder {}", in_quotes(folders[names.size()])));
  }
  if (list.size() != folders.size()) {
    origin_.fail(fmt::format("has {} names; expected {}, one for each class folder", list.size(),
                             folders.size()));
  }
  return list;
}

// WordNet ids such as n01440764: the keys are then not part of the names.
bool ClassNames::keyed_by_wnid() const {
  return !keyed_.empty() && std::all_of(keyed_.begin(), keyed_.end(), [](const auto& entry) {
    const std::string& key = entry.first;
    return key.size() == 9 && key[0] == 'n' &&
           key.find_first_not_of("0123456789", 1) == std::string::npos;
  });
}

std::vector<std::string> ClassNames::by_label() const {
  if (!is_object_ && !keyed_by_wnid()) return list_;
  if (!is_object_) {
    std::vector<std::string> names;
    for (const auto& [wnid, name] : keyed_) names.push_back(name);
    return names;
  }
  std::vector<std::string> names(keyed_.size());
  std::vector<bool> given(keyed_.size());
  for (const auto& [key, name] : keyed_) {
    std::size_t label = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), label);
    if (error != std::errc() || end != key.data() + key.size() || label >= names.size() ||
        given[label]) {
      origin_.fail(fmt::format("has the key {}; expected labels from 0 to {}", in_quotes(key),
                               names.size() - 1));
    }
    given[label] = true;
    names[label] = name;
  }
  return names;
}

std::string find_names_file(const std::string& given, const std::string& folder) {
  if (!given.empty() || folder.empty()) return given;
  const fs::path beside = fs::path(folder) / "classnames.txt";
  std::error_code ignored;
  return fs::is_regular_file(beside, ignored) ? beside.string() : "";
}

void refuse_duplicates(const std::vector<std::string>& classes, const Origin& origin) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const auto [found, inserted] = seen.emplace(classes[label], label);
    if (!inserted) {
      origin.fail(
          fmt::format("classes {} and {} are both named {}; expected names that differ "
                      "unless duplicate names are allowed",
                      found->second, label, in_quotes(classes[label])));
    }
  }
}

}  // namespace openworld
