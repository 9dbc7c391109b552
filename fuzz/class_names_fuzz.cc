// Fuzzes the reader of class names. The first byte says which form: j JSON, any other lines.

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/worlds/class_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openworld;
  const TimeLimit limit(size);
  static const Origin kOrigin{"fuzz", "input"};
  if (size == 0) return 0;
  const Bytes bytes = fuzz_bytes(data + 1, size - 1);
  attempt([&] {
    const ClassNames names = ClassNames::parse(as_text(bytes.values), data[0] == 'j', kOrigin);
    attempt([&] { refuse_duplicates(names.by_label(), kOrigin); });
    attempt([&] {
      if (names.for_folders({"n01440764", "n01443537"}).size() != 2) std::abort();
    });
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace openworld;
  const bool is_json = size > 0 && data[0] == 'j';
  return mutate(data, size, most, seed, [&](std::string file, std::size_t room, Dice& dice) {
    if (!is_json) return dice.bytes(std::move(file), room);
    return mutate_after_first(std::move(file), room, dice, mutate_json);
  });
}
