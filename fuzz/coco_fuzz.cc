// Fuzzes the readers of COCO's files: annotations with masks, and results, for which the
// annotations are fixed. The first byte says which.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/detection/coco_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const CocoAnnotations kTruth = read_coco_annotations(
      {{"fuzz", "truth"},
       make_bytes(R"({"images": [{"id": 1, "height": 8, "width": 9, "file_name": "a.jpg"}],
         "categories": [{"id": 1, "name": "cat"}],
         "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4],
                          "area": 16, "segmentation": [[0, 0, 0, 4, 4, 4, 4, 0]]}]})")},
      IouType::kMask);
  if (size == 0) return 0;
  const JsonInput input{{"fuzz", "input"}, fuzz_bytes(data + 1, size - 1)};
  attempt([&] {
    switch (data[0] % 3) {
      case 0:
        read_coco_annotations(input, IouType::kMask);
        break;
      case 1:
        read_coco_results(input, kTruth, {.type = IouType::kMask});
        break;
      default:
        read_coco_results(input, kTruth, {.type = IouType::kBox, .any_score = true});
    }
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  return mutate(data, size, most, seed, [](std::string file, std::size_t room, Dice& dice) {
    return mutate_after_first(std::move(file), room, dice, mutate_json);
  });
}
