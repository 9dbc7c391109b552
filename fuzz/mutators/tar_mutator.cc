#include <algorithm>
#include <cstdio>

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/tar.h"

namespace openworld {
namespace {

constexpr std::size_t kBlock = 512;

struct Entry {
  std::string name;
  std::string bytes;
};

std::string make_tar(const std::vector<Entry>& entries) {
  std::string file;
  for (const Entry& entry : entries) {
    std::string header(kBlock, '\0');
    const auto put = [&](std::size_t at, std::string_view text) {
      header.replace(at, text.size(), text);
    };
    char digits[16];
    put(0, std::string_view(entry.name).substr(0, 100));
    put(100, "0000644");
    std::snprintf(digits, sizeof digits, "%011zo", entry.bytes.size());
    put(124, digits);
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, std::string_view("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(digits, sizeof digits, "%06o", sum);
    put(148, std::string_view(digits, 7));
    file += header + entry.bytes;
    file.resize((file.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  return file.append(2 * kBlock, '\0');
}

std::vector<Entry> entries_of(const std::string& file) {
  std::vector<Entry> entries;
  attempt([&] {
    const auto* data = reinterpret_cast<const std::uint8_t*>(file.data());
    const TarArchive archive(fuzz_bytes(data, file.size()), {"mutate_tar", "input"});
    for (const TarMember& member : archive.members()) {
      entries.push_back({member.name, std::string(as_text(archive.read(member).values))});
    }
  });
  return entries;
}

}  // namespace

std::string mutate_tar(std::string file, std::size_t most, Dice& dice) {
  std::vector<Entry> entries = entries_of(file);
  if (entries.empty()) return file;
  Entry& entry = entries[dice.below(entries.size())];
  const std::size_t room = most - std::min(most, file.size() - entry.bytes.size());
  switch (dice.below(8)) {
    case 0:
      entry.name = dice.bytes(entry.name, 90);
      break;
    case 1: {
      const Entry copy = entry;
      entries.push_back(copy);
      break;
    }
    case 2:
      std::swap(entry, entries[dice.below(entries.size())]);
      break;
    case 3:
      if (entries.size() > 1) {
        std::swap(entry, entries.back());
        entries.pop_back();
      }
      break;
    case 4: {  // many samples
      const std::size_t size = 2 * kBlock + entry.bytes.size();
      const Entry copy = entry;
      const std::size_t count = dice.repeats(size, most - std::min(most, file.size()));
      for (std::size_t i = 0; i < count; ++i) {
        entries.push_back({std::to_string(i) + copy.name, copy.bytes});
      }
      break;
    }
    default:
      entry.bytes = entry.name.ends_with(".json") ? mutate_json(entry.bytes, room, dice)
                                                  : dice.bytes(entry.bytes, room);
  }
  return make_tar(entries);
}

}  // namespace openworld
