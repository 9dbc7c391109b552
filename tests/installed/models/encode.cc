// Encodes the test images of a dataset and its class names, and classifies zero-shot.

#include "openworld/vlm.h"

#include <ATen/ops/from_blob.h>

#include <cstdio>

#include "openworld/worlds.h"

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: encode MODEL IMAGES\n", stderr), 2;
  const openworld::ClipCheckpoint checkpoint = openworld::open_clip_checkpoint(argv[1]);
  const openworld::Clip clip = openworld::load_clip(checkpoint);
  const openworld::Tokenizer tokenizer = openworld::load_tokenizer(checkpoint);
  const openworld::Dataset images = openworld::open_dataset(argv[2], {.split = "test"});

  openworld::ImageFeatures encoded = openworld::image_features(clip, images);
  const at::Tensor features = openworld::normalized(
      at::from_blob(encoded.features.data(), {static_cast<std::int64_t>(encoded.samples.size()),
                                              static_cast<std::int64_t>(encoded.width)}));

  std::vector<std::string> names;
  for (const std::string& name : images.classes) names.push_back(openworld::spaced(name));
  const at::Tensor texts = openworld::zeroshot_classifier(
      clip, tokenizer, names,
      openworld::resolve_templates(images.templates.empty() ? "photo" : images.templates));

  const at::Tensor answers = features.matmul(texts.t()).argmax(1);
  const std::int64_t* answer = answers.data_ptr<std::int64_t>();
  std::size_t right = 0;
  for (std::size_t i = 0; i < encoded.samples.size(); ++i) {
    right += answer[i] == images.samples[encoded.samples[i]].label;
  }
  std::printf("%zu of %zu right\n", right, encoded.samples.size());
} catch (const openworld::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
