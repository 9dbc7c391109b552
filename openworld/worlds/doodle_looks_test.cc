#include "openworld/worlds/doodle_looks.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "openworld/io/sha256.h"

namespace openworld {
namespace {

const Doodles& doodles() {
  static const Doodles all(std::string(OPENWORLD_SOURCE_DIR) + "/data/doodles.npz");
  return all;
}

Picture draw(int class_index, int k, Look look, std::uint64_t seed = 1, int percent = 100) {
  return openworld::draw(
      doodles(), class_index, k,
      {.look = look, .percent = percent, .key = doodle_key(seed, class_index, k, look)});
}

std::string digest(const Picture& picture) {
  return hex_text(sha256(std::as_bytes(std::span(picture.image.rgb)))).substr(0, 16);
}

TEST(DoodleLooks, HaveARowEach) {
  ASSERT_EQ(looks().size(), 5u);
  for (std::size_t i = 0; i < looks().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(looks()[i].look), i);
    EXPECT_EQ(find_look(looks()[i].name), &looks()[i]);
  }
  EXPECT_EQ(find_look("charcoal"), nullptr);
}

// Models are trained on these pixels and results name them: they must never change.
TEST(DoodleLooks, AreTheSamePixelsForEver) {
  const struct {
    const char* name;
    int k;
    Look look;
    std::uint64_t seed;
    int percent;
    const char* sha256;  // the first 16 digits
  } cases[] = {
      {"cat", 70, Look::kPlain, 1, 100, "c6174b815c1cad16"},
      {"cat", 70, Look::kRedrawn, 1, 100, "809129f212af7b81"},
      {"cat", 70, Look::kChalk, 1, 100, "3865758619984eff"},
      {"cat", 70, Look::kCrayon, 1, 100, "960e93814a849297"},
      {"cat", 70, Look::kCluttered, 1, 100, "7248157737cc8e62"},
      {"The Eiffel Tower", 0, Look::kPlain, 1, 60, "bae32cf62359078d"},
      {"zigzag", 99, Look::kRedrawn, 7, 80, "c750e55263c0454a"},
      {"piano", 55, Look::kChalk, 7, 60, "10ae6f322d53ddeb"},
      {"apple", 30, Look::kCrayon, 123456789, 70, "8a243d303c2737ff"},
      {"t-shirt", 49, Look::kCluttered, 0, 75, "f2d40674740706d3"},
  };
  for (const auto& c : cases) {
    const int at = doodles().find(c.name);
    ASSERT_GE(at, 0);
    EXPECT_EQ(digest(draw(at, c.k, c.look, c.seed, c.percent)), c.sha256)
        << "{\"" << c.name << "\", " << c.k << ", Look(" << static_cast<int>(c.look) << "), "
        << c.seed << ", " << c.percent << "}";
  }
}

TEST(DoodleLooks, AreTheSameFromSeveralThreads) {
  const auto all = [] {
    std::string text;
    for (const LookRow& row : looks()) {
      for (int c = 0; c < 345; c += 23) text += digest(draw(c, 71, row.look));
    }
    return text;
  };
  std::vector<std::string> seen(4);
  std::vector<std::thread> threads;
  for (auto& text : seen) threads.emplace_back([&] { text = all(); });
  for (auto& thread : threads) thread.join();
  for (const auto& text : seen) EXPECT_EQ(text, all());
}

TEST(DoodleLooks, ComeFromTheKeyAlone) {
  for (const LookRow& row : looks()) {
    const Picture one = draw(67, 80, row.look, 1), two = draw(67, 80, row.look, 2);
    EXPECT_EQ(one.image.rgb == two.image.rgb, row.look == Look::kPlain) << row.name;
    EXPECT_EQ(one.image.width, 56);
    EXPECT_EQ(one.image.height, 56);
    EXPECT_EQ(one.image.rgb.size(), 3u * 56 * 56);
  }
}

// Whether there is no ink but in the middle `side` pixels.
bool white_beyond(const Image& image, int side) {
  const int margin = (image.width - side) / 2;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const bool inside = std::min(x, y) >= margin && std::max(x, y) < image.width - margin;
      if (!inside && image.rgb[static_cast<std::size_t>(3 * (y * image.width + x))] < 250)
        return false;
    }
  }
  return true;
}

TEST(DoodleLooks, ShrinkAboutTheMiddle) {
  for (int c = 0; c < 345; c += 7) {
    EXPECT_TRUE(white_beyond(draw(c, 75, Look::kPlain, 1, 60).image, 40)) << doodles().names()[c];
    EXPECT_TRUE(white_beyond(draw(c, 75, Look::kPlain, 1, 80).image, 50)) << doodles().names()[c];
  }
}

// The words for captions fit what is seen, here the most saturated pixel.
TEST(DoodleLooks, SayTheirColours) {
  std::map<std::string_view, int> inks, papers;
  for (int c = 0; c < 345; ++c) {
    const Picture picture = draw(c, 70, Look::kCrayon);
    ++inks[picture.ink];
    ++papers[picture.paper];
  }
  EXPECT_EQ(inks.size(), 8u);
  EXPECT_EQ(papers.size(), 3u);
  for (const auto& [name, count] : inks) EXPECT_GE(count, 25) << name;
  for (int c = 0; c < 345; ++c) {
    const Picture picture = draw(c, 70, Look::kCrayon);
    std::array<int, 3> purest = {255, 255, 255};
    int most = -1;
    for (std::size_t i = 0; i < picture.image.rgb.size(); i += 3) {
      const std::uint8_t* p = &picture.image.rgb[i];
      const int saturation = std::max({p[0], p[1], p[2]}) - std::min({p[0], p[1], p[2]});
      if (saturation > most) {
        most = saturation;
        purest = {p[0], p[1], p[2]};
      }
    }
    const auto [r, g, b] = purest;
    if (picture.ink == "red") {
      EXPECT_TRUE(r > 2 * g && r > 2 * b);
    }
    if (picture.ink == "green") {
      EXPECT_TRUE(g > r && g > b);
    }
    if (picture.ink == "blue") {
      EXPECT_TRUE(b > r && b > g);
    }
    if (picture.ink == "yellow") {
      EXPECT_TRUE(r > 2 * b && g > 2 * b);
    }
  }
  for (int c = 0; c < 345; c += 3) {
    const Picture chalk = draw(c, 70, Look::kChalk);
    const auto& board = chalk.image.rgb;
    int sum = 0;
    for (const int value : board) sum += value;
    EXPECT_LT(sum / static_cast<int>(board.size()), 128) << "a board is dark";
    const Picture plain = draw(c, 70, Look::kPlain);
    EXPECT_EQ(plain.ink, "black");
    EXPECT_EQ(plain.paper, "white");
  }
}

TEST(DoodleLooks, ClutterRubsOutAndAdds) {
  // Pixels black in the one and white in the other, of all pictures.
  std::int64_t lost = 0, added = 0, black = 0;
  for (int c = 0; c < 345; c += 3) {
    const Image plain = draw(c, 90, Look::kPlain).image;
    const Image cluttered = draw(c, 90, Look::kCluttered).image;
    for (std::size_t i = 0; i < plain.rgb.size(); i += 3) {
      black += plain.rgb[i] < 64;
      lost += plain.rgb[i] < 64 && cluttered.rgb[i] > 192;
      added += plain.rgb[i] > 192 && cluttered.rgb[i] < 64;
    }
  }
  EXPECT_GT(lost * 100, black * 12);
  EXPECT_LT(lost * 100, black * 40);
  EXPECT_GT(added * 100, black * 30);
}

}  // namespace
}  // namespace openworld
