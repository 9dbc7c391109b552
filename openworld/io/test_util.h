#pragma once

// What the tests of this folder share: files to read, folders to write to, and hostile archives.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/io/crc32.h"
#include "openworld/io/npy.h"
#include "openworld/io/npz.h"

namespace openworld::testing {

inline std::string testdata(const std::string& name) {
  return std::string(OPENWORLD_SOURCE_DIR) + "/openworld/io/testdata/" + name;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "openworld.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::string path_;
};

// The text of the Error that f throws, or "no Error".
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error";
}

// The Error has this text in it, and is one line.
#define EXPECT_ERROR(statement, fragment)                                             \
  do {                                                                                \
    const std::string wanted = (fragment);                                            \
    const std::string got = ::openworld::testing::error_of([&] { statement; });       \
    EXPECT_NE(got.find(wanted), std::string::npos) << got << "\nexpected " << wanted; \
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;                              \
  } while (false)

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// An .npy with any header text, padded or not.
inline std::string npy_of(const std::string& dict, const std::string& data, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  const std::size_t length = dict.size();
  for (int k = 0; k < (major == 1 ? 2 : 4); ++k) bytes += static_cast<char>(length >> (8 * k));
  return bytes + dict + data;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran_order = false) {
  return npy_of("{'descr': '" + descr + "', 'fortran_order': " +
                    (fortran_order ? "True" : "False") + ", 'shape': " + shape + ", }\n",
                data);
}

// Without header or trailer, or with those that `window_bits` asks zlib for.
inline std::string deflate_raw(const std::string& bytes, int window_bits = -MAX_WBITS) {
  z_stream stream{};
  ::deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

// A zip member whose every field a test may falsify.
struct Member {
  std::string name;
  std::string data;  // as it lies in the archive
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint32_t size = 0;             // uncompressed
  std::uint32_t compressed_size = 0;  // = data.size()
  std::uint32_t moved = 0;            // added to the offset in the directory
  std::uint16_t disk = 0;
};

inline Member stored(const std::string& name, const std::string& bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::uint32_t crc = crc32(std::as_bytes(std::span(bytes)));
  return {name, bytes, 0, 0, crc, size, size};
}

inline Member deflated(const std::string& name, const std::string& bytes) {
  Member member = stored(name, bytes);
  member.data = deflate_raw(bytes);
  member.method = 8;
  member.compressed_size = static_cast<std::uint32_t>(member.data.size());
  return member;
}

inline std::string zip_of(const std::vector<Member>& members) {
  std::string out, directory;
  const auto put = [](std::string& to,
                      std::initializer_list<std::pair<std::uint64_t, int>> fields) {
    for (const auto& [value, bytes] : fields) {
      for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k));
    }
  };
  for (const Member& m : members) {
    put(directory, {{0x02014b50, 4},
                    {20, 2},
                    {20, 2},
                    {m.flags, 2},
                    {m.method, 2},
                    {0, 4},
                    {m.crc, 4},
                    {m.compressed_size, 4},
                    {m.size, 4},
                    {m.name.size(), 2},
                    {0, 4},
                    {m.disk, 2},
                    {0, 6},
                    {out.size() + m.moved, 4}});
    directory += m.name;
    put(out, {{0x04034b50, 4},
              {20, 2},
              {m.flags, 2},
              {m.method, 2},
              {0, 4},
              {m.crc, 4},
              {m.compressed_size, 4},
              {m.size, 4},
              {m.name.size(), 2},
              {0, 2}});
    out += m.name + m.data;
  }
  const std::size_t begin = out.size();
  out += directory;
  put(out, {{0x06054b50, 4},
            {0, 4},
            {members.size(), 2},
            {members.size(), 2},
            {directory.size(), 4},
            {begin, 4},
            {0, 2}});
  return out;
}

}  // namespace openworld::testing
