#include "openworld/detection/coco.h"

#include <algorithm>

namespace openworld {
namespace {

template <class T>
std::optional<std::uint32_t> find_id(const std::vector<T>& sorted, std::int64_t id) {
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), id,
                       [](const T& item, std::int64_t wanted) { return item.id < wanted; });
  if (it == sorted.end() || it->id != id) return std::nullopt;
  return static_cast<std::uint32_t>(it - sorted.begin());
}

}  // namespace

std::string_view iou_type_name(IouType type) {
  return type == IouType::kBox ? "bbox" : "segm";
}

std::optional<IouType> find_iou_type(std::string_view name) {
  for (const IouType type : {IouType::kBox, IouType::kMask}) {
    if (name == iou_type_name(type)) return type;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> CocoAnnotations::image(std::int64_t id) const {
  return find_id(images, id);
}

std::optional<std::uint32_t> CocoAnnotations::category(std::int64_t id) const {
  return find_id(categories, id);
}

}  // namespace openworld
