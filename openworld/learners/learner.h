#pragma once

// A learner: a method that tunes prompts on a few images of base classes and then scores images
// against base and new names.
//
// A method is one pair of files, with its options and its Learner, and one row in table.cc. The
// trainer (trainer.h) does what all have in common: batches, optimiser, schedule, checkpoints.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/learners/common/optimizer.h"
#include "openworld/learners/common/prompts.h"
#include "openworld/worlds/few_shot.h"

namespace openworld {

class PixelSource;

// What a learner takes of an image. Each includes the features of the whole image.
enum class ImageInput {
  kFeatures,     // of the whole image alone
  kPatches,      // and of its patches
  kPatchStates,  // and its patches before the projection
  kPixels,       // and the preprocessed image itself
};

// "image features", "image and patch features", "image features and patch states", "images"
std::string_view image_input_name(ImageInput input);

// Training images of base classes. Features are normalised; `lengths` are what they were divided
// by.
struct Episode {
  at::Tensor features;  // [images, embed], or [views, images, embed]: one view is drawn per epoch
  at::Tensor labels;    // [images], of base classes

  // Undefined unless the learner's input is kPatches, [images, patches, embed], normalised; or
  // kPatchStates, [images, patches, vision width], as VisionFeatures has them.
  at::Tensor local;
  at::Tensor lengths;  // [images] or [views, images]; may be undefined

  // The images themselves, sample i with labels[i]; null unless the learner's input is kPixels.
  // Where features have views, the pixels of a batch are of the views drawn (its features are those
  // of the frozen model for the same pixels). Otherwise they are of CLIP's test transform, or with
  // fresh_views of a random crop that is new in every epoch, deterministic in (seed, epoch, image).
  const PixelSource* pixels = nullptr;
  bool fresh_views = false;
};

struct Batch {
  at::Tensor features;      // [n, embed]
  at::Tensor labels;        // [n]
  at::Tensor local = {};    // [n, patches, embed or vision width], or undefined
  at::Tensor pixels = {};   // [n, 3, size, size], or undefined
  at::Tensor lengths = {};  // [n], or undefined
  std::int64_t step = 0;    // of the stage, from 0: for what a learner draws at random
};

// Hand-written sentences for the classes of a dataset.
struct Sentences {
  std::vector<std::string> templates;  // one or more
  std::string template_set = "";       // the name they were asked for by, or ""
  std::vector<std::string> ensemble;   // a handful of sentences for ensembles
  // Words that stand before the name in a plain sentence: "a photo of a".
  std::string plain_words = "a photo of a";

  bool operator==(const Sentences&) const = default;
};

// What a learner is made for.
struct TuningTask {
  TextModel text_model;
  std::vector<std::string> base_names;  // as prompts say them
  Sentences sentences;                  // for these classes
  std::uint64_t seed = 1;
};

// One phase of training.
struct Stage {
  std::string name;
  std::vector<std::string> parameters;  // that it tunes
  std::int64_t epochs = 0;
  std::int64_t batch = 32;
  bool drop_last = false;  // leave out what does not fill a batch, unless that is all there is
  double lr = 0.002;
  Schedule schedule = Schedule::kDassl;
  OptimizerOptions optimizer = {};
  std::map<std::string, double> lr_factors = {};  // of parameters whose learning rate is not `lr`
};

// What a model says of images [n, ...].
struct Scores {
  at::Tensor base_logits;  // [n, base names], of g
  at::Tensor new_logits;   // [n, new names], of h
  at::Tensor r;            // [n], larger is more base-like
};

// Images as scores are made of them. Features are normalised.
struct ScoredImages {
  at::Tensor features;      // [n, embed]
  at::Tensor local = {};    // of patches, as Episode has them; undefined unless scored_input asks
  at::Tensor pixels = {};   // [n, 3, size, size], test transform; undefined unless it is kPixels
  at::Tensor lengths = {};  // [n]; may be undefined
};
using Scorer = std::function<Scores(const ScoredImages&)>;

// Names that images are scored against beside the base names of the task.
struct NameList {
  std::vector<std::string> names;                     // as prompts say them
  std::optional<Sentences> sentences = std::nullopt;  // for them; none: those of the task
  bool base = false;  // the base names of the task once more, in other sentences
};

// The names of one test view, as columns. Columns are the base names of the task, then the names of
// each list.
struct NameColumns {
  std::vector<std::int64_t> base;       // g's names; may be empty
  std::vector<std::int64_t> new_names;  // h's names; may be empty
  // The base names that r compares with the new ones: those of g, and perhaps names of classes that
  // the view lacks.
  std::vector<std::int64_t> detected = base;

  bool operator==(const NameColumns&) const = default;
};

// Scores of the images in each of the views, which share what does not depend on the view's names.
// The scores of an image in a view do not depend on the other views, and on other images only by
// the rounding of a product. Without base names to compare r is 0.
using ViewScorer =
    std::function<std::vector<Scores>(const ScoredImages&, std::span<const NameColumns>)>;

class Learner {
 public:
  explicit Learner(const TuningTask& task) : task_(task) {}
  virtual ~Learner() = default;

  // What is learned: leaves that require gradients, with their first values. Known from task and
  // options alone, so that they can be loaded without the training images.
  const NamedTensors& parameters() const { return parameters_; }

  // Frozen numbers that training found and scoring needs.
  const NamedTensors& constants() const { return constants_; }

  // What a learner accumulates over training beside them, such as a mean of its parameters: saved
  // with the state of a training and restored bit for bit. Floats, of shapes that are known from
  // task and options alone, changed in place.
  const NamedTensors& state() const { return state_; }

  // In order; none if there is nothing to tune.
  virtual std::vector<Stage> stages() const = 0;

  // Before the first epoch of a stage, and once more when a run resumes in the middle of it; saved
  // constants and state are restored after it.
  virtual void begin_stage(std::size_t stage, const Episode& episode);

  // After the last step of an epoch (of the stage, from 0), without gradients. May change
  // parameters and state() in place; both are saved after it.
  virtual void end_epoch(std::size_t stage, std::int64_t epoch);

  // The loss of a batch, differentiable in the stage's parameters.
  virtual at::Tensor loss(std::size_t stage, const Batch& batch) = 0;

  // Leaves in the parameters what the optimiser is to follow, by default the gradient of the loss;
  // the value of the loss.
  virtual double backward(std::size_t stage, const Batch& batch);

  // What its scores need of images.
  virtual ImageInput scored_input() const { return ImageInput::kFeatures; }

  // Encodes the names once. Throws Error for a name that does not fit. The learner outlives it.
  virtual ViewScorer view_scorer(const std::vector<NameList>& lists) = 0;

  // The view of all base names and these new ones, in the sentences of the task.
  Scorer scorer(const std::vector<std::string>& new_names);

 protected:
  const Clip& clip() const { return *task_.text_model.clip; }
  std::int64_t base_count() const { return static_cast<std::int64_t>(task_.base_names.size()); }

  at::Tensor add_parameter(const std::string& name, const at::Tensor& value);

  std::vector<std::string> parameter_names() const;

  TuningTask task_;
  NamedTensors parameters_, constants_, state_;
};

// Options of one method, with its defaults; see common/options.h.
class LearnerOptions {
 public:
  virtual ~LearnerOptions() = default;

  virtual void declare(OptionList& list) = 0;

  // Throws Error for options that do not fit the task.
  virtual std::unique_ptr<Learner> make(const TuningTask& task) const = 0;
};

struct LearnerRow {
  std::string_view name;         // "gmop"
  std::string_view title;        // "GMoP"
  std::string_view description;  // one line, no full stop
  std::string_view citation;
  ImageInput input = ImageInput::kFeatures;  // what training needs of images
  std::string_view gradient;         // towers differentiated: "none", "text", "image", "both"
  ShotRule shots = ShotRule::kCoop;  // how its authors draw the training images
  std::unique_ptr<LearnerOptions> (*options)() = nullptr;
};

}  // namespace openworld
