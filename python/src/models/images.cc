#include "images.h"

#include "../arrays.h"
#include "../fs_text.h"
#include "openworld/tuning/image_list.h"

namespace openworld::python {
namespace {

PixelImage to_pixels(const py::object& array, const Origin& origin) {
  const NpyArray npy = to_npy(array, "an image", Numbers::kIntegers, origin);
  require_dimensions(npy, 3, origin);
  const auto& shape = npy.header.shape;
  const Column<std::uint8_t> values = to_integers<std::uint8_t>(npy, "0 to 255", origin);
  return {.rgb = values, .width = static_cast<int>(shape[1]), .height = static_cast<int>(shape[0])};
}

}  // namespace

Dataset to_images(const py::list& images, const std::string& function) {
  ImageList list(function);
  for (const py::handle image : images) {
    if (py::isinstance<py::str>(image)) {
      list.add_path(from_path(image));
    } else {
      list.add_pixels(to_pixels(py::reinterpret_borrow<py::object>(image), {function, ""}));
    }
  }
  return list.dataset();
}

}  // namespace openworld::python
