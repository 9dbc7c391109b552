#pragma once

// The flags of commands that run a model, declared once.

#include <cstdint>

#include "openworld/runs/data_spec.h"
#include "openworld/runs/model_spec.h"

namespace CLI {
class App;
}

namespace openworld {

// --model --activation --vocabulary --device --batch --threads
void declare_model(CLI::App& app, ModelSpec& model);

// --device --batch --threads, where the model itself is known.
void declare_model_run(CLI::App& app, ModelSpec& model);

// --data --split --image-root --names --data-format --allow-duplicate-names; --data is for the
// command to require.
void declare_data(CLI::App& app, DataSpec& data);

// The same without --data, where the dataset is an argument.
void declare_data_options(CLI::App& app, DatasetOptions& options);

// --cache --no-cache
void declare_cache(CLI::App& app, FeatureCacheSpec& cache);

// --memory, the budget of the text encoder in MiB.
void declare_memory(CLI::App& app, std::int64_t& mib);

}  // namespace openworld
