#pragma once

// Doodles, the bundled world: 345 classes of 100 drawings each, 28 x 28 pixels of 16 greys, from
// Google's Quick, Draw! (data/README.md says how they were made). The splits are a
// fixed rule over the number of a drawing within its class; doodle_datasets.h groups the classes,
// doodle_looks.h makes pictures.
//
// Opening reads the names, and a split is inflated when a drawing of it is asked for first: 10 to
// 25 ms, once in a process.

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/zip.h"

namespace openworld {

inline constexpr int kDrawingSide = 28;
inline constexpr int kDrawingsPerClass = 100;

// Ink from 0 to 15, row by row.
using Drawing = std::array<std::uint8_t, kDrawingSide * kDrawingSide>;

// The drawings [begin, end) of every class.
struct DoodleSplit {
  std::string_view name;
  int begin;
  int end;
};

// pretrain: for pre-training of models that must not see the other splits; train: for prompt
// tuning; test.
inline constexpr std::array<DoodleSplit, 3> kDoodleSplits = {
    {{"pretrain", 0, 50}, {"train", 50, 70}, {"test", 70, 100}}};

class Doodles {
 public:
  // Opens a file of drawings. Throws Error if it is missing, damaged or a different file.
  explicit Doodles(const std::string& path);

  // That of data_folder(), opened once in a process, by the first caller.
  static const Doodles& get();

  // By class: those of doodle_datasets()[0].
  std::span<const std::string_view> names() const;

  // The index of a class, or -1.
  int find(std::string_view name) const;

  // Drawing `k` of a class. Safe from several threads. Throws Error where the file is damaged.
  // REQUIRES: 0 <= class_index < 345, 0 <= k < 100.
  Drawing drawing(int class_index, int k) const;

  // SHA-256 of the packed drawings of each class, two pixels a byte, as the file gives them: 345
  // times 32 bytes, for a check of the file as a whole.
  Bytes checksums() const;

 private:
  const Bytes& split(std::size_t s) const;

  ZipArchive archive_;
  mutable std::array<std::once_flag, kDoodleSplits.size()> once_;
  mutable std::array<Bytes, kDoodleSplits.size()> splits_;
};

}  // namespace openworld
