#include "openworld/cli/openset_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/cli/predictions_files.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/run_cost.h"
#include "openworld/openset/open_set_predictions.h"
#include "openworld/report/open_set_result_figures.h"
#include "openworld/report/open_set_score_figures.h"
#include "openworld/report/open_set_section.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// "10,50,100" as numbers; `flag` is for messages.
std::vector<std::int32_t> parse_numbers(std::string_view list, const char* flag) {
  std::vector<std::int32_t> numbers;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || end != item.data() + item.size() || number < 1) {
      fail("openset", fmt::format("{}: '{}' is not a number of 1 or more", flag, item));
    }
    numbers.push_back(number);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  if (numbers.empty()) fail("openset", fmt::format("{}: no number; expected 10,50,100", flag));
  return numbers;
}

OpenSetPlan make_plan(const OpenSetInput& input, const OpenSetFlags& flags) {
  OpenSetPlan plan;
  plan.form = flags.form;
  plan.form.activation =
      flags.activation == "sigmoid" ? OutputActivation::kSigmoid : OutputActivation::kSoftmax;
  plan.measures = find_uncertainties(flags.measures, plan.form.activation);
  plan.classes = input.classes;
  plan.role =
      flags.extra.empty() && flags.extra_names.empty() ? ExtraRole::kNegative : ExtraRole::kClass;
  const auto extra = static_cast<std::int32_t>(input.source->columns()) - input.classes;
  plan.counts = flags.counts == "published" ? published_counts(extra)
                                            : parse_numbers(flags.counts, "--counts");
  if (!flags.sizes.empty()) {
    plan.sizes = flags.sizes == "published" ? published_sizes(input.classes)
                                            : parse_numbers(flags.sizes, "--sizes");
    for (std::uint32_t seed = 0; seed < flags.seeds; ++seed) plan.seeds.push_back(seed);
  }
  plan.threads = flags.numbers.threads;
  return plan;
}

OpenSetCiOptions ci_options(const OpenSetFlags& flags) {
  OpenSetCiOptions options;
  options.kind = flags.ci == "none"        ? OpenSetCi::kNone
                 : flags.ci == "bootstrap" ? OpenSetCi::kBootstrap
                                           : OpenSetCi::kAuto;
  options.bootstrap = flags.numbers;
  options.bootstrap.kind =
      flags.bootstrap == "percentile" ? BootstrapKind::kPercentile : BootstrapKind::kBca;
  return options;
}

// The place of --measure among the measures.
std::size_t chosen_measure(const OpenSetPlan& plan, const OpenSetFlags& flags) {
  if (flags.measure.empty()) return 0;
  const auto rows = find_uncertainties(flags.measure, plan.form.activation);
  const auto at = std::find(plan.measures.begin(), plan.measures.end(), rows[0]);
  if (rows.size() != 1 || at == plan.measures.end()) {
    fail("openset",
         fmt::format("--measure {} is not one of --measures {}", flags.measure, flags.measures));
  }
  return static_cast<std::size_t>(at - plan.measures.begin());
}

void write_figures(const std::vector<OpenSetFigure>& figures, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("openset", fmt::format("{}: cannot make this folder", folder));
  for (const OpenSetFigure& figure : figures) {
    write_file_atomically(fmt::format("{}/{}.svg", folder, figure.name), figure.svg, "openset");
  }
}

std::vector<OpenSetFigure> make_figures(const OpenSetScores& scores, const OpenSetReport& report,
                                        std::size_t measure, const OpenSetInput& input,
                                        SvgLook look) {
  std::vector<OpenSetFigure> figures = open_set_score_figures(scores, report, measure, look);
  for (OpenSetFigure& figure : open_set_result_figures(report, measure, input.extra_names, look)) {
    figures.push_back(std::move(figure));
  }
  return figures;
}

void write_page(const OpenSetReport& report, std::size_t measure,
                const std::vector<OpenSetFigure>& figures, const std::string& path) {
  HtmlPage page("Open-set test",
                fmt::format("{} images, {} classes", report.images, report.all.classes));
  page.section("Open set");
  add_open_set_result(page, report, measure, figures);
  write_file_atomically(path, page.html(), "openset");
}

std::vector<PairedResult> make_pairs(const OpenSetScores& scores, const OpenSetInput& input,
                                     const OpenSetFlags& flags, std::size_t measure,
                                     const OpenSetCiOptions& options) {
  std::vector<PairedResult> pairs;
  if (flags.pairs) pairs = compare_measures(scores, measure, options);
  if (!flags.against.empty()) {
    const ImageRanking reference = load_open_set_predictions(flags.against, input.label.values);
    const ImageRanking mine = rank_test(scores.all(), measure, ErrorKind::kOpenSet, scores.images);
    pairs.push_back({flags.against,
                     std::string(scores.plan.measures[measure]->name),
                     compare_rankings(reference, mine, options),
                     {}});
  }
  adjust_pairs(pairs);
  return pairs;
}

std::vector<std::string> all_names(const OpenSetInput& input) {
  std::vector<std::string> names = input.names;
  names.insert(names.end(), input.extra_names.begin(), input.extra_names.end());
  return names;
}

}  // namespace

std::optional<FeatureArrays> random_negatives(const FeatureArrays& texts,
                                              const OpenSetFlags& flags) {
  if (flags.random_embeddings == 0) return std::nullopt;
  const auto kind = flags.distribution == "isotropic" ? EmbeddingDistribution::kIsotropic
                                                      : EmbeddingDistribution::kGaussian;
  FeatureArrays negatives;
  negatives.features = {random_embeddings(texts.features.features, flags.random_embeddings, kind,
                                          flags.negative_seed),
                        "random embeddings", texts.features.origin};
  return negatives;
}

std::uint32_t small_negative_seed(const OpenSetFlags& flags) {
  if (flags.negative_seed > 0xffffffff) {
    fail("openset", fmt::format("--negative-seed is {}; expected below 2^32 for words and tokens",
                                flags.negative_seed));
  }
  return static_cast<std::uint32_t>(flags.negative_seed);
}

void run_open_set_command(const OpenSetInput& input, const OpenSetFlags& flags,
                          const std::vector<std::pair<std::string, std::string>>& sources,
                          const std::vector<std::string>& assumptions) {
  const RunClock clock;
  OpenSetPlan plan = make_plan(input, flags);
  const std::size_t measure = chosen_measure(plan, flags);
  OpenSetCiOptions options = ci_options(flags);
  Progress passing("images", input.source->rows());
  plan.progress = [&](std::size_t done) { passing.update(done); };
  OpenSetScores scores = run_open_set(*input.source, input.label.values, plan, input.origin);
  scores.plan.progress = {};
  Progress resampling("resampling", static_cast<std::size_t>(options.bootstrap.resamples));
  options.bootstrap.progress = [&](std::size_t done) { resampling.update(done); };
  OpenSetReport report = report_open_set(scores, options);
  report.pairs = make_pairs(scores, input, flags, measure, options);
  OpenSetContext context{
      .sources = sources, .extra_names = input.extra_names, .assumptions = assumptions};
  if (options.kind != OpenSetCi::kNone) {
    context.bootstrap = {options.bootstrap.resamples, options.bootstrap.seed};
  }
  Json json = open_set_json(report, context);
  if (!flags.out.empty()) {
    save_open_set_predictions(scores, measure, input.label.values,
                              plan.role == ExtraRole::kClass ? all_names(input) : input.names, json,
                              flags.out);
  }
  if (!flags.figures.empty()) {
    write_figures(make_figures(scores, report, measure, input, SvgLook::kPaper), flags.figures);
  }
  if (!flags.html.empty()) {
    write_page(report, measure, make_figures(scores, report, measure, input, SvgLook::kPage),
               flags.html);
  }
  if (!flags.json) {
    print_open_set_text(report, input, measure);
    for (const std::string* written : {&flags.out, &flags.html, &flags.figures}) {
      if (!written->empty()) print_out("wrote {}\n", *written);
    }
    return;
  }
  json["cost"] = run_cost_json(clock.cost());
  print_json(json, 1);
}

}  // namespace openworld
