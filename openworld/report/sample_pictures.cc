#include "openworld/report/sample_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/report/data_uri.h"
#include "openworld/runs/prediction_meta.h"
#include "openworld/worlds/templates.h"

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

// The place of every class of the dataset among the names of the predictions: those of a run with
// chosen base classes come first. The dataset's own order where names are missing, or several
// alike.
std::vector<std::int32_t> places_of(const Predictions& predictions, const Dataset& dataset) {
  std::map<std::string, std::int32_t> place;
  for (const std::string& name : predictions.classes) {
    place.emplace(spaced(name), static_cast<std::int32_t>(place.size()));
  }
  std::vector<std::int32_t> places(dataset.classes.size());
  std::iota(places.begin(), places.end(), 0);
  const auto is_known = [&](const std::string& name) { return place.contains(spaced(name)); };
  if (place.size() != predictions.classes.size() || place.size() != dataset.classes.size() ||
      !std::ranges::all_of(dataset.classes, is_known)) {
    return places;
  }
  std::ranges::transform(dataset.classes, places.begin(),
                         [&](const std::string& name) { return place.at(spaced(name)); });
  return places;
}

}  // namespace

SamplePictures::SamplePictures(Dataset dataset, const Predictions& predictions)
    : dataset_(std::move(dataset)), sample_(samples_of(predictions, dataset_)) {
  const Predictions& p = predictions;
  const std::vector<std::int32_t> place = places_of(p, dataset_);
  for (std::size_t row = 0; row < p.label.size(); ++row) {
    const std::int32_t label = dataset_.samples[sample_[row]].label;
    const int side = p.side.values[row];
    const bool same =
        side < 0 || (label >= 0 && place[static_cast<std::size_t>(label)] ==
                                       p.label.values[row] + (side == 1 ? p.base_classes : 0));
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
