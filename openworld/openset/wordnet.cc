#include "openworld/openset/wordnet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <set>

#include "openworld/io/mapped_file.h"

namespace openworld {
namespace {

// The fields of one line, apart by single spaces.
class Fields {
 public:
  Fields(std::string_view line, std::size_t number, const Origin& origin)
      : rest_(line), number_(number), origin_(origin) {}

  std::string_view word() {
    if (rest_.empty()) fail("the line ends too early");
    const std::size_t space = rest_.find(' ');
    const std::string_view field = rest_.substr(0, space);
    rest_.remove_prefix(space == std::string_view::npos ? rest_.size() : space + 1);
    return field;
  }

  std::uint32_t number(int base = 10) {
    const std::string_view field = word();
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(field.data(), field.data() + field.size(), value, base);
    if (error != std::errc() || end != field.data() + field.size()) {
      fail(fmt::format("{} is not a number", in_quotes(field)));
    }
    return value;
  }

  [[noreturn]] void fail(std::string_view what) const {
    origin_.fail(fmt::format("line {}: {}; expected the format of wndb(5WN)", number_, what));
  }

 private:
  std::string_view rest_;
  std::size_t number_;
  const Origin& origin_;
};

// f(fields) for each line but those of the licence, which start with two spaces.
template <class F>
void for_each_line(const Origin& origin, const F& f) {
  const Bytes bytes = map_file(origin);
  std::string_view text = as_text(bytes.values);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with("  ")) continue;
    f(Fields(line, number, origin));
  }
}

// As the index writes words: lower case, underscores.
std::string lemma_of(std::string_view name) {
  std::string lemma(name);
  for (char& c : lemma) {
    if (c == ' ') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lemma;
}

}  // namespace

WordNet::WordNet(const std::string& folder) {
  for_each_line({"wordnet", folder + "/data.noun"}, [&](Fields fields) {
    Node node;
    node.offset = fields.number();
    fields.word();  // lexicographer's file
    fields.word();  // part of speech
    const std::uint32_t words = fields.number(16);
    if (words == 0) fields.fail("a synset without words");
    for (std::uint32_t w = 0; w < words; ++w) {
      const std::string_view word = fields.word();
      if (w == 0) node.word = word;
      fields.word();  // lexical id
    }
    for (std::uint32_t p = fields.number(); p > 0; --p) {
      const std::string_view kind = fields.word();
      const std::uint32_t offset = fields.number();
      const std::string_view part = fields.word();
      fields.word();  // source and target
      if (part != "n") continue;
      if (kind == "@" || kind == "@i") node.parents.push_back(offset);
      if (kind == "~" || kind == "~i") node.children.push_back(offset);
    }
    if (!nodes_.empty() && nodes_.back().offset >= node.offset) {
      fields.fail(fmt::format("offset {} does not ascend", node.offset));
    }
    nodes_.push_back(std::move(node));
  });
  const Origin data{"wordnet", folder + "/data.noun"};
  if (nodes_.empty()) data.fail("no synset; expected the format of wndb(5WN)");
  const auto exists = [&](std::uint32_t offset) {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), offset,
                                     [](const Node& n, std::uint32_t o) { return n.offset < o; });
    return at != nodes_.end() && at->offset == offset;
  };
  for (const Node& node : nodes_) {
    for (const auto* list : {&node.parents, &node.children}) {
      for (const std::uint32_t offset : *list) {
        if (exists(offset)) continue;
        data.fail(fmt::format("synset {} points to {}, which is not there", node.offset, offset));
      }
    }
  }
  for_each_line({"wordnet", folder + "/index.noun"}, [&](Fields fields) {
    const std::string_view lemma = fields.word();
    fields.word();  // part of speech
    const std::uint32_t senses = fields.number();
    for (std::uint32_t p = fields.number(); p > 0; --p) fields.word();  // pointer symbols
    fields.word();                                                      // senses again
    fields.word();                                                      // ranked senses
    if (senses == 0) fields.fail("a word without senses");
    const std::uint32_t offset = fields.number();
    if (!exists(offset)) fields.fail(fmt::format("synset {} is not in data.noun", offset));
    first_sense_.emplace(lemma, offset);
  });
}

const WordNet::Node& WordNet::node(std::uint32_t offset) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), offset,
                                   [](const Node& n, std::uint32_t o) { return n.offset < o; });
  assert(at != nodes_.end() && at->offset == offset);
  return *at;
}

std::optional<std::uint32_t> WordNet::find(std::string_view name) const {
  if (name.size() == 9 && name[0] == 'n') {
    std::uint32_t offset = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + 9, offset);
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), offset,
                                     [](const Node& n, std::uint32_t o) { return n.offset < o; });
    if (error == std::errc() && end == name.data() + 9 && at != nodes_.end() &&
        at->offset == offset) {
      return offset;
    }
  }
  const auto found = first_sense_.find(lemma_of(name));
  if (found == first_sense_.end()) return std::nullopt;
  return found->second;
}

std::string WordNet::name(std::uint32_t synset) const {
  std::string word = node(synset).word;
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::vector<std::string> WordNet::single_words() const {
  std::vector<std::string> words;
  for (const auto& [lemma, synset] : first_sense_) {
    const bool letters =
        std::all_of(lemma.begin(), lemma.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (letters) words.push_back(lemma);
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::vector<std::string> WordNet::siblings(std::span<const std::uint32_t> classes) const {
  // Each synset is looked at once, however often lists name it: a file may repeat them.
  std::set<std::uint32_t> looked, parents, grandparents, children, grandchildren, found;
  std::set<std::string> names;
  for (const std::uint32_t synset : classes) {
    if (!looked.insert(synset).second) continue;
    names.insert(lemma_of(node(synset).word));
    for (const std::uint32_t parent : node(synset).parents) {
      if (!parents.insert(parent).second) continue;
      const auto& above = node(parent).parents;
      grandparents.insert(above.begin(), above.end());
    }
  }
  for (const std::uint32_t grandparent : grandparents) {
    const auto& below = node(grandparent).children;
    children.insert(below.begin(), below.end());
  }
  for (const std::uint32_t child : children) {
    const auto& below = node(child).children;
    grandchildren.insert(below.begin(), below.end());
  }
  for (const std::uint32_t grandchild : grandchildren) {
    const Node& leaf = node(grandchild);
    const bool shares_parent = std::any_of(leaf.parents.begin(), leaf.parents.end(),
                                           [&](std::uint32_t p) { return parents.contains(p); });
    if (leaf.children.empty() && !shares_parent) found.insert(grandchild);
  }
  for (const std::uint32_t synset : classes) found.erase(synset);
  std::vector<std::string> result;
  for (const std::uint32_t synset : found) {
    if (names.insert(lemma_of(node(synset).word)).second) result.push_back(name(synset));
  }
  return result;
}

SiblingsOfNames siblings_of(const WordNet& wordnet, std::span<const std::string> names) {
  SiblingsOfNames result;
  std::vector<std::uint32_t> classes;
  for (const std::string& name : names) {
    if (const auto synset = wordnet.find(name)) {
      classes.push_back(*synset);
    } else {
      result.unknown.push_back(name);
    }
  }
  result.siblings = wordnet.siblings(classes);
  return result;
}

}  // namespace openworld
