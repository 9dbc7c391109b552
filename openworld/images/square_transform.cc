#include "openworld/images/square_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "openworld/base/error.h"
#include "openworld/images/pixel_floats.h"
#include "openworld/images/resample.h"

namespace openworld {
namespace {

Image resized(const ImageView& image, std::int64_t n) {
  return resize(image, {.width = n, .height = n, .filter = Filter::kBilinear});
}

// The image moved by (left, top) pixels to the left and up, black where nothing is.
Image shifted(const Image& image, int left, int top) {
  Image result = make_image(image.width, image.height);
  const int columns = image.width - std::abs(left);
  const auto place = [&](int x, int y) {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                static_cast<std::size_t>(x));
  };
  for (int y = std::max(0, -top); y < image.height - std::max(0, top) && columns > 0; ++y) {
    std::memcpy(&result.rgb[place(std::max(0, -left), y)],
                &image.rgb[place(std::max(0, left), y + top)],
                3 * static_cast<std::size_t>(columns));
  }
  return result;
}

}  // namespace

void check_square_augmentation(const SquareAugmentation& augmentation, std::int64_t n,
                               std::string_view function) {
  check_rand_augment(augmentation.rand, function);
  if (augmentation.padding < 0 || augmentation.padding > n) {
    fail(function, fmt::format("the padding is {}; expected 0 to {}, the side of an image",
                               augmentation.padding, n));
  }
}

SquareChoices draw_square_choices(const SquareAugmentation& augmentation, Random& random) {
  SquareChoices choices;
  if (augmentation.padding > 0) {
    const auto places = static_cast<std::uint64_t>(2 * augmentation.padding + 1);
    choices.top = static_cast<int>(random.below(places)) - augmentation.padding;
    choices.left = static_cast<int>(random.below(places)) - augmentation.padding;
  }
  if (augmentation.flip) choices.flip = random.uniform() < 0.5;
  return choices;
}

void square_transform(const ImageView& image, const Preprocessing& preprocessing,
                      std::span<float> chw) {
  check_preprocessing("square_transform", preprocessing, chw);
  write_floats(resized(image, preprocessing.image_size), preprocessing, false, chw);
}

void square_train_transform(const ImageView& image, const Preprocessing& preprocessing,
                            const SquareAugmentation& augmentation, const AugmentationName& name,
                            std::span<float> chw) {
  constexpr auto kFunction = "square_train_transform";
  check_preprocessing(kFunction, preprocessing, chw);
  check_square_augmentation(augmentation, preprocessing.image_size, kFunction);
  Random random = augmentation_stream(name);
  Image changed;
  if (augmentation.rand.n > 0) changed = rand_augment(image, augmentation.rand, random);
  Image square =
      resized(augmentation.rand.n > 0 ? ImageView(changed) : image, preprocessing.image_size);
  const SquareChoices choices = draw_square_choices(augmentation, random);
  if (choices.left != 0 || choices.top != 0) square = shifted(square, choices.left, choices.top);
  write_floats(square, preprocessing, choices.flip, chw);
}

}  // namespace openworld
