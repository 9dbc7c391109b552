#include "openworld/worlds/doodle_captions.h"

#include <fmt/format.h>

#include <array>

#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using Words = std::span<const std::string_view>;

std::string_view pick(Words words, Random& random) {
  return words[static_cast<std::size_t>(random.below(words.size()))];
}

bool chance(std::uint64_t percent, Random& random) {
  return random.below(100) < percent;
}

constexpr std::array<std::string_view, 3> kSmallWords = {"small", "little", "tiny"};
constexpr std::array<std::string_view, 3> kBigWords = {"big", "large", "huge"};

// {} is the thing drawn, with what is said about its size and colour.
constexpr std::array<std::string_view, 16> kSentences = {
    "a doodle of a {}.",
    "a doodle of a {}",
    "a drawing of a {}.",
    "a sketch of a {}.",
    "a quick drawing of a {}.",
    "a hand drawn {}.",
    "a picture of a {}.",
    "a simple sketch of a {}.",
    "a {}.",
    "the {}.",
    "this is a {}.",
    "someone drew a {}.",
    "a doodle of the {}.",
    "a rough doodle of a {}.",
    "a photo of a {}.",
    "{}",
};

// {0} is the thing, {1} what it was drawn with.
constexpr std::array<std::string_view, 6> kMediumSentences = {
    "a {1} drawing of a {0}.", "a {1} sketch of a {0}.",    "a {0}, drawn in {1}.",
    "a {0} in {1}.",           "a doodle of a {0} in {1}.", "a {0} that someone drew with {1}.",
};

constexpr std::array<std::string_view, 4> kThemeSentences = {
    "a {0}, a kind of {1}.",
    "a {1}: a {0}.",
    "a drawing of a {1}, a {0}.",
    "this {1} is a {0}.",
};

struct Medium {
  std::string_view look;
  std::array<std::string_view, 3> words;  // {} is the colour
  std::uint64_t said;                     // percent of captions that say it
};

constexpr std::array<Medium, 3> kMedia = {{
    {"plain", {"ink", "pen", "black pen"}, 15},
    {"chalk", {"chalk", "{} chalk", "chalk on a board"}, 60},
    {"crayon", {"crayon", "{} crayon", "crayon on paper"}, 60},
}};

const Medium* find_medium(std::string_view look) {
  for (const Medium& medium : kMedia) {
    if (medium.look == look) return &medium;
  }
  return nullptr;
}

}  // namespace

std::string doodle_caption(const DoodleFacts& facts, Random& random) {
  std::string thing(facts.name);
  const bool has_colour = !facts.colour.empty() && facts.colour != "black";
  // One colour, said of the thing or of what it is drawn with, or not at all.
  const bool coloured_thing = has_colour && chance(35, random);
  if (coloured_thing) thing = fmt::format("{} {}", facts.colour, thing);
  if (facts.size != DoodleSize::kUsual && chance(50, random)) {
    const Words words = facts.size == DoodleSize::kSmall ? Words(kSmallWords) : Words(kBigWords);
    thing = fmt::format("{} {}", pick(words, random), thing);
  }
  const Medium* const medium = find_medium(facts.look);
  if (medium != nullptr && chance(medium->said, random)) {
    const std::string_view sentence = pick(kMediumSentences, random);
    std::string_view words = pick(medium->words, random);
    if (words.find("{}") != words.npos && (!has_colour || coloured_thing)) words = medium->words[0];
    return fmt::format(fmt::runtime(sentence), thing, fill(words, facts.colour));
  }
  if (!facts.templates.empty() && chance(35, random)) {
    return fill(pick(facts.templates, random), thing);
  }
  if (!facts.themes.empty() && chance(15, random)) {
    return fmt::format(fmt::runtime(pick(kThemeSentences, random)), thing,
                       pick(facts.themes, random));
  }
  return fill(pick(kSentences, random), thing);
}

}  // namespace openworld
