#pragma once

// WordNet's nouns (Miller, "WordNet: a lexical database for English", CACM 1995), and the names by
// which the paper makes a query set grow: related to the classes, but not too closely.
//
// Reads index.noun and data.noun as Debian's wordnet-base installs them (format: wndb(5WN)).
// The 82,115 synsets of WordNet 3.0 take well under a second.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/text_map.h"

namespace openworld {

inline constexpr const char* kWordNetFolder = "/usr/share/wordnet";

class WordNet {
 public:
  // Reads `folder`/index.noun and `folder`/data.noun. Throws Error, with file and line.
  explicit WordNet(const std::string& folder);

  // The synset that a name means: its first sense, which is the most frequent one. Case, and spaces
  // for underscores, do not matter. A name such as n02084071 (the ids of ImageNet) is the synset at
  // that offset. Nothing if there is none.
  std::optional<std::uint32_t> find(std::string_view name) const;

  // The first word of a synset, with spaces. REQUIRES: `synset` came from this object.
  std::string name(std::uint32_t synset) const;

  // The leaf nouns that share a grandparent with a class and no parent with any class, in the order
  // of the file, without the classes themselves and each name once. Grandparents are hypernyms of
  // hypernyms (instances included).
  std::vector<std::string> siblings(std::span<const std::uint32_t> classes) const;

  // The nouns that are one word of lower-case letters, in alphabetical order.
  std::vector<std::string> single_words() const;

  std::size_t synsets() const { return nodes_.size(); }

 private:
  struct Node {
    std::uint32_t offset = 0;
    std::string word;
    std::vector<std::uint32_t> parents, children;  // offsets
  };

  const Node& node(std::uint32_t offset) const;

  std::vector<Node> nodes_;  // by offset
  TextMap<std::uint32_t> first_sense_;
};

// The siblings of classes by name, and the names that are no nouns of WordNet.
struct SiblingsOfNames {
  std::vector<std::string> siblings, unknown;
};
SiblingsOfNames siblings_of(const WordNet& wordnet, std::span<const std::string> names);

}  // namespace openworld
