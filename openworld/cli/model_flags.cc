#include "openworld/cli/model_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "openworld/cli/eval_flags.h"
#include "openworld/worlds/format.h"

namespace openworld {

void declare_model(CLI::App& app, ModelSpec& model) {
  app.add_option(
         "--model", model.path,
         "a CLIP checkpoint (see `openworld inspect`), or a bundled model, as pocket (`openworld "
         "ls models`)")
      ->required();
  app.add_option("--activation", model.activation,
                 "override the model's activation: quick_gelu or gelu")
      ->check(CLI::IsMember({"quick_gelu", "gelu"}));
  app.add_option(
      "--vocabulary", model.vocabulary,
      "merges.txt or bpe_simple_vocab_16e6.txt.gz [beside the weights, else CLIP's own]");
  declare_model_run(app, model);
}

void declare_model_run(CLI::App& app, ModelSpec& model) {
  app.add_option("--device", model.device, "cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--batch", model.batch, "batch size")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  declare_threads(app, model.threads);
}

void declare_data(CLI::App& app, DataSpec& data) {
  app.add_option("--data", data.path,
                 "images: a folder of class folders, doodles:NAME, icons:NAME, cifar10, or any "
                 "format listed below");
  declare_data_options(app, data.options);
  std::string formats = "Formats of --data:";
  for (const DatasetFormat* row : dataset_formats()) {
    formats += fmt::format("\n  {:<14} {}", row->name, row->looks_like);
  }
  app.footer(formats);
}

void declare_data_options(CLI::App& app, DatasetOptions& options) {
  app.add_option("--split", options.split, "split of the dataset, if it has several");
  app.add_option("--image-root", options.image_root,
                 "folder that the paths of a list are relative to");
  app.add_option("--names", options.names, "file of class names [the dataset's own]");
  app.add_option("--data-format", options.format, "format of the dataset [detected]");
  app.add_flag("--allow-duplicate-names", options.allow_duplicate_names,
               "let two classes share a name");
}

void declare_cache(CLI::App& app, FeatureCacheSpec& cache) {
  app.add_option("--cache", cache.folder,
                 "folder of the feature cache [$XDG_CACHE_HOME or ~/.cache, openworld/features]");
  app.add_flag("--no-cache", cache.off, "disable the feature cache");
}

void declare_memory(CLI::App& app, std::int64_t& mib) {
  app.add_option("--memory", mib, "memory of the text encoder, in MiB")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
}

}  // namespace openworld
