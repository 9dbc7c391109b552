#pragma once

// LogitSource: the logits of N images over a list of queries, read a few rows at a time.
//
// They are stored somewhere, or are products of features, computed when a tile of rows is asked for
// and forgotten after: N x K numbers never exist at once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "openworld/io/npy_values.h"
#include "openworld/io/origin.h"

namespace openworld {

// Reads tiles; each thread has its own.
template <class T>
class TileReader {
 public:
  virtual ~TileReader() = default;

  // Rows [begin, begin + count), one after the other, in memory that the caller may write to and
  // that lives until the next call. REQUIRES: count <= LogitSource::tile_rows().
  virtual T* read(std::size_t begin, std::size_t count) = 0;
};

using AnyTileReader =
    std::variant<std::unique_ptr<TileReader<float>>, std::unique_ptr<TileReader<double>>>;

class LogitSource {
 public:
  virtual ~LogitSource() = default;

  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;

  // Rows of a full tile. Depends on the shape alone, so that results do not depend on threads.
  virtual std::size_t tile_rows() const = 0;
  // Added to every logit; scans leave it out.
  virtual double bias() const { return 0; }
  virtual AnyTileReader reader() const = 0;

  // Throws Error about a logit that is not finite. REQUIRES: there is one in the row.
  [[noreturn]] virtual void refuse_row(std::size_t row) const = 0;
};

// Logits as a file or an array has them. `name` is the array's, for messages.
std::unique_ptr<LogitSource> stored_logits(Matrix logits, std::string name, Origin origin);

// Features with what messages call them.
struct NamedFeatures {
  Matrix features;
  std::string name;  // "features"
  Origin origin;
};

struct FeatureLogits {
  double scale = 100;
  double bias = 0;
  bool normalize = true;  // rows to length 1, so that products are cosines
  // False: queries keep their lengths all the same, as means of several rows of length 1 do.
  bool normalize_queries = true;
};

// scale * <image, query> + bias, over the rows of all `queries` one after the other. In float,
// unless one of the matrices is double: then in double. Throws Error for different widths and for
// rows that are not finite or, where they are normalized, zero.
std::unique_ptr<LogitSource> feature_logits(NamedFeatures images,
                                            std::vector<NamedFeatures> queries,
                                            const FeatureLogits& options);

}  // namespace openworld
