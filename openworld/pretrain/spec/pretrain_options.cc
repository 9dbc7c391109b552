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

void AugmentOptions::declare(OptionList& list) {
  list.add("augment", augment,
           {{"crop", ImageAugmentation::kCrop},
            {"redraw", ImageAugmentation::kRedraw},
            {"none", ImageAugmentation::kNone}},
           "crop: random resized crop and flip; redraw: small changes as below; none");
  declare_redraw(list);
  declare_lines(list);
}

void AugmentOptions::declare_redraw(OptionList& list) {
  list.add("rotate", redraw.rotate, 0, 180, "redraw: degrees, either way");
  list.add("zoom_low", redraw.low, 1e-3, 1e3, "redraw: smallest factor, of each side");
  list.add("zoom_high", redraw.high, 1e-3, 1e3, "redraw: largest factor, of each side");
  list.add("shear", redraw.shear, 0, 80, "redraw: degrees, either way");
  list.add("shift", redraw.shift, 0, 1, "redraw: share of the side, either way");
  list.add("flip", redraw.flip, 0, 1, "redraw: probability of a horizontal flip");
  list.add("bend", redraw.bend, 0, 1,
           "redraw: how far points move, as a share of the side, either way");
  list.add("warp", redraw.warp, 0, 1,
           "redraw: how far the points of a finer, smoother grid move, as a share of the side");
  list.add("cover", redraw.cover, 0, 1, "redraw: probability that a part is covered");
}

void AugmentOptions::declare_lines(OptionList& list) {
  list.add("grey", lines.grey, 0, 1, "redraw: probability that colours become greys");
  list.add("outline", lines.outline, 0, 1, "redraw: probability that areas become outlines");
  list.add("ink", lines.ink, 0, 64,
           "redraw: pixels by which lines grow at most; they shrink by at most half of it");
  list.add("contrast", lines.contrast, 0, 1,
           "redraw: share by which ink gets stronger or weaker at most");
  list.add("tint", lines.tint, 0, 1, "redraw: probability of coloured ink on coloured paper");
  list.add("invert", lines.invert, 0, 1, "redraw: probability of light ink on dark paper");
}

void SourceOptions::declare(OptionList& list) {
  list.add("templates", templates,
           "captions for labelled data: a template with {}, a file of them, or a set (`openworld "
           "ls templates`)");
  list.add("long_tail", long_tail, 1, 1e6,
           "F: the rarest class keeps 1 of F of its images, the others more, so that few are "
           "frequent, as on the web");
  list.add("unnamed", unnamed, "show the images without names, words and captions");
  list.add("views", views, 1, 2,
           "2: every image is shown twice in a step, for --agreement and --guesses");
  list.add("word_weight", word_weight, 0, kLarge, "weight of the images in the loss of --words");
  augmentation.declare(list);
}

void PretrainOptions::declare(OptionList& list) {
  declare_tower(list, "lock", locked,
                "image or text: tower to keep frozen; it comes from the initial checkpoint or an "
                "earlier stage, as in locked-image tuning, or no loss needs it");
  list.add("epochs", epochs, 1, std::int64_t{1} << 30, "training epochs");
  list.add("steps", steps, 0, std::int64_t{1} << 40, "training steps instead of epochs; 0: epochs");
  list.add("batch", batch, 2, kMany, "pairs in one step");
  list.add("epoch_pairs", epoch_pairs, 0, std::int64_t{1} << 40,
           "pairs that are shown in an epoch; 0: as many as there are");
  list.add(
      "reuse", reuse, 1, kMany,
      "with --lock image: how often the features of an epoch's images are used, each time with "
      "other captions");
  list.add("pairs", weights.pairs, 0, kLarge,
           "weight of the contrastive loss of images and captions");
  list.add("extra_captions", extra_captions, 0, kMany,
           "captions of other pairs in each step: wrong answers without an image");
  list.add("naming", weights.naming, 0, kLarge,
           "labels and doodles: weight of the loss of naming each image out of the list of all "
           "classes, added to the contrastive loss");
  list.add("words", weights.words, 0, kLarge,
           "weight of the loss of finding an image's name and words among free vectors, one for "
           "each; needs no text tower");
  list.add("agreement", weights.agreement, 0, kLarge,
           "weight of the loss of finding the other view of an image, for sources with two views");
  list.add("temperature", temperature, 1e-3, kLarge, "of --agreement: what cosines are divided by");
  list.add("guesses", weights.guesses, 0, kLarge,
           "weight of the loss of finding, for images without names from sources with two views, "
           "the names and words that the model itself gives them; needs the vectors of --words");
  list.add("confidence", confidence, 0, 1,
           "of --guesses: softmax share of the best word below which an image is left out");
  list.add("balance", balance, 0, 1,
           "of --guesses: words that a batch guesses often count less, by their frequency to this "
           "power");
  list.add("texts", weights.texts, 0, kLarge,
           "weight of the loss of finding, for texts that say a name or word, the vector that an "
           "earlier stage with --words gave it");
  list.add("batch_texts", batch_texts, 1, kMany, "such texts in one step");
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
  list.add("shards", shards, 1, 1024,
           "parts of a batch that are computed in parallel; changes the last bits");
}

void WordOptions::declare(OptionList& list) {
  list.add("min_names", min_names, 1, kMany, "images that a name needs to have a vector");
  list.add("min_words", min_words, 1, kMany, "images that a word needs to have a vector");
  list.add("name_share", name_share, 0, 1,
           "share of an image's target that is its name; its words share the rest");
}

}  // namespace openworld
