#include "openworld/tuning/image_list.h"

#include <fmt/format.h>

#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/png_writer.h"
#include "openworld/worlds/folders.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

class ListSource : public SampleSource {
 public:
  explicit ListSource(std::vector<PixelImage> pixels) : pixels_(std::move(pixels)) {}

  Bytes read(const Sample& sample) const override {
    if (sample.place == 0) return map_file({"read_sample", sample.path});
    const PixelImage& image = pixels_[sample.place - 1];
    return make_bytes(
        make_png(image.width, image.height, image.rgb.values, PngCompression::kStored));
  }

  std::string name(const Sample& sample) const override { return sample.path; }

 private:
  std::vector<PixelImage> pixels_;
};

}  // namespace

void ImageList::add_path(const std::string& path) {
  std::error_code ignored, error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) fail_with_errno({function_, path}, "cannot be found", error.value());
  if (!fs::is_directory(path, ignored)) {
    samples_.push_back({.path = absolute.string()});
    return;
  }
  std::vector<std::string> found;
  skipped_ += collect_images(path, "", {function_, path}, &found);
  if (found.empty()) Origin{function_, path}.fail("has no images");
  for (const std::string& file : found) samples_.push_back({.path = (absolute / file).string()});
}

void ImageList::add_pixels(PixelImage image) {
  const std::string name = fmt::format("image[{}]", samples_.size());
  const bool empty = image.width <= 0 || image.height <= 0;
  if (empty || image.rgb.size() != std::size_t{3} * static_cast<std::size_t>(image.width) *
                                       static_cast<std::size_t>(image.height)) {
    fail(function_,
         fmt::format("{} is {} x {} with {} values; expected 3 a pixel, and one pixel or "
                     "more",
                     name, image.width, image.height, image.rgb.size()));
  }
  pixels_.push_back(std::move(image));
  samples_.push_back({.path = name, .place = pixels_.size()});
}

Dataset ImageList::dataset() const {
  Dataset dataset;
  dataset.samples = samples_;
  dataset.skipped = skipped_;
  if (!pixels_.empty()) dataset.source = std::make_shared<ListSource>(pixels_);
  return dataset;
}

}  // namespace openworld
