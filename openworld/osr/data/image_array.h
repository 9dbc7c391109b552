#pragma once

// The images of a dataset in memory, as training of small networks goes over them many times.
//
//   const ImageArray train = load_image_array("cifar10", {.dataset = {.split = "train"}});
//   const OsrRows known = known_rows(train, osr_split("cifar10:0"));
//   train.write_augmented(known.rows[i], kCifarPixels, {.padding = 4, .flip = true},
//                         {seed, epoch, i}, chw);
//
// 50,000 images of 32 x 32 pixels take 154 MB. Everything const may be called by several threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/images/image.h"
#include "openworld/images/square_transform.h"
#include "openworld/io/column.h"
#include "openworld/worlds/dataset.h"
#include "openworld/worlds/osr_split.h"

namespace openworld {

struct ImageArray {
  std::size_t count = 0;
  int channels = 3;
  int height = 0;
  int width = 0;
  // Either 8-bit RGB, as Image has it, one image after the other; or floats, [count, channels,
  // height, width], of a .npz, which are what the network reads.
  std::vector<std::uint8_t> rgb;
  Column<float> floats;
  std::vector<std::int32_t> labels;  // index into names; -1: of no class. Empty: no labels
  std::vector<std::string> names;    // of the classes
  bool named = false;                // false: classes are "0", "1", ...
  std::string path, split;           // what was opened
  std::string sha256;  // which images in which order: list_sha256, or the .npz's bytes

  bool has_floats() const { return !floats.empty(); }
  std::size_t values() const {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width);
  }

  // Image i, in place or copied. REQUIRES: i < count and 8-bit pixels.
  ImageView view(std::size_t i) const;
  Image image(std::size_t i) const;

  // How many floats write() gives: 3 image_size^2, or values() of an array of floats.
  std::size_t values(const Preprocessing& preprocessing) const;

  // Image i as the network reads it. Floats are copied as they are. REQUIRES: i < count. Throws
  // Error unless chw.size() is values(preprocessing).
  void write(std::size_t i, const Preprocessing& preprocessing, std::span<float> chw) const;

  // The same, augmented; all of it depends on `name` alone. Floats are cropped, with zeros around,
  // and flipped; RandAugment on them is an Error.
  void write_augmented(std::size_t i, const Preprocessing& preprocessing,
                       const SquareAugmentation& augmentation, const AugmentationName& name,
                       std::span<float> chw) const;
};

struct ImageArrayOptions {
  DatasetOptions dataset = {};
  // Images are resized to side x side when they are loaded (bilinear, as Pillow); 0 keeps their
  // size, which must then be the same for all. RandAugment comes before the resizing, so that it
  // needs 0 to have the published order on MNIST (28 x 28); write() resizes then.
  int side = 32;
  int threads = 0;  // for decoding; 0: default_threads()
};

// Opens what open_dataset opens: worlds, folders, lists, archives, idx files, sheets. Or a .npz
// with images [N, C, H, W] float32 and optionally labels [N] (or label) and names [C]. Throws
// Error, also for images that cannot be read and for a dataset of features.
ImageArray load_image_array(const std::string& path, const ImageArrayOptions& options = {});

// Rows of an array, and their labels in the network.
struct OsrRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> labels;  // position in OsrSplit::known; -1 for unknown_rows
};

// The rows of known classes, in the order of the array. Throws Error if the array has no labels,
// the split does not fit its classes, or a known class has no row.
OsrRows known_rows(const ImageArray& images, const OsrSplit& split);

// The rows of OsrSplit::unknown and those of no class. Throws Error if there is none.
OsrRows unknown_rows(const ImageArray& images, const OsrSplit& split);

// Every row, all unknown: of another dataset than the known classes'.
OsrRows all_unknown(const ImageArray& images);

}  // namespace openworld
