// Fuzzes files of features. The first byte says which: z .npz, n .npy, p .pt, s .safetensors. They
// are read as arrays, and as a dataset of features.

#include <map>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/feature_reader.h"
#include "openworld/io/memory_limit.h"
#include "openworld/worlds/feature_arrays.h"
#include "openworld/worlds/format.h"

namespace openworld {
namespace {

struct Kind {
  const char* file;
  std::string (*mutate)(std::string, std::size_t, Dice&);
};

const Kind* find_kind(char first) {
  static const std::map<char, Kind> table = {{'z', {"f.npz", mutate_zip}},
                                             {'n', {"f.npy", mutate_npy}},
                                             {'p', {"f.pt", mutate_zip}},
                                             {'s', {"f.safetensors", mutate_safetensors}}};
  const auto found = table.find(first);
  return found == table.end() ? nullptr : &found->second;
}

void read_arrays(const std::string& path) {
  const FeatureReader reader(path, "fuzz");
  attempt([&] {
    const NpyArray features = reader.features();
    const auto& shape = features.header.shape;
    if (shape.size() < 2 || shape[0] == 0) std::abort();
  });
  attempt([&] { reader.labels(); });
  attempt([&] { reader.names(); });
  attempt([&] { reader.splits(); });
  attempt([&] { reader.paths(); });
}

void read_dataset(const std::string& path) {
  const Dataset dataset = kFeatureArrays.open({"fuzz", path}, {});
  const FeatureSource* source = feature_source(dataset);
  if (source == nullptr) std::abort();
  std::vector<float> row(source->width());
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    const std::int32_t label = dataset.samples[i].label;
    if (label < -1 || label >= static_cast<std::int32_t>(dataset.classes.size())) std::abort();
    sample_name(dataset, i);
    attempt([&] { source->feature(dataset.samples[i], row); });
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  const Kind* kind = size == 0 ? nullptr : find_kind(static_cast<char>(data[0]));
  if (kind == nullptr) return 0;
  set_memory_limit(std::uint64_t{32} << 20);
  const std::string path =
      FuzzFolder::instance().write(kind->file, std::as_bytes(std::span(data + 1, size - 1)));
  attempt([&] { read_arrays(path); });
  attempt([&] { read_dataset(path); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  const Kind* kind = size == 0 ? nullptr : find_kind(static_cast<char>(data[0]));
  return mutate(data, size, most, seed, [&](std::string file, std::size_t room, Dice& dice) {
    if (kind == nullptr) return dice.bytes(std::move(file), room);
    return mutate_after_first(std::move(file), room, dice, kind->mutate);
  });
}
