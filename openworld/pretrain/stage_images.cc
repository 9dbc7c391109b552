#include "openworld/pretrain/stage_images.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/error.h"
#include "openworld/images/line_art.h"
#include "openworld/images/redraw.h"
#include "openworld/images/transform.h"
#include "openworld/pretrain/streams.h"

namespace openworld {
namespace {

// Two views of an image have streams of their own.
std::uint64_t view_seed(std::uint64_t seed, std::uint64_t view) {
  return view == 0 ? seed : mix64(seed + view);
}

bool compares_views(const LossWeights& weights) {
  return weights.agreement > 0 || weights.guesses > 0;
}

// Whether some loss can learn from the pair.
bool is_useful(const StageSource& source, std::size_t index, const LossWeights& weights,
               const WordTable* words) {
  if (weights.pairs > 0 && source.pairs->has_caption(index)) return true;
  if (compares_views(weights) && source.options.views > 1) return true;
  if (weights.words > 0 && source.options.word_weight > 0 && words != nullptr &&
      !words->targets(*source.pairs, index).empty()) {
    return true;
  }
  // Of the list of classes only its source knows; the loss of texts needs no images.
  return weights.naming > 0 ||
         weights.pairs + weights.agreement + weights.guesses + weights.words == 0;
}

PlannedSource planned(const StageSource& source, const LossWeights& weights,
                      const WordTable* words) {
  PlannedSource result{.size = source.pairs->size(), .weights = {}, .share = source.share};
  // Only views that are compared are worth their time.
  result.views = compares_views(weights) ? source.options.views : 1;
  double sum = 0;
  for (std::size_t i = 0; i < result.size; ++i) {
    const double weight = source.pairs->weight(i);
    result.weights.push_back(is_useful(source, i, weights, words) ? weight : 0);
    sum += result.weights.back();
  }
  if (result.size > 0 && !(sum > 0)) {
    fail("pretrain",
         fmt::format("{}: no image with anything to learn from; expected captions, names "
                     "or words that the losses of the stage use",
                     source.pairs->description()));
  }
  return result;
}

BatchPlan make_plan(std::span<const StageSource> sources, const PretrainOptions& options,
                    const WordTable* words) {
  std::size_t pairs = 0;
  for (const StageSource& source : sources) pairs += source.pairs->size();
  if (pairs < 2) {
    fail("pretrain", fmt::format("{} captioned images, expected at least 2", pairs));
  }
  std::vector<PlannedSource> rows;
  for (const StageSource& source : sources) {
    rows.push_back(planned(source, options.weights, words));
  }
  return BatchPlan(std::move(rows), {.batch = options.batch,
                                     .epoch_pairs = options.epoch_pairs,
                                     .rounds = options.reuse,
                                     .parts = options.shards,
                                     .seed = options.seed});
}

}  // namespace

StageImages::StageImages(std::span<const StageSource> sources, const Preprocessing& preprocessing,
                         const PretrainOptions& options, const WordTable* words)
    : sources_(sources),
      preprocessing_(preprocessing),
      options_(options),
      plan_(make_plan(sources, options, words)) {}

PairName StageImages::pair_name(const PlannedImage& image) const {
  return {plan_.source_seed(image.source), image.draw, image.index};
}

ShownImage StageImages::shown(const PlannedImage& image) const {
  return {.source = image.source,
          .view = image.view,
          .caption = {plan_.source_seed(image.source), image.caption_draw, image.index}};
}

void StageImages::transform(const Image& image, const PlannedImage& planned,
                            std::span<float> chw) const {
  const PairName name = pair_name(planned);
  const AugmentOptions& options = sources_[planned.source].options.augmentation;
  const std::uint64_t seed = view_seed(name.seed, planned.view);
  switch (options.augment) {
    case ImageAugmentation::kNone:
      return clip_transform(image, preprocessing_, chw);
    case ImageAugmentation::kCrop:
      return train_transform(image, preprocessing_, {seed, name.epoch, name.index}, chw);
    case ImageAugmentation::kRedraw: {
      Random shapes(stream_seed(Stream::kRedraw, seed, name.epoch), name.index);
      Random lines(stream_seed(Stream::kLines, seed, name.epoch), name.index);
      const Redrawing shape = draw_redrawing(options.redraw, image.width, image.height, shapes);
      const LineArt art = draw_line_art(options.lines, lines);
      return clip_transform(redraw_lines(image, art, shape), preprocessing_, chw);
    }
  }
}

std::unique_ptr<ImageLoader> StageImages::load(const Planned& images, std::size_t first,
                                               std::int64_t batch) const {
  const std::int64_t side = preprocessing_.image_size;
  return std::make_unique<ImageLoader>(ImageLoaderOptions{
      .items = images->size() - first,
      .batch_size = static_cast<std::size_t>(batch),
      .image_values = static_cast<std::size_t>(3 * side * side),
      .threads = options_.threads,
      .open =
          [this, images, first](std::size_t item) {
            const PlannedImage& image = (*images)[first + item];
            const CaptionSource& pairs = *sources_[image.source].pairs;
            return ImageFile{pairs.image(pair_name(image)),
                             {"decode_image", pairs.place(image.index)}};
          },
      .image =
          [this, images, first](std::size_t item) {
            const PlannedImage& image = (*images)[first + item];
            return sources_[image.source].pairs->pixels(pair_name(image));
          },
      .transform = [this, images, first](
                       const Image& image, std::size_t item,
                       std::span<float> chw) { transform(image, (*images)[first + item], chw); },
  });
}

LoadedImages StageImages::taken(ImageBatch batch, std::span<const PlannedImage> images) const {
  LoadedImages result;
  for (const std::size_t item : batch.indices) result.images.push_back(images[item]);
  for (const auto& failure : batch.failures) result.failures.emplace_back(failure.error.what());
  const auto owner = std::make_shared<ImageBatch>(std::move(batch));
  const std::int64_t side = preprocessing_.image_size;
  result.pixels = at::from_blob(
      owner->chw.data(), {static_cast<std::int64_t>(result.images.size()), 3, side, side},
      [owner](void*) {}, at::kFloat);
  return result;
}

std::span<const PlannedImage> StageImages::planned(std::int64_t epoch, std::int64_t step) {
  if (epoch != epoch_) {
    forget();
    epoch_plan_ = std::make_shared<const std::vector<PlannedImage>>(plan_.epoch(epoch));
    epoch_ = epoch;
  }
  const auto each = static_cast<std::size_t>(plan_.images_per_step());
  return std::span(*epoch_plan_).subspan(static_cast<std::size_t>(step) * each, each);
}

LoadedImages StageImages::step(std::int64_t epoch, std::int64_t step) {
  planned(epoch, step);
  const auto each = static_cast<std::size_t>(plan_.images_per_step());
  if (!loader_ || step != next_) {
    loader_.reset();
    first_ = next_ = step;
    loader_ = load(epoch_plan_, static_cast<std::size_t>(step) * each, plan_.images_per_step());
  }
  auto batch = loader_->next();
  assert(batch);
  ++next_;
  const auto images = std::span(*epoch_plan_).subspan(static_cast<std::size_t>(first_) * each);
  LoadedImages result = taken(std::move(*batch), images);
  if (next_ == plan_.steps_per_epoch()) forget();
  return result;
}

void StageImages::for_each_item(std::int64_t epoch, std::int64_t batch,
                                const std::function<void(LoadedImages)>& use) const {
  const auto items = std::make_shared<const std::vector<PlannedImage>>(plan_.items(epoch));
  const auto loader = load(items, 0, batch);
  while (auto group = loader->next()) use(taken(std::move(*group), *items));
}

void StageImages::forget() {
  loader_.reset();
  epoch_plan_.reset();
  epoch_ = -1;
}

}  // namespace openworld
