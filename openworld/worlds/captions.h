#pragma once

// Images with captions, for contrastive pre-training.
//
//   const auto pairs = open_captions("photos/");
//   const Bytes jpeg = pairs->image({seed, epoch, 7});
//   const std::string caption = pairs->caption({seed, epoch, 7});
//
// caption_formats() lists what can be opened: folders, tables and archives in common layouts, a
// labelled dataset whose class names are put into templates, and the drawings of Doodles. Images
// and captions of a source may vary from epoch to epoch; they depend on (seed, epoch, index)
// alone.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Which rendering of which pair.
struct PairName {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::size_t index = 0;
};

// All of it may be called by several threads at once.
class CaptionSource {
 public:
  virtual ~CaptionSource() = default;

  virtual std::size_t size() const = 0;

  // The encoded image. Throws Error if the file is missing.
  virtual Bytes image(const PairName& name) const = 0;
  virtual std::string caption(const PairName& name) const = 0;

  // Pairs with equal numbers mean the same: neither is a negative of the other.
  virtual std::uint64_t concept_of(std::size_t index) const = 0;

  // Where a pair is, for messages.
  virtual std::string place(std::size_t index) const = 0;

  // Texts with the word frequencies of the captions in training.
  virtual std::vector<std::string> corpus() const = 0;

  // One caption of every concept, if there are few: the candidate captions of an image. The words
  // depend on `draw`. Empty for free-text captions.
  struct Anchor {
    std::string caption;
    std::uint64_t meaning = 0;  // as concept_of
  };
  virtual std::vector<Anchor> anchors(std::uint64_t draw) const {
    static_cast<void>(draw);
    return {};
  }

  // One line for logs: format, path, counts.
  virtual std::string description() const = 0;
};

struct CaptionOptions {
  DatasetOptions dataset = {};  // for labelled data, and image_root for tables
  std::vector<std::string> templates =
      {};  // for labelled data; none: its own, else "a photo of a {}."
};

struct CaptionFormat {
  const char* name;        // "text-files"
  const char* looks_like;  // one line for --help and docs
};

// In the order in which they are tried.
std::span<const CaptionFormat> caption_formats();

// Opens `path`. Throws an Error of one line that says what was found and what is expected.
std::unique_ptr<CaptionSource> open_captions(const std::string& path,
                                             const CaptionOptions& options = {});

}  // namespace openworld
