#include "fuzz/mutators/mutators.h"

#include <algorithm>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace openworld {

std::size_t Dice::repeats(std::size_t size, std::size_t room) {
  const std::size_t fits = room / std::max<std::size_t>(size, 1);
  if (fits == 0) return 0;
  constexpr std::size_t kLarge = 1 << 16;
  if (one_in(room > kLarge ? 2 : 40)) return fits;
  return 1 + below(std::min<std::size_t>(fits, one_in(16) ? 300 : 4));
}

std::string Dice::bytes(std::string text, std::size_t most) {
  const std::size_t size = text.size();
  text.resize(std::max(size, most));
  auto* data = reinterpret_cast<std::uint8_t*>(text.data());
  text.resize(most == 0 ? 0 : LLVMFuzzerMutate(data, std::min(size, most), most));
  return text;
}

std::string mutate_after_first(std::string file, std::size_t most, Dice& dice,
                               const Mutator& mutator) {
  if (file.empty() || most < 2 || dice.one_in(50)) return dice.bytes(std::move(file), most);
  return file.substr(0, 1) + mutator(file.substr(1), most - 1, dice);
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                   const Mutator& mutator) {
  Dice dice(seed);
  if (!dice.one_in(4)) {
    const std::string before(reinterpret_cast<const char*>(data), size);
    const std::string after = mutator(before, most, dice);
    if (after != before && !after.empty() && after.size() <= most) {
      std::memcpy(data, after.data(), after.size());
      return after.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

}  // namespace openworld
