#pragma once

// A pass over the tiles of a LogitSource.

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "openworld/base/threads.h"
#include "openworld/openset/logit_source.h"

namespace openworld {

// Calls f(tile, first row, rows) for every tile, on up to `threads` threads (0: every core); `tile`
// is float* or double*. Each thread has a reader of its own. f must not depend on which thread runs
// it.
template <class F>
void for_each_tile(const LogitSource& source, int threads, F&& f) {
  const std::size_t rows = source.rows(), height = source.tile_rows();
  const std::size_t tiles = (rows + height - 1) / height;
  const int wanted = threads > 0 ? threads : default_threads();
  const std::size_t workers = std::min<std::size_t>(tiles, static_cast<std::size_t>(wanted));
  std::atomic<std::size_t> next = 0;
  parallel_for(workers, static_cast<int>(workers), [&](std::size_t) {
    std::visit(
        [&](const auto& reader) {
          for (std::size_t tile; (tile = next.fetch_add(1)) < tiles;) {
            const std::size_t begin = tile * height, count = std::min(height, rows - begin);
            f(reader->read(begin, count), begin, count);
          }
        },
        source.reader());
  });
}

}  // namespace openworld
