#include "openworld/worlds/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "openworld/io/mapped_file.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 100'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What one pair of braces stands for.
std::vector<std::string> alternatives(std::string_view inside, const Origin& origin) {
  std::vector<std::string> words;
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) {
    for (std::size_t begin = 0; begin <= inside.size();) {
      const std::size_t end = std::min(inside.find(',', begin), inside.size());
      words.emplace_back(inside.substr(begin, end - begin));
      begin = end + 1;
    }
    return words;
  }
  const std::string_view first_text = inside.substr(0, dots);
  const auto first = to_number(first_text), last = to_number(inside.substr(dots + 2));
  if (!first || !last || *first > *last) {
    origin.fail(
        fmt::format("{{{}}} is not a range; expected two numbers, as in {{000..003}}", inside));
  }
  if (*last - *first >= kMaxNames) {
    origin.fail(fmt::format("{{{}}} is more than {} names", inside, kMaxNames));
  }
  const int width = first_text.starts_with('0') ? static_cast<int>(first_text.size()) : 1;
  for (std::uint64_t n = *first; n <= *last; ++n) words.push_back(fmt::format("{:0{}}", n, width));
  return words;
}

std::vector<std::string> tars_in(const std::string& folder) {
  std::vector<std::string> names = peek_folder(folder).others;
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".tar"); });
  sort_naturally(&names);
  for (std::string& name : names) name = (fs::path(folder) / name).string();
  return names;
}

// The folders in `folder` that hold shards, as CLIP_benchmark lays splits out.
std::vector<std::string> tar_splits(const std::string& folder) {
  std::vector<std::string> splits = peek_folder(folder).folders;
  std::erase_if(splits, [&](const std::string& name) {
    return !is_split_name(name) || tars_in((fs::path(folder) / name).string()).empty();
  });
  return splits;
}

}  // namespace

std::vector<std::string> expand_braces(std::string_view pattern, const Origin& origin) {
  std::vector<std::string> names = {""};
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    for (std::string& name : names) name += pattern.substr(0, open);
    pattern.remove_prefix(open);
    if (pattern.empty()) break;
    const std::size_t close = pattern.find('}');
    if (close == std::string_view::npos) origin.fail("has a brace that is not closed");
    const std::vector<std::string> words = alternatives(pattern.substr(1, close - 1), origin);
    if (words.size() > kMaxNames / names.size()) {
      origin.fail(fmt::format("stands for more than {} names", kMaxNames));
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& word : words) longer.push_back(name + word);
    }
    names = std::move(longer);
    pattern.remove_prefix(close + 1);
  }
  return names;
}

void sort_naturally(std::vector<std::string>* names) {
  // Numbers get their length in front: as text they then sort as numbers.
  const auto key = [](std::string_view name) {
    std::string result;
    for (std::size_t i = 0; i < name.size();) {
      if (!is_digit(name[i])) {
        result += name[i++];
        continue;
      }
      while (i + 1 < name.size() && name[i] == '0' && is_digit(name[i + 1])) ++i;
      std::size_t end = i;
      while (end < name.size() && is_digit(name[end])) ++end;
      result += fmt::format("0{:05}", end - i);
      result += name.substr(i, end - i);
      i = end;
    }
    return result;
  };
  std::vector<std::pair<std::string, std::string>> keyed;
  keyed.reserve(names->size());
  for (std::string& name : *names) {
    std::string as_text = key(name);
    keyed.emplace_back(std::move(as_text), std::move(name));
  }
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) (*names)[i] = std::move(keyed[i].second);
}

bool holds_shards(const std::string& path) {
  return path.ends_with(".tar") || !tars_in(path).empty() || !tar_splits(path).empty();
}

std::vector<std::string> find_shards(const Origin& origin, const std::string& split,
                                     std::vector<std::string>* splits) {
  std::error_code ignored;
  std::vector<std::string> shards;
  splits->clear();
  if (fs::is_directory(origin.file, ignored)) {
    shards = tars_in(origin.file);
    if (shards.empty()) *splits = tar_splits(origin.file);
  } else {
    shards = expand_braces(origin.file, origin);
  }
  if (!splits->empty() || !split.empty()) {
    require_split(split, *splits, origin);
    shards = tars_in((fs::path(origin.file) / split).string());
  }
  if (shards.empty()) origin.fail("holds no .tar files; expected webdataset shards");
  return shards;
}

std::shared_ptr<const TarArchive> open_shard(const Origin& origin) {
  return std::make_shared<const TarArchive>(map_file(origin), origin);
}

Bytes Shards::read(const Sample& sample) const {
  const TarArchive& archive = archive_of(sample);
  return archive.read(archive.members()[static_cast<std::uint32_t>(sample.place)]);
}

std::string Shards::name(const Sample& sample) const {
  return fmt::format("{}: {}", archive_of(sample).origin().file, sample.path);
}

const TarArchive& Shards::archive_of(const Sample& sample) const {
  return *archives[static_cast<std::size_t>(sample.place >> 32)];
}

void for_each_shard_member(
    const TarArchive& archive, const std::function<void()>& close,
    const std::function<void(std::uint32_t, std::string_view, std::string_view)>& take) {
  std::string_view key;
  for (std::size_t i = 0; i < archive.members().size(); ++i) {
    const std::string_view name = archive.members()[i].name;
    const std::size_t slash = name.rfind('/') + 1;  // 0 if there is none
    const std::size_t dot = name.find('.', slash);
    if (dot == name.npos || dot == slash) continue;
    if (name.substr(0, dot) != key) {
      if (!key.empty()) close();
      key = name.substr(0, dot);
    }
    take(static_cast<std::uint32_t>(i), key, name.substr(dot + 1));
  }
  if (!key.empty()) close();
}

}  // namespace openworld
