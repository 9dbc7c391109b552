#pragma once

// Webdataset shards: finding them, and grouping their members into samples.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/io/tar.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// "data-{000..003}.tar" is four files: expands every {first..last} (numbers; zeros in front keep
// the width) and {a,b,c}, from left to right. Without braces, the pattern itself. Throws Error for
// invalid braces and for more than 100,000 names.
std::vector<std::string> expand_braces(std::string_view pattern, const Origin& origin);

// Sorts so that "2.tar" comes before "10.tar": runs of digits compare as numbers.
void sort_naturally(std::vector<std::string>* names);

// Whether `path` is, or is a folder with, shards or splits of them. Never throws.
bool holds_shards(const std::string& path);

// The shards at origin.file: a file, a pattern with braces, a folder of them, or the folder `split`
// of one that has such folders, which are then listed in `splits`. Throws Error.
std::vector<std::string> find_shards(const Origin& origin, const std::string& split,
                                     std::vector<std::string>* splits);

std::shared_ptr<const TarArchive> open_shard(const Origin& origin);

// Images in shards. The place of a sample is the archive in the upper and the member in the lower
// half.
class Shards : public SampleSource {
 public:
  static std::uint64_t place(std::size_t archive, std::uint32_t member) {
    return std::uint64_t{archive} << 32 | member;
  }

  Bytes read(const Sample& sample) const override;
  std::string name(const Sample& sample) const override;

  std::vector<std::shared_ptr<const TarArchive>> archives;

 private:
  const TarArchive& archive_of(const Sample& sample) const;
};

// Calls take(member, key, ending) for the members in order: 7/000.seg.png has the key 7/000 and the
// ending seg.png. Members of one key stand together and are a sample; after each sample calls
// close(). Members without a key or an ending are skipped.
void for_each_shard_member(
    const TarArchive& archive, const std::function<void()>& close,
    const std::function<void(std::uint32_t, std::string_view, std::string_view)>& take);

}  // namespace openworld
