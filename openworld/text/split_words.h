#pragma once

// Cuts clean text into the pieces that are encoded one by one, as openai/CLIP does.
//
// Left to right, regardless of case, the first that fits: the two special markers; the
// contractions 's 't 're 've 'm 'll 'd; a run of letters; one number character; a run of anything
// else that is not white space. Letters and numbers are Unicode's L and N, of the version that
// PCRE2 knows (10.42: Unicode 14).

#include <memory>
#include <string_view>
#include <vector>

namespace openworld {

class WordSplitter {
 public:
  WordSplitter();
  ~WordSplitter();

  // The pieces, as views of `text`. May be called by many threads at once. REQUIRES: valid UTF-8.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<const Pattern> pattern_;
};

}  // namespace openworld
