#include "openworld/detection/coco_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/detection/json_item.h"
#include "openworld/detection/json_stream.h"
#include "openworld/detection/json_values.h"

namespace openworld {
namespace {

using Element = simdjson::dom::element;

// Sorts by id. Throws Error for an id that is there twice.
template <class T>
void sort_by_id(std::vector<T>& items, std::string_view what, const Origin& origin) {
  std::stable_sort(items.begin(), items.end(), [](const T& a, const T& b) { return a.id < b.id; });
  const auto twice = std::adjacent_find(items.begin(), items.end(),
                                        [](const T& a, const T& b) { return a.id == b.id; });
  if (twice != items.end()) {
    origin.fail(fmt::format("two {} have the id {}; expected one", what, twice->id));
  }
}

class AnnotationsReader {
 public:
  AnnotationsReader(const JsonInput& input, IouType type)
      : origin_(input.origin), stream_(input), type_(type), outlines_(stream_.size()) {
    annotations_.path = input.origin.file;
    annotations_.file_bytes = stream_.size();
  }

  CocoAnnotations read() {
    if (stream_.peek() == '[') {
      origin_.fail(
          "is an array, as results are; expected an object with images, categories and "
          "annotations");
    }
    stream_.open_object("annotations");
    std::string key;
    while (stream_.next_key(key)) read_member(key);
    stream_.finish();
    for (const auto& [name, seen] :
         {std::pair{"images", images_}, {"categories", categories_}, {"annotations", objects_}}) {
      if (!seen) origin_.fail(fmt::format("has no {}; expected COCO's annotations", name));
    }
    resolve();
    return std::move(annotations_);
  }

 private:
  void read_member(const std::string& key) {
    if (key == "images") {
      once(images_, key);
      stream_.each_item("image", [&](std::size_t i, Element e) { read_image(i, e); });
    } else if (key == "categories") {
      once(categories_, key);
      stream_.each_item("category", [&](std::size_t i, Element e) { read_category(i, e); });
    } else if (key == "annotations") {
      once(objects_, key);
      stream_.each_item("annotation", [&](std::size_t i, Element e) { read_object(i, e); });
    } else {
      stream_.skip_value();
    }
  }

  void once(bool& seen, const std::string& key) {
    if (seen) origin_.fail(fmt::format("has {} twice", key));
    seen = true;
    if (stream_.peek() != '[') origin_.fail(fmt::format("{} is no array; expected one", key));
  }

  void read_image(std::size_t index, Element element) {
    const JsonItem item(element, "image", index, origin_);
    CocoImage image{.id = item.integer("id"), .file_name = {}};
    if (item.find("file_name")) image.file_name = item.text("file_name");
    if (type_ == IouType::kMask && item.find("height") && item.find("width")) {
      image.height = side(item, "height");
      image.width = side(item, "width");
      if (std::uint64_t{image.height} * image.width > kMaxPixels) {
        item.fail(fmt::format("has {} x {} pixels; expected {} at most", image.height, image.width,
                              kMaxPixels));
      }
    }
    annotations_.images.push_back(std::move(image));
  }

  static std::uint32_t side(const JsonItem& item, std::string_view key) {
    const std::int64_t value = item.integer(key);
    if (value < 1 || value > (1 << 24)) {
      item.fail(fmt::format("{} is {}; expected 1 to {}", key, value, 1 << 24));
    }
    return static_cast<std::uint32_t>(value);
  }

  void read_category(std::size_t index, Element element) {
    const JsonItem item(element, "category", index, origin_);
    CocoCategory category{.id = item.integer("id"), .name = {}};
    category.name =
        item.find("name") ? std::string(item.text("name")) : std::to_string(category.id);
    annotations_.categories.push_back(std::move(category));
  }

  void read_object(std::size_t index, Element element) {
    const JsonItem item(element, "annotation", index, origin_);
    CocoObject object{
        .id = item.integer("id"), .box = item.box("bbox"), .area = item.number("area")};
    if (object.area < 0) item.fail(fmt::format("area is {}; expected 0 or more", object.area));
    if (const auto crowd = item.find("iscrowd")) {
      const auto flag = crowd->is_bool() ? std::optional<std::int64_t>(crowd->get_bool().value())
                                         : as_integer(*crowd);
      if (!flag || (*flag != 0 && *flag != 1)) {
        item.fail(fmt::format("iscrowd is {}; expected 0 or 1", describe(*crowd)));
      }
      object.crowd = *flag == 1;
    }
    image_ids_.push_back(item.integer("image_id"));
    category_ids_.push_back(item.integer("category_id"));
    annotations_.objects.push_back(object);
    // Polygons need the size of the image, which may come later in the file: kept as text until
    // then.
    if (type_ == IouType::kMask) {
      segmentations_.push_back(
          fmt::format("{{\"segmentation\":{}}}", simdjson::minify(item.at("segmentation"))));
    }
  }

  // Ids to indices, and polygons to masks.
  void resolve() {
    sort_by_id(annotations_.images, "images", origin_);
    sort_by_id(annotations_.categories, "categories", origin_);
    auto& objects = annotations_.objects;
    expect_own_ids();
    simdjson::dom::parser parser;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto refuse = [&](std::string_view message) {
        origin_.fail(fmt::format("annotation {}: {}", i, message));
      };
      const auto image = annotations_.image(image_ids_[i]);
      if (!image) refuse(fmt::format("image_id {} is not among the images", image_ids_[i]));
      const auto category = annotations_.category(category_ids_[i]);
      if (!category) {
        refuse(fmt::format("category_id {} is not among the categories", category_ids_[i]));
      }
      objects[i].image = *image;
      objects[i].category = *category;
      if (type_ == IouType::kMask) read_mask(i, parser);
    }
  }

  // By sorting: ids can be chosen so that they collide in a hash table.
  void expect_own_ids() const {
    const auto& objects = annotations_.objects;
    std::vector<std::pair<std::int64_t, std::size_t>> ids;
    for (std::size_t i = 0; i < objects.size(); ++i) ids.emplace_back(objects[i].id, i);
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(
        ids, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == ids.end()) return;
    origin_.fail(fmt::format("annotation {}: id {} belongs to another annotation",
                             std::next(twice)->second, twice->first));
  }

  void read_mask(std::size_t i, simdjson::dom::parser& parser) {
    CocoImage& image = annotations_.images[annotations_.objects[i].image];
    const JsonItem item(parser.parse(segmentations_[i]).value(), "annotation", i, origin_);
    annotations_.masks.push_back(item.mask("segmentation", image.height, image.width, outlines_));
    std::string().swap(segmentations_[i]);
    if (image.height == 0) {  // the first mask of an image fixes its size
      image.height = annotations_.masks.back().height;
      image.width = annotations_.masks.back().width;
    }
  }

  Origin origin_;
  JsonStream stream_;
  IouType type_;
  OutlineBudget outlines_;
  CocoAnnotations annotations_;
  std::vector<std::int64_t> image_ids_, category_ids_;
  std::vector<std::string> segmentations_;
  bool images_ = false, categories_ = false, objects_ = false;
};

class ResultsReader {
 public:
  ResultsReader(const JsonInput& input, const CocoAnnotations& annotations,
                const ResultsOptions& options)
      : origin_(input.origin),
        stream_(input),
        annotations_(annotations),
        options_(options),
        outlines_(stream_.size()) {
    results_.path = input.origin.file;
    results_.file_bytes = stream_.size();
  }

  CocoResults read() {
    if (stream_.peek() == '{') {
      origin_.fail("is an object, as annotations are; expected an array of detections");
    }
    if (stream_.peek() != '[') origin_.fail("is no array of detections");
    stream_.each_item("entry", [&](std::size_t i, Element e) { read_entry(i, e); });
    stream_.finish();
    return std::move(results_);
  }

 private:
  // The fields of an entry, found in one pass: there may be millions of entries.
  struct Fields {
    Element image, category, score, box, segmentation;
    unsigned seen = 0;
  };
  enum Field : unsigned { kImage = 1, kCategory = 2, kScore = 4, kBox = 8, kSegmentation = 16 };

  static Fields find_fields(const JsonItem& item, Element element) {
    Fields fields;
    for (const auto field : json_object(element)) {
      const auto take = [&](std::string_view key, Field bit, Element& to) {
        if (field.key != key) return false;
        if (fields.seen & bit) item.fail(fmt::format("has the key {} twice", key));
        if (!field.value.is_null()) fields.seen |= bit;
        to = field.value;
        return true;
      };
      take("image_id", kImage, fields.image) || take("category_id", kCategory, fields.category) ||
          take("score", kScore, fields.score) || take("bbox", kBox, fields.box) ||
          take("segmentation", kSegmentation, fields.segmentation);
    }
    // An empty list in place of a box is how some writers say that there is none.
    if ((fields.seen & kBox) && fields.box.is_array() && json_array(fields.box).size() == 0) {
      fields.seen &= ~kBox;
    }
    return fields;
  }

  void read_entry(std::size_t index, Element element) {
    const JsonItem item(element, "entry", index, origin_);
    const Fields fields = find_fields(item, element);
    if (index == 0) by_box_ = (fields.seen & kBox) != 0;
    CocoDetection detection;
    detection.image = image(item, fields);
    detection.category = category(item, fields);
    detection.score = score(item, fields);
    if (by_box_) {
      detection.box = item.box("bbox");
      if (options_.type == IouType::kMask) read_mask(item, fields, detection);
    } else {
      if (!(fields.seen & kSegmentation)) {
        item.fail(index == 0 ? "has neither bbox nor segmentation"
                             : "has no segmentation, but entry 0 has one and no bbox");
      }
      read_mask(item, fields, detection);
    }
    reserve(index);
    results_.detections.push_back(detection);
  }

  // A vector that doubles needs up to three times its memory. Once the first window is read, its
  // entries say how many there will be. Until then the stream stands before them.
  void reserve(std::size_t index) {
    constexpr std::size_t kShortestEntry = 40;
    if (reserved_ || index == 0 || stream_.bytes_read() < kShortestEntry * index) return;
    reserved_ = true;
    const double bytes = static_cast<double>(stream_.bytes_read()) / static_cast<double>(index);
    const double entries = static_cast<double>(stream_.size()) / bytes;
    results_.detections.reserve(static_cast<std::size_t>(1.02 * entries) + 1);
  }

  std::uint32_t image(const JsonItem& item, const Fields& fields) {
    if (!(fields.seen & kImage)) item.fail("has no image_id");
    const auto id = as_integer(fields.image);
    if (!id) item.fail(fmt::format("image_id is {}; expected an integer", describe(fields.image)));
    if (!last_image_ || annotations_.images[*last_image_].id != *id) {
      last_image_ = annotations_.image(*id);
      if (!last_image_) {
        item.fail(fmt::format("image_id {} is not among the images of {}", *id, annotations_.path));
      }
    }
    return *last_image_;
  }

  std::uint32_t category(const JsonItem& item, const Fields& fields) const {
    if (!(fields.seen & kCategory)) item.fail("has no category_id");
    const auto id = as_integer(fields.category);
    if (!id) {
      item.fail(fmt::format("category_id is {}; expected an integer", describe(fields.category)));
    }
    const auto index = annotations_.category(*id);
    if (!index) {
      item.fail(
          fmt::format("category_id {} is not among the categories of {}", *id, annotations_.path));
    }
    return *index;
  }

  double score(const JsonItem& item, const Fields& fields) const {
    if (!(fields.seen & kScore)) item.fail("has no score");
    double value = 0;
    if (fields.score.get_double().get(value)) {
      item.fail(fmt::format("score is {}; expected a number", describe(fields.score)));
    }
    if (!options_.any_score && !(value >= 0 && value <= 1)) {
      item.fail(fmt::format("score is {}; expected 0 to 1", value));
    }
    return value;
  }

  void read_mask(const JsonItem& item, const Fields& fields, CocoDetection& detection) {
    const CocoImage& image = annotations_.images[detection.image];
    Mask mask;
    if (fields.seen & kSegmentation) {
      mask = item.mask("segmentation", image.height, image.width, outlines_);
    } else {
      mask = box_mask(item, detection.box, image);
    }
    if (!by_box_) {
      results_.areas.push_back(static_cast<double>(mask.area()));
      detection.box = mask.box();
    }
    if (options_.type == IouType::kMask) results_.masks.push_back(std::move(mask));
  }

  // A box as a polygon, which is what COCO's loader makes of an entry without a segmentation.
  Mask box_mask(const JsonItem& item, const Box& box, const CocoImage& image) {
    if (image.height == 0) item.fail("has no segmentation, and its image no height and width");
    const double x2 = box.x + box.width, y2 = box.y + box.height;
    const double corners[] = {box.x, box.y, box.x, y2, x2, y2, x2, box.y};
    try {
      return mask_from_polygon(corners, image.height, image.width, outlines_);
    } catch (const Error& error) {
      item.fail(fmt::format("bbox as a mask: {}", error.message()));
    }
  }

  Origin origin_;
  JsonStream stream_;
  const CocoAnnotations& annotations_;
  ResultsOptions options_;
  OutlineBudget outlines_;
  CocoResults results_;
  std::optional<std::uint32_t> last_image_;
  bool reserved_ = false;
  bool by_box_ = true;
};

}  // namespace

CocoAnnotations read_coco_annotations(const JsonInput& input, IouType type) {
  return AnnotationsReader(input, type).read();
}

CocoResults read_coco_results(const JsonInput& input, const CocoAnnotations& annotations,
                              const ResultsOptions& options) {
  return ResultsReader(input, annotations, options).read();
}

}  // namespace openworld
