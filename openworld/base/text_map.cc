#include "openworld/base/text_map.h"

#include <bit>
#include <cstring>

#include "openworld/base/entropy.h"

namespace openworld {
namespace {

struct SipState {
  std::uint64_t a, b, c, d;

  void round() {
    a += b;
    b = std::rotl(b, 13) ^ a;
    a = std::rotl(a, 32);
    c += d;
    d = std::rotl(d, 16) ^ c;
    a += d;
    d = std::rotl(d, 21) ^ a;
    c += b;
    b = std::rotl(b, 17) ^ c;
    c = std::rotl(c, 32);
  }
};

SipKey random_key() {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return {1, 2};  // a fuzzer with the same seed must take the same paths
#else
  return {random_bits(), random_bits()};
#endif
}

}  // namespace

template <int C, int D>
std::uint64_t sip_hash(std::string_view text, const SipKey& key) {
  static_assert(std::endian::native == std::endian::little);
  SipState state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d,
                 key.low ^ 0x6c7967656e657261, key.high ^ 0x7465646279746573};
  const auto absorb = [&](std::uint64_t word) {
    state.d ^= word;
    for (int i = 0; i < C; ++i) state.round();
    state.a ^= word;
  };
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    absorb(word);
  }
  std::uint64_t last = std::uint64_t{text.size()} << 56;
  for (std::size_t i = whole; i < text.size(); ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * (i - whole);
  }
  absorb(last);
  state.c ^= 0xff;
  for (int i = 0; i < D; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

template std::uint64_t sip_hash<1, 3>(std::string_view, const SipKey&);
template std::uint64_t sip_hash<2, 4>(std::string_view, const SipKey&);

std::size_t TextHash::operator()(std::string_view text) const {
  static const SipKey key = random_key();
  return sip_hash<1, 3>(text, key);
}

}  // namespace openworld
