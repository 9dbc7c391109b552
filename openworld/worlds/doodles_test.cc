#include "openworld/worlds/doodles.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "openworld/io/data_folder.h"
#include "openworld/io/sha256.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::read_file;
using testing::TempFolder;

const std::string& file() {
  static const std::string path = std::string(OPENWORLD_SOURCE_DIR) + "/data/doodles.npz";
  return path;
}

std::vector<std::byte> packed(const Drawing& drawing) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < drawing.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(drawing[i] << 4 | drawing[i + 1]));
  }
  return bytes;
}

TEST(Doodles, LieBesideTheProgram) {
  const auto folder = std::filesystem::weakly_canonical(data_folder());
  EXPECT_EQ(folder, std::filesystem::weakly_canonical(OPENWORLD_SOURCE_DIR "/data"));
  setenv("OPENWORLD_DATA", "/elsewhere", 1);
  EXPECT_EQ(data_folder(), "/elsewhere");
  setenv("OPENWORLD_DATA", "", 1);
  EXPECT_EQ(std::filesystem::weakly_canonical(data_folder()), folder);
  unsetenv("OPENWORLD_DATA");
}

// Of the file's arrays, not its bytes: they do not depend on how zlib deflates.
TEST(Doodles, HaveTheDrawingsTheyWereMadeWith) {
  const Doodles doodles(file());
  const Bytes sums = doodles.checksums();
  EXPECT_EQ(hex_text(sha256(sums.values)),
            "8f50c1d94fbe1a58ecd9496e475859326a902cf755dea3040d4ee69a92cbd876");
  for (int c = 0; c < static_cast<int>(doodles.names().size()); ++c) {
    Sha256 hash;
    for (int k = 0; k < kDrawingsPerClass; ++k) hash.update(packed(doodles.drawing(c, k)));
    const Sha256Digest digest = hash.finish();
    ASSERT_TRUE(std::ranges::equal(std::as_bytes(std::span(digest)),
                                   sums.values.subspan(32 * static_cast<std::size_t>(c), 32)))
        << doodles.names()[static_cast<std::size_t>(c)];
  }
}

TEST(Doodles, FindClasses) {
  const Doodles doodles(file());
  for (int c = 0; c < 345; ++c) EXPECT_EQ(doodles.find(doodles.names()[c]), c);
  EXPECT_EQ(doodles.find("unicorn"), -1);
  EXPECT_EQ(doodles.find("zzz"), -1);
}

TEST(Doodles, SplitsAreDisjointAndComplete) {
  int next = 0;
  for (const DoodleSplit& split : kDoodleSplits) {
    EXPECT_EQ(split.begin, next);
    EXPECT_LT(split.begin, split.end);
    next = split.end;
  }
  EXPECT_EQ(next, kDrawingsPerClass);
}

TEST(Doodles, OpenFromSeveralThreads) {
  const Doodles doodles(file());
  const Doodles alone(file());
  std::vector<std::vector<Drawing>> seen(4);
  std::vector<std::thread> threads;
  for (auto& drawings : seen) {
    threads.emplace_back([&] {
      for (int k = 0; k < kDrawingsPerClass; k += 9) drawings.push_back(doodles.drawing(67, k));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& drawings : seen) {
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      EXPECT_EQ(drawings[i], alone.drawing(67, static_cast<int>(9 * i)));
    }
  }
}

TEST(Doodles, RefuseDamagedFiles) {
  const TempFolder folder;
  EXPECT_ERROR(Doodles(folder / "doodles.npz"),
               "doodles.npz: does not exist; expected the bundled pictures");
  const std::string whole = read_file(file());
  EXPECT_ERROR(Doodles(folder.write("a.npz", whole.substr(0, whole.size() / 2))), "a.npz: ");
  EXPECT_ERROR(Doodles(folder.write("b.npz", "")), "b.npz: ");
  // In the middle of the split pretrain: the others are as they were.
  std::string damaged = whole;
  damaged[1'000'000] = static_cast<char>(damaged[1'000'000] ^ 1);
  const Doodles doodles(folder.write("c.npz", damaged));
  EXPECT_EQ(doodles.drawing(0, 99), Doodles(file()).drawing(0, 99));
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR(doodles.drawing(0, 0), "zip member \"pretrain.npy\" ");
  }
  EXPECT_ERROR(Doodles(folder.write("d.npz", make_npz({}))), "has 0 names that are not the 345");
}

}  // namespace
}  // namespace openworld
