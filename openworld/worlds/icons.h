#pragma once

// Icons, the second bundled world: pictures of 240 classes, 48 x 48 pixels, from open-source icon
// sets that pre-training never sees (docs/icons.md says how they were made and lays out the file).
// Each picture is of a set, and each set of a style: game symbols, map symbols, emoji of one maker.
//
// Opening reads the names, and a split is inflated when it is asked for first.

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/images/image.h"
#include "openworld/io/zip.h"

namespace openworld {

inline constexpr int kIconSide = 48;
inline constexpr std::array<std::string_view, 2> kIconSplits = {"train", "test"};

struct IconTheme {
  std::string name;                  // "animals"
  std::string description;           // one line, of what is in it
  std::string prompt;                // its own template, "an icon of a {}, a kind of animal."
  std::vector<std::int32_t> labels;  // classes of Icons::names(), ascending
};

// The pictures of a split, by class, then by set and identifier.
struct IconSplit {
  std::vector<std::int32_t> labels;  // ascending
  std::vector<std::uint8_t> sets;    // index into Icons::sets()
  std::vector<std::string> ids;      // of the icon in its set
  Bytes pixels;                      // 48 * 48 indices into the palette each
};

class Icons {
 public:
  // Opens a file of pictures. Throws Error if it is missing, damaged or a different file.
  explicit Icons(const std::string& path);

  // That of data_folder(), opened once in a process, by the first caller.
  static const Icons& get();

  const std::vector<std::string>& names() const { return names_; }  // of classes, sorted

  // First "all", then the themes by name; every class is in one.
  const std::vector<IconTheme>& themes() const { return themes_; }

  const std::vector<std::string>& styles() const { return styles_; }
  const std::vector<std::string>& sets() const { return sets_; }
  std::size_t style_of(std::size_t set) const { return style_of_set_[set]; }

  // Safe from several threads. Throws Error where the file is damaged. REQUIRES: s < 2.
  const IconSplit& split(std::size_t s) const;
  Image picture(std::size_t s, std::size_t row) const;

 private:
  std::vector<std::string> texts(std::string_view name, std::size_t count) const;
  std::vector<std::int32_t> numbers(std::string_view name, std::size_t count,
                                    std::size_t limit) const;
  Bytes bytes(std::string_view name, std::vector<std::size_t> shape) const;
  IconSplit read_split(std::string_view name) const;

  ZipArchive archive_;
  std::vector<std::string> names_, styles_, sets_;
  std::vector<std::size_t> style_of_set_;
  std::vector<IconTheme> themes_;
  Bytes palette_;
  mutable std::array<std::once_flag, kIconSplits.size()> once_;
  mutable std::array<IconSplit, kIconSplits.size()> splits_;
};

}  // namespace openworld
