#pragma once

// Lists of prompts with learned rows, and their features, computed side by side on threads.
//
// A prompt is a path of rows (text_forest.h): tokens of the vocabulary, and rows of a matrix that
// is learned, at the input or in the place of a state at a later block. Prompts of a list that
// begin alike share those rows. Where every image has a matrix of its own (CoCoOp), the prompts of
// all images of a batch are one forest; rows before the first learned one belong to all of them.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/text/tokenizer.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/text_encoder.h"

namespace openworld {

// A model with its words, for as long as learners use them.
struct TextModel {
  const Clip* clip = nullptr;
  const Tokenizer* tokenizer = nullptr;
  TextMemory memory = {};
  int threads = 0;  // 0: all cores
};

struct Prompt {
  std::vector<PromptRow> rows;

  // Rows below the last of `rows`, each by itself, which are read in its place if there are any
  // (RPO).
  std::vector<PromptRow> readers = {};
};

// How many parts of a list are computed side by side, of so many rows in all, where every prompt
// begins with the same `shared` ones, which each part computes again.
std::int64_t shard_count(const TowerConfig& text, std::int64_t rows, std::int64_t shared);

class PromptList {
 public:
  // Learned rows are [0, rows) of the matrix. REQUIRES: all prompts have as many readers.
  PromptList(const TextModel& text_model, std::vector<Prompt> prompts, std::int64_t rows);
  PromptList(PromptList&&) = default;

  std::int64_t prompts() const { return static_cast<std::int64_t>(prompts_.size()); }
  std::int64_t rows() const { return rows_; }
  std::int64_t features() const { return prompts() * reads_; }  // prompts x what is read of each
  std::size_t shards() { return shards_of(1).size(); }

 protected:
  // Whether a matrix of three dimensions is one of `rows`, a group for each prompt, and not one
  // per image.
  bool grouped_ = false;

 private:
  friend class PromptPool;

  // Neighbouring prompts, computed by one thread. How many there are depends on the prompts and the
  // model alone, so that the number of threads does not change a bit.
  using Shards = std::vector<std::unique_ptr<TextEncoder>>;

  // For matrices of so many images, of all prompts for the first one, then for the second, ...;
  // laid out when they are first asked for.
  const Shards& shards_of(std::int64_t images);
  Shards make_shards(std::int64_t images) const;

  TextModel text_model_;
  std::int64_t rows_ = 0;
  std::int64_t reads_ = 1;
  std::vector<Prompt> prompts_;            // for the first image
  std::map<std::int64_t, Shards> shards_;  // by number of images
};

// Computes features of several prompt lists side by side.
class PromptPool {
 public:
  explicit PromptPool(int threads);

  // Normalised features [features of the list, embed] of each list, with its learned matrix: [rows,
  // d], or [prompts, rows / prompts, d] where the rows are grouped. Otherwise [images, rows, d] is
  // a matrix per image, for features [images, features of the list, embed]; a list keeps its layout
  // for each number of images that it has met. Differentiable in the matrices, as often as one
  // likes while the result lives. Throws Error for matrices of another shape.
  std::vector<at::Tensor> features(std::span<PromptList* const> lists,
                                   std::span<const at::Tensor> learned);
  at::Tensor features(PromptList& list, const at::Tensor& learned);

  // The same as the encoder gives them, not normalised.
  at::Tensor encoded(PromptList& list, const at::Tensor& learned);

  // Normalised features [images, features of the list, embed] for a matrix per image, without
  // gradients. Every image is computed by itself, so that its bits do not depend on the others.
  at::Tensor features_of_each(PromptList& list, const at::Tensor& learned);

 private:
  struct Graph;
  struct Encode;

  static std::int64_t images_of(const PromptList& list, const at::Tensor& learned);
  std::vector<at::Tensor> compute(std::span<PromptList* const> lists,
                                  std::span<const at::Tensor> learned, bool normalize);

  WorkerPool pool_;
};

}  // namespace openworld
