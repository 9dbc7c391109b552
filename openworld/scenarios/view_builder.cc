#include "openworld/scenarios/view_builder.h"

#include <cassert>

namespace openworld {

ViewBuilder::ViewBuilder(const ScenarioData& data, std::string world, std::string level,
                         std::optional<double> t)
    : data_(data) {
  for (const ScenarioDataset& test : data.tests) places_.emplace_back(test.data.classes.size());
  view_.world = std::move(world);
  view_.level = std::move(level);
  view_.t = t;
}

std::optional<ViewBuilder::Place>& ViewBuilder::place(std::size_t dataset, std::int32_t label) {
  return places_[dataset][static_cast<std::size_t>(label)];
}

void ViewBuilder::add_base(const ViewClass& name) {
  place(name.dataset, name.label) = {Side::kBase, static_cast<std::int32_t>(view_.base.size())};
  view_.base.push_back(name);
}

void ViewBuilder::add_new(const ViewClass& name) {
  place(name.dataset, name.label) = {Side::kNew,
                                     static_cast<std::int32_t>(view_.new_classes.size())};
  view_.new_classes.push_back(name);
}

void ViewBuilder::add_images_like(std::size_t dataset, std::int32_t label, const ViewClass& like) {
  assert(place(like.dataset, like.label));
  place(dataset, label) = place(like.dataset, like.label);
}

void ViewBuilder::show(std::size_t dataset, bool unknown) {
  for (std::size_t i = 0; i < data_.tests[dataset].data.samples.size(); ++i) {
    show_sample(dataset, i, unknown);
  }
}

void ViewBuilder::show(std::size_t dataset, std::span<const std::uint32_t> samples, bool unknown) {
  for (const std::uint32_t i : samples) show_sample(dataset, i, unknown);
}

void ViewBuilder::show_sample(std::size_t dataset, std::size_t sample, bool unknown) {
  const std::int32_t label = data_.tests[dataset].data.samples[sample].label;
  ViewImage image{.dataset = static_cast<std::uint32_t>(dataset),
                  .sample = static_cast<std::uint32_t>(sample)};
  if (label < 0) {
    if (unknown) view_.images.push_back(image);
    return;
  }
  const std::optional<Place>& its_place = place(dataset, label);
  if (!its_place) return;
  image.side = its_place->side;
  image.label = its_place->label;
  view_.images.push_back(image);
}

std::vector<std::uint32_t> samples_of_classes(const Dataset& dataset,
                                              const std::vector<bool>& marked) {
  std::vector<std::uint32_t> samples;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    const std::int32_t label = dataset.samples[i].label;
    if (label >= 0 && marked[static_cast<std::size_t>(label)]) {
      samples.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return samples;
}

}  // namespace openworld
