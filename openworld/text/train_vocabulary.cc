#include "openworld/text/train_vocabulary.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/text/clean_text.h"
#include "openworld/text/split_words.h"

namespace openworld {
namespace {

using Token = std::int32_t;

// A merge walks over the words that have its pair, which of long ones takes much for little: no
// context holds a text of so many tokens. What follows in a word is left out.
constexpr std::size_t kLongestWord = 256;

struct Word {
  std::vector<Token> tokens;
  std::uint64_t count = 0;
};

struct Pair {
  std::uint64_t count = 0;
  std::vector<std::uint32_t> words;  // that had it when it was added; may be stale or repeated
};

// Most frequent first; then the pair of older tokens.
struct Candidate {
  std::uint64_t count = 0;
  std::uint64_t key = 0;

  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : key > other.key;
  }
};

class Trainer {
 public:
  explicit Trainer(const std::map<std::string, std::uint64_t>& words) {
    for (int end = 0; end < 2; ++end) {
      for (int byte = 0; byte < 256; ++byte) {
        tokens_.push_back(byte_symbol(static_cast<unsigned char>(byte)) +
                          std::string(end != 0 ? kWordEnd : ""));
      }
    }
    for (const auto& [text, count] : words) {
      Word word{{}, count};
      for (const char c : std::string_view(text).substr(0, kLongestWord)) {
        word.tokens.push_back(static_cast<unsigned char>(c));
      }
      if (word.tokens.empty() || count == 0) continue;
      word.tokens.back() += 256;
      words_.push_back(std::move(word));
    }
    for (std::uint32_t w = 0; w < words_.size(); ++w) {
      for (std::size_t i = 1; i < words_[w].tokens.size(); ++i) {
        enter(words_[w].tokens[i - 1], words_[w].tokens[i], w);
      }
    }
    for (const auto& [key, pair] : pairs_) queue_.push({pair.count, key});
  }

  bool has_words() const { return !words_.empty(); }

  // The next merge as a line of merges.txt; empty if no pair is left.
  std::string next(std::uint64_t min_count) {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const std::uint64_t count = pairs_.at(best.key).count;
      if (count == 0 || count < min_count) continue;
      if (count != best.count) {
        queue_.push({count, best.key});  // it has lost occurrences since
        continue;
      }
      const auto left = static_cast<Token>(best.key >> 32), right = static_cast<Token>(best.key);
      const std::string& a = tokens_[static_cast<std::size_t>(left)];
      const std::string& b = tokens_[static_cast<std::size_t>(right)];
      std::string line = a + " " + b;
      std::string merged = a + b;
      tokens_.push_back(std::move(merged));
      merge(left, right, static_cast<Token>(tokens_.size() - 1));
      return line;
    }
    return "";
  }

 private:
  void enter(Token left, Token right, std::uint32_t word) {
    Pair& pair = pairs_[pair_key(left, right)];
    pair.count += words_[word].count;
    if (pair.words.empty() || pair.words.back() != word) pair.words.push_back(word);
  }

  void leave(Token left, Token right, std::uint32_t word) {
    pairs_.at(pair_key(left, right)).count -= words_[word].count;
  }

  void merge(Token left, Token right, Token result) {
    std::vector<std::uint32_t> holders = std::move(pairs_.at(pair_key(left, right)).words);
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    for (const std::uint32_t w : holders) {
      std::vector<Token>& old = words_[w].tokens;
      std::vector<Token> now;
      now.reserve(old.size());
      std::size_t changed = 0;  // old[i] before this is part of the merge before
      for (std::size_t i = 0; i < old.size(); ++i) {
        const bool fits = old[i] == left && i + 1 < old.size() && old[i + 1] == right;
        // Pairs that no merge touches stay as they are.
        if (i > 0 && (fits || i == changed)) leave(old[i - 1], old[i], w);
        now.push_back(fits ? result : old[i]);
        if (!fits) continue;
        leave(left, right, w);
        changed = ++i + 1;
      }
      old = std::move(now);
      for (std::size_t i = 1; i < old.size(); ++i) {
        if (old[i - 1] != result && old[i] != result) continue;
        enter(old[i - 1], old[i], w);
        grown_.push_back(pair_key(old[i - 1], old[i]));
      }
    }
    // A pair grows only by the token that is new, so that a queued count is never too low but here.
    std::sort(grown_.begin(), grown_.end());
    grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
    for (const std::uint64_t key : grown_) queue_.push({pairs_.at(key).count, key});
    grown_.clear();
  }

  std::vector<std::string> tokens_;
  std::vector<Word> words_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::priority_queue<Candidate> queue_;
  std::vector<std::uint64_t> grown_;  // pairs of the merge under way
};

}  // namespace

std::map<std::string, std::uint64_t> count_words(std::span<const std::string> texts) {
  const WordSplitter splitter;
  std::map<std::string, std::uint64_t> counts;
  for (const std::string& text : texts) {
    const std::string clean = clean_text(text, {"train_vocabulary", ""});
    for (const std::string_view word : splitter.split(clean)) {
      if (word != kStartOfText && word != kEndOfText) ++counts[std::string(word)];
    }
  }
  return counts;
}

Vocabulary train_vocabulary(const std::map<std::string, std::uint64_t>& words,
                            const VocabularyOptions& options) {
  constexpr auto kFunction = "train_vocabulary";
  Trainer trainer(words);
  if (!trainer.has_words()) fail(kFunction, "no words to learn from, expected at least one");
  std::string lines = "#version: 0.2\n";
  std::size_t merges = 0;
  for (; merges < options.merges; ++merges) {
    const std::string line = trainer.next(options.min_count);
    if (line.empty()) break;
    lines += line + "\n";
  }
  return parse_merges(lines, merges + 514, {kFunction, ""});
}

Vocabulary train_vocabulary(std::span<const std::string> texts, const VocabularyOptions& options) {
  return train_vocabulary(count_words(texts), options);
}

}  // namespace openworld
