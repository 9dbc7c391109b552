#include "openworld/io/sha256.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

std::string digest(std::string_view text, Sha256Kernel kernel) {
  Sha256 hash(kernel);
  hash.update(std::as_bytes(std::span(text)));
  return hex_text(hash.finish());
}

class EitherKernel : public ::testing::TestWithParam<Sha256Kernel> {};
INSTANTIATE_TEST_SUITE_P(Sha256, EitherKernel,
                         ::testing::Values(Sha256Kernel::kBest, Sha256Kernel::kPortable));

// NIST, "Examples with intermediate values", SHA-256, and the vector of a million bytes.
TEST_P(EitherKernel, VectorsOfTheStandard) {
  EXPECT_EQ(digest("abc", GetParam()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", GetParam()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a'), GetParam()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

std::string some_bytes() {
  std::string bytes(100'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i * 7 + i / 3);
  return bytes;
}

// Python's hashlib, on the first n of some_bytes(): lengths around where the padding needs one more
// block.
TEST_P(EitherKernel, ValuesOfHashlib) {
  const std::vector<std::pair<std::size_t, std::string>> values = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
      {55, "ae549e196d0c8a19f94d68c738845bb6cd667b852d094ab07afa0f78986bafb7"},
      {56, "d91738eb77a46426dbf9ac93d78ae3b022495f088c9e320c8540b2c451e58ae3"},
      {63, "793d9a89cb145e2693c31327baec0d0a820d17d438b360012855033c4b584e35"},
      {64, "53bd6574000e44886bec8c027d373b9f33904ae55d54172d0290675775c2a08b"},
      {65, "e285cbd2d2c5e4ebf72e55cbc71051a8ce7929759077dcdb6f03f9cb70aa18fd"},
      {119, "77bd963b02a9d22f13b18908960e12c621df321bd3c07e557909a45ef88cba81"},
      {120, "ff0e4aa1be32217418715a9c1fe3499568d576a29ea476fbf3fe4f3afdfe9db4"},
      {128, "bdc9d8882a957079089df189575a413d75346624d0f8e9577210b117b6a8b451"},
      {1000, "17dfc165cd354d27df4908f8c777bb8488c3653cfb3145744aec21d4a2110aa8"},
      {99999, "e971645b90bae2458cf2ee5fa918370e1979086bb5d19409e16c51096fb66ed5"},
  };
  const std::string bytes = some_bytes();
  for (const auto& [size, expected] : values) {
    EXPECT_EQ(digest(std::string_view(bytes).substr(0, size), GetParam()), expected) << size;
  }
}

TEST_P(EitherKernel, PiecesOfAnySizeGiveTheSame) {
  const std::string bytes = some_bytes();
  for (const std::size_t piece : {1, 3, 63, 64, 65, 127, 1000}) {
    Sha256 hash(GetParam());
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::string_view first = rest.substr(0, piece);
      hash.update(std::as_bytes(std::span(first)));
      rest.remove_prefix(first.size());
    }
    EXPECT_EQ(hex_text(hash.finish()), hex_text(sha256(std::as_bytes(std::span(bytes)))));
  }
}

}  // namespace
}  // namespace openworld
