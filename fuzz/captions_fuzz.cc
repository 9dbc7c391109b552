// Fuzzes the readers of captions. The first byte says which file this is: c .csv, v .tsv, l .jsonl,
// t a text file beside its image, s a webdataset shard.

#include <map>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/worlds/file_captions.h"

namespace openworld {
namespace {

struct Kind {
  const char* file;
  OpenCaptions* open;
};

const std::map<char, Kind>& kinds() {
  static const std::map<char, Kind> table = {{'c', {"captions.csv", open_caption_table}},
                                             {'v', {"captions.tsv", open_caption_table}},
                                             {'l', {"captions.jsonl", open_caption_lines}},
                                             {'s', {"shard.tar", open_caption_shards}}};
  return table;
}

// Everything but images that are files: a list may name any file of this machine.
void use(const CaptionSource& pairs, bool with_images) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairName name{1, 2, i};
    if (pairs.caption(name).empty() || pairs.place(i).empty()) std::abort();
    if (pairs.concept_of(i) > i) std::abort();
    if (with_images) pairs.image(name);
  }
  if (pairs.corpus().size() < pairs.size() || pairs.description().empty()) std::abort();
}

void run(char kind, std::span<const std::byte> bytes) {
  const FuzzFolder& folder = FuzzFolder::instance();
  static const std::string image = folder.write("a.jpg", {});
  const CaptionOptions options{.dataset = {.image_root = folder.path()}, .templates = {}};
  std::unique_ptr<CaptionSource> pairs;
  if (kind == 't') {
    folder.write("a.txt", bytes);
    pairs = open_caption_text_files({"fuzz", folder.path()}, options);
  } else if (const auto row = kinds().find(kind); row != kinds().end()) {
    const std::string path = folder.write(row->second.file, bytes);
    pairs = row->second.open({"fuzz", path}, options);
  }
  if (pairs) use(*pairs, kind == 's');
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
  const char kind = size == 0 ? 't' : static_cast<char>(data[0]);
  return mutate(data, size, most, seed, [&](std::string file, std::size_t room, Dice& dice) {
    if (kind == 'l') return mutate_after_first(std::move(file), room, dice, mutate_json);
    if (kind == 's') return mutate_after_first(std::move(file), room, dice, mutate_tar);
    return dice.bytes(std::move(file), room);
  });
}
