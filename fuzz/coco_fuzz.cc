// Fuzzes the readers of detections: annotations with masks, results, and open-set files. The first
// byte says which, and for results the annotations are fixed.

#include "fuzz/fuzz.h"
#include "openworld/detection/coco_reader.h"
#include "openworld/detection/openset_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
    switch (data[0] % 4) {
      case 0:
        read_coco_annotations(input, IouType::kMask);
        break;
      case 1:
        read_coco_results(input, kTruth, {.type = IouType::kMask});
        break;
      case 2:
        read_coco_results(input, kTruth, {.type = IouType::kBox, .any_score = true});
        break;
      default:
        read_openset_file(input, kTruth);
    }
  });
  return 0;
}
