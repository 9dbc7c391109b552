// openworld pretrain: trains a CLIP model on images with captions.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "openworld/base/error.h"
#include "openworld/cli/command.h"
#include "openworld/cli/eval_flags.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/model_library.h"
#include "openworld/cli/pretrain_flags.h"
#include "openworld/worlds/captions.h"

namespace openworld {
namespace {

class Pretrain : public Command {
 public:
  void declare(CLI::App& app) override {
    declare_data(app);
    declare_model(app);
    declare_training(app);
    declare_augmentation(app);
    declare_seed(app, flags_.seed, "of weights, order, captions and augmentation");
    app.add_option("--shards", flags_.shards,
                   "parts of a batch that are computed side by side; changes the last bits")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    declare_threads(app, flags_.threads);
    app.add_option("--eval", flags_.eval,
                   "labelled dataset whose zero-shot accuracy is measured; may be given often");
    app.add_option("--eval-split", flags_.eval_split, "split of those, if not their default");
    app.add_option("--eval-every", flags_.eval_every, "epochs between; 0: at the end only")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 30));
    app.add_flag("--restart", flags_.restart, "begin anew instead of going on from a checkpoint");
    declare_json(app, flags_.json);
  }

  void run() override {
    if (flags_.zoom[0] > flags_.zoom[1] || !(flags_.zoom[0] > 0)) {
      fail("pretrain", fmt::format("--zoom is {} {}; expected two factors above 0, the smaller one "
                                   "first",
                                   flags_.zoom[0], flags_.zoom[1]));
    }
    model_library().pretrain(flags_);
  }

 private:
  void declare_data(CLI::App& app) {
    flags_.data.declare(app);
    app.get_option("--data")->required()->description(
        "images with captions, in any format listed below");
    app.add_option("--templates", flags_.templates,
                   "captions for labelled data: a template with {}, a file of them, or a set "
                   "(`openworld ls templates`)");
    app.add_option(
           "--long-tail", flags_.long_tail,
           "F: the rarest class keeps 1 of F of its images, the others more, so that few are "
           "frequent, as on the web")
        ->capture_default_str()
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--out", flags_.out,
                   "folder for the model, in the layout of Hugging Face, its log and, while it is "
                   "trained, a checkpoint to go on from")
        ->required();
    std::string formats = "Formats of --data:";
    for (const CaptionFormat& row : caption_formats()) {
      formats += fmt::format("\n  {:<14} {}", row.name, row.looks_like);
    }
    app.footer(formats);
  }

  void declare_model(CLI::App& app) {
    app.add_option("--config", flags_.config,
                   "pocket, vit-b-32, vit-b-16, vit-l-14, or a config.json of Hugging Face")
        ->capture_default_str();
    CLI::Option* const init = app.add_option(
        "--init", flags_.init, "a checkpoint to start from, instead of random weights");
    const CLI::IsMember towers({"image", "text"});
    app.add_option("--reinit,--fresh", flags_.reinit,
                   "image or text: a tower that starts from random weights all the same")
        ->check(towers)
        ->needs(init);
    app.add_option(
           "--lock", flags_.lock,
           "image or text: a tower of --init that stays as it is, as in locked-image tuning")
        ->check(towers);
    app.add_option(
        "--vocabulary", flags_.vocabulary,
        "merges.txt or bpe_simple_vocab_16e6.txt.gz; learned from the captions if absent");
    app.add_option("--merges", flags_.merges, "of a learned vocabulary, at most")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 20));
    app.add_flag("--half", flags_.half, "write the model in fp16");
  }

  void declare_training(CLI::App& app) {
    const CLI::Range fraction(0.0, 1.0), positive(0.0, 1e6);
    app.add_option("--epochs", flags_.epochs, "passes over the pairs")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 30));
    app.add_option("--batch", flags_.batch, "pairs in one step")
        ->capture_default_str()
        ->check(CLI::Range(2, 1 << 20));
    app.add_option("--extra-captions", flags_.extra_captions,
                   "captions of other pairs in each step: wrong answers without an image")
        ->capture_default_str()
        ->check(CLI::Range(0, 1 << 20));
    app.add_option(
           "--naming", flags_.naming,
           "labels and doodles: weight of naming each image out of the list of all classes, "
           "beside the contrast of pairs")
        ->capture_default_str()
        ->check(positive);
    app.add_option("--lr", flags_.lr, "peak of AdamW's learning rate")
        ->capture_default_str()
        ->check(positive);
    app.add_option("--warmup", flags_.warmup, "epochs until the peak; then half a cosine to 0")
        ->capture_default_str()
        ->check(positive);
    app.add_option("--weight-decay", flags_.weight_decay, "of matrices; vectors have none")
        ->capture_default_str()
        ->check(positive);
    app.add_option("--beta1", flags_.beta1, "of AdamW")->capture_default_str()->check(fraction);
    app.add_option("--beta2", flags_.beta2, "of AdamW")->capture_default_str()->check(fraction);
    app.add_option("--eps", flags_.epsilon, "of AdamW")->capture_default_str()->check(positive);
    app.add_option("--clip", flags_.clip, "largest norm of the gradient; 0: any")
        ->capture_default_str()
        ->check(positive);
    app.add_option("--shared", flags_.shared,
                   "share of a target that all pairs of the same class or caption have together")
        ->capture_default_str()
        ->check(fraction);
    app.add_option("--smoothing", flags_.smoothing, "share of a target that every answer has")
        ->capture_default_str()
        ->check(fraction);
    app.add_flag("--no-centre", flags_.no_centre,
                 "leave the mean of a random tower's features as it is; one of --init that learns "
                 "on keeps its");
    app.add_option("--average", flags_.average,
                   "decay of a running mean of the weights, which is then what is kept; 0: none")
        ->capture_default_str()
        ->check(fraction);
  }

  void declare_augmentation(CLI::App& app) {
    const CLI::Range fraction(0.0, 1.0), angle(0.0, 180.0);
    app.add_option("--augment", flags_.augment,
                   "crop: random resized crop and flip; redraw: small changes as below; none")
        ->capture_default_str()
        ->check(CLI::IsMember({"crop", "redraw", "none"}));
    app.add_option("--rotate", flags_.rotate, "redraw: degrees, either way")
        ->capture_default_str()
        ->check(angle);
    app.add_option("--zoom", flags_.zoom, "redraw: least and greatest factor, of each side")
        ->expected(2)
        ->capture_default_str();
    app.add_option("--shear", flags_.shear, "redraw: degrees, either way")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 80.0));
    app.add_option("--shift", flags_.shift, "redraw: share of the side, either way")
        ->capture_default_str()
        ->check(fraction);
    app.add_option("--flip", flags_.flip, "redraw: probability of left and right exchanged")
        ->capture_default_str()
        ->check(fraction);
    app.add_option("--bend", flags_.bend, "redraw: how far points move, of the side, either way")
        ->capture_default_str()
        ->check(fraction);
    app.add_option("--cover", flags_.cover, "redraw: probability that a part is covered")
        ->capture_default_str()
        ->check(fraction);
  }

  PretrainFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_pretrain() {
  return std::make_unique<Pretrain>();
}

}  // namespace openworld
