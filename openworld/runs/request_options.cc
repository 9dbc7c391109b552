#include "openworld/runs/request_options.h"

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/base/split_list.h"
#include "openworld/worlds/drawn_split.h"

namespace openworld {
namespace {

void declare_data(OptionList& list, DatasetOptions& data) {
  list.add("image_root", data.image_root, "folder that the paths of a list are relative to");
  list.add("names", data.names, "file of class names; empty: the dataset's own");
  list.add("format", data.format, "dataset format; empty: detected");
  list.add("allow_duplicate_names", data.allow_duplicate_names, "let two classes share a name");
}

void declare_prompts(OptionList& list, std::string& templates, bool& keep_underscores) {
  list.add("templates", templates,
           "hand-written prompts: a template with {}, a file of them, or the name of a set; empty: "
           "the dataset's own, else photo");
  list.add("keep_underscores", keep_underscores,
           "keep _ in class names instead of replacing it by a space");
}

void declare_cache(OptionList& list, FeatureCacheSpec& cache) {
  list.add("cache", cache.folder,
           "folder of the feature cache; empty: openworld/features in the user's cache folder");
  list.add("no_cache", cache.off, "disable the feature cache");
}

void declare_memory(OptionList& list, std::int64_t& memory) {
  list.add("memory", memory, 1, 1 << 20, "memory of the text encoder, in MiB");
}

}  // namespace

void ModelSpecOptions::declare(OptionList& list) {
  list.add("device", fields.device, "cpu, cuda or cuda:N");
  list.add("threads", threads, 0, 4096, "number of threads; 0: all cores");
  list.add("activation", fields.activation, {"", "quick_gelu", "gelu"},
           "override the model's activation");
  list.add(
      "vocabulary", fields.vocabulary,
      "merges.txt or bpe_simple_vocab_16e6.txt.gz; empty: beside the weights, else CLIP's own");
  list.add("batch", batch, 1, 4096, "images in one pass");
}

ModelSpec ModelSpecOptions::spec(const std::string& path) const {
  ModelSpec spec = fields;
  spec.path = path;
  spec.batch = static_cast<std::size_t>(batch);
  spec.threads = static_cast<int>(threads);
  return spec;
}

void TuningRequestOptions::declare(OptionList& list) {
  list.add("shots", shots, 0, std::int64_t{1} << 32, "training images of each base class; 0: all");
  list.add("epochs", fields.epochs, 0, 1 << 20, "training epochs; 0: the method's default");
  list.add(
      "base", fields.base,
      "base classes, to tune on: half (CoOp's first half), all, their number, names with commas "
      "between them, or a file of names; the rest are new");
  list.add("scenario", scenario,
           "tune once and test on every level of a scenario; empty: base to new classes");
  list.add("looks", looks,
           "datasets with the same classes in other looks, with commas between them; empty: all "
           "others of a bundled world");
  list.add("targets", targets,
           "datasets with other classes, with commas between them; empty: all others of a bundled "
           "world, in another look");
  list.add("scenario_set", scenario_set, "options of the scenario, key=value, with ; between them");
  list.add("train_split", fields.train_split, "split of the training images; empty: train");
  list.add("test_split", fields.test_split,
           "split to evaluate on; empty: test, else val; if it is the training split, the images "
           "not trained on");
  list.add("test_data", fields.test_data, "separate dataset of test images, with the same classes");
  list.add("test_fraction", test_fraction, 0, 1,
           "of a dataset without splits: the part of each class to test on; 0: none");
  list.add("split_seed", split_seed, 0, std::int64_t{1} << 62,
           "seed that draws the images of test_fraction");
  declare_data(list, fields.data.options);
  declare_prompts(list, fields.templates, fields.keep_underscores);
  list.add("shot_rule", fields.shot_rule, {"auto", "coop", "decoop"},
           "few-shot sampling: coop, as in Dassl; decoop, reseeded for every class; auto, that of "
           "the method's authors");
  list.add("allow_fewer", fields.allow_fewer,
           "use all images of a class that has fewer than shots");
  list.add("views", fields.views, 0, 1 << 16,
           "random views of each training image; 0: the image without augmentation");
  list.add(
      "augment", fields.augment,
      "a new random crop and flip of each training image in every epoch, for methods that take "
      "images");
  list.add("logit_scale", fields.logit_scale, 0, 1e6,
           "logit scale in training and scoring; 0: the model's own");
  list.add("label", fields.label,
           "name of the run in tables; empty: the method and the options that were set");
  declare_cache(list, fields.cache);
  declare_memory(list, fields.memory);
  list.add("restart", fields.restart, "start over instead of resuming");
}

TuningRequest TuningRequestOptions::request() const {
  TuningRequest request = fields;
  request.shots = static_cast<std::size_t>(shots);
  use_test_fraction(request, test_fraction, split_seed);
  if (!scenario.empty()) {
    if (request.base != TuningRequest().base) {
      fail("tune", "base is of runs without a scenario; expected scenario_set=\"base=...\"");
    }
    request.scenario = ScenarioRequest{.name = scenario,
                                       .options = split_list(scenario_set, ';'),
                                       .looks = split_list(looks),
                                       .targets = split_list(targets)};
  } else if (!looks.empty() || !targets.empty() || !scenario_set.empty()) {
    fail("tune", "looks, targets and scenario_set are of a scenario; expected scenario");
  }
  return request;
}

void use_test_fraction(TuningRequest& request, double fraction, std::int64_t seed) {
  if (fraction <= 0) return;
  if (!request.train_split.empty() || !request.test_split.empty() || !request.test_data.empty()) {
    fail("tune", "a test fraction does not go with splits or separate test images");
  }
  if (!(fraction < 1))
    fail("tune", "the test fraction is 1 or more; expected a part of each class");
  DrawnSplit split{.test = false, .fraction = fraction, .seed = static_cast<std::uint64_t>(seed)};
  request.train_split = split.name();
  split.test = true;
  request.test_split = split.name();
}

void ZeroShotRequestOptions::declare(OptionList& list) {
  list.add("split", fields.data.options.split, "split of the dataset, if it has several");
  declare_data(list, fields.data.options);
  declare_prompts(list, fields.templates, fields.keep_underscores);
  list.add("ensemble", fields.ensemble, {"features", "logits"},
           "average normalised features and normalise, or average logits");
  list.add(
      "base", fields.base,
      "base classes of the predictions: all, half (CoOp's first half), their number, names with "
      "commas between them, or a file of names; the rest are new");
  list.add("level", fields.level, 0, 1, "confidence level of the interval");
  list.add("out", fields.out, "an .npz of predictions to write; empty: none");
  declare_cache(list, fields.cache);
  declare_memory(list, fields.memory);
}

void set_named_option(OptionList& list, const NamedOption& option, std::string_view function) {
  const auto& rows = list.rows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const OptionRow& r) { return r.name == option.name; });
  const bool text = row != rows.end() && std::holds_alternative<std::string>(row->value());
  const bool number = std::holds_alternative<std::int64_t>(option.value);
  list.set_values({{option.name, text && number ? option_text(option.value) : option.value}},
                  function);
}

}  // namespace openworld
