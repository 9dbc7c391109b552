// Fuzzes WordNet's index.noun and data.noun, with a NUL between them.

#include <algorithm>

#include "fuzz/fuzz_folder.h"
#include "openworld/openset/wordnet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto nul =
      static_cast<std::size_t>(std::find(bytes.begin(), bytes.end(), std::byte{0}) - bytes.begin());
  const FuzzFolder& folder = FuzzFolder::instance();
  folder.write("index.noun", bytes.first(nul));
  folder.write("data.noun", bytes.subspan(std::min(nul + 1, size)));
  attempt([&] {
    const WordNet wordnet(folder.path());
    const std::vector<std::string> words = wordnet.single_words();
    const std::size_t few = std::min<std::size_t>(words.size(), 10);
    siblings_of(wordnet, std::span(words).first(few));
    for (std::size_t i = 0; i < few; ++i) {
      if (const auto synset = wordnet.find(words[i])) wordnet.name(*synset);
    }
  });
  return 0;
}
