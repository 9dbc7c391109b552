#include "openworld/openset/logit_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "openworld/base/buffer.h"
#include "openworld/openset/matrix_product.h"

namespace openworld {
namespace {

double value_at(const Matrix& matrix, std::size_t row, std::size_t column) {
  const std::size_t at =
      matrix.fortran_order ? column * matrix.rows + row : row * matrix.columns + column;
  return std::visit([&](const auto& values) { return static_cast<double>(values.values[at]); },
                    matrix.values);
}

bool is_double(const Matrix& matrix) {
  return std::holds_alternative<Column<double>>(matrix.values);
}

// Rows [begin, begin + count) of `matrix` as T, row-major.
template <class T>
void copy_rows(const Matrix& matrix, std::size_t begin, std::size_t count, T* to) {
  std::visit(
      [&](const auto& column) {
        const auto* from = column.values.data();
        if (!matrix.fortran_order) {
          const auto* first = from + begin * matrix.columns;
          std::copy(first, first + count * matrix.columns, to);
          return;
        }
        for (std::size_t j = 0; j < matrix.columns; ++j) {
          const auto* first = from + j * matrix.rows + begin;
          for (std::size_t i = 0; i < count; ++i) {
            to[i * matrix.columns + j] = static_cast<T>(first[i]);
          }
        }
      },
      matrix.values);
}

// Throws Error about the first value of the row that is not finite, if there is one.
void check_finite_row(const Matrix& matrix, std::size_t row, const std::string& name,
                      const Origin& origin) {
  for (std::size_t j = 0; j < matrix.columns; ++j) {
    const double value = value_at(matrix, row, j);
    if (std::isfinite(value)) continue;
    origin.fail(fmt::format("{}[{}, {}] is {}; expected a finite number", name, row, j,
                            std::isnan(value) ? "NaN"
                            : value > 0       ? "inf"
                                              : "-inf"));
  }
}

class StoredLogits : public LogitSource {
 public:
  StoredLogits(Matrix logits, std::string name, Origin origin)
      : logits_(std::move(logits)), name_(std::move(name)), origin_(std::move(origin)) {}

  std::size_t rows() const override { return logits_.rows; }
  std::size_t columns() const override { return logits_.columns; }
  // 64 KiB: what is copied is still in the first cache when it is scanned. By columns, a stretch of
  // each is read, which should fill more than one line.
  std::size_t tile_rows() const override {
    const std::size_t fitting = (std::size_t{1} << 14) / logits_.columns;
    return logits_.fortran_order ? 256 : std::clamp<std::size_t>(fitting, 1, 256);
  }
  AnyTileReader reader() const override {
    if (is_double(logits_)) return std::make_unique<Reader<double>>(*this);
    return std::make_unique<Reader<float>>(*this);
  }
  void refuse_row(std::size_t row) const override {
    check_finite_row(logits_, row, name_, origin_);
    std::abort();  // the row has one
  }

 private:
  template <class T>
  class Reader : public TileReader<T> {
   public:
    explicit Reader(const StoredLogits& source)
        : source_(source), tile_(source.tile_rows() * source.columns()) {}

    T* read(std::size_t begin, std::size_t count) override {
      copy_rows(source_.logits_, begin, count, tile_.data());
      return tile_.data();
    }

   private:
    const StoredLogits& source_;
    Buffer<T> tile_;
  };

  Matrix logits_;
  std::string name_;
  Origin origin_;
};

// Scales rows to length 1. False if a row is zero or not finite.
template <class T>
bool normalize_row(T* row, std::size_t n) {
  double squares = 0;
  for (std::size_t j = 0; j < n; ++j) squares += static_cast<double>(row[j]) * row[j];
  if (!(squares > 0) || !std::isfinite(squares)) return false;
  const double factor = 1 / std::sqrt(squares);
  for (std::size_t j = 0; j < n; ++j) row[j] = static_cast<T>(row[j] * factor);
  return true;
}

[[noreturn]] void refuse_features(const NamedFeatures& features, std::size_t row) {
  check_finite_row(features.features, row, features.name, features.origin);
  features.origin.fail(fmt::format("{}[{}] has length 0 or infinity; a cosine needs a direction",
                                   features.name, row));
}

template <class T>
class ProductLogits : public LogitSource {
 public:
  ProductLogits(NamedFeatures images, const std::vector<NamedFeatures>& queries,
                const FeatureLogits& options)
      : images_(std::move(images)), options_(options), width_(images_.features.columns) {
    for (const NamedFeatures& part : queries) columns_ += part.features.rows;
    queries_ = Buffer<T>(columns_ * width_);
    std::size_t at = 0;
    for (const NamedFeatures& part : queries) {
      const std::size_t rows = part.features.rows;
      copy_rows(part.features, 0, rows, queries_.data() + at * width_);
      for (std::size_t i = 0; i < rows; ++i) {
        T* row = queries_.data() + (at + i) * width_;
        if (options_.normalize_queries && !prepare(row)) refuse_features(part, i);
      }
      at += rows;
    }
  }

  std::size_t rows() const override { return images_.features.rows; }
  std::size_t columns() const override { return columns_; }
  double bias() const override { return options_.bias; }
  // Tiles of about 2 MiB: large enough that packing the queries for each product is lost in it,
  // small enough for the second cache of most machines or, at worst, the third.
  std::size_t tile_rows() const override {
    return std::clamp<std::size_t>((std::size_t{1} << 19) / columns_, 32, 512);
  }
  AnyTileReader reader() const override { return std::make_unique<Reader>(*this); }
  void refuse_row(std::size_t row) const override {
    std::vector<T> features(width_);
    copy_rows(images_.features, row, 1, features.data());
    if (!prepare(features.data())) refuse_features(images_, row);
    check_finite_row(images_.features, row, images_.name, images_.origin);
    images_.origin.fail(
        fmt::format("the logits of {}[{}] are not finite; features or logit scale are too large",
                    images_.name, row));
  }

 private:
  class Reader : public TileReader<T> {
   public:
    explicit Reader(const ProductLogits& source)
        : source_(source),
          features_(source.tile_rows() * source.width_),
          tile_(source.tile_rows() * source.columns_) {}

    T* read(std::size_t begin, std::size_t count) override {
      const std::size_t width = source_.width_;
      copy_rows(source_.images_.features, begin, count, features_.data());
      for (std::size_t i = 0; i < count; ++i) {
        T* row = features_.data() + i * width;
        // Its logits are then NaN, and whoever scans them asks for the refusal.
        if (!source_.prepare(row)) std::fill_n(row, width, std::numeric_limits<T>::quiet_NaN());
      }
      multiply_by_transposed(features_.data(), source_.queries_.data(), tile_.data(), count,
                             source_.columns_, width, static_cast<T>(source_.options_.scale));
      return tile_.data();
    }

   private:
    const ProductLogits& source_;
    Buffer<T> features_, tile_;
    SingleThreadedProducts guard_;
  };

  bool prepare(T* row) const { return !options_.normalize || normalize_row(row, width_); }

  NamedFeatures images_;
  FeatureLogits options_;
  std::size_t width_;
  std::size_t columns_ = 0;
  Buffer<T> queries_;
};

}  // namespace

std::unique_ptr<LogitSource> stored_logits(Matrix logits, std::string name, Origin origin) {
  return std::make_unique<StoredLogits>(std::move(logits), std::move(name), std::move(origin));
}

std::unique_ptr<LogitSource> feature_logits(NamedFeatures images,
                                            std::vector<NamedFeatures> queries,
                                            const FeatureLogits& options) {
  bool doubles = is_double(images.features);
  for (const NamedFeatures& part : queries) {
    if (part.features.columns != images.features.columns) {
      part.origin.fail(fmt::format("{} has {} columns; expected {}, as many as the images have",
                                   part.name, part.features.columns, images.features.columns));
    }
    doubles |= is_double(part.features);
  }
  if (doubles) return std::make_unique<ProductLogits<double>>(std::move(images), queries, options);
  return std::make_unique<ProductLogits<float>>(std::move(images), queries, options);
}

}  // namespace openworld
