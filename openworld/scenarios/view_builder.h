#pragma once

// Puts a view together: its names first, then the images that have them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/scenarios/scenario.h"

namespace openworld {

class ViewBuilder {
 public:
  // `data` outlives the builder.
  ViewBuilder(const ScenarioData& data, std::string world, std::string level,
              std::optional<double> t = std::nullopt);

  // Names, in the order in which they are added.
  void add_base(const ViewClass& name);
  void add_new(const ViewClass& name);

  // Images of this class of another dataset have the name of `like`, which was added.
  void add_images_like(std::size_t dataset, std::int32_t label, const ViewClass& like);

  // Shows the images of a dataset whose classes have names. With `unknown` those without a class
  // are shown as unknown.
  void show(std::size_t dataset, bool unknown = false);

  // The same, of these samples, which are in ascending order.
  void show(std::size_t dataset, std::span<const std::uint32_t> samples, bool unknown = false);

  View finish() && { return std::move(view_); }

 private:
  struct Place {
    Side side;
    std::int32_t label;
  };

  std::optional<Place>& place(std::size_t dataset, std::int32_t label);
  void show_sample(std::size_t dataset, std::size_t sample, bool unknown);

  const ScenarioData& data_;
  std::vector<std::vector<std::optional<Place>>> places_;  // by dataset and label
  View view_;
};

// The samples of a dataset whose class is marked, in order. REQUIRES: a mark for each class.
std::vector<std::uint32_t> samples_of_classes(const Dataset& dataset,
                                              const std::vector<bool>& marked);

}  // namespace openworld
