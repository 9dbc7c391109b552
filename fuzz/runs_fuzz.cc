// Fuzzes the readers of a run folder. The first byte says which file: s run.json, r result.json,
// t threshold.json, p paths.json, l log.jsonl. What was read and written again must read the same.

#include <nlohmann/json.hpp>

#include "fuzz/fuzz_folder.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/training_log.h"
#include "openworld/runs/run_paths.h"
#include "openworld/runs/run_result.h"
#include "openworld/runs/run_spec.h"
#include "openworld/runs/threshold_file.h"

namespace openworld {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Outside of attempt: what we wrote ourselves must be read.
void write_again(const RunSpec& spec) {
  const std::string text = run_spec_text(spec);
  const RunSpec again = parse_run_spec(bytes_of(text), {"fuzz", "again"});
  if (run_spec_text(again) != text) std::abort();
  expect_same_run(again, spec, {"fuzz", "again"});
  spec.base_names();
  spec.new_names();
  spec.table_label();
}

void write_again(const RunResult& result) {
  const auto dump = [](const RunResult& r) {
    return run_result_json(r).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  const std::string text = dump(result);
  const std::string path = FuzzFolder::instance().write("again.json", bytes_of(text));
  if (dump(read_run_result({"fuzz", path})) != text) std::abort();
}

template <class Read>
void read_and_write(const Read& read) {
  std::optional<decltype(read())> value;
  attempt([&] { value = read(); });
  if (!value) return;
  try {
    write_again(*value);
  } catch (const Error& error) {
    std::fprintf(stderr, "fuzz: what was written cannot be read: %s\n", error.what());
    std::abort();
  }
}

void run(char kind, std::span<const std::byte> bytes) {
  const FuzzFolder& folder = FuzzFolder::instance();
  switch (kind) {
    case 's':
      return read_and_write([&] { return parse_run_spec(bytes, {"fuzz", "run.json"}); });
    case 'r': {
      const std::string path = folder.write("result.json", bytes);
      return read_and_write([&] { return read_run_result({"fuzz", path}); });
    }
    case 't': {
      const std::string path = folder.write("threshold.json", bytes);
      return attempt([&] { read_threshold({"fuzz", path}); });
    }
    case 'p': {
      const std::string path = folder.write("paths.json", bytes);
      const RunFolder run(path.substr(0, path.rfind('/')));
      return attempt([&] { path_candidates(run, "models/m", "fuzz"); });
    }
    case 'l': {
      const std::string path = folder.write("log.jsonl", bytes);
      const auto last = cut_log(path, 10, "fuzz");
      if (!last.is_null() && last.at("step") > 10) std::abort();
      if (cut_log(path, 10, "fuzz") != last) std::abort();
    }
  }
}

}  // namespace
}  // namespace openworld

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  if (size == 0) return 0;
  openworld::run(static_cast<char>(data[0]), openworld::fuzz_bytes(data + 1, size - 1).values);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  return mutate(data, size, most, seed, [](std::string file, std::size_t room, Dice& dice) {
    return mutate_after_first(std::move(file), room, dice, mutate_json);
  });
}
