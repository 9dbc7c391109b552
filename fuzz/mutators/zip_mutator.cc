#include <zlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutators/mutators.h"
#include "openworld/io/crc32.h"
#include "openworld/io/zip.h"
#include "openworld/io/zip_format.h"

namespace openworld {
namespace {

struct Entry {
  std::string name;
  std::string bytes;
  bool deflated = false;
};

void put(std::string* out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) *out += static_cast<char>(value >> (8 * i));
}

std::string deflate(const std::string& bytes) {
  z_stream stream{};
  if (::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string result(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  ::deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  ::deflateEnd(&stream);
  return result;
}

std::string make_zip(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    const std::string packed = entry.deflated ? deflate(entry.bytes) : entry.bytes;
    std::string fields;  // that both headers have, from the version on
    put(&fields, 20, 2);
    put(&fields, 0, 2);
    put(&fields, entry.deflated ? zip::kDeflated : zip::kStored, 2);
    put(&fields, 0x00210000, 4);  // 1 January 1980
    put(&fields, crc32(std::as_bytes(std::span(entry.bytes))), 4);
    put(&fields, packed.size(), 4);
    put(&fields, entry.bytes.size(), 4);
    put(&fields, entry.name.size(), 2);
    put(&fields, 0, 2);
    put(&directory, zip::kDirectoryHeader, 4);
    put(&directory, 20, 2);
    directory += fields;
    directory.append(2 + 2 + 2 + 4, '\0');
    put(&directory, file.size(), 4);
    directory += entry.name;
    put(&file, zip::kLocalHeader, 4);
    file += fields + entry.name + packed;
  }
  const std::size_t offset = file.size();
  file += directory;
  put(&file, zip::kEnd, 4);
  put(&file, 0, 4);
  put(&file, entries.size(), 2);
  put(&file, entries.size(), 2);
  put(&file, directory.size(), 4);
  put(&file, offset, 4);
  put(&file, 0, 2);
  return file;
}

std::vector<Entry> entries_of(const std::string& file) {
  constexpr std::uint64_t kLargest = 1 << 20;
  std::vector<Entry> entries;
  attempt([&] {
    const auto* data = reinterpret_cast<const std::uint8_t*>(file.data());
    const ZipArchive archive(fuzz_bytes(data, file.size()), {"mutate_zip", "input"});
    for (const ZipMember& member : archive.members()) {
      if (member.size > kLargest) continue;
      const Bytes bytes = archive.read(member);
      entries.push_back(
          {member.name, std::string(as_text(bytes.values)), member.method == zip::kDeflated});
    }
  });
  return entries;
}

std::string mutate_member(const Entry& entry, std::size_t most, Dice& dice) {
  if (entry.bytes.starts_with("\x93NUMPY")) return mutate_npy(entry.bytes, most, dice);
  if (entry.name.ends_with(".pkl")) return mutate_pickle(entry.bytes, most, dice);
  return dice.bytes(entry.bytes, most);
}

}  // namespace

std::string mutate_zip(std::string file, std::size_t most, Dice& dice) {
  std::vector<Entry> entries = entries_of(file);
  if (entries.empty()) return file;
  Entry& entry = entries[dice.below(entries.size())];
  // What is deflated may be longer than the file.
  const std::size_t spent = file.size() - std::min(file.size(), entry.bytes.size());
  const std::size_t room = entry.deflated ? 16 * most : most - std::min(most, spent);
  switch (dice.below(8)) {
    case 0:
      entry.deflated = !entry.deflated;
      break;
    case 1:
      entry.name = dice.bytes(entry.name, 80);
      break;
    case 2: {
      Entry copy = entry;
      copy.name = "x" + copy.name;
      entries.push_back(std::move(copy));
      break;
    }
    case 3:
      std::swap(entry.bytes, entries[dice.below(entries.size())].bytes);
      break;
    case 4:
      if (dice.one_in(2)) {
        std::swap(entry, entries.back());
        entries.pop_back();
        break;
      }
      [[fallthrough]];
    default:
      entry.bytes = mutate_member(entry, room, dice);
  }
  return make_zip(entries);
}

}  // namespace openworld
