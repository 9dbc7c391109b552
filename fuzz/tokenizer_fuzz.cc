// Fuzzes what turns text and vocabulary files into tokens. The first byte chooses: text, merges,
// vocab.json and merges with a NUL between them, or gzip.

#include <cstdlib>

#include "fuzz/fuzz.h"
#include "openworld/io/gzip.h"
#include "openworld/text/tokenizer.h"

namespace openworld {
namespace {

const Origin kOrigin{"fuzz", "input"};

void encode(std::string_view text) {
  static const Tokenizer kTokenizer(
      parse_merges("#version\nl o\nlo w\na a\naa aa\n' s</w>\n. .\n.. .</w>\n", 0, kOrigin));
  const auto ids = kTokenizer.encode(text);
  kTokenizer.pack(text, 77, true);
  // Decoding loses no token, except where cleaning again would change the text: it resolves what
  // is behind '&' and strips U+001C to U+001F.
  const std::string back = kTokenizer.decode(ids);
  const bool stable = back.find_first_of("&\x1c\x1d\x1e\x1f") == std::string::npos;
  if (stable && kTokenizer.encode(back) != ids) std::abort();
}

void load(const Vocabulary& vocabulary) {
  Tokenizer(vocabulary).encode("a lower new word's 42");
}

void run(const Bytes& bytes) {
  if (bytes.empty()) return;
  const std::string_view text = as_text(bytes.values).substr(1);
  switch (std::to_integer<int>(bytes.values[0])) {
    case 't':
      return encode(text);
    case 'm':
      return load(parse_merges(text, 0, kOrigin));
    case 'v': {
      const std::size_t nul = std::min(text.find('\0'), text.size());
      return load(parse_vocabulary(text.substr(0, nul), text.substr(std::min(nul + 1, text.size())),
                                   kOrigin, kOrigin));
    }
    case 'z':
      gunzip(bytes.values.subspan(1), 1 << 20, kOrigin);
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  openworld::attempt([&] { openworld::run(openworld::fuzz_bytes(data, size)); });
  return 0;
}
