#pragma once

// SHA-256 (FIPS 180-4): identifies a weights file, independent of its name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace openworld {

using Sha256Digest = std::array<std::uint8_t, 32>;

// The processor's SHA instructions hash 1.1 GB/s, about as fast as a disk reads, where the portable
// rounds hash 0.16 GB/s: half a second or four for a checkpoint of 600 MB.
enum class Sha256Kernel { kBest, kPortable };

// Incremental hashing.
class Sha256 {
 public:
  explicit Sha256(Sha256Kernel kernel = Sha256Kernel::kBest);

  void update(std::span<const std::byte> bytes);

  // The digest of everything so far. Call once.
  Sha256Digest finish();

 private:
  using State = std::array<std::uint32_t, 8>;
  using Compress = void (*)(State& state, const std::byte* blocks, std::size_t count);

  static void compress_portably(State& state, const std::byte* blocks, std::size_t count);
#if defined(__x86_64__)
  static void compress_with_sha_ni(State& state, const std::byte* blocks, std::size_t count);
#endif

  Compress compress_;
  State state_;
  std::array<std::byte, 64> block_;  // what is left of the last update, used_ bytes
  std::size_t used_ = 0;
  std::uint64_t size_ = 0;
};

Sha256Digest sha256(std::span<const std::byte> bytes);

// 64 lower-case digits.
std::string hex_text(const Sha256Digest& digest);

}  // namespace openworld
