#pragma once

// Datasets of images: which images there are, their labels, and the names of the classes.
//
//   const Dataset pets = open_dataset("oxford_pets/split_zhou_OxfordPets.json", {.split = "test"});
//   const Bytes jpeg = read_sample(pets, 0);
//
// Opening lists the files or reads the archives' headers; images are read on demand.
// dataset_formats() lists what can be opened: folders, lists and archives in common layouts, so
// that custom data need no code.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"

namespace openworld {

struct Sample {
  std::string path;         // relative to Dataset::root, or absolute; from a source, for messages
  std::int32_t label = -1;  // index into Dataset::classes; -1: unknown class
  std::uint64_t place = 0;  // where Dataset::source has it
};

// The source of images that are not separate files: archives, or a world that draws them.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // The encoded image. Safe from several threads. Throws Error.
  virtual Bytes read(const Sample& sample) const = 0;

  // For messages.
  virtual std::string name(const Sample& sample) const = 0;
};

struct Dataset {
  std::string format;                // a row of dataset_formats()
  std::string root;                  // what the paths of samples are relative to
  std::vector<std::string> classes;  // names by label, as in the files, underscores included
  bool named = true;                 // false: no names were given, classes are "0", "1", ...
  std::vector<Sample> samples;
  std::vector<std::string> splits;             // available splits; empty if the dataset has none
  std::string split;                           // the one that was opened, or ""
  std::size_t skipped = 0;                     // files skipped because they are not images
  std::string templates;                       // its own prompt template, or ""
  std::shared_ptr<const SampleSource> source;  // null: samples are files
};

struct DatasetOptions {
  std::string split = "";       // one of the dataset's splits; by default its own default, if any
  std::string image_root = "";  // the folder that paths in lists start from; guessed when empty
  std::string names = "";       // a file of class names, see class_names.h; looked for when empty
  std::string format = "";      // a row's name; recognised when empty
  // Two classes may share a name: OpenAI calls two of ImageNet "missile" and two "sunglasses".
  bool allow_duplicate_names = false;
};

// Opens a folder, file, pattern of shards, or a world by its name, "doodles:animals". Throws an
// Error of one line that says what was found and what is expected.
Dataset open_dataset(const std::string& path, const DatasetOptions& options = {});

// Throws the Error of open_dataset() for what is not there, is of no known format, or is not a
// dataset of the world that it names; nothing of it is read.
void expect_dataset(const std::string& path, const std::string& format = "");

// Whether a path is the name of a world, bundled or downloaded, rather than of a file or folder of
// the user's.
bool is_bundled_world(std::string_view path);

// The encoded image of sample i: a mapped file, a part of a mapped archive, or drawn now. Throws
// Error if the file is missing. REQUIRES: i < samples.size().
Bytes read_sample(const Dataset& dataset, std::size_t i);

// Where sample i is, for messages: a path, or what the source calls it.
std::string sample_name(const Dataset& dataset, std::size_t i);

}  // namespace openworld
