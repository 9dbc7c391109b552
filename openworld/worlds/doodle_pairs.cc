// Doodles with captions: every drawing of the pre-training split, in another look, colour and size,
// and in other words, in every epoch. Or without their names, in one look.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "openworld/io/png_writer.h"
#include "openworld/worlds/doodle_captions.h"
#include "openworld/worlds/doodle_datasets.h"
#include "openworld/worlds/doodle_looks.h"
#include "openworld/worlds/doodle_spec.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

constexpr DoodleSplit kSplit = kDoodleSplits[0];
static_assert(kSplit.name == "pretrain");

// Most pictures are plain. Of the shifted looks only the two that captions can name are shown, as
// CLIP has seen sketches and renditions; the others stay unseen.
struct LookShare {
  Look look;
  std::uint64_t percent;
};
constexpr std::array<LookShare, 3> kShares = {
    {{Look::kPlain, 80}, {Look::kChalk, 10}, {Look::kCrayon, 10}}};

struct Shown {
  DoodleStyle style;
  DoodleSize size = DoodleSize::kUsual;
};

constexpr std::size_t kPerClass = kSplit.end - kSplit.begin;

std::uint64_t stream(const PairName& name, std::uint64_t which) {
  return mix64(mix64(mix64(which) ^ name.seed) ^ name.epoch);
}

int drawing_of(std::size_t index) {
  return kSplit.begin + static_cast<int>(index % kPerClass);
}

Bytes png_bytes(const Image& image) {
  return make_bytes(make_png(image.width, image.height, image.rgb, PngCompression::kStored));
}

std::string place_of(const Doodles& doodles, int class_index, int k) {
  return fmt::format("doodles/{}/{}/{:03}.png", kSplit.name,
                     doodles.names()[static_cast<std::size_t>(class_index)], k);
}

class DoodlePairs : public CaptionSource {
 public:
  explicit DoodlePairs(const DoodleDataset& dataset) : dataset_(dataset), doodles_(Doodles::get()) {
    for (const std::string_view name : dataset.classes) {
      Class& entry = classes_.emplace_back();
      entry.index = doodles_.find(name);
      for (const DoodleDataset& row : doodle_datasets()) {
        if (std::find(row.classes.begin(), row.classes.end(), name) == row.classes.end()) continue;
        entry.templates.push_back(row.prompt);
        if (!row.theme.empty()) entry.themes.push_back(row.theme);
      }
    }
  }

  std::size_t size() const override { return classes_.size() * kPerClass; }

  Bytes image(const PairName& name) const override { return png_bytes(picture(name).image); }
  std::optional<Image> pixels(const PairName& name) const override { return picture(name).image; }

  std::string caption(const PairName& name) const override {
    const Shown shown = show(name);
    const Class& entry = classes_[name.index / kPerClass];
    DoodleFacts facts;
    facts.name = doodles_.names()[static_cast<std::size_t>(entry.index)];
    facts.look = looks()[static_cast<std::size_t>(shown.style.look)].name;
    if (shown.style.look != Look::kPlain) facts.colour = picture(name).ink;
    facts.size = shown.size;
    facts.templates = entry.templates;
    facts.themes = entry.themes;
    Random random(stream(name, 2), name.index);
    return doodle_caption(facts, random);
  }

  std::uint64_t concept_of(std::size_t index) const override { return index / kPerClass; }
  std::string name_of(std::size_t index) const override {
    return std::string(
        doodles_.names()[static_cast<std::size_t>(classes_[index / kPerClass].index)]);
  }
  std::vector<std::string> words_of(std::size_t index) const override {
    return words_in(name_of(index));
  }

  std::string place(std::size_t index) const override {
    return place_of(doodles_, classes_[index / kPerClass].index, drawing_of(index));
  }

  std::vector<std::string> corpus() const override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size(); ++i) texts.push_back(caption({0, 0, i}));
    return texts;
  }

  // By the template of everything, and in every third draw each by one of its own.
  std::vector<Anchor> anchors(std::uint64_t draw) const override {
    std::vector<Anchor> all;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const Class& entry = classes_[i];
      const std::size_t choice = draw % 3 == 0 ? draw / 3 % entry.templates.size() : 0;
      const std::string_view name = doodles_.names()[static_cast<std::size_t>(entry.index)];
      all.push_back({fill(entry.templates[choice], name), i});
    }
    return all;
  }

  std::string description() const override {
    return fmt::format("doodles:{}: {} drawings of {} classes ({})", dataset_.name, size(),
                       classes_.size(), kSplit.name);
  }

 private:
  struct Class {
    int index = 0;
    std::vector<std::string_view> templates, themes;
  };

  // An eighth is small, a quarter is full size; captions do not mention the size of the others.
  Shown show(const PairName& name) const {
    Random random(stream(name, 1), name.index);
    Shown shown;
    std::uint64_t draw = random.below(100);
    for (const LookShare& share : kShares) {
      shown.style.look = share.look;
      if (draw < share.percent) break;
      draw -= share.percent;
    }
    const std::uint64_t size = random.below(8);
    const bool small = size == 0, big = size <= 2 && !small;
    shown.size = small ? DoodleSize::kSmall : big ? DoodleSize::kBig : DoodleSize::kUsual;
    const std::uint64_t low = small ? 65 : big ? 98 : 86, high = small ? 78 : 100;
    shown.style.percent = static_cast<int>(low + random.below(high - low + 1));
    const Class& entry = classes_[name.index / kPerClass];
    shown.style.key =
        doodle_key(random.next(), entry.index, drawing_of(name.index), shown.style.look);
    return shown;
  }

  Picture picture(const PairName& name) const {
    return draw(doodles_, classes_[name.index / kPerClass].index, drawing_of(name.index),
                show(name).style);
  }

  const DoodleDataset& dataset_;
  const Doodles& doodles_;
  std::vector<Class> classes_;
};

// Drawings whose names are not told, in one look.
class UnnamedDoodles : public CaptionSource {
 public:
  explicit UnnamedDoodles(const DoodleSpec& spec) : spec_(spec), doodles_(Doodles::get()) {
    for (const std::string_view name : spec.dataset->classes) {
      classes_.push_back(doodles_.find(name));
    }
  }

  std::size_t size() const override { return classes_.size() * kPerClass; }
  Bytes image(const PairName& name) const override { return png_bytes(*pixels(name)); }
  std::optional<Image> pixels(const PairName& name) const override {
    const int index = class_of(name.index), k = drawing_of(name.index);
    Random random(stream(name, 1), name.index);
    const Look look = spec_.look->look;
    return draw(doodles_, index, k,
                {.look = look, .key = doodle_key(random.next(), index, k, look)})
        .image;
  }
  std::string caption(const PairName&) const override { return {}; }
  bool has_caption(std::size_t) const override { return false; }
  std::uint64_t concept_of(std::size_t index) const override { return index; }
  std::vector<std::string> words_of(std::size_t) const override { return {}; }
  std::string place(std::size_t index) const override {
    return place_of(doodles_, class_of(index), drawing_of(index));
  }
  std::vector<std::string> corpus() const override { return {}; }
  std::string description() const override {
    return fmt::format("{}: {} drawings without their names ({})", spec_.text(), size(),
                       kSplit.name);
  }

 private:
  int class_of(std::size_t index) const { return classes_[index / kPerClass]; }

  DoodleSpec spec_;
  const Doodles& doodles_;
  std::vector<int> classes_;
};

}  // namespace

std::unique_ptr<CaptionSource> open_doodle_pairs(const Origin& origin,
                                                 const CaptionOptions& options) {
  // With templates, or another split, Doodles is a labelled dataset like any other.
  const bool by_label = !options.templates.empty() || !options.dataset.split.empty();
  if (by_label || !is_doodle_spec(origin.file)) return nullptr;
  const DoodleSpec spec = parse_doodle_spec(origin);
  if (!options.names && spec.seed == DoodleSpec{}.seed) {
    return std::make_unique<UnnamedDoodles>(spec);
  }
  if (!options.names) origin.fail("has a seed; expected doodles:NAME or doodles:NAME@LOOK");
  if (spec.look->look != Look::kPlain || spec.seed != DoodleSpec{}.seed) {
    origin.fail(
        "has a look or a seed; expected doodles:NAME, which is shown in several looks, or "
        "templates for captions of one look");
  }
  return std::make_unique<DoodlePairs>(*spec.dataset);
}

}  // namespace openworld
