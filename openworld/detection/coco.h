#pragma once

// Ground truth and detections in COCO's sense, as evaluation needs them: ids are resolved to
// indices, categories and images stand in ascending order of their ids, objects and detections in
// the order of the file, which decides between equal scores.
//
// Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "openworld/detection/box.h"
#include "openworld/detection/mask.h"

namespace openworld {

// What is compared: boxes or masks.
enum class IouType { kBox, kMask };

// "bbox" or "segm", as COCO calls them.
std::string_view iou_type_name(IouType type);
std::optional<IouType> find_iou_type(std::string_view name);

struct CocoImage {
  std::int64_t id = 0;
  std::uint32_t height = 0;  // 0 where the file does not say
  std::uint32_t width = 0;
  std::string file_name;
};

struct CocoCategory {
  std::int64_t id = 0;
  std::string name;
};

struct CocoObject {
  std::int64_t id = 0;
  std::uint32_t image = 0;
  std::uint32_t category = 0;
  Box box;
  double area = 0;  // of the object, not of its box
  bool crowd = false;
};

struct CocoAnnotations {
  std::vector<CocoImage> images;
  std::vector<CocoCategory> categories;
  std::vector<CocoObject> objects;
  std::vector<Mask> masks{};  // one per object, for masks only
  std::string path;
  std::uint64_t file_bytes = 0;  // of JSON

  // Index of the image or category of that id.
  std::optional<std::uint32_t> image(std::int64_t id) const;
  std::optional<std::uint32_t> category(std::int64_t id) const;
};

struct CocoDetection {
  std::uint32_t image = 0;
  std::uint32_t category = 0;
  Box box;
  double score = 0;
};

struct CocoResults {
  std::vector<CocoDetection> detections{};
  std::vector<Mask> masks{};    // one per detection, for masks only
  std::vector<double> areas{};  // of the masks, where the file has no boxes; else empty
  std::string path{};
  std::uint64_t file_bytes = 0;  // of JSON

  double area(std::size_t i) const { return areas.empty() ? detections[i].box.area() : areas[i]; }
};

}  // namespace openworld
