// Images that lie in a folder with the name of another class than theirs.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "openworld/doctor/check.h"
#include "openworld/doctor/fix_command.h"
#include "openworld/doctor/plain_name.h"

namespace openworld {
namespace {

struct ClassFolders {
  std::int64_t samples = 0;
  std::int64_t elsewhere = 0;  // in a folder with another class's name and none with their own
  std::string folder;          // the first such
};

// Counts the samples of each class by the folders they are in.
void count(const Dataset& dataset, const std::map<std::string, std::int32_t>& labels,
           std::vector<ClassFolders>& counts) {
  for (const Sample& sample : dataset.samples) {
    if (sample.label < 0) continue;
    ClassFolders& own = counts[static_cast<std::size_t>(sample.label)];
    ++own.samples;
    bool fits = false;
    std::string other;
    for (const auto& part : std::filesystem::path(sample.path).parent_path()) {
      const auto found = labels.find(plain_name(part.string()));
      if (found == labels.end()) continue;
      fits |= found->second == sample.label;
      if (found->second != sample.label) other = part.string();
    }
    if (fits || other.empty()) continue;
    ++own.elsewhere;
    if (own.folder.empty()) own.folder = other;
  }
}

std::vector<Finding> look_at_folders(const Patient& patient) {
  const std::vector<std::string>& classes = patient.data->classes();
  std::map<std::string, std::int32_t> labels;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    labels.emplace(plain_name(classes[c]), static_cast<std::int32_t>(c));
  }
  std::vector<ClassFolders> counts(classes.size());
  for (const Dataset& split : patient.data->splits) count(split, labels, counts);
  Finding finding;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (2 * counts[c].elsewhere <= counts[c].samples) continue;
    finding.examples.push_back(fmt::format("class {}, {}, is in the folder {}", c,
                                           in_quotes(classes[c]), in_quotes(counts[c].folder)));
  }
  // One alone may be a folder that happens to be called so.
  if (finding.examples.size() < 2) return {};
  finding.what = fmt::format("{}: {} classes have their images in folders with the names of others",
                             patient.data->spec.path, finding.examples.size());
  finding.means =
      "the file of names may be in another order than the labels, so that prompts name the wrong "
      "classes";
  finding.fix = fmt::format(
      "ls -d {}/*/ | xargs -n1 basename > names.txt, then --names names.txt; labels of folders "
      "follow their sorted names",
      shell_word(patient.data->splits[0].root));
  return {finding};
}

}  // namespace

const DoctorCheck kFolderOrder = {
    "names-order", "images", "names in another order than the folders of the images",
    [](const Patient& patient) {
      return patient.data && patient.data->splits[0].named && !patient.data->splits[0].source;
    },
    look_at_folders};

}  // namespace openworld
