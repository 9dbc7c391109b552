// Fuzzes the files of a study. The first byte says which: p PLAN.toml, s study.json, c cell.json,
// f failed.json. What was read and written again must read the same.

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/studies/cell_result.h"
#include "openworld/studies/study_file.h"

namespace openworld {
namespace {

class FuzzResolver : public PlanResolver {
 public:
  std::string model_sha256(const CellModel&) override { return std::string(64, 'a'); }
  std::int64_t scenario_version(const CellScenario&) override { return 1; }
  void check_data(const CellData&, const CellScenario&) override {}
  void check_learner(const CellLearner&, const CellScenario&) override {}
};

// Outside of attempt: what we wrote ourselves must be read.
void write_again(const StudyFile& study) {
  const std::string text = study_file_text(study);
  try {
    if (study_file_text(parse_study_file(text, {"fuzz", "again"})) != text) std::abort();
  } catch (const Error& error) {
    std::fprintf(stderr, "fuzz: what was written cannot be read: %s\n", error.what());
    std::abort();
  }
}

void run_plan(std::string_view text) {
  constexpr std::size_t kFewCells = 100;
  const Origin origin{"fuzz", "plan.toml"};
  StudyFile study;
  attempt([&] {
    const Plan plan = parse_plan(text, origin);
    if (plan.size() > kFewCells) return;
    FuzzResolver resolver;
    study.cells = expand_plan(plan, resolver, origin);
    if (study.cells.size() != plan.size()) std::abort();
  });
  for (const StudyCell& cell : study.cells) {
    if (cell.name.find('/') != std::string::npos || cell.name.size() > 255) std::abort();
    if (!cell_differences(cell.cell, cell.cell).empty()) std::abort();
  }
  write_again(study);
}

void run(char kind, std::string_view text) {
  switch (kind) {
    case 'p':
      return run_plan(text);
    case 's': {
      StudyFile study;
      attempt([&] { study = parse_study_file(text, {"fuzz", "study.json"}); });
      return write_again(study);
    }
    case 'c': {
      const std::optional<CellResult> result = parse_cell_result(text);
      if (result && cell_result_text(*result) != text) std::abort();
      return;
    }
    case 'f': {
      const CellFailure failure = parse_cell_failure(text);
      if (!(parse_cell_failure(cell_failure_text(failure)) == failure)) std::abort();
    }
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  if (size == 0) return 0;
  const openworld::Bytes bytes = openworld::fuzz_bytes(data + 1, size - 1);
  openworld::run(static_cast<char>(data[0]),
                 {reinterpret_cast<const char*>(bytes.values.data()), bytes.values.size()});
  return 0;
}

// TOML has brackets and quotes as JSON has, so its mutator serves both.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  return mutate(data, size, most, seed, [](std::string file, std::size_t room, Dice& dice) {
    return mutate_after_first(std::move(file), room, dice, mutate_json);
  });
}
