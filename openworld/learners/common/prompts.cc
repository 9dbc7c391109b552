#include "openworld/learners/common/prompts.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;

void expect_room(const TextModel& text_model, const std::string& name, std::size_t rows,
                 std::int64_t learned) {
  const std::int64_t context = text_model.clip->config.context;
  if (static_cast<std::int64_t>(rows) <= context) return;
  fail("prompts", fmt::format("class {} takes {} tokens with {} of context; the model has room "
                              "for {}",
                              in_quotes(name), rows, learned, context));
}

void add_tokens(std::vector<PromptRow>& rows, const std::vector<std::int32_t>& ids) {
  for (const std::int32_t id : ids) rows.push_back(token_row(id));
}

// The learned rows that class `c` of `classes` has in the matrix.
std::vector<PromptRow> context_rows(const PromptShape& shape, std::int64_t c) {
  const std::int64_t deep = static_cast<std::int64_t>(shape.deep_blocks.size());
  std::vector<PromptRow> rows;
  for (std::int64_t i = 0; i < shape.tokens; ++i) {
    const std::int64_t first = shape.class_specific ? c * shape.tokens : 0;
    PromptRow row = learnable_row(static_cast<std::int32_t>(first + i));
    for (std::int64_t k = 0; k < deep; ++k) {
      row.deep.push_back({shape.deep_blocks[static_cast<std::size_t>(k)],
                          static_cast<std::int32_t>((k + 1) * shape.tokens + i)});
    }
    if (shape.class_block > 0) {
      row.deep.push_back(
          {shape.class_block, static_cast<std::int32_t>((deep + 1 + c) * shape.tokens + i)});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Prompt prompt_of(const TextModel& text_model, const std::string& name, const PromptShape& shape,
                 std::int64_t c) {
  const Tokenizer& tokenizer = *text_model.tokenizer;
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  // The name and what follows it are one text: a full stop may be part of a token of its end.
  const std::vector<std::int32_t> all = tokenizer.encode(name + shape.after);
  const std::size_t of_name = std::min(tokenizer.encode(name).size(), all.size());
  const auto name_end = all.begin() + static_cast<std::ptrdiff_t>(of_name);
  const std::int64_t before = shape.position == NamePosition::kEnd      ? shape.tokens
                              : shape.position == NamePosition::kMiddle ? shape.tokens / 2
                                                                        : 0;
  const std::vector<PromptRow> context = context_rows(shape, c);
  std::vector<PromptRow> rows = {token_row(vocabulary.start_of_text)};
  rows.insert(rows.end(), context.begin(), context.begin() + before);
  add_tokens(rows, shape.before);
  add_tokens(rows, {all.begin(), name_end});
  rows.insert(rows.end(), context.begin() + before, context.end());
  add_tokens(rows, {name_end, all.end()});
  rows.push_back(token_row(vocabulary.end_of_text));
  expect_room(text_model, name, rows.size(), shape.tokens);
  return {std::move(rows)};
}

std::vector<Prompt> prompts_of(const TextModel& text_model, const std::vector<std::string>& names,
                               const PromptShape& shape) {
  std::vector<Prompt> prompts;
  for (std::size_t c = 0; c < names.size(); ++c) {
    prompts.push_back(prompt_of(text_model, names[c], shape, static_cast<std::int64_t>(c)));
  }
  return prompts;
}

std::int64_t matrix_rows(const PromptShape& shape, std::size_t names) {
  const auto classes = static_cast<std::int64_t>(names);
  const auto deep = static_cast<std::int64_t>(shape.deep_blocks.size());
  const std::int64_t groups = shape.class_specific    ? classes
                              : shape.class_block > 0 ? 1 + deep + classes
                                                      : 1 + deep;
  return groups * shape.tokens;
}

}  // namespace

std::vector<PromptRow> sentence_rows(const TextModel& text_model, const std::string& sentence,
                                     const std::string& name, std::int64_t more) {
  const Vocabulary& vocabulary = text_model.tokenizer->vocabulary();
  std::vector<PromptRow> rows = {token_row(vocabulary.start_of_text)};
  add_tokens(rows, text_model.tokenizer->encode(sentence));
  rows.push_back(token_row(vocabulary.end_of_text));
  expect_room(text_model, name, rows.size() + static_cast<std::size_t>(more), more);
  return rows;
}

ContextPrompts::ContextPrompts(const TextModel& text_model, const std::vector<std::string>& names,
                               const PromptShape& shape)
    : PromptList(text_model, prompts_of(text_model, names, shape),
                 matrix_rows(shape, names.size())) {
  grouped_ = shape.class_specific;
}

Tensor word_rows(const TextModel& text_model, const std::string& words) {
  std::vector<std::int64_t> ids;
  for (const std::int32_t id : text_model.tokenizer->encode(words)) ids.push_back(id);
  if (ids.empty())
    fail("prompts", fmt::format("option init is {}, which has no tokens", in_quotes(words)));
  return text_model.clip->text.weights.token_embedding.detach().index_select(
      0, index_tensor(ids, text_model.clip->device()));
}

Tensor random_rows(const TextModel& text_model, std::int64_t rows, std::uint64_t seed,
                   std::uint64_t stream) {
  return normal_values({rows, text_model.clip->config.text.width}, seed, stream)
      .to(text_model.clip->device());
}

Tensor start_rows(const TextModel& text_model, const std::string& words, std::int64_t rows,
                  std::uint64_t seed, std::uint64_t stream) {
  if (words.empty()) return random_rows(text_model, rows, seed, stream);
  const Tensor start = word_rows(text_model, words);
  return start + random_rows(text_model, start.size(0), seed, stream);
}

}  // namespace openworld
