#include "openworld/report/sample_pictures.h"

#include <fmt/format.h>

#include <numeric>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/report/data_uri.h"
#include "openworld/runs/prediction_meta.h"

namespace openworld {
namespace {

// The samples that rows stand for: those that the predictions list, or all.
std::vector<std::size_t> samples_of(const Predictions& predictions, const Dataset& dataset) {
  const Origin origin{"report", predictions.path};
  std::vector<std::size_t> samples = tested_samples(predictions, origin);
  for (const std::size_t sample : samples) {
    if (sample < dataset.samples.size()) continue;
    origin.fail("meta lists samples that the dataset does not have");
  }
  if (samples.empty()) {
    samples.resize(dataset.samples.size());
    std::iota(samples.begin(), samples.end(), std::size_t{0});
  }
  const std::size_t rows = predictions.side.size();
  if (samples.size() != rows) {
    origin.fail(fmt::format("has {} rows, and the dataset {} samples", rows, samples.size()));
  }
  return samples;
}

}  // namespace

SamplePictures::SamplePictures(Dataset dataset, const Predictions& predictions)
    : dataset_(std::move(dataset)), sample_(samples_of(predictions, dataset_)) {
  const Predictions& p = predictions;
  for (std::size_t row = 0; row < p.label.size(); ++row) {
    const std::int32_t label = dataset_.samples[sample_[row]].label;
    const int side = p.side.values[row];
    const bool same = side < 0 || label == p.label.values[row] + (side == 1 ? p.base_classes : 0);
    if (!same) {
      fail("report", fmt::format("{}: row {} has another label than the dataset", p.path, row));
    }
  }
}

std::string SamplePictures::picture(std::size_t row) const {
  try {
    const Bytes bytes = read_sample(dataset_, sample_[row]);
    const bool fits = bytes.size() <= kLargestPicture && !image_mime(bytes.values).empty();
    return fits ? image_uri(bytes.values) : "";
  } catch (const MachineError&) {
    throw;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace openworld
