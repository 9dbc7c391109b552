#include "openworld/scenarios/co_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/scenarios/same_names.h"
#include "openworld/scenarios/view_builder.h"

namespace openworld {
namespace {

constexpr auto kCoEvolutionName = "co-evolution";

// One of the two datasets that take turns: its classes, and the images that are drawn of them.
struct Turns {
  std::vector<std::int32_t> classes;   // in the order in which they are there
  std::vector<std::uint32_t> samples;  // of those classes, in ascending order
};

// `count` of `labels` in random order, and all of their images.
Turns draw_classes(const ScenarioData& data, std::size_t dataset,
                   const std::vector<std::int32_t>& labels, std::size_t count, std::uint64_t seed,
                   Draw draw) {
  Turns turns;
  std::vector<bool> marked(data.tests[dataset].data.classes.size());
  const std::vector<std::uint32_t> order = permutation(labels.size(), seed, draw);
  for (std::size_t i = 0; i < count; ++i) {
    turns.classes.push_back(labels[order[i]]);
    marked[static_cast<std::size_t>(turns.classes.back())] = true;
  }
  turns.samples = samples_of_classes(data.tests[dataset].data, marked);
  return turns;
}

void draw_images(Turns& turns, std::size_t count, std::uint64_t seed, Draw draw) {
  std::vector<std::uint32_t> drawn;
  for (const std::uint32_t i : prefix(turns.samples.size(), count, seed, draw)) {
    drawn.push_back(turns.samples[i]);
  }
  turns.samples = std::move(drawn);
}

// The labels of the source that have the name of a class of the target with images, and that name.
std::vector<RemovedClass> shared_classes(const ScenarioData& data, std::size_t target) {
  const Dataset& other = data.tests[target].data;
  const std::vector<std::size_t> images = images_per_class(other);
  const LabelIndex index(other.classes);
  std::vector<RemovedClass> shared;
  const std::vector<std::string>& source = data.tests[0].data.classes;
  for (std::size_t label = 0; label < source.size(); ++label) {
    for (const std::int32_t same : index.labels_of(source[label])) {
      const auto c = static_cast<std::size_t>(same);
      if (images[c] == 0) continue;
      shared.push_back({0, static_cast<std::int32_t>(label), other.classes[c]});
      break;
    }
  }
  return shared;
}

// Source classes that are tuned on first, then the others.
TrainingClasses training_classes(const std::vector<bool>& trained) {
  TrainingClasses train;
  for (const bool part : {true, false}) {
    for (std::size_t label = 0; label < trained.size(); ++label) {
      if (trained[label] == part) train.order.push_back(static_cast<std::int32_t>(label));
    }
    if (part) train.base = train.order.size();
  }
  return train;
}

// The labels that are marked and have images.
std::vector<std::int32_t> labels_with_images(const Dataset& dataset,
                                             const std::vector<bool>& marked) {
  const std::vector<std::size_t> images = images_per_class(dataset);
  std::vector<std::int32_t> labels;
  for (std::size_t label = 0; label < images.size(); ++label) {
    if (marked[label] && images[label] > 0) labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

// The classes and images of source and target that take turns. `in_source` marks the classes of
// the source.
std::pair<Turns, Turns> draw_turns(const ScenarioData& data, std::size_t target,
                                   const std::vector<bool>& in_source, std::uint64_t seed) {
  const ScenarioDataset &from = data.tests[0], &to = data.tests[target];
  const std::vector<std::int32_t> source_labels = labels_with_images(from.data, in_source);
  const std::vector<std::int32_t> target_labels =
      labels_with_images(to.data, std::vector<bool>(to.data.classes.size(), true));
  const std::size_t n = std::min(source_labels.size(), target_labels.size());
  if (n == 0) {
    fail(kCoEvolutionName,
         fmt::format("{} against {}: {} and {} classes are left; expected one or more "
                     "of each",
                     from.name, to.name, source_labels.size(), target_labels.size()));
  }
  Turns source = draw_classes(data, 0, source_labels, n, seed, Draw::kSourceClasses);
  Turns other = draw_classes(data, target, target_labels, n, seed, Draw::kTargetClasses);
  const std::size_t images = std::min(source.samples.size(), other.samples.size());
  draw_images(source, images, seed, Draw::kSourceImages);
  draw_images(other, images, seed, Draw::kOtherImages);
  return {std::move(source), std::move(other)};
}

}  // namespace

void CoEvolution::declare(OptionList& list) {
  list.add("levels", levels_, "shares of classes that are the target's, from 0 to 1");
  list.add("train", train_, {"unshared", "all"},
           "source classes that are tuned on: those whose name no target has, or all");
  declare_templates(list, templates_);
}

ScenarioPlan CoEvolution::plan(const ScenarioData& data, std::uint64_t seed) const {
  for (const ScenarioDataset& test : data.tests) expect_names(test, kCoEvolutionName);
  std::vector<std::vector<RemovedClass>> shared(data.tests.size());
  std::vector<bool> trained(data.train.data.classes.size(), true);
  for (std::size_t target = 1; target < data.tests.size(); ++target) {
    shared[target] = shared_classes(data, target);
    if (train_ == "all") continue;
    for (const RemovedClass& c : shared[target]) trained[static_cast<std::size_t>(c.label)] = false;
  }
  ScenarioPlan plan{.train = training_classes(trained), .views = {}};
  if (plan.train.base < 2) {
    fail(kCoEvolutionName,
         fmt::format("{}: {} of {} classes are in no target; expected two or more, to "
                     "tune on",
                     data.train.name, plan.train.base, trained.size()));
  }
  const std::vector<double> times = parse_times(levels_, kCoEvolutionName);
  for (std::size_t target = 1; target < data.tests.size(); ++target) {
    std::vector<bool> in_source = trained;
    for (const RemovedClass& c : shared[target]) {
      in_source[static_cast<std::size_t>(c.label)] = false;
    }
    const auto [source, other] = draw_turns(data, target, in_source, seed);
    for (const double t : times) {
      const std::size_t n = source.classes.size(), of_target = rounded_share(t, n);
      ViewBuilder view(data, data.tests[target].name, level_text(t), t);
      for (std::size_t i = 0; i < n - of_target; ++i) view.add_base({.label = source.classes[i]});
      for (std::size_t i = 0; i < of_target; ++i) {
        view.add_new({target, other.classes[i], template_of(templates_, target)});
      }
      view.show(0, source.samples);
      view.show(target, other.samples);
      plan.views.push_back(std::move(view).finish());
      plan.views.back().removed = shared[target];
    }
  }
  return plan;
}

}  // namespace openworld
