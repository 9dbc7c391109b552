#pragma once

// The fields of requests as named options, each with its range and help: what faces that take names
// and values, such as Python's keywords, set and list. The names are those of the command's flags,
// with underscores.

#include <cstdint>
#include <string>
#include <string_view>

#include "openworld/base/option_list.h"
#include "openworld/runs/model_spec.h"
#include "openworld/runs/tuning_request.h"
#include "openworld/runs/zero_shot_request.h"

namespace openworld {

struct ModelSpecOptions {
  ModelSpec fields = {};
  std::int64_t batch = static_cast<std::int64_t>(fields.batch);
  std::int64_t threads = fields.threads;

  void declare(OptionList& list);
  ModelSpec spec(const std::string& path) const;
};

// Of a tuning job, but its method, model, data, seeds and folders.
struct TuningRequestOptions {
  TuningRequest fields = {};
  std::int64_t shots = static_cast<std::int64_t>(fields.shots);
  double test_fraction = 0;
  std::int64_t split_seed = 1;
  std::string scenario = {}, looks = {}, targets = {}, scenario_set = {};

  void declare(OptionList& list);
  // Throws Error, as [tune], for options of a scenario without one.
  TuningRequest request() const;
};

// Splits that draw a part of each class to test on (drawn_split.h); 0 leaves the request as it is.
// Throws Error, as [tune], where it has splits or separate test images.
void use_test_fraction(TuningRequest& request, double fraction, std::int64_t seed);

// Of a zero-shot job, but its model and data.
struct ZeroShotRequestOptions {
  ZeroShotRequest fields = {};

  void declare(OptionList& list);
};

// Sets one option. Numbers are taken where text is expected, as in base=5. Throws Error as
// [function].
void set_named_option(OptionList& list, const NamedOption& option, std::string_view function);

}  // namespace openworld
