#pragma once

// Features of images or texts, written to an .npz.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "openworld/runs/encode_request.h"
#include "openworld/runs/prediction_meta.h"
#include "openworld/tuning/observer.h"

namespace openworld {

struct EncodeResult {
  std::string out;
  RunModel model;
  std::size_t rows = 0, columns = 0;  // of the features
  // Of images.
  std::optional<DataSummary> data{};
  // Rows: images that went through the model, that were in the cache, that have the bytes of
  // another one of the dataset. These add up to `rows`.
  std::size_t encoded = 0, found = 0, copies = 0;
};

// Schema "openworld.features/2", without the cost.
nlohmann::ordered_json encode_json(const EncodeResult& result);

// Throws Error.
EncodeResult run_encoding(const EncodeRequest& request, const Observer& observer = {});

}  // namespace openworld
