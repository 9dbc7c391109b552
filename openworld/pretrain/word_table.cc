#include "openworld/pretrain/word_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "openworld/base/error.h"

namespace openworld {
namespace {

// Words that more of the images have say nothing about any of them: "a", "of", "icon".
constexpr double kLargestShare = 0.25;

// What a corpus says of a text.
struct Said {
  std::uint64_t as_name = 0, as_word = 0, in_all = 0;  // images
};

}  // namespace

std::string table_word(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = ' ';
  }
  return word;
}

WordTable::WordTable(std::span<const CaptionSource* const> sources, const WordOptions& options)
    : name_share_(options.name_share) {
  std::map<std::string, Said> said;  // sorted, so that the table does not depend on a hash
  std::uint64_t images = 0;
  for (const CaptionSource* source : sources) {
    for (std::size_t i = 0; i < source->size(); ++i) {
      if (!(source->weight(i) > 0)) continue;
      ++images;
      std::set<std::string> texts;
      const std::string name = table_word(source->name_of(i));
      if (!name.empty()) {
        ++said[name].as_name;
        texts.insert(name);
      }
      std::set<std::string> words;
      for (const std::string& text : source->words_of(i)) words.insert(table_word(text));
      for (const std::string& word : words) ++said[word].as_word;
      texts.merge(words);
      for (const std::string& text : texts) ++said[text].in_all;
    }
  }
  const auto most = static_cast<double>(images) * kLargestShare;
  for (const auto& [text, count] : said) {
    const bool is_name = count.as_name >= static_cast<std::uint64_t>(options.min_names);
    const bool is_word = count.as_word >= static_cast<std::uint64_t>(options.min_words) &&
                         static_cast<double>(count.as_word) <= most;
    if (!is_name && !is_word) continue;
    index_[text] = static_cast<std::uint32_t>(words_.size());
    words_.push_back(text);
    counts_.push_back(count.in_all);
  }
  if (words_.empty()) {
    fail("pretrain", fmt::format("no name is said of {} images and no word of {}, which words "
                                 "needs; expected smaller min_names or min_words",
                                 options.min_names, options.min_words));
  }
}

std::optional<std::uint32_t> WordTable::find(std::string_view text) const {
  const auto found = index_.find(table_word(text));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<WordTarget> WordTable::targets(const CaptionSource& source, std::size_t index) const {
  const std::optional<std::uint32_t> of_name = find(source.name_of(index));  // none for ""
  std::vector<std::uint32_t> words;
  for (const std::string& text : source.words_of(index)) {
    const auto word = find(text);
    if (!word || (of_name && *of_name == *word)) continue;
    if (std::find(words.begin(), words.end(), *word) == words.end()) words.push_back(*word);
  }
  std::vector<WordTarget> targets;
  double rest = 1;
  if (of_name) {
    const double share = words.empty() ? 1 : name_share_;
    rest -= share;
    if (share > 0) targets.push_back({*of_name, static_cast<float>(share)});
  }
  if (rest <= 0) return targets;
  for (const std::uint32_t word : words) {
    targets.push_back({word, static_cast<float>(rest / static_cast<double>(words.size()))});
  }
  return targets;
}

}  // namespace openworld
