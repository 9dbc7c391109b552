#pragma once

// Labels in another order than the names: samples of one class are answered as another, one to
// one, far more often than as themselves.

#include <cstdint>
#include <span>
#include <vector>

namespace openworld {

struct MovedClass {
  std::int32_t label = 0;
  std::int32_t answered = 0;  // the class that its samples are answered as
  std::int64_t samples = 0;
  std::int64_t as_itself = 0, as_other = 0;
};

// Classes are matched with answers one to one, the most frequent pairs first, so that a class that
// draws the answers of all others moves none of them. A class is moved if its match is another one
// that has more than half of its answers, and five times as many as it has itself. One class alone
// is a confusion, not an order: the result has two or more, or none. Samples with a label or an
// answer of -1 do not count. O(n + pairs log pairs).
std::vector<MovedClass> moved_classes(std::span<const std::int32_t> labels,
                                      std::span<const std::int32_t> answers);

}  // namespace openworld
