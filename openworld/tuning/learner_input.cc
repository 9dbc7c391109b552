#include "openworld/tuning/learner_input.h"

#include "openworld/vlm/extra_features.h"
#include "openworld/vlm/pixel_source.h"

namespace openworld {

void add_learner_input(const Clip& clip, const Dataset& images, const ModelSpec& spec,
                       ImageInput input, ScoredImages& scored) {
  switch (input) {
    case ImageInput::kFeatures:
      return;
    case ImageInput::kPatches:
      scored.local = patch_features(clip, images, {spec.batch, spec.threads, {}});
      return;
    case ImageInput::kPatchStates:
      scored.local = patch_states(clip, images, {spec.batch, spec.threads, {}});
      return;
    case ImageInput::kPixels: {
      const PixelSource source(images, clip.config.preprocessing, {.threads = spec.threads});
      PixelStream stream = source.stream(test_items(images), images.samples.size());
      scored.pixels = stream.next().to(clip.device());
      return;
    }
  }
}

}  // namespace openworld
