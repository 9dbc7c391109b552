#include "openworld/cli/models/osr_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/cli/models/cell_request.h"
#include "openworld/osr/network.h"
#include "openworld/osr/osr_job.h"
#include "openworld/osr/table.h"
#include "openworld/runs/run_folder.h"

namespace openworld {
namespace {

std::string network_of(const Cell& cell) {
  return cell.model.path.substr(kNetworkPrefix.size());
}

// The names of fields that are set and that open-set training does not have.
template <class T>
void refuse_fields(const Cell& cell, T part, const char* what,
                   std::initializer_list<std::string_view> taken) {
  T plain;
  OptionList list, defaults;
  part.declare(list);
  plain.declare(defaults);
  for (const auto& [name, value] : list.changed_from(defaults)) {
    if (std::ranges::find(taken, name) != taken.end()) continue;
    fail("study", fmt::format("{}: {} has {}, for prompt tuning; open-set training takes all "
                              "samples of the known classes as they are",
                              cell_text(cell), what, name));
  }
}

OsrTrainRequest osr_request_of(const Cell& cell, const CellContext& context) {
  OsrTrainRequest request{.method = cell.learner.name, .net = network_of(cell)};
  set_from_cell(request, cell, context);
  // Without a list of known classes the path is a published split.
  if (cell.data.known.empty()) {
    request.split = cell.data.path;
  } else {
    request.data.path = cell.data.path;
    request.known = cell.data.known;
  }
  request.unknown = cell.data.unknown;
  request.unknown_split = cell.data.unknown_split;
  request.threads = context.threads;
  return request;
}

}  // namespace

bool is_osr_cell(const Cell& cell) {
  return cell.scenario.name == kOpenSetScenario;
}

void check_osr_learner(const CellLearner& learner) {
  const auto options = find_osr_method(learner.name).options();
  OptionList list;
  options->declare(list);
  for (const auto& [name, value] : learner.options) list.set(name, option_text(value), "study");
}

void check_osr_cell(const Cell& cell) {
  if (!cell.model.path.starts_with(kNetworkPrefix)) {
    fail("study", fmt::format("{}: the model is {}; open-set training has networks; expected "
                              "net:vgg32, net:small, net:linear or net:mlp",
                              cell_text(cell), in_quotes(cell.model.path)));
  }
  find_network(network_of(cell));
  if (cell.shots != 0) {
    fail("study", fmt::format("{}: open-set training takes all samples; expected shots = 0 in the "
                              "plan",
                              cell_text(cell)));
  }
  refuse_fields(cell, cell.model, "the model", {"path", "label"});
  refuse_fields(cell, cell.learner, "the learner", {"name", "label"});
  refuse_fields(cell, cell.data, "the data entry",
                {"path", "label", "train_split", "test_split", "test_data", "image_root", "names",
                 "format", "known", "unknown", "unknown_split", "allow_duplicate_names"});
}

std::optional<CellOutput> run_osr_cell(const Cell& cell, const CellContext& context) {
  OsrObserver observer;
  observer.stop = context.stop;
  std::vector<RunResult> results;
  try {
    results = train_osr(osr_request_of(cell, context), observer);
  } catch (const Error&) {
    if (context.stop()) return std::nullopt;  // it saved its state first
    throw;
  }
  // Not result.json, which holds what the run cost.
  CellOutput output;
  const RunFolder folder(context.folder);
  for (const std::string& file : {folder.predictions_file(), folder.model_file()}) {
    output.files.push_back(std::filesystem::path(file).filename().string());
  }
  for (const MetricRecord& metric : results.at(0).metrics) {
    output.values.push_back({"", "", metric.name, metric.value});
  }
  return output;
}

}  // namespace openworld
