// Fuzzes the CSV parser, its numbers, and predictions made of its columns.

#include "fuzz/fuzz.h"
#include "openworld/predictions/predictions_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const openworld::TimeLimit limit(size);
  using namespace openworld;
  static const Origin kOrigin{"fuzz", "input"};
  attempt([&] {
    const CsvTable table(fuzz_bytes(data, size), kOrigin);
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      attempt([&] { table.numbers(column); });
    }
    make_predictions(read_csv_parts(table), kOrigin);
  });
  return 0;
}
