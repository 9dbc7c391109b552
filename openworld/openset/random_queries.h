#pragma once

// Negative queries made at random: words that mean nothing, words off a list, token ids, and points
// of the embedding space. All are nested: the first n do not depend on how many are asked for.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/io/npy_values.h"

namespace openworld {

// The random words of the published code: word i has two to eight letters, all lengths equally
// likely, drawn by NumPy's legacy generator of seed i. "pvaddh", "lmijlfp", "pn", "yzdy", ...
// REQUIRES: count < 2^32.
std::vector<std::string> random_words(std::size_t count);

// `count` different entries of a list, in the order of NumPy's legacy permutation of that seed.
// Throws Error if the list is shorter.
std::vector<std::string> sample_words(std::span<const std::string> list, std::size_t count,
                                      std::uint32_t seed);

// The token ids that the published code gives to the text encoders of CLIP and ImageBind as random
// embeddings: `count` sequences of `length` ids below `limit`, as torch.manual_seed(seed) and
// torch.randint(limit, (count, length)) draw them. REQUIRES: 0 < limit < 2^31.
std::vector<std::vector<std::int32_t>> random_token_ids(std::size_t count, std::size_t length,
                                                        std::uint32_t limit, std::uint32_t seed);

enum class EmbeddingDistribution {
  kGaussian,   // each dimension has mean and deviation of the query embeddings (the paper)
  kIsotropic,  // every direction equally likely (the published code for ALIGN)
};

// `count` rows as wide as `queries`, of length 1. Row i depends on (seed, i) alone. The queries are
// taken at length 1 too. REQUIRES: their rows are finite and not zero.
Matrix random_embeddings(const Matrix& queries, std::size_t count, EmbeddingDistribution kind,
                         std::uint64_t seed);

}  // namespace openworld
