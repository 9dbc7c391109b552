#pragma once

// Maps and sets of texts from files. std::hash of a text is a fixed function, so that anyone can
// write a file of names that all fall into one bucket: 200,000 of them in 3.4 MB took minutes.
// These maps hash with SipHash-1-3 under a key that each process draws anew (Aumasson and
// Bernstein, "SipHash: a fast short-input PRF", 2012). Their order differs from process to
// process, so nothing may depend on it: look texts up, do not iterate.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace openworld {

struct SipKey {
  std::uint64_t low = 0, high = 0;
};

// SipHash-C-D: C rounds for every 8 bytes, D at the end. Defined for 1-3 and 2-4.
template <int C, int D>
std::uint64_t sip_hash(std::string_view text, const SipKey& key);

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const;
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// The texts must outlive the map.
template <class Value>
using TextViewMap = std::unordered_map<std::string_view, Value, TextHash, std::equal_to<>>;

}  // namespace openworld
