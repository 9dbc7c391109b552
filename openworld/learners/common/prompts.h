#pragma once

// Prompts of class names around learned context rows (Zhou et al., "Learning to Prompt for
// Vision-Language Models", IJCV 2022):
//
//   end      SOT [context] name . EOT
//   middle   SOT [first half] name [second half] . EOT
//   front    SOT name [context] . EOT
//
// With the name at the end all classes share the context's rows (text_forest.h), which is most of
// what there is to compute. Where every image has a context of its own (CoCoOp), the prompts of all
// images of a batch are one forest; with the name in front the images share the names' rows.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {

enum class NamePosition { kEnd, kMiddle, kFront };

struct PromptShape {
  std::int64_t tokens = 16;  // rows of context
  NamePosition position = NamePosition::kEnd;
  bool class_specific = false;  // every class has rows of its own
};

// A model with its words, for as long as learners use them.
struct TextModel {
  const Clip* clip = nullptr;
  const Tokenizer* tokenizer = nullptr;
  TextMemory memory = {};
  int threads = 0;  // 0: all cores
};

// The prompts of one list of names.
class ContextPrompts {
 public:
  // Throws Error naming the first class whose prompt does not fit the model's context.
  ContextPrompts(const TextModel& text_model, const std::vector<std::string>& names,
                 const PromptShape& shape);
  ContextPrompts(ContextPrompts&&) = default;

  std::int64_t names() const { return static_cast<std::int64_t>(prompts_.size()); }
  std::int64_t rows() const { return rows_; }  // of the context as a matrix
  std::size_t shards() { return shards_of(1).size(); }

 private:
  friend class PromptPool;

  // Neighbouring prompts, computed by one thread. How many there are depends on the prompts and the
  // model alone, so that the number of threads does not change a bit.
  using Shards = std::vector<std::unique_ptr<TextEncoder>>;

  // For contexts of so many images, of all names for the first one, then for the second, ...; laid
  // out when they are first asked for.
  const Shards& shards_of(std::int64_t images);
  Shards make_shards(std::int64_t images) const;

  TextModel text_model_;
  PromptShape shape_;
  std::int64_t rows_ = 0;
  std::vector<std::vector<PromptRow>> prompts_;  // by name, for the first image
  std::map<std::int64_t, Shards> shards_;        // by number of images
};

// Computes features of several prompt lists side by side.
class PromptPool {
 public:
  explicit PromptPool(int threads);

  // Normalised features [names, embed] of each list, with its context: [tokens, d], or [names,
  // tokens, d] where it is class specific. Otherwise [images, tokens, d] is a context per image,
  // for features [images, names, embed]; a list keeps its layout for each number of images that it
  // has met. Differentiable in the contexts, as often as one likes while the result lives. Throws
  // Error for contexts of another shape.
  std::vector<at::Tensor> features(std::span<ContextPrompts* const> prompts,
                                   std::span<const at::Tensor> contexts);
  at::Tensor features(ContextPrompts& prompts, const at::Tensor& context);

 private:
  struct Graph;
  struct Encode;

  static std::int64_t images_of(const ContextPrompts& prompts, const at::Tensor& contexts);

  WorkerPool pool_;
};

// Rows for a context from words: their token embeddings, [tokens of the words, d].
at::Tensor word_rows(const TextModel& text_model, const std::string& words);

// i.i.d. N(0, 0.02^2), from (seed, stream).
at::Tensor random_rows(const TextModel& text_model, std::int64_t rows, std::uint64_t seed,
                       std::uint64_t stream);

// Where a context starts: noise of `rows` rows, or, with words, their rows with that noise added,
// so that several contexts from the same words differ. Throws Error for words without tokens.
at::Tensor start_rows(const TextModel& text_model, const std::string& words, std::int64_t rows,
                      std::uint64_t seed, std::uint64_t stream);

}  // namespace openworld
