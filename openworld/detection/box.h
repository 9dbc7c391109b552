#pragma once

// A box in pixels: its upper left corner, width and height, as COCO writes it.

#include <algorithm>

namespace openworld {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double area() const { return width * height; }
};

// Intersection over union; over the area of `detection` where the object is a crowd: a detection
// inside a crowd covers little of it.
inline double box_iou(const Box& detection, const Box& object, bool crowd) {
  const double width = std::min(detection.width + detection.x, object.width + object.x) -
                       std::max(detection.x, object.x);
  if (width <= 0) return 0;
  const double height = std::min(detection.height + detection.y, object.height + object.y) -
                        std::max(detection.y, object.y);
  if (height <= 0) return 0;
  const double both = width * height;
  return both / (crowd ? detection.area() : detection.area() + object.area() - both);
}

}  // namespace openworld
