#include "openworld/worlds/drawn_source.h"

#include "openworld/io/png_writer.h"
#include "openworld/worlds/class_names.h"

namespace openworld {

// Stored, not deflated: what features are cached by must not depend on the zlib there is.
Bytes DrawnSource::read(const Sample& sample) const {
  const Image image = draw(sample);
  return make_bytes(make_png(image.width, image.height, image.rgb, PngCompression::kStored));
}

std::string DrawnSource::name(const Sample& sample) const {
  return spec_ + "/" + sample.path;
}

void rename_classes(Dataset& dataset, const Origin& origin, const DatasetOptions& options) {
  if (options.names.empty()) return;
  const Origin file{origin.function, options.names};
  dataset.classes = ClassNames::load(file).for_folders(dataset.classes);
  if (!options.allow_duplicate_names) refuse_duplicates(dataset.classes, file);
}

}  // namespace openworld
