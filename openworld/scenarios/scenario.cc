#include "openworld/scenarios/scenario.h"

#include <fmt/format.h>

#include <cassert>

#include "openworld/base/error.h"
#include "openworld/scenarios/table.h"
#include "openworld/worlds/class_order.h"

namespace openworld {

Scenario::Scenario(std::string_view name) : row_(&find_scenario(name)), options_(row_->options()) {
  options_->declare(list_);
}

ScenarioPlan Scenario::plan(const ScenarioData& data, std::uint64_t seed) const {
  assert(!data.tests.empty());
  const std::size_t others = data.tests.size() - 1;
  if (row_->others == OtherDatasets::kNone && others > 0) {
    fail(row_->name, fmt::format("got {} datasets beside the source; expected none", others));
  }
  if (row_->others != OtherDatasets::kNone && others == 0) {
    fail(row_->name, "got no dataset beside the source; expected one or more");
  }
  ScenarioPlan plan = options_->plan(data, seed);
  for (const View& view : plan.views) {
    if (!view.images.empty()) continue;
    fail(row_->name,
         fmt::format("{}: level {} has no images; expected one or more", view.world, view.level));
  }
  return plan;
}

Dataset training_dataset(const ScenarioData& data, const TrainingClasses& train) {
  return reorder_classes(data.train.data, train.order);
}

std::vector<std::string> class_names(const ScenarioData& data, std::span<const ViewClass> classes) {
  std::vector<std::string> names;
  for (const ViewClass& c : classes) {
    names.push_back(data.tests[c.dataset].data.classes[static_cast<std::size_t>(c.label)]);
  }
  return names;
}

std::vector<std::size_t> base_columns(const TrainingClasses& train, const View& view) {
  std::vector<std::size_t> place(train.order.size());
  for (std::size_t i = 0; i < train.order.size(); ++i) {
    place[static_cast<std::size_t>(train.order[i])] = i;
  }
  std::vector<std::size_t> columns;
  for (const ViewClass& name : view.base) {
    columns.push_back(place[static_cast<std::size_t>(name.label)]);
  }
  return columns;
}

std::vector<std::size_t> samples_of(const View& view, std::size_t dataset) {
  std::vector<std::size_t> samples;
  for (const ViewImage& image : view.images) {
    if (image.dataset == dataset) samples.push_back(image.sample);
  }
  return samples;
}

ViewCounts count_images(const View& view) {
  ViewCounts counts;
  for (const ViewImage& image : view.images) {
    ++(image.side == Side::kBase  ? counts.base_images
       : image.side == Side::kNew ? counts.new_images
                                  : counts.unknown_images);
  }
  return counts;
}

}  // namespace openworld
