#pragma once

// Tar archives for tests, block by block, so that a test may falsify any of it.

#include <fmt/format.h>

#include <string>

namespace openworld::testing {

// A header block with a right checksum.
inline std::string tar_header(const std::string& name, std::size_t size, char type = '0',
                              const std::string& prefix = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 24,
                std::string("0000644\0"
                            "0000000\0"
                            "0000000\0",
                            24));
  block.replace(124, 11, fmt::format("{:011o}", size));
  block.replace(136, 11, "00000000000");
  block.replace(148, 8, "        ");
  block[156] = type;
  block.replace(257, 8,
                std::string("ustar\0"
                            "00",
                            8));
  block.replace(345, prefix.size(), prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  block.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  return block;
}

inline std::string tar_padded(std::string data) {
  data.resize((data.size() + 511) / 512 * 512);
  return data;
}

inline std::string tar_file(const std::string& name, const std::string& data, char type = '0') {
  return tar_header(name, data.size(), type) + tar_padded(data);
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace openworld::testing
