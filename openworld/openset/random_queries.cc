#include "openworld/openset/random_queries.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "openworld/base/error.h"
#include "openworld/base/numpy_random.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

// Mean and deviation of each dimension, over rows of length 1.
struct Spread {
  std::vector<double> mean, deviation;
};

Spread spread_of(const Matrix& queries) {
  const std::size_t width = queries.columns;
  Spread spread{std::vector<double>(width), std::vector<double>(width)};
  std::vector<double> row(width);
  const auto for_each_row = [&](const auto& f) {
    std::visit(
        [&](const auto& column) {
          for (std::size_t i = 0; i < queries.rows; ++i) {
            double squares = 0;
            for (std::size_t j = 0; j < width; ++j) {
              row[j] = column.values[queries.fortran_order ? j * queries.rows + i : i * width + j];
              squares += row[j] * row[j];
            }
            const double length = std::sqrt(squares);
            for (std::size_t j = 0; j < width; ++j) f(j, row[j] / length);
          }
        },
        queries.values);
  };
  const auto n = static_cast<double>(queries.rows);
  for_each_row([&](std::size_t j, double value) { spread.mean[j] += value / n; });
  for_each_row([&](std::size_t j, double value) {
    spread.deviation[j] += (value - spread.mean[j]) * (value - spread.mean[j]) / n;
  });
  for (double& deviation : spread.deviation) deviation = std::sqrt(deviation);
  return spread;
}

}  // namespace

std::vector<std::string> random_words(std::size_t count) {
  std::vector<std::string> words;
  words.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    NumpyRandom random(static_cast<std::uint32_t>(i));
    std::string word(2 + random.up_to(6), ' ');
    for (char& letter : word) letter = static_cast<char>('a' + random.up_to(25));
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> sample_words(std::span<const std::string> list, std::size_t count,
                                      std::uint32_t seed) {
  if (count > list.size()) {
    fail("openset", fmt::format("{} words were asked for, and the list has {}; expected at most "
                                "that many",
                                count, list.size()));
  }
  std::vector<std::string> words;
  for (const std::uint32_t i : NumpyRandom(seed).choice(list.size(), count)) {
    words.push_back(list[i]);
  }
  return words;
}

std::vector<std::vector<std::int32_t>> random_token_ids(std::size_t count, std::size_t length,
                                                        std::uint32_t limit, std::uint32_t seed) {
  std::mt19937 random(seed);  // torch's generator; an id is one of its words modulo the limit
  std::vector<std::vector<std::int32_t>> sequences(count, std::vector<std::int32_t>(length));
  for (auto& sequence : sequences) {
    for (std::int32_t& id : sequence) id = static_cast<std::int32_t>(random() % limit);
  }
  return sequences;
}

Matrix random_embeddings(const Matrix& queries, std::size_t count, EmbeddingDistribution kind,
                         std::uint64_t seed) {
  const std::size_t width = queries.columns;
  Spread spread{std::vector<double>(width), std::vector<double>(width, 1)};
  if (kind == EmbeddingDistribution::kGaussian) spread = spread_of(queries);
  std::vector<float> values(count * width);
  std::vector<double> row(width);
  for (std::size_t i = 0; i < count; ++i) {
    Random random(seed, i);
    double squares = 0;
    for (std::size_t j = 0; j < width; ++j) {
      row[j] = spread.mean[j] + spread.deviation[j] * random.normal();
      squares += row[j] * row[j];
    }
    const double length = std::sqrt(squares);
    for (std::size_t j = 0; j < width; ++j) {
      values[i * width + j] = static_cast<float>(row[j] / length);
    }
  }
  return {make_column(std::move(values)), count, width, false};
}

}  // namespace openworld
