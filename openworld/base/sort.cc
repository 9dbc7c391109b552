#include "openworld/base/sort.h"

#include <hwy/base.h>
#include <hwy/contrib/sort/vqsort.h>

#include <cstddef>

namespace openworld {

static_assert(sizeof(Word128) == sizeof(hwy::uint128_t));
static_assert(offsetof(Word128, low) == offsetof(hwy::uint128_t, lo));

void sort_words(std::span<std::uint32_t> words) {
  hwy::Sorter()(words.data(), words.size(), hwy::SortAscending());
}

void sort_words(std::span<std::uint64_t> words) {
  hwy::Sorter()(words.data(), words.size(), hwy::SortAscending());
}

void sort_words(std::span<Word128> words) {
  hwy::Sorter()(reinterpret_cast<hwy::uint128_t*>(words.data()), words.size(),
                hwy::SortAscending());
}

}  // namespace openworld
