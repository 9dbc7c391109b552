// Captions made from labels.

#include <fmt/format.h>

#include "openworld/base/random.h"
#include "openworld/worlds/downloads.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/spec_text.h"
#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

// A labelled dataset; a caption is the class name in one of the templates.
class LabelCaptions : public CaptionSource {
 public:
  LabelCaptions(std::string path, Dataset images, std::vector<std::string> templates)
      : path_(std::move(path)), images_(std::move(images)), templates_(std::move(templates)) {
    for (const std::string& name : images_.classes) names_.push_back(spaced(name));
  }

  std::size_t size() const override { return images_.samples.size(); }
  Bytes image(const PairName& name) const override { return read_sample(images_, name.index); }
  std::string caption(const PairName& name) const override {
    Random random(mix64(mix64(name.seed) ^ name.epoch), name.index);
    return fill(templates_[static_cast<std::size_t>(random.below(templates_.size()))],
                names_[label(name.index)]);
  }
  std::uint64_t concept_of(std::size_t index) const override { return label(index); }
  std::string name_of(std::size_t index) const override { return names_[label(index)]; }
  std::vector<std::string> words_of(std::size_t index) const override {
    return words_in(names_[label(index)]);
  }
  std::string place(std::size_t index) const override { return sample_name(images_, index); }
  std::vector<std::string> corpus() const override {
    expect_few_texts(names_, templates_, "pretrain");
    std::vector<std::string> texts;
    for (const std::string& name : names_) {
      for (const std::string& text : templates_) texts.push_back(fill(text, name));
    }
    return texts;
  }
  std::vector<Anchor> anchors(std::uint64_t draw) const override {
    std::vector<Anchor> all;
    const std::string& text = templates_[static_cast<std::size_t>(draw % templates_.size())];
    for (std::size_t i = 0; i < names_.size(); ++i) all.push_back({fill(text, names_[i]), i});
    return all;
  }
  std::string description() const override {
    return fmt::format("{}: {} images of {} classes, called by {} template{} ({})", path_, size(),
                       names_.size(), templates_.size(), templates_.size() == 1 ? "" : "s",
                       images_.format);
  }

 private:
  std::size_t label(std::size_t index) const {
    return static_cast<std::size_t>(images_.samples[index].label);
  }

  std::string path_;
  Dataset images_;
  std::vector<std::string> templates_, names_;
};

}  // namespace

std::unique_ptr<CaptionSource> open_label_captions(const Origin& origin,
                                                   const CaptionOptions& options) {
  DatasetOptions chosen = options.dataset;
  // Elsewhere a download is its test images by default, which are not to be trained on.
  const bool is_download = names_world(origin.file, find_download(origin.file) != nullptr);
  if (chosen.split.empty() && is_download) chosen.split = "train";
  Dataset images = open_dataset(origin.file, chosen);
  std::erase_if(images.samples, [](const Sample& sample) { return sample.label < 0; });
  if (images.samples.empty()) origin.fail("has images but neither captions nor labels");
  if (!images.named) {
    origin.fail(
        "has labels without class names, so captions cannot be made; expected class names "
        "or captions");
  }
  std::vector<std::string> templates = options.templates;
  if (templates.empty()) {
    templates = {images.templates.empty() ? "a photo of a {}." : images.templates};
  }
  return std::make_unique<LabelCaptions>(origin.file, std::move(images), std::move(templates));
}

}  // namespace openworld
