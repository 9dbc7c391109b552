// Checks of the names of classes.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "openworld/base/quotes.h"
#include "openworld/base/text_map.h"
#include "openworld/doctor/check.h"
#include "openworld/doctor/plain_name.h"

namespace openworld {
namespace {

bool has_names(const Patient& patient) {
  return !patient.names.empty();
}

constexpr auto kFix =
    "write names that tell the classes apart into a file, one a line, and give it by --names FILE "
    "to encode, zeroshot and tune";

std::string both(const std::string& a, const std::string& b) {
  return fmt::format("{} and {}", in_quotes(a), in_quotes(b));
}

std::vector<Finding> look_for_equal(const Patient& patient) {
  std::vector<Finding> findings;
  for (const ClassNameList& list : patient.names) {
    Finding finding;
    std::map<std::string, std::size_t> seen;
    for (std::size_t c = 0; c < list.names.size(); ++c) {
      const auto [first, is_new] = seen.emplace(plain_name(list.names[c]), c);
      if (is_new) continue;
      finding.examples.push_back(fmt::format("classes {} and {}: {}", first->second, c,
                                             both(list.names[first->second], list.names[c])));
    }
    if (finding.examples.empty()) continue;
    finding.what = fmt::format("{}: {} of {} class names occur before", list.where,
                               finding.examples.size(), list.names.size());
    finding.means =
        "classes with the same name have the same prompts, so that no model can tell them apart "
        "and the first gets every answer";
    finding.fix = kFix;
    findings.push_back(std::move(finding));
  }
  return findings;
}

// Names with more words are descriptions, which contain many things. The phrases of a name are as
// many as the square of its words.
constexpr std::size_t kMostWords = 32;
// Where looking ends: a list of names that overlap so much needs no more examples.
constexpr std::size_t kMostContained = 100'000;

// Calls f(words [first, last) of the name) for each run of whole words but all of them.
template <class F>
void for_phrases(std::string_view name, const F& f) {
  if (static_cast<std::size_t>(std::ranges::count(name, ' ')) >= kMostWords) return;
  std::vector<std::size_t> starts = {0}, ends;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != ' ') continue;
    ends.push_back(i);
    starts.push_back(i + 1);
  }
  ends.push_back(name.size());
  for (std::size_t first = 0; first < starts.size(); ++first) {
    for (std::size_t last = first; last < ends.size(); ++last) {
      if (first == 0 && last + 1 == ends.size()) continue;
      f(name.substr(starts[first], ends[last] - starts[first]));
    }
  }
}

std::vector<Finding> look_for_contained(const Patient& patient) {
  std::vector<Finding> findings;
  for (const ClassNameList& list : patient.names) {
    std::vector<std::string> plain;
    for (const std::string& name : list.names) plain.push_back(plain_name(name));
    TextViewMap<std::size_t> known;
    for (std::size_t c = 0; c < plain.size(); ++c) {
      if (!plain[c].empty()) known.emplace(plain[c], c);
    }
    Finding finding;
    for (std::size_t c = 0; c < plain.size(); ++c) {
      for_phrases(plain[c], [&](std::string_view phrase) {
        const auto found = known.find(phrase);
        if (found == known.end() || finding.examples.size() == kMostContained) return;
        finding.examples.push_back(fmt::format("classes {} and {}: {}", found->second, c,
                                               both(list.names[found->second], list.names[c])));
      });
    }
    if (finding.examples.empty()) continue;
    finding.what =
        fmt::format("{}: {}{} class name{} in another", list.where, finding.examples.size(),
                    finding.examples.size() == kMostContained ? " or more" : "",
                    finding.examples.size() == 1 ? " is contained" : "s are contained");
    finding.means =
        "images of the longer name often fit the shorter one too, which costs accuracy; base and "
        "new names that overlap cost AUROC as well";
    finding.fix = std::string(kFix) + "; if they are meant so, --ignore contained-names";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

const DoctorCheck kEqualNames = {"equal-names", "class names",
                                 "names that are equal but for case, underscores and spaces",
                                 has_names, look_for_equal};
const DoctorCheck kContainedNames = {"contained-names", "class names",
                                     "names that are whole words of another name", has_names,
                                     look_for_contained};

}  // namespace openworld
