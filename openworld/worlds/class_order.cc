#include "openworld/worlds/class_order.h"

#include <cassert>

namespace openworld {

std::vector<std::int32_t> places_in(std::span<const std::int32_t> order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  return place;
}

Dataset reorder_classes(const Dataset& dataset, std::span<const std::int32_t> order) {
  assert(order.size() == dataset.classes.size());
  Dataset ordered = dataset;
  const std::vector<std::int32_t> place = places_in(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ordered.classes[i] = dataset.classes[static_cast<std::size_t>(order[i])];
  }
  for (Sample& sample : ordered.samples) {
    if (sample.label >= 0) sample.label = place[static_cast<std::size_t>(sample.label)];
  }
  return ordered;
}

std::vector<std::int32_t> base_first(std::span<const std::size_t> base, std::size_t count) {
  std::vector<bool> is_base(count);
  std::vector<std::int32_t> order;
  for (const std::size_t c : base) {
    is_base[c] = true;
    order.push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t c = 0; c < count; ++c) {
    if (!is_base[c]) order.push_back(static_cast<std::int32_t>(c));
  }
  return order;
}

}  // namespace openworld
