#pragma once

// Images with captions, for contrastive pre-training.
//
//   const auto pairs = open_captions("photos/");
//   const Bytes jpeg = pairs->image({seed, epoch, 7});
//   const std::string caption = pairs->caption({seed, epoch, 7});
//
// caption_formats() lists what can be opened: folders, tables and archives in common layouts,
// arrays of small images, a labelled dataset whose class names are put into templates, and the
// drawings of Doodles. Images and captions of a source may vary from epoch to epoch; they depend on
// (seed, epoch, index) alone.
//
// Beside captions a pair may have a name ("traffic light") and words, for training that predicts
// them, and a weight, for sampling. unnamed.h shows the images of any source without what is said
// about them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/images/image.h"
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

  // The same image where it need not be decoded; nothing where image() has to be.
  virtual std::optional<Image> pixels(const PairName& name) const {
    static_cast<void>(name);
    return std::nullopt;
  }

  // "" for a pair that has none.
  virtual std::string caption(const PairName& name) const = 0;
  virtual bool has_caption(std::size_t index) const {
    static_cast<void>(index);
    return true;
  }

  // Pairs with equal numbers mean the same: neither is a negative of the other.
  virtual std::uint64_t concept_of(std::size_t index) const = 0;

  // What the image shows, as people call it: "traffic light"; "" if the source does not say.
  virtual std::string name_of(std::size_t index) const {
    static_cast<void>(index);
    return {};
  }

  // Words that fit the image, each once. By default those of a caption.
  virtual std::vector<std::string> words_of(std::size_t index) const;

  // How often a pair is drawn, relative to the others; 0: never.
  virtual double weight(std::size_t index) const {
    static_cast<void>(index);
    return 1;
  }

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
  // False: images without names, words and captions.
  bool names = true;
};

struct CaptionFormat {
  const char* name;        // "text-files"
  const char* looks_like;  // one line for --help and docs
};

// In the order in which they are tried.
std::span<const CaptionFormat> caption_formats();

// The words of a text, each once, in order: runs of letters and digits, those of ASCII in lower
// case.
std::vector<std::string> words_in(std::string_view text);

// Opens `path`. Throws an Error of one line that says what was found and what is expected.
std::unique_ptr<CaptionSource> open_captions(const std::string& path,
                                             const CaptionOptions& options = {});

}  // namespace openworld
