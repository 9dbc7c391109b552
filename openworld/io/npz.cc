#include "openworld/io/npz.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "openworld/io/crc32.h"
#include "openworld/io/zip_format.h"

namespace openworld {
namespace {

constexpr std::size_t kAlignment = 64;

class ZipWriter {
 public:
  ZipWriter(bool always_zip64, std::size_t expected_size) : always_zip64_(always_zip64) {
    out_.reserve(expected_size);
  }

  void add(const std::string& name, std::string_view head, std::span<const std::byte> data) {
    Record record{name, out_.size(), head.size() + data.size(), 0};
    const std::size_t at = begin_data(record);
    out_.append(head).append(as_text(data));
    record.crc = crc32(std::as_bytes(std::span(out_)).subspan(at));
    std::memcpy(out_.data() + record.offset + kCrcOffset, &record.crc, sizeof record.crc);
    records_.push_back(std::move(record));
  }

  std::string finish() && {
    const std::uint64_t begin = out_.size();
    for (const Record& record : records_) add_to_directory(record);
    const std::uint64_t size = out_.size() - begin;
    const std::uint64_t count = records_.size();
    const bool zip64 = wide(begin) || wide(size) || count >= zip::kCountIn64;
    if (zip64) end64(begin, size, count);
    put(zip::kEnd);
    put<std::uint32_t>(0);  // disks
    for (int i = 0; i < 2; ++i) put<std::uint16_t>(zip64 ? zip::kCountIn64 : count);
    put<std::uint32_t>(zip64 ? zip::kIn64 : size);
    put<std::uint32_t>(zip64 ? zip::kIn64 : begin);
    put<std::uint16_t>(0);  // comment
    return std::move(out_);
  }

 private:
  struct Record {
    std::string name;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t crc;
  };
  static constexpr std::size_t kCrcOffset = 14;
  static constexpr std::uint16_t kVersionNeeded = 45;  // zip64
  static constexpr std::uint16_t kDate = 1 << 5 | 1;   // 1980-01-01, the first there is

  template <class T>
  void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  bool wide(std::uint64_t value) const { return always_zip64_ || value >= zip::kIn64; }

  void put_common(const Record& record, bool wide_size) {
    put(kVersionNeeded);
    put(zip::kFlagUtf8Name);
    put(zip::kStored);
    put<std::uint16_t>(0);  // time
    put(kDate);
    put(record.crc);
    for (int i = 0; i < 2; ++i) put<std::uint32_t>(wide_size ? zip::kIn64 : record.size);
    put<std::uint16_t>(record.name.size());
  }

  // The local header, padded by an extra field so that the data start at a multiple of kAlignment.
  std::size_t begin_data(const Record& record) {
    const bool wide_size = wide(record.size);
    const std::size_t extra64 = wide_size ? 20 : 0;
    const std::size_t least =
        record.offset + zip::kLocalHeaderSize + record.name.size() + extra64 + 6;
    const std::size_t padding = (kAlignment - least % kAlignment) % kAlignment;
    put(zip::kLocalHeader);
    put_common(record, wide_size);
    put<std::uint16_t>(extra64 + 6 + padding);
    out_ += record.name;
    if (wide_size) {
      put(zip::kExtra64);
      put<std::uint16_t>(16);
      for (int i = 0; i < 2; ++i) put(record.size);
    }
    put(zip::kExtraAlign);
    put<std::uint16_t>(2 + padding);
    put<std::uint16_t>(kAlignment);
    out_.append(padding, '\0');
    assert(out_.size() % kAlignment == 0);
    return out_.size();
  }

  void add_to_directory(const Record& record) {
    const bool wide_size = wide(record.size), wide_offset = wide(record.offset);
    const std::size_t body = (wide_size ? 16 : 0) + (wide_offset ? 8 : 0);
    put(zip::kDirectoryHeader);
    put(kVersionNeeded);  // made by
    put_common(record, wide_size);
    put<std::uint16_t>(body > 0 ? 4 + body : 0);
    put<std::uint16_t>(0);  // comment
    put<std::uint16_t>(0);  // disk
    put<std::uint16_t>(0);  // internal attributes
    put<std::uint32_t>(0);  // external attributes
    put<std::uint32_t>(wide_offset ? zip::kIn64 : record.offset);
    out_ += record.name;
    if (body == 0) return;
    put(zip::kExtra64);
    put<std::uint16_t>(body);
    if (wide_size) {
      for (int i = 0; i < 2; ++i) put(record.size);
    }
    if (wide_offset) put(record.offset);
  }

  void end64(std::uint64_t begin, std::uint64_t size, std::uint64_t count) {
    const std::uint64_t at = out_.size();
    put(zip::kEnd64);
    put<std::uint64_t>(zip::kEnd64Size - 12);
    for (int i = 0; i < 2; ++i) put(kVersionNeeded);
    put<std::uint64_t>(0);  // disks
    for (int i = 0; i < 2; ++i) put(count);
    put(size);
    put(begin);
    put(zip::kEnd64Locator);
    put<std::uint32_t>(0);  // disk
    put(at);
    put<std::uint32_t>(1);  // disks
  }

  bool always_zip64_;
  std::string out_;
  std::vector<Record> records_;
};

}  // namespace

std::optional<NpyArray> read_npz_array(const ZipArchive& archive, std::string_view name) {
  const ZipMember* member = archive.find(std::string(name) + ".npy");
  if (member == nullptr) return std::nullopt;
  const Bytes head = archive.peek(*member, kMaxNpyHeader);
  const NpyHeader header = parse_npy_header(head.values, name, archive.origin());
  if (member->size != header.data_offset + header.data_size) {
    archive.origin().fail(fmt::format(
        "{} is {} bytes in the archive; expected {} for dtype {} and shape {}", name, member->size,
        header.data_offset + header.data_size, header.dtype.name(), shape_text(header.shape)));
  }
  NpyArray array = parse_npy(archive.read(*member), name, archive.origin());
  array.file_bytes = archive.bytes().size();
  return array;
}

std::string make_npz(std::span<const NpzEntry> entries, Zip64 zip64) {
  // An array comes with two headers, its name twice, and padding.
  std::size_t size = 0;
  for (const NpzEntry& entry : entries) size += entry.data.size() + 2 * entry.name.size() + 512;
  ZipWriter writer(zip64 == Zip64::kAlways, size);
  for (const NpzEntry& entry : entries) {
    writer.add(entry.name + ".npy", make_npy_header(entry.dtype, entry.shape), entry.data);
  }
  return std::move(writer).finish();
}

}  // namespace openworld
