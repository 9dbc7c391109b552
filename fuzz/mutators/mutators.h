#pragma once

// Structure-aware mutation: what LLVMFuzzerCustomMutator calls. Random bytes rarely get past the
// outermost layer of a format, whose lengths, checksums and brackets must agree. A mutator here
// takes the file apart, changes one thing in it, and writes the rest so that it agrees again.
//
//   extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
//                                                  std::size_t most, unsigned seed) {
//     return openworld::mutate(data, size, most, seed, openworld::mutate_zip);
//   }

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// The choices of one mutation; equal seeds give equal choices.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}

  // REQUIRES: n > 0.
  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  // How often to repeat something of `size` bytes, which must not come to more than `room`: mostly
  // a few times. Where there is much room, half of the time as often as fits: that finds quadratic
  // time.
  std::size_t repeats(std::size_t size, std::size_t room);

  // libFuzzer's own mutation of up to `most` bytes.
  std::string bytes(std::string text, std::size_t most);

 private:
  std::minstd_rand random_;
};

// Changes a file, to at most about `most` bytes. What it cannot take apart comes back as it is.
using Mutator = std::function<std::string(std::string file, std::size_t most, Dice& dice)>;

// JSON, also several values one after the other as in .jsonl: values, keys, nesting, repetition.
// Works on text that is not valid, and keeps what it does not change byte by byte.
std::string mutate_json(std::string text, std::size_t most, Dice& dice);

// The header as JSON with its length kept right; or shapes, with all offsets and the data made to
// fit them.
std::string mutate_safetensors(std::string file, std::size_t most, Dice& dice);

// The header's type, shape and order, with its length kept right, and data to fit them.
std::string mutate_npy(std::string file, std::size_t most, Dice& dice);

// Whole opcodes with their arguments.
std::string mutate_pickle(std::string file, std::size_t most, Dice& dice);

// Members of a zip archive, stored or deflated, with sizes and CRCs kept right. Arrays and pickles
// are changed by the mutators above.
std::string mutate_zip(std::string file, std::size_t most, Dice& dice);

// Members of a tar archive with sizes and checksums kept right; those named .json as JSON.
std::string mutate_tar(std::string file, std::size_t most, Dice& dice);

// For inputs whose first byte says what follows: that byte mostly stays.
std::string mutate_after_first(std::string file, std::size_t most, Dice& dice,
                               const Mutator& mutator);

// The body of LLVMFuzzerCustomMutator: `mutator` three times in four, else libFuzzer's own.
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                   const Mutator& mutator);

}  // namespace openworld
