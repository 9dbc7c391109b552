#pragma once

// Encoder: a model that encodes images and texts as often as asked, as `openworld encode` does
// once.
//
//   Encoder model = Encoder::open({.path = "pocket"});
//   const FeatureMatrix features = model.encode_texts({"a drawing of a cat"});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "openworld/runs/model_spec.h"
#include "openworld/runs/run_spec.h"
#include "openworld/tuning/observer.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct FeatureMatrix {
  std::vector<float> values;  // [rows, columns], not normalised
  std::size_t rows = 0, columns = 0;
};

// May be used from several threads; one of them works at a time.
class Encoder {
 public:
  // Throws Error as [load_model].
  static Encoder open(const ModelSpec& spec);
  Encoder(Encoder&&) noexcept;
  ~Encoder();

  const ModelSpec& spec() const;
  const RunModel& description() const;
  std::int64_t width() const;       // of features
  std::int64_t image_size() const;  // of the square that images are resized to
  std::int64_t context() const;     // tokens of a text
  double logit_scale() const;

  // A row for each sample. Throws Error if one cannot be read.
  FeatureMatrix encode_images(const Dataset& images, const FeatureCacheSpec& cache,
                              const Observer& observer = {}) const;

  // A row for each text. Throws Error as [encode_texts], also for a text that does not fit, by its
  // place. `memory`: MiB for the text encoder's work.
  FeatureMatrix encode_texts(const std::vector<std::string>& texts, std::int64_t memory = 1024,
                             const Observer& observer = {}) const;

 private:
  struct Parts;
  explicit Encoder(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace openworld
