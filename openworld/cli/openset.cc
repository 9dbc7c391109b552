// openworld openset: does a classifier know when none of its query names is there?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_flags.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/openset_lists.h"
#include "openworld/cli/openset_run.h"
#include "openworld/io/memory_limit.h"
#include "openworld/openset/wordnet.h"

namespace openworld {
namespace {

// What a name takes at least, with its tokens, its feature and its column of logits.
constexpr std::size_t kNameBytes = 2048;

class OpenSet : public Command {
 public:
  void declare(CLI::App& app) override {
    declare_inputs(app);
    declare_model_inputs(app);
    declare_method(app);
    declare_outputs(app);
    declare_lists(app);
  }

  void run() override {
    if (flags_.print_words > 0) return print_words(flags_);
    if (flags_.print_siblings) return print_siblings(flags_);
    if (!flags_.word_list.empty() && flags_.random_words == 0) {
      refuse("--word-list", "needs --print-words or --random-words");
    }
    if (flags_.logits.empty()) refuse_columns("does not go without --logits");
    if (!flags_.model.path.empty() || !flags_.data.path.empty()) return run_model();
    for (const auto& [name, given] :
         {std::pair{"--names", !flags_.data.options.names.empty()},
          std::pair{"--random-words", flags_.random_words > 0},
          std::pair{"--negative-names", !flags_.negative_names.empty()},
          std::pair{"--extra-names", !flags_.extra_names.empty()},
          std::pair{"--templates", !flags_.templates.empty()},
          std::pair{"--distribution tokens", flags_.distribution == "tokens"}}) {
      if (given) refuse(name, "needs --model and --data");
    }
    if (!flags_.logits.empty()) return run_logits();
    if (flags_.images.empty() || flags_.texts.empty()) {
      fail("openset", "no input; expected --logits, --images and --texts, or --model and --data");
    }
    run_features();
  }

 private:
  void declare_inputs(CLI::App& app) {
    app.add_option("--logits", flags_.logits,
                   ".npz with logits [N, K + M], label [N] and, if M > 0, negatives (M, the number "
                   "of negative columns at the end); or the logits alone as .npy, with --labels");
    app.add_option("--labels", flags_.labels, ".npy with label [N], where --logits is an .npy");
    app.add_option("--negative-columns", flags_.negative_columns,
                   "how many columns at the end of --logits are negative queries, where it is an "
                   ".npy [0]");
    app.add_option("--images", flags_.images, ".npz with features [N, D] and label [N]");
    app.add_option("--texts", flags_.texts, ".npz with features [K, D] and names [K]");
    app.add_option("--negatives", flags_.negatives,
                   ".npz with features [M, D] of negative queries: an image that prefers one is "
                   "rejected");
    app.add_option("--extra", flags_.extra,
                   ".npz with features [M, D] of further class names: the query set grows by them");
    app.add_option("--random-embeddings", flags_.random_embeddings,
                   "so many random embeddings as negative queries")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24));
    app.add_option(
           "--distribution", flags_.distribution,
           "of random embeddings: gaussian (mean and deviation of the texts, by dimension), "
           "isotropic, or, with --model, tokens (random token ids through the text encoder)")
        ->check(CLI::IsMember({"gaussian", "isotropic", "tokens"}))
        ->capture_default_str();
    app.add_option("--negative-seed", flags_.negative_seed, "seed of random embeddings and words")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--activation", flags_.activation, "how the model makes probabilities")
        ->check(CLI::IsMember({"softmax", "sigmoid"}))
        ->capture_default_str();
    app.add_option("--logit-scale", flags_.form.scale,
                   "logit = scale * cosine + bias; with --logits it only undoes that for cosine "
                   "and MCM; with --model it is the model's own")
        ->check(positive_number())
        ->capture_default_str();
    app.add_option("--logit-bias", flags_.form.bias, "see --logit-scale")
        ->check(finite_number())
        ->capture_default_str();
    app.add_flag("--keep-lengths", flags_.keep_lengths,
                 "take features as they are instead of scaling them to length 1");
  }

  void declare_model_inputs(CLI::App& app) {
    app.add_option("--model", flags_.model.path,
                   "instead of arrays: a CLIP checkpoint (see `openworld inspect`), or pocket");
    app.add_option(
        "--vocabulary", flags_.model.vocabulary,
        "merges.txt or bpe_simple_vocab_16e6.txt.gz [beside the weights, else CLIP's own]");
    app.add_option("--device", flags_.model.device, "cpu, cuda or cuda:N")->capture_default_str();
    app.add_option("--batch", flags_.model.batch, "batch size")
        ->capture_default_str()
        ->check(CLI::Range(1, 4096));
    declare_data(app, flags_.data);
    app.add_option("--templates", flags_.templates,
                   "a template with {}, a file of them, or a set (`openworld ls templates`) [the "
                   "dataset's own, else photo]");
    app.add_option("--random-words", flags_.random_words,
                   "so many random words as negative queries: the published ones, or of "
                   "--word-list")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24));
    app.add_option("--negative-names", flags_.negative_names,
                   "text file of negative queries, a name on each line");
    app.add_option("--extra-names", flags_.extra_names,
                   "text file of further class names, by which the query set grows");
    declare_cache(app, flags_.cache);
    declare_memory(app, flags_.memory);
  }

  void declare_method(CLI::App& app) {
    app.add_option("--measures", flags_.measures,
                   "comma-separated uncertainties; `published` for those of the paper, `all` for "
                   "every one (`openworld ls uncertainties`)")
        ->capture_default_str();
    app.add_option("--measure", flags_.measure,
                   "the one that files, figures and long tables show (default: the first)");
    app.add_option("--mcm-temperature", flags_.form.mcm_temperature, "temperature of MCM")
        ->check(positive_number())
        ->capture_default_str();
    app.add_option("--counts", flags_.counts,
                   "numbers of negative (or further) queries to test: `published` or 10,50,100")
        ->capture_default_str();
    app.add_option("--sizes", flags_.sizes,
                   "also test random query sets of so many classes: `published` or 5,10,25");
    app.add_option("--seeds", flags_.seeds, "random query sets of each size, seeds 0, 1, ...")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--pairs", flags_.pairs, "test every measure against --measure, paired by image");
    app.add_option("--against", flags_.against,
                   "test --measure against the predictions of another model on the same images, "
                   "written by --out");
    app.add_option(
           "--ci", flags_.ci,
           "intervals: auto (closed forms where there are, else the bootstrap over images), "
           "bootstrap, none")
        ->check(CLI::IsMember({"auto", "bootstrap", "none"}))
        ->capture_default_str();
    app.add_option("--bootstrap", flags_.bootstrap, "kind of bootstrap interval")
        ->check(CLI::IsMember({"bca", "percentile"}))
        ->capture_default_str();
    app.add_option("--level", flags_.numbers.level, "confidence level of the intervals")
        ->check(between_0_and_1())
        ->capture_default_str();
    app.add_option("--resamples", flags_.numbers.resamples, "bootstrap resamples")
        ->check(CLI::Range(2, 1 << 30))
        ->capture_default_str();
    declare_seed(app, flags_.numbers.seed, "seed of the bootstrap");
    declare_threads(app, flags_.numbers.threads);
  }

  void declare_outputs(CLI::App& app) {
    app.add_option("--out", flags_.out,
                   "write TPs (base) and OSEs (unknown) scored by --measure, and the result, to "
                   "this .npz, for "
                   "eval, curve, threshold, compare, report");
    app.add_option("--figures", flags_.figures, "write the figures as SVG files to this folder");
    app.add_option("--html", flags_.html, "write tables and figures as one page");
    declare_json(app, flags_.json);
  }

  void declare_lists(CLI::App& app) {
    app.add_option("--print-words", flags_.print_words,
                   "print so many random words, to be encoded as negative queries, and stop: the "
                   "published ones, or of --word-list")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24));
    app.add_option("--word-list", flags_.word_list,
                   "text file, a word on each line, or wordnet for its nouns of one word; "
                   "--negative-seed draws from it");
    app.add_flag(
        "--print-siblings", flags_.print_siblings,
        "print WordNet's leaf nouns that share a grandparent, but no parent, with one of "
        "--names (a name or WordNet id on each line) or of the names in --texts, and stop");
    app.add_option("--wordnet", flags_.wordnet,
                   fmt::format("folder of WordNet's data.noun and index.noun (default: {}, of "
                               "Debian's wordnet-base)",
                               kWordNetFolder));
  }

  [[noreturn]] static void refuse(const char* flag, const char* why) {
    fail("openset", fmt::format("{} {}", flag, why));
  }

  void run_model() {
    if (flags_.model.path.empty() || flags_.data.path.empty()) {
      fail("openset", "one of --model and --data is missing; expected both");
    }
    for (const auto& [name, given] : {std::pair{"--logits", !flags_.logits.empty()},
                                      std::pair{"--images", !flags_.images.empty()},
                                      std::pair{"--texts", !flags_.texts.empty()},
                                      std::pair{"--negatives", !flags_.negatives.empty()},
                                      std::pair{"--extra", !flags_.extra.empty()},
                                      std::pair{"--keep-lengths", flags_.keep_lengths}}) {
      if (given) refuse(name, "does not go with --model");
    }
    const int sources = (flags_.random_words > 0) + (flags_.random_embeddings > 0) +
                        !flags_.negative_names.empty() + !flags_.extra_names.empty();
    if (sources > 1) {
      fail("openset",
           "expected at most one of --random-words, --random-embeddings, "
           "--negative-names and --extra-names");
    }
    if (flags_.random_words > 0) flags_.extra_queries = negative_words(flags_, flags_.random_words);
    for (const std::string* file : {&flags_.negative_names, &flags_.extra_names}) {
      if (file->empty()) continue;
      flags_.extra_queries = read_lines(*file);
      if (flags_.extra_queries.empty()) fail("openset", fmt::format("{}: no names", *file));
      std::size_t bytes = 0;
      for (const std::string& name : flags_.extra_queries) bytes += name.size();
      request_memory(kNameBytes * flags_.extra_queries.size(), bytes, "a list of names to encode",
                     {"openset", *file});
    }
    model_library().openset(flags_);
  }

  void run_logits() const {
    for (const auto& [name, given] :
         {std::pair{"--images", !flags_.images.empty()},
          std::pair{"--texts", !flags_.texts.empty()},
          std::pair{"--negatives", !flags_.negatives.empty()},
          std::pair{"--extra", !flags_.extra.empty()},
          std::pair{"--random-embeddings", flags_.random_embeddings > 0},
          std::pair{"--keep-lengths", flags_.keep_lengths}}) {
      if (given) refuse(name, "does not go with --logits");
    }
    if (flags_.logits.ends_with(".npy")) {
      if (flags_.labels.empty()) refuse("--logits", "is an .npy; expected --labels beside it");
      return run_open_set_command(
          load_logits_and_labels(flags_.logits, flags_.labels, flags_.negative_columns.value_or(0)),
          flags_, {{"logits", flags_.logits}, {"labels", flags_.labels}});
    }
    refuse_columns("is for --logits in an .npy; an .npz has its own");
    run_open_set_command(load_logits(flags_.logits), flags_, {{"logits", flags_.logits}});
  }

  void refuse_columns(const char* why) const {
    if (!flags_.labels.empty()) refuse("--labels", why);
    if (flags_.negative_columns) refuse("--negative-columns", why);
  }

  void run_features() const {
    const int sources =
        !flags_.negatives.empty() + !flags_.extra.empty() + (flags_.random_embeddings > 0);
    if (sources > 1) {
      fail("openset", "expected at most one of --negatives, --extra and --random-embeddings");
    }
    std::vector<std::pair<std::string, std::string>> named = {{"images", flags_.images},
                                                              {"texts", flags_.texts}};
    FeatureArrays images = load_features(flags_.images, FeatureFile::kImages);
    FeatureArrays texts = load_features(flags_.texts, FeatureFile::kQueries);
    std::optional<FeatureArrays> extra;
    if (!flags_.negatives.empty()) {
      extra = load_features(flags_.negatives, FeatureFile::kQueries);
      named.emplace_back("negatives", flags_.negatives);
    } else if (!flags_.extra.empty()) {
      extra = load_features(flags_.extra, FeatureFile::kQueries);
      named.emplace_back("extra", flags_.extra);
    } else {
      extra = random_negatives(texts, flags_);
    }
    const OpenSetInput input = features_input(
        std::move(images), std::move(texts), std::move(extra),
        {.scale = flags_.form.scale, .bias = flags_.form.bias, .normalize = !flags_.keep_lengths});
    run_open_set_command(input, flags_, named);
  }

  OpenSetFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_openset() {
  return std::make_unique<OpenSet>();
}

}  // namespace openworld
