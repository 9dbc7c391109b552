#include "openworld/worlds/doodles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "openworld/io/data_folder.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"
#include "openworld/worlds/bundled_file.h"
#include "openworld/worlds/doodle_datasets.h"

namespace openworld {
namespace {

constexpr std::size_t kPackedSize = Drawing{}.size() / 2;  // two pixels a byte

}  // namespace

Doodles::Doodles(const std::string& path)
    : archive_(open_bundled(path, "open_doodles", "doodles")) {
  const Origin& origin = archive_.origin();
  const auto array = read_npz_array(archive_, "names");
  const std::vector<std::string> found =
      array ? to_strings(*array, origin) : std::vector<std::string>();
  if (!std::ranges::equal(found, names())) {
    origin.fail(
        fmt::format("has {} names that are not the {} classes of Doodles; "
                    "scripts/make-doodles writes the file",
                    found.size(), names().size()));
  }
}

const Doodles& Doodles::get() {
  static const Doodles doodles((std::filesystem::path(data_folder()) / "doodles.npz").string());
  return doodles;
}

std::span<const std::string_view> Doodles::names() const {
  return doodle_datasets()[0].classes;
}

int Doodles::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(names(), name);
  return at == names().end() || *at != name ? -1 : static_cast<int>(at - names().begin());
}

Bytes Doodles::checksums() const {
  return require_bytes(archive_, "sha256", {names().size(), 32});
}

const Bytes& Doodles::split(std::size_t s) const {
  std::call_once(once_[s], [&] {
    const DoodleSplit& split = kDoodleSplits[s];
    splits_[s] = require_bytes(
        archive_, split.name,
        {names().size(), static_cast<std::size_t>(split.end - split.begin), kPackedSize});
  });
  return splits_[s];
}

Drawing Doodles::drawing(int class_index, int k) const {
  assert(class_index >= 0 && class_index < static_cast<int>(names().size()));
  assert(k >= 0 && k < kDrawingsPerClass);
  const auto* found = std::ranges::find_if(kDoodleSplits, [&](const auto& s) { return k < s.end; });
  const auto size = static_cast<std::size_t>(found->end - found->begin);
  const std::size_t row =
      static_cast<std::size_t>(class_index) * size + static_cast<std::size_t>(k - found->begin);
  const auto packed = split(static_cast<std::size_t>(found - kDoodleSplits.begin()))
                          .values.subspan(row * kPackedSize, kPackedSize);
  Drawing drawing;
  for (std::size_t i = 0; i < kPackedSize; ++i) {
    const auto pair = static_cast<std::uint8_t>(packed[i]);
    drawing[2 * i] = pair >> 4;
    drawing[2 * i + 1] = pair & 15;
  }
  return drawing;
}

}  // namespace openworld
