// Fuzzes the readers of datasets in files. The first byte says which: j CoOp's split, i OpenOOD's
// image list, c and v a table as .csv and .tsv, w a webdataset shard, b a pattern with braces.

#include <map>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/shards.h"

namespace openworld {
namespace {

struct Kind {
  const char* file;
  const DatasetFormat* format;
};

const std::map<char, Kind>& kinds() {
  static const std::map<char, Kind> table = {{'j', {"split_zhou_fuzz.json", &kCoopSplit}},
                                             {'i', {"list.txt", &kImageList}},
                                             {'c', {"table.csv", &kCsvDataset}},
                                             {'v', {"table.tsv", &kCsvDataset}},
                                             {'w', {"shard.tar", &kWebdataset}}};
  return table;
}

void open(const Kind& kind, std::span<const std::byte> bytes) {
  const FuzzFolder& folder = FuzzFolder::instance();
  static const std::string image = folder.write("a.jpg", {});
  const std::string path = folder.write(kind.file, bytes);
  for (const char* split : {"", "train"}) {
    attempt([&] {
      DatasetOptions options{.split = split};
      if (kind.format->lists_paths) options.image_root = folder.path();
      const Dataset dataset = kind.format->open({"fuzz", path}, options);
      for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const std::int32_t label = dataset.samples[i].label;
        if (label < -1 || label >= static_cast<std::int32_t>(dataset.classes.size())) std::abort();
        sample_name(dataset, i);
        // A list may name any file of this machine; an archive only its own members.
        if (dataset.source) read_sample(dataset, i);
      }
    });
  }
}

void run(char kind, std::span<const std::byte> bytes) {
  if (kind == 'b') {
    // An argument of the command, not a file: up to 100,000 names of any length are as asked for.
    if (bytes.size() > 100) return;
    std::vector<std::string> names = expand_braces(as_text(bytes), {"fuzz", "input"});
    if (names.size() > 1000) names.resize(1000);
    sort_naturally(&names);
  } else if (const auto row = kinds().find(kind); row != kinds().end()) {
    open(row->second, bytes);
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  if (size == 0) return 0;
  attempt([&] { run(static_cast<char>(data[0]), fuzz_bytes(data + 1, size - 1).values); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  const char kind = size == 0 ? 'i' : static_cast<char>(data[0]);
  return mutate(data, size, most, seed, [&](std::string file, std::size_t room, Dice& dice) {
    if (kind == 'j') return mutate_after_first(std::move(file), room, dice, mutate_json);
    if (kind == 'w') return mutate_after_first(std::move(file), room, dice, mutate_tar);
    return dice.bytes(std::move(file), room);
  });
}
