// Fuzzes the reader of the detections of an open-set test, with fixed annotations.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/detection/coco_reader.h"
#include "openworld/detection/openset_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  static const CocoAnnotations kTruth = read_coco_annotations(
      {{"fuzz", "truth"},
       make_bytes(R"({"images": [{"id": 1, "height": 8, "width": 9, "file_name": "a.jpg"},
                                 {"id": 2, "height": 8, "width": 9, "file_name": "b.jpg"}],
         "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
         "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "area": 16},
                         {"id": 2, "image_id": 2, "category_id": 2, "bbox": [1, 1, 4, 4],
                          "area": 16}]})")},
      IouType::kBox);
  attempt([&] {
    const OpenSetFile file = read_openset_file({{"fuzz", "input"}, fuzz_bytes(data, size)}, kTruth);
    for (const OpenSetRun* run : {&file.all, &file.open_set}) {
      if (run->values.size() != file.uncertainties.size()) std::abort();
      for (const auto& values : run->values) {
        if (values.size() != run->size()) std::abort();
      }
    }
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return openworld::mutate(data, size, most, seed, openworld::mutate_json);
}
