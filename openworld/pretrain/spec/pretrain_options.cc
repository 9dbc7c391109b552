#include "openworld/pretrain/spec/pretrain_options.h"

namespace openworld {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 20;
constexpr double kLarge = 1e6;

}  // namespace

const char* tower_name(Tower tower) {
  switch (tower) {
    case Tower::kImage:
      return "image";
    case Tower::kText:
      return "text";
    case Tower::kNeither:
      break;
  }
  return "";
}

void declare_tower(OptionList& list, const char* name, Tower& tower, const char* help) {
  std::vector<std::pair<std::string, Tower>> choices;
  for (const Tower choice : {Tower::kNeither, Tower::kImage, Tower::kText}) {
    choices.emplace_back(tower_name(choice), choice);
  }
  list.add(name, tower, std::move(choices), help);
}

void PretrainOptions::declare(OptionList& list) {
  declare_tower(list, "lock", locked,
                "image or text: tower of the initial checkpoint to keep frozen, as in locked-image "
                "tuning");
  list.add("epochs", epochs, 1, std::int64_t{1} << 30, "training epochs");
  list.add("batch", batch, 2, kMany, "pairs in one step");
  list.add("extra_captions", extra_captions, 0, kMany,
           "captions of other pairs in each step: wrong answers without an image");
  list.add("naming", naming, 0, kLarge,
           "labels and doodles: weight of the loss of naming each image out of the list of all "
           "classes, added to the contrastive loss");
  list.add("lr", lr, 0, kLarge, "peak of AdamW's learning rate");
  list.add("warmup", warmup, 0, kLarge, "epochs until the peak; then half a cosine to 0");
  list.add("weight_decay", adamw.weight_decay, 0, kLarge, "of matrices; vectors have none");
  list.add("beta1", adamw.beta1, 0, 1, "of AdamW");
  list.add("beta2", adamw.beta2, 0, 1, "of AdamW");
  list.add("eps", adamw.epsilon, 0, kLarge, "of AdamW");
  list.add("clip", adamw.clip, 0, kLarge, "largest norm of the gradient; 0: any");
  list.add("shared", loss.shared, 0, 1,
           "share of a target that is spread over all pairs of the same class or caption");
  list.add("smoothing", loss.smoothing, 0, 1, "share of a target that is spread over all answers");
  list.add("centre", centre,
           "features of mean 0 over the first batch, for towers that start from a random init");
  list.add("average", average, 0, 1,
           "decay of a running mean of the weights, which is then the result; 0: none");
  list.add("augment", augment,
           {{"crop", ImageAugmentation::kCrop},
            {"redraw", ImageAugmentation::kRedraw},
            {"none", ImageAugmentation::kNone}},
           "crop: random resized crop and flip; redraw: small changes as below; none");
  declare_redraw(list);
  list.add("shards", shards, 1, 1024,
           "parts of a batch that are computed in parallel; changes the last bits");
}

void PretrainOptions::declare_redraw(OptionList& list) {
  list.add("rotate", redraw.rotate, 0, 180, "redraw: degrees, either way");
  list.add("zoom_low", redraw.low, 1e-3, 1e3, "redraw: smallest factor, of each side");
  list.add("zoom_high", redraw.high, 1e-3, 1e3, "redraw: largest factor, of each side");
  list.add("shear", redraw.shear, 0, 80, "redraw: degrees, either way");
  list.add("shift", redraw.shift, 0, 1, "redraw: share of the side, either way");
  list.add("flip", redraw.flip, 0, 1, "redraw: probability of a horizontal flip");
  list.add("bend", redraw.bend, 0, 1,
           "redraw: how far points move, as a share of the side, either way");
  list.add("cover", redraw.cover, 0, 1, "redraw: probability that a part is covered");
}

}  // namespace openworld
