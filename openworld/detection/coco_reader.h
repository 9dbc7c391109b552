#pragma once

// Readers of COCO's annotation and result files.
//
// Annotations: {"images": [{"id", "height", "width", "file_name"}], "categories": [{"id", "name"}],
// "annotations": [{"id", "image_id", "category_id", "bbox": [x, y, width, height], "area",
// "iscrowd", "segmentation"}]}; other keys are skipped. height, width and segmentation are read for
// masks, iscrowd is 0 where absent. The field `ignore` is not read: COCO's own evaluation
// overwrites it with iscrowd.
//
// Results: [{"image_id", "category_id", "bbox" or "segmentation", "score"}]. As in COCO's own
// loader the first entry decides for all: with a box, areas are those of the boxes and masks that
// are absent are the boxes'; without, areas and boxes are those of the masks.
//
// Files of any size: memory is that of what they hold (48 bytes a box) and a window of a few
// megabytes. Files are hostile: every Error names the file and the entry, counted from 0.

#include "openworld/detection/coco.h"
#include "openworld/detection/json_input.h"

namespace openworld {

// Refuses images, categories and annotations with the same id, annotations of unknown ones, boxes
// that are not finite or of negative size, and, for masks, segmentations that do not fit the image.
CocoAnnotations read_coco_annotations(const JsonInput& input, IouType type);

struct ResultsOptions {
  IouType type = IouType::kBox;
  bool any_score = false;  // allow finite scores outside of [0, 1], such as logits
};

// Refuses entries of unknown images or categories, boxes as above, and scores out of range.
CocoResults read_coco_results(const JsonInput& input, const CocoAnnotations& annotations,
                              const ResultsOptions& options);

}  // namespace openworld
