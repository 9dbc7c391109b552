// Fuzzes the readers of captions. The first byte says which file this is: c .csv, v .tsv, l .jsonl,
// t a text file beside its image, s a webdataset shard, a what is said of an array of three images.

#include <map>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/npz.h"
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
  std::size_t captioned = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairName name{1, 2, i};
    if (pairs.caption(name).empty() == pairs.has_caption(i) || pairs.place(i).empty()) std::abort();
    if (pairs.concept_of(i) > i || !(pairs.weight(i) >= 0)) std::abort();
    for (const std::string& word : pairs.words_of(i)) {
      if (word.empty()) std::abort();
    }
    captioned += pairs.has_caption(i) ? 1 : 0;
    if (with_images) pairs.image(name);
  }
  if (pairs.corpus().size() < captioned || pairs.description().empty()) std::abort();
}

// Three images of 2 x 2 pixels.
std::string three_images() {
  const std::vector<std::byte> pixels(12, std::byte{7});
  const Dtype bytes{Dtype::Kind::kUint, 1, true};
  return make_npz(std::vector<NpzEntry>{{"images", bytes, {3, 2, 2}, pixels}});
}

void run(char kind, std::span<const std::byte> bytes) {
  const FuzzFolder& folder = FuzzFolder::instance();
  static const std::string image = folder.write("a.jpg", {});
  const CaptionOptions options{.dataset = {.image_root = folder.path()}, .templates = {}};
  std::unique_ptr<CaptionSource> pairs;
  if (kind == 't') {
    folder.write("a.txt", bytes);
    pairs = open_caption_text_files({"fuzz", folder.path()}, options);
  } else if (kind == 'a') {
    static const std::string npz = three_images();
    static const std::string images = folder.write("images.npz", std::as_bytes(std::span(npz)));
    folder.write("pairs.jsonl", bytes);
    pairs = open_array_pairs({"fuzz", folder.path()}, options);
  } else if (const auto row = kinds().find(kind); row != kinds().end()) {
    const std::string path = folder.write(row->second.file, bytes);
    pairs = row->second.open({"fuzz", path}, options);
  }
  if (pairs) use(*pairs, kind == 's' || kind == 'a');
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
    if (kind == 'l' || kind == 'a')
      return mutate_after_first(std::move(file), room, dice, mutate_json);
    if (kind == 's') return mutate_after_first(std::move(file), room, dice, mutate_tar);
    return dice.bytes(std::move(file), room);
  });
}
