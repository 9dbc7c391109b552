// Fuzzes the files around the weights of a checkpoint, and how a checkpoint is recognised. The
// first byte says which: c config.json, p preprocessor_config.json beside a good one, i the index
// of shards, o open_clip_config.json beside weights, w weights alone.

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/checkpoint/config_file.h"
#include "openworld/checkpoint/weights_file.h"

namespace openworld {
namespace {

constexpr const char* kConfig = R"({"projection_dim": 8,
  "text_config": {"hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2,
                  "num_hidden_layers": 1, "max_position_embeddings": 7, "vocab_size": 20,
                  "hidden_act": "gelu"},
  "vision_config": {"hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2,
                    "num_hidden_layers": 1, "image_size": 8, "patch_size": 4,
                    "hidden_act": "gelu"}})";

// A file of its own folder, in which others may lie.
struct Place {
  FuzzFolder folder;
  Place() { folder.write("config.json", std::as_bytes(std::span(std::string_view(kConfig)))); }
};

void check(const ClipConfig& config) {
  if (config.grid() < 1 || config.embed < 1 || config.vocabulary < 2) std::abort();
  if (config.vision.heads < 1 || config.text.heads < 1) std::abort();
}

void run(char kind, std::span<const std::byte> bytes) {
  static const Place preprocessor, index, open_clip, configuration, weights;
  switch (kind) {
    case 'c':
      return check(read_clip_config(configuration.folder.write("config.json", bytes), "fuzz"));
    case 'p':
      preprocessor.folder.write("preprocessor_config.json", bytes);
      return check(read_clip_config(preprocessor.folder.path(), "fuzz"));
    case 'i':
      read_shard_index(index.folder.write("model.safetensors.index.json", bytes), "fuzz");
      return;
    case 'o':
      open_clip.folder.write("open_clip_config.json", bytes);
      open_clip.folder.write("open_clip_model.safetensors", {});
      open_clip_checkpoint(open_clip.folder.path());
      return;
    case 'w':
      check(open_clip_checkpoint(weights.folder.write("model.safetensors", bytes)).config());
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  if (size == 0) return 0;
  attempt([&] { run(static_cast<char>(data[0]), std::as_bytes(std::span(data + 1, size - 1))); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  const bool is_weights = size > 0 && data[0] == 'w';
  return mutate(data, size, most, seed, [&](std::string file, std::size_t room, Dice& dice) {
    return mutate_after_first(std::move(file), room, dice,
                              is_weights ? mutate_safetensors : mutate_json);
  });
}
