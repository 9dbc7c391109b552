// Pictures of samples on which methods differ.

#include <fmt/format.h>

#include <numeric>

#include "openworld/base/error.h"
#include "openworld/io/machine_error.h"
#include "openworld/report/data_uri.h"
#include "openworld/report/run_sections.h"
#include "openworld/runs/prediction_meta.h"
#include "openworld/worlds/dataset.h"

namespace openworld {
namespace {

// Limits the size of the page.
constexpr std::size_t kLargestImage = 512 * 1024;

// What the methods said of one dataset, with its first seed.
struct Shown {
  std::vector<const CollectedRun*> runs;             // by label
  std::vector<std::vector<std::int32_t>> answers{};  // by label, see load_answers
  std::vector<std::size_t> sample{};                 // in the dataset, by row

  const Predictions& first() const { return runs[0]->predictions; }
  bool right(std::size_t label, std::size_t row) const {
    return runs[label]->predictions.correct.values[row] != 0;
  }
};

// The samples that rows stand for: those that the predictions list, or all.
std::vector<std::size_t> samples_of(const Predictions& predictions, const Dataset& dataset) {
  const Origin origin{"report", predictions.path};
  std::vector<std::size_t> samples = tested_samples(predictions, origin);
  for (const std::size_t sample : samples) {
    if (sample < dataset.samples.size()) continue;
    origin.fail("meta lists samples that the dataset does not have");
  }
  if (samples.empty()) {
    samples.resize(dataset.samples.size());
    std::iota(samples.begin(), samples.end(), std::size_t{0});
  }
  const std::size_t rows = predictions.side.size();
  if (samples.size() != rows) {
    origin.fail(fmt::format("has {} rows, and the dataset {} samples", rows, samples.size()));
  }
  return samples;
}

// A picture beside the wrong name would be worse than none.
void check_labels(const Shown& shown, const Dataset& dataset) {
  const Predictions& p = shown.first();
  for (std::size_t row = 0; row < p.label.size(); ++row) {
    const std::int32_t label = dataset.samples[shown.sample[row]].label;
    const int side = p.side.values[row];
    const bool same = side < 0 || label == p.label.values[row] + (side == 1 ? p.base_classes : 0);
    if (!same) {
      fail("report", fmt::format("{}: row {} has another label than the dataset", p.path, row));
    }
  }
}

Shown open_shown(const ReportContext& context, std::size_t dataset, const Dataset& images) {
  Shown shown;
  const std::uint64_t seed = context.figures.seeds[dataset][0];
  for (std::size_t m = 0; m < context.runs.labels.size(); ++m) {
    shown.runs.push_back(&context.runs.find(m, dataset, seed));
    shown.answers.push_back(load_answers(shown.runs.back()->folder.predictions_file()));
  }
  shown.sample = samples_of(shown.first(), images);
  check_labels(shown, images);
  return shown;
}

// `count` of the candidates, evenly over them.
std::vector<std::size_t> spread(const std::vector<std::size_t>& candidates, std::size_t count) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, candidates.size());
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(candidates[i * candidates.size() / n]);
  return chosen;
}

struct Group {
  std::string heading;
  std::vector<std::size_t> rows;
};

// What the last method gained over the first and what it lost; of one method, right and wrong ones.
std::vector<Group> choose(const Shown& shown, const std::vector<std::string>& labels,
                          std::size_t count) {
  const std::size_t last = labels.size() - 1;
  std::vector<std::size_t> gained, lost;
  for (std::size_t row = 0; row < shown.first().side.size(); ++row) {
    if (shown.first().side.values[row] < 0) continue;
    const bool after = shown.right(last, row);
    const bool before = last == 0 ? !after : shown.right(0, row);
    if (after && !before) gained.push_back(row);
    if (before && !after) lost.push_back(row);
  }
  const std::size_t half = (count + 1) / 2;
  if (last == 0) {
    return {{"right", spread(gained, half)}, {"wrong", spread(lost, count - half)}};
  }
  return {
      {fmt::format("{} is right, {} wrong ({} samples)", labels[last], labels[0], gained.size()),
       spread(gained, half)},
      {fmt::format("{} is right, {} wrong ({} samples)", labels[0], labels[last], lost.size()),
       spread(lost, count - half)}};
}

std::string class_name(const Predictions& p, const Dataset& dataset, std::int64_t index) {
  if (index < 0) return "?";
  const auto at = static_cast<std::size_t>(index);
  if (at < p.classes.size()) return p.classes[at];
  return at < dataset.classes.size() ? dataset.classes[at] : std::to_string(at);
}

// Empty if the image is missing, too large, or not supported by browsers.
std::string picture(const Dataset& dataset, std::size_t sample) {
  try {
    const Bytes bytes = read_sample(dataset, sample);
    const bool fits = bytes.size() <= kLargestImage && !image_mime(bytes.values).empty();
    return fits ? image_uri(bytes.values) : "";
  } catch (const MachineError&) {
    throw;
  } catch (const Error&) {
    return "";
  }
}

// Returns whether there was a picture.
bool add_card(HtmlPage& page, const Shown& shown, const std::vector<std::string>& labels,
              const Dataset& dataset, std::size_t row) {
  const Predictions& p = shown.first();
  const bool is_new = p.side.values[row] == 1;
  const std::int64_t truth =
      p.label.empty() ? -1 : p.label.values[row] + std::int64_t{is_new} * p.base_classes;
  std::vector<HtmlPage::CardLine> lines;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    const double r = shown.runs[m]->predictions.outcomes().score[row];
    const std::int32_t answer = shown.answers[m][row];
    std::string said;
    if (answer >= 0) {
      said = fmt::format(" {},", class_name(shown.runs[m]->predictions, dataset, answer));
    }
    lines.push_back({.text = fmt::format("{}:{} r {:.3g}", labels[m], said, r),
                     .right = shown.right(m, row),
                     .wrong = !shown.right(m, row)});
  }
  const std::string uri = picture(dataset, shown.sample[row]);
  page.card(uri, fmt::format("{} ({})", class_name(p, dataset, truth), is_new ? "new" : "base"),
            lines);
  return !uri.empty();
}

}  // namespace

ShownSamples add_samples(HtmlPage& page, const ReportContext& context, std::size_t count,
                         const NamedData& data) {
  const RunCollection& runs = context.runs;
  ShownSamples result;
  page.section("Samples");
  page.paragraph(
      "What the classifier of the right side answered, and r, the score that is larger for what "
      "looks like a base class; of the first seed.");
  const auto leave_out = [&](std::size_t d, std::string why) {
    page.paragraph(fmt::format("{}: {}", runs.datasets[d], why));
    result.missing.push_back({runs.datasets[d], std::move(why)});
  };
  for (std::size_t d = 0; d < runs.datasets.size(); ++d) {
    std::size_t unreadable = 0;
    try {
      const CollectedRun& run = runs.find(0, d, context.figures.seeds[d][0]);
      const std::optional<Dataset> named = open_named_data(run.folder, run.spec.data, data);
      if (!named) {
        leave_out(d,
                  data.paths.empty()
                      ? "no pictures, images are read only from datasets that are named for this "
                        "page, with --data or data="
                      : "no pictures, none of the datasets that --data or data= names is at its "
                        "place or lists its images");
        continue;
      }
      const Dataset& dataset = *named;
      const Shown shown = open_shown(context, d, dataset);
      for (const Group& group : choose(shown, runs.labels, count)) {
        page.begin_cards(fmt::format("{}: {}", runs.datasets[d], group.heading));
        for (const std::size_t row : group.rows) {
          const bool has_picture = add_card(page, shown, runs.labels, dataset, row);
          ++(has_picture ? result.pictures : unreadable);
        }
        page.end_cards();
      }
      if (unreadable > 0) {
        leave_out(d, fmt::format("{} pictures left out: they are gone, larger than {} KiB, or of a "
                                 "kind that browsers do not show",
                                 unreadable, kLargestImage / 1024));
      }
    } catch (const MachineError&) {
      throw;
    } catch (const Error& error) {
      leave_out(d, fmt::format("no pictures, {}", error.what()));
    }
  }
  return result;
}

}  // namespace openworld
