#include "openworld/worlds/doodle_looks.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "openworld/worlds/ink.h"

namespace openworld {
namespace {

constexpr int kSide = kPictureSide;

struct Colour {
  std::string_view name;
  std::array<int, 3> rgb;
};

constexpr Colour kBlack = {"black", {0, 0, 0}};
constexpr Colour kWhite = {"white", {255, 255, 255}};
constexpr Colour kBoards[] = {
    {"green", {34, 66, 52}}, {"grey", {58, 62, 66}}, {"black", {26, 27, 30}}};
// White is the usual one.
constexpr Colour kChalks[] = {{"white", {244, 244, 238}}, {"white", {244, 244, 238}},
                              {"white", {244, 244, 238}}, {"yellow", {247, 232, 140}},
                              {"pink", {246, 172, 186}},  {"blue", {156, 206, 242}}};
constexpr Colour kCrayons[] = {{"red", {214, 38, 40}},    {"orange", {242, 124, 24}},
                               {"yellow", {236, 188, 0}}, {"green", {34, 146, 62}},
                               {"blue", {30, 84, 190}},   {"purple", {122, 50, 158}},
                               {"brown", {122, 74, 36}},  {"pink", {238, 92, 156}}};
constexpr Colour kPapers[] = {
    {"white", {250, 249, 246}}, {"cream", {250, 243, 224}}, {"grey", {236, 236, 233}}};

template <std::size_t n>
const Colour& pick(const Colour (&colours)[n], Random& random) {
  return colours[random.below(n)];
}

// Noise of a pixel from 0 to 255, independent of its neighbours.
int grain(std::uint64_t key, int x, int y) {
  return static_cast<int>(mix64(key + static_cast<std::uint64_t>((y + 64) * 256 + x + 64)) >> 56);
}

int mix(int from, int to, int part) {
  return from + ((to - from) * part + (to > from ? 127 : -127)) / 255;
}

// Lays ink over paper. `cover` is the ink of a pixel, `shade` what is added to its paper.
template <class Cover, class Shade>
Picture compose(const Colour& ink, const Colour& paper, Cover&& cover, Shade&& shade) {
  Picture picture{make_image(kSide, kSide), ink.name, paper.name};
  std::uint8_t* out = picture.image.rgb.data();
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int part = std::clamp(cover(x, y), 0, 255), add = shade(x, y);
      for (std::size_t c = 0; c < 3; ++c) {
        const int under = std::clamp(paper.rgb[c] + add, 0, 255);
        *out++ = static_cast<std::uint8_t>(mix(under, ink.rgb[c], part));
      }
    }
  }
  return picture;
}

Picture black_on_white(const Ink& ink) {
  return compose(
      kBlack, kWhite, [&](int x, int y) { return ink.at(x, y); }, [](int, int) { return 0; });
}

// What a look is drawn from.
struct Subject {
  const Doodles& doodles;
  int class_index;
  int k;
  int percent;

  Drawing drawing() const { return doodles.drawing(class_index, k); }

  // Quick, Draw! has its drawings in the upper left corner: what has ink comes to the middle.
  std::array<std::int32_t, 2> middle() const {
    const Drawing ink = drawing();
    std::array<int, 2> low = {kDrawingSide, kDrawingSide}, high = {-1, -1};
    for (int i = 0; i < static_cast<int>(ink.size()); ++i) {
      if (ink[static_cast<std::size_t>(i)] < 2) continue;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int at = axis == 0 ? i % kDrawingSide : i / kDrawingSide;
        low[axis] = std::min(low[axis], at);
        high[axis] = std::max(high[axis], at);
      }
    }
    return {(low[0] + high[0] + 1 - kDrawingSide) * kOne / 2,
            (low[1] + high[1] + 1 - kDrawingSide) * kOne / 2};
  }

  // Only to the middle and to size.
  Warp warp() const {
    const std::int32_t scale = kOne * 100 / percent;
    return {.matrix = {scale, 0, 0, scale}, .shift = middle()};
  }
};

Picture plain(const Subject& subject, Random&) {
  return black_on_white(Ink(subject.drawing(), subject.warp()));
}

// As if redrawn by another person: turned by up to 12 degrees, 80 to 100 % in size, sheared,
// moved, with wobbling lines of another pen.
Picture redrawn(const Subject& subject, Random& random) {
  const std::int32_t turn = between(random, -kOne * 12 / 360, kOne * 12 / 360);
  const std::int32_t shear = between(random, -kOne / 8, kOne / 8);
  const std::int64_t width = subject.percent * std::int64_t{between(random, 800, 1000)};
  const std::int64_t height = subject.percent * std::int64_t{between(random, 800, 1000)};
  const std::int64_t c = fixed_cos(turn), s = fixed_sin(turn);
  // Turned, then sheared, then stretched.
  const std::array<std::int64_t, 4> m = {c + (shear * s >> 16), -s + (shear * c >> 16), s, c};
  Warp warp;
  for (std::size_t i = 0; i < 4; ++i) {
    warp.matrix[i] = static_cast<std::int32_t>(m[i] * 100'000 / (i < 2 ? width : height));
  }
  warp.shift = subject.middle();
  for (auto& shift : warp.shift) shift += between(random, -kOne * 3 / 2, kOne * 3 / 2);
  const SmoothField dx(random, 11, kOne * 9 / 4), dy(random, 11, kOne * 9 / 4);
  warp.dx = &dx;
  warp.dy = &dy;
  Ink ink(subject.drawing(), warp);
  ink.thicken(between(random, -140, 200));
  return black_on_white(ink);
}

// Light, thin and grainy on a board that was wiped before.
Picture chalk(const Subject& subject, Random& random) {
  const Colour& board = pick(kBoards, random);
  const Colour& colour = pick(kChalks, random);
  Ink ink(subject.drawing(), subject.warp());
  ink.thicken(between(random, -150, -70));
  const SmoothField dust(random, 9, 40), pressure(random, 8, 190);
  const std::uint64_t key = random.next();
  // Wiped along slanted lines: dust of pixels on one line goes together.
  const int slant = between(random, -2, 2);
  const auto shade = [&](int x, int y) {
    const int line = grain(key ^ 1, 0, y + x * slant / 4);
    return std::max(dust.at(x, y) + 6, 0) / 2 + line / 40 + grain(key ^ 2, x, y) / 36;
  };
  const auto cover = [&](int x, int y) {
    // Chalk leaves the hollows of the board bare; more of them where it was pressed less.
    const int tooth = (grain(key, x, y) + grain(key, x / 2, y)) / 2;
    const int hold = std::clamp(360 - tooth + pressure.at(x, y), 60, 256);
    return ink.at(x, y) * hold / 256 * 240 / 255;
  };
  return compose(colour, board, cover, shade);
}

// The direction in which a stroke runs at a pixel: that with the most ink along it.
std::array<int, 2> along(const Ink& ink, int x, int y) {
  constexpr std::array<std::array<int, 2>, 8> kHalfSteps = {
      {{2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {-1, 2}, {-2, 2}, {-2, 1}}};
  std::array<int, 2> best = kHalfSteps[0];
  int most = -1;
  for (const auto& step : kHalfSteps) {
    int sum = 0;
    for (int t = -3; t <= 3; ++t) sum += ink.at(x + t * step[0] / 2, y + t * step[1] / 2);
    if (sum > most) {
      most = sum;
      best = step;
    }
  }
  return best;
}

// One bright colour on rough paper, in streaks along the stroke.
Picture crayon(const Subject& subject, Random& random) {
  const Colour& paper = pick(kPapers, random);
  const Colour& colour = pick(kCrayons, random);
  Ink ink(subject.drawing(), subject.warp());
  ink.thicken(between(random, 60, 220));
  const SmoothField pressure(random, 10, 130), stains(random, 12, 16);
  const std::uint64_t key = random.next();
  const auto cover = [&](int x, int y) {
    const int full = ink.at(x, y);
    if (full == 0) return 0;
    const auto step = along(ink, x, y);
    int streak = 0;
    for (int t = -3; t <= 3; ++t) streak += grain(key, x + t * step[0] / 2, y + t * step[1] / 2);
    const int wax = 240 + (streak / 7 - 128) * 5 / 2 - grain(key ^ 1, x, y) / 4 + pressure.at(x, y);
    return full * std::clamp(wax, 70, 256) / 256;
  };
  const auto shade = [&](int x, int y) {
    return stains.at(x, y) + (grain(key ^ 2, x, y) + grain(key ^ 2, x, y / 2)) / 36 - 9;
  };
  return compose(colour, paper, cover, shade);
}

// A pen of the width that the drawings have.
constexpr std::int32_t kPenRadius = kOne * 5 / 4;

// A line, an arc or a squiggle: a walk whose direction turns evenly, or to and fro.
void scribble(Ink* ink, std::int32_t pen, Random& random) {
  std::int64_t x = between(random, 0, kSide * kOne), y = between(random, 0, kSide * kOne);
  std::int32_t heading = between(random, 0, kOne - 1);
  const int kind = between(random, 0, 2);
  const int steps = between(random, 30, 90);  // of half a pixel
  const std::int32_t bend = kind == 0 ? 0 : between(random, kOne / 180, kOne / 60);
  const int period = between(random, 14, 26);
  const bool left = random.below(2) == 0;
  for (int i = 0; i < steps; ++i) {
    ink->dot(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), pen);
    x += fixed_cos(heading) / 2;
    y += fixed_sin(heading) / 2;
    const bool other = kind == 2 && i / period % 2 == 1;
    heading += left != other ? bend : -bend;
  }
}

// A window of 24 x 24 pixels of another class's drawing of the same split, put elsewhere.
void borrow(const Subject& subject, Ink* ink, Random& random) {
  const auto classes = static_cast<int>(subject.doodles.names().size());
  const int other = (subject.class_index + between(random, 1, classes - 1)) % classes;
  const auto* split =
      std::ranges::find_if(kDoodleSplits, [&](const DoodleSplit& s) { return subject.k < s.end; });
  const int k = between(random, split->begin, split->end - 1);
  const Subject lender{subject.doodles, other, k, subject.percent};
  const Ink from(lender.drawing(), lender.warp());
  constexpr int kWindow = 24;
  const int from_x = between(random, 0, kSide - kWindow),
            from_y = between(random, 0, kSide - kWindow);
  const int to_x = between(random, 0, kSide - kWindow), to_y = between(random, 0, kSide - kWindow);
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      const int value = from.at(from_x + x, from_y + y);
      ink->set(to_x + x, to_y + y, std::max(value, ink->at(to_x + x, to_y + y)));
    }
  }
}

// Rubs out a stripe or a blob, 15 to 25 % of the drawing, with uneven borders.
void rub_out(Ink* ink, int percent, Random& random) {
  constexpr std::int64_t kHalf = std::int64_t{kSide} * kOne / 2;
  const bool stripe = random.below(2) == 0;
  const std::int64_t cx = between(random, 16 * kOne, 40 * kOne);
  const std::int64_t cy = between(random, 16 * kOne, 40 * kOne);
  const std::int32_t angle = between(random, 0, kOne - 1);
  const std::int64_t c = fixed_cos(angle), s = fixed_sin(angle);
  // Half the width of the stripe: 56 w of 56^2. Half axes of the blob: pi a b of it.
  const std::int64_t half = between(random, kOne * 42 / 10, kOne * 7);
  const std::int64_t a = between(random, 11 * kOne, 15 * kOne),
                     b = between(random, 13 * kOne, 17 * kOne);
  const SmoothField edge(random, 8, kOne / 2);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      // Where the pixel were if the drawing filled the picture.
      const std::int64_t dx = std::int64_t{2 * x + 1 - kSide} * kOne * 50 / percent + kHalf - cx;
      const std::int64_t dy = std::int64_t{2 * y + 1 - kSide} * kOne * 50 / percent + kHalf - cy;
      const std::int64_t u = (c * dx + s * dy) >> 16, v = (c * dy - s * dx) >> 16;
      // 1 on the border, less inside.
      const std::int64_t un = u * kOne / (stripe ? half : a), vn = stripe ? 0 : v * kOne / b;
      const std::int64_t at = ((un * un + vn * vn) >> 16) + edge.at(x, y);
      const std::int64_t left = std::clamp<std::int64_t>((at - kOne * 9 / 10) * 4 >> 8, 0, 255);
      ink->set(x, y, static_cast<int>(ink->at(x, y) * left / 255));
    }
  }
}

// Partly rubbed out, and among lines that do not belong to it.
Picture cluttered(const Subject& subject, Random& random) {
  Ink ink(subject.drawing(), subject.warp());
  rub_out(&ink, subject.percent, random);
  for (int i = between(random, 1, 2); i > 0; --i) borrow(subject, &ink, random);
  for (int i = between(random, 3, 5); i > 0; --i)
    scribble(&ink, kPenRadius * subject.percent / 100, random);
  return black_on_white(ink);
}

using Draw = Picture (*)(const Subject& subject, Random& random);
constexpr std::array<Draw, 5> kDraw = {plain, redrawn, chalk, crayon, cluttered};

constexpr LookRow kLooks[] = {
    {Look::kPlain, "plain", "the drawing as it is, black on white", "ImageNet"},
    {Look::kRedrawn, "redrawn",
     "turned, stretched and moved a little, in wobbling lines of another pen", "ImageNetV2"},
    {Look::kChalk, "chalk", "light, thin and grainy on a dark board", "ImageNet-Sketch"},
    {Look::kCrayon, "crayon", "waxy streaks of one of eight colours on rough paper", "ImageNet-R"},
    {Look::kCluttered, "cluttered", "partly rubbed out, among strokes that do not belong to it",
     "ImageNet-A"}};

}  // namespace

std::span<const LookRow> looks() {
  return kLooks;
}

const LookRow* find_look(std::string_view name) {
  const auto* found = std::ranges::find(kLooks, name, &LookRow::name);
  return found == std::end(kLooks) ? nullptr : found;
}

std::uint64_t doodle_key(std::uint64_t seed, int class_index, int k, Look look) {
  std::uint64_t key = mix64(seed);
  for (const int part : {class_index, k, static_cast<int>(look)}) {
    key = mix64(key ^ static_cast<std::uint64_t>(part));
  }
  return key;
}

Picture draw(const Doodles& doodles, int class_index, int k, const DoodleStyle& style) {
  assert(style.percent >= 50 && style.percent <= 100);
  Random random(style.key);
  const Subject subject{doodles, class_index, k, style.percent};
  return kDraw[static_cast<std::size_t>(style.look)](subject, random);
}

}  // namespace openworld
