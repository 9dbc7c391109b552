// `openworld study` with cells that need no model, for tests: fake_study study run PLAN --out
// STUDY. Everything but the computation of a cell is the program's own code.
//
// A learner of the plan says by its options what its cells do: steps=N of millis=M each, between
// which the cell can be stopped and after which it saves its state; busy=M, milliseconds of
// processor time before the end; fail=true; crash=true, which ends the process by a signal;
// once=true, to do either in the first attempt only. If the environment variable FAKE_STUDY_HOLD
// names the learner, the first attempt does half of the steps and then waits until it is stopped.
// A scenario with the options worlds and levels, lists with commas, gives six metrics for each of
// those views; undefined=LEVEL leaves one of its levels without openworld_auc.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "openworld/base/error.h"
#include "openworld/cli/command_line.h"
#include "openworld/cli/study_backend.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/sha256.h"
#include "openworld/io/small_file.h"

namespace openworld {
namespace {

std::string hash_text(std::string_view text) {
  return hex_text(sha256(std::as_bytes(std::span(text))));
}

std::int64_t number(const Cell& cell, std::string_view name, std::int64_t fallback) {
  for (const auto& [key, value] : cell.learner.options) {
    if (key == name) return std::get<std::int64_t>(value);
  }
  return fallback;
}

bool flag(const Cell& cell, std::string_view name) {
  for (const auto& [key, value] : cell.learner.options) {
    if (key == name) return std::get<bool>(value);
  }
  return false;
}

// An option of the cell's scenario, a list with commas.
std::vector<std::string> list_of(const Cell& cell, std::string_view name) {
  std::vector<std::string> items;
  for (const auto& [key, value] : cell.scenario.options) {
    if (key != name) continue;
    const std::string text = option_text(value);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      items.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return items;
}

// A number from 0 to 1 that follows from the text.
double fraction(const std::string& text) {
  const std::string digits = hash_text(text).substr(0, 8);
  return static_cast<double>(std::strtoull(digits.c_str(), nullptr, 16)) / 4294967296.0;
}

std::vector<CellValue> view_values(const Cell& cell, const std::string& link) {
  std::vector<CellValue> values;
  const std::vector<std::string> undefined = list_of(cell, "undefined");
  for (const std::string& world : list_of(cell, "worlds")) {
    for (const std::string& level : list_of(cell, "levels")) {
      for (const char* metric :
           {"base_acc", "new_acc", "hm", "auroc", "overall_acc", "openworld_auc"}) {
        CellValue value{world, level, metric, {}};
        const bool none = metric == std::string_view("openworld_auc") && !undefined.empty() &&
                          undefined[0] == level;
        if (!none) value.value = fraction(fmt::format("{} {} {} {}", link, world, level, metric));
        values.push_back(std::move(value));
      }
    }
  }
  return values;
}

// Waits to be stopped in the midst of the steps.
bool is_held(const Cell& cell, bool first, std::int64_t done) {
  const char* held = std::getenv("FAKE_STUDY_HOLD");
  return held != nullptr && first && cell.learner.name.starts_with(held) &&
         done == number(cell, "steps", 1) / 2;
}

void keep_busy(std::int64_t millis) {
  const std::clock_t end = std::clock() + millis * CLOCKS_PER_SEC / 1000;
  while (std::clock() < end) continue;
}

class FakeRunner : public CellRunner {
 public:
  void check(std::span<const StudyCell>) override {}
  void check_learner(const CellLearner&, const CellScenario&) override {}

  // A chain of hashes, a step a link, so that a step left out or done twice shows in the result.
  std::optional<CellOutput> run(const StudyCell& each, const CellContext& context) override {
    const Cell& cell = each.cell;
    const std::string state_file = context.folder + "/state.txt";
    const std::string attempt_file = context.folder + "/attempt.txt";
    const bool first = !std::filesystem::exists(attempt_file);
    const bool counts = flag(cell, "once") || std::getenv("FAKE_STUDY_HOLD") != nullptr;
    if (counts) write_file_atomically(attempt_file, "begun\n", "fake");
    if (first || !flag(cell, "once")) {
      if (flag(cell, "fail")) fail("fake", "this cell fails");
      if (flag(cell, "crash")) std::raise(SIGKILL);
    }
    std::int64_t done = 0;
    std::string link = each.id;
    if (const auto state = read_small_file(state_file)) {
      done = std::atoll(state->c_str());
      link = state->substr(state->find(' ') + 1);
    }
    for (const std::int64_t steps = number(cell, "steps", 1); done < steps;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(number(cell, "millis", 0)));
      link = hash_text(fmt::format("{} {}", link, done));
      ++done;
      if (steps > 1) write_file_atomically(state_file, fmt::format("{} {}", done, link), "fake");
      while (is_held(cell, first, done) && !context.stop()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      if (done < steps && context.stop()) return std::nullopt;
    }
    keep_busy(number(cell, "busy", 0));
    write_file_atomically(context.folder + "/predictions.txt", link + "\n", "fake");
    std::filesystem::remove(state_file);
    std::filesystem::remove(attempt_file);
    std::vector<CellValue> values = view_values(cell, link);
    if (values.empty()) values.push_back({"", "", "openworld_auc", fraction(link)});
    return CellOutput{{"predictions.txt"}, std::move(values)};
  }
};

class FakeResolver : public PlanResolver {
 public:
  std::string model_sha256(const CellModel& model) override { return hash_text(model.path); }
  std::int64_t scenario_version(const CellScenario&) override { return 1; }
  void check_data(const CellData&, const CellScenario&) override {}
  void check_learner(const CellLearner& learner, const CellScenario&) override {
    if (learner.name == "unknown") fail("tune", "unknown learner 'unknown'");
  }
};

std::unique_ptr<Command> make_fake_study() {
  return make_study_command({[] { return std::make_unique<FakeRunner>(); },
                             [] { return std::make_unique<FakeResolver>(); }});
}

}  // namespace
}  // namespace openworld

int main(int argc, char** argv) {
  const openworld::CommandRow row{"study", "studies of fake cells", openworld::make_fake_study};
  openworld::prepare_process();
  if (argc < 2) return openworld::complain("fake_study", "no command; expected study");
  return openworld::run_command(row, argc - 1, argv + 1);
}
