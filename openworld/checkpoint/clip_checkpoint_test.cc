#include "openworld/checkpoint/clip_checkpoint.h"

#include "openworld/base/threads.h"
#include "openworld/checkpoint/test_values.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::checkpoint;

void expect_same_sizes(const ClipConfig& got, const ClipConfig& expected) {
  const auto numbers = [](const ClipConfig& c) {
    return std::vector{c.vision.width, c.vision.layers,
                       c.vision.heads, c.vision.mlp,
                       c.text.width,   c.text.layers,
                       c.text.heads,   c.text.mlp,
                       c.patch,        c.embed,
                       c.context,      c.vocabulary,
                       c.grid(),       c.preprocessing.image_size};
  };
  EXPECT_EQ(numbers(got), numbers(expected));
  EXPECT_EQ(got.layer_norm_eps, expected.layer_norm_eps);
  EXPECT_EQ(got.stem, expected.stem);
}

struct Written {
  std::string path, format;
  Activation activation;
  bool normalised;  // it says how, with a mean of 0.5, 0.25, 0.125
  std::vector<TensorType> types;
};

std::ostream& operator<<(std::ostream& out, const Written& written) {
  return out << written.path;
}

class EveryFormat : public ::testing::TestWithParam<Written> {};

constexpr auto kQuick = Activation::kQuickGelu;
constexpr auto kErf = Activation::kGelu;
INSTANTIATE_TEST_SUITE_P(
    ClipCheckpoint, EveryFormat,
    ::testing::Values(
        Written{"huggingface", "huggingface", kQuick, true, {TensorType::kF16}},
        Written{"huggingface/", "huggingface", kQuick, true, {TensorType::kF16}},
        Written{"huggingface/model.safetensors", "huggingface", kQuick, true, {TensorType::kF16}},
        Written{"huggingface_bin", "huggingface", kQuick, true, {TensorType::kF32}},
        Written{"huggingface_sharded", "huggingface", kQuick, true, {TensorType::kF32}},
        Written{"open_clip", "open_clip", kQuick, true, {TensorType::kBF16}},
        Written{"open_clip/open_clip_model.safetensors",
                "open_clip",
                kQuick,
                true,
                {TensorType::kBF16}},
        Written{"openai.pt", "openai", kQuick, false, {TensorType::kF32, TensorType::kF16}},
        Written{"state_dict.pt", "state_dict", kErf, false, {TensorType::kF32}},
        Written{"parallel.pt", "state_dict", kErf, false, {TensorType::kF32}},
        Written{"bare.safetensors", "state_dict", kErf, false, {TensorType::kBF16}}));

TEST_P(EveryFormat, HasTheSameModel) {
  SKIP_WITHOUT_CHECKPOINTS();
  const Written& written = GetParam();
  const ClipCheckpoint model = open_clip_checkpoint(checkpoint(written.path));
  EXPECT_EQ(model.format(), written.format);
  EXPECT_EQ(model.stored_types(), written.types);
  EXPECT_EQ(model.config().activation, written.activation);
  expect_same_sizes(model.config(), testing::written_config());
  EXPECT_EQ(model.config().preprocessing.mean,
            written.normalised ? (std::array<double, 3>{0.5, 0.25, 0.125}) : Preprocessing{}.mean);
  EXPECT_EQ(model.notes().empty(), written.format != "state_dict");
  EXPECT_EQ(model.vocabulary_path().empty(), written.format != "huggingface");

  // From several threads at once, as models are loaded.
  const std::vector<TensorSpec>& tensors = model.tensors();
  ASSERT_EQ(tensors.size(), clip_tensors(testing::written_config()).size());
  std::vector<int> equal(tensors.size());
  parallel_for(tensors.size(), 4, [&](std::size_t i) {
    std::vector<float> values(static_cast<std::size_t>(tensors[i].size()));
    model.read(tensors[i].name, values);
    equal[i] = values == testing::values_of(tensors[i]);
  });
  for (std::size_t i = 0; i < tensors.size(); ++i) EXPECT_TRUE(equal[i]) << tensors[i].name;
}

TEST(ClipCheckpoint, TakesTheActivationItIsTold) {
  SKIP_WITHOUT_CHECKPOINTS();
  for (const char* path : {"state_dict.pt", "huggingface", "openai.pt"}) {
    for (const Activation activation : {kQuick, kErf}) {
      const CheckpointOptions options{.activation = activation};
      EXPECT_EQ(open_clip_checkpoint(checkpoint(path), options).config().activation, activation);
    }
  }
}

TEST(ClipCheckpoint, HashesItsFiles) {
  SKIP_WITHOUT_CHECKPOINTS();
  const auto hash = [](const std::string& bytes) {
    return sha256(std::as_bytes(std::span(bytes)));
  };
  const auto hash_file = [&](const std::string& name) {
    return hash(testing::read_file(checkpoint(name)));
  };
  const ClipCheckpoint single = open_clip_checkpoint(checkpoint("bare.safetensors"));
  EXPECT_EQ(single.sha256(), hash_file("bare.safetensors"));
  std::string both;
  for (const char* part : {"model-00001-of-00002", "model-00002-of-00002"}) {
    const auto digest = hash_file("huggingface_sharded/" + std::string(part) + ".safetensors");
    both.append(digest.begin(), digest.end());
  }
  EXPECT_EQ(open_clip_checkpoint(checkpoint("huggingface_sharded")).sha256(), hash(both));
}

TEST(ClipCheckpoint, RefusesReadsThatDoNotFit) {
  SKIP_WITHOUT_CHECKPOINTS();
  const ClipCheckpoint model = open_clip_checkpoint(checkpoint("bare.safetensors"));
  std::vector<float> values(7);
  EXPECT_ERROR(model.read("ln_final.bias", values),
               "tensor ln_final.bias has 64 values; expected "
               "room for them, not 7");
  EXPECT_ERROR(model.read("ln_finale.bias", values), "has no tensor \"ln_finale.bias\"");
}

}  // namespace
}  // namespace openworld
