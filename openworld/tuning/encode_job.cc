#include "openworld/tuning/encode_job.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/text_array.h"
#include "openworld/io/text_lines.h"
#include "openworld/io/utf8.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/output_file.h"
#include "openworld/tuning/text_lengths.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

NpzEntry matrix_entry(const char* name, std::span<const float> values, std::size_t rows,
                      std::size_t columns) {
  return {name, {Dtype::Kind::kFloat, sizeof(float)}, {rows, columns}, std::as_bytes(values)};
}

// What the file and the result both say.
Json description_json(const EncodeResult& result) {
  Json json = {{"model", model_summary_json(result.model)}};
  if (result.data) json["data"] = data_summary_json(*result.data);
  json["normalized"] = false;
  return json;
}

void encode_images_to(const EncodeRequest& request, const LoadedModel& model,
                      const Observer& observer, EncodeResult& result) {
  const Dataset dataset = request.data.open();
  const ImageFeatures features =
      encode_dataset(model, dataset, request.model, request.cache, observer);
  std::vector<std::int32_t> labels;
  std::vector<std::string> paths;
  for (const std::size_t i : features.samples) {
    labels.push_back(dataset.samples[i].label);
    paths.push_back(replace_invalid_utf8(dataset.samples[i].path));
  }
  result.rows = features.samples.size();
  result.columns = features.width;
  result.data = data_summary(dataset, request.data.path, result.rows, features.failures.size());
  result.encoded = features.encoded;
  result.found = features.found;
  result.copies = result.rows - result.encoded - result.found;
  const Origin origin = {"encode", request.out};
  const std::string meta = dump_line(description_json(result));
  const TextArray names(dataset.classes, "names", origin), path_array(paths, "paths", origin);
  const TextArray meta_array(std::span(&meta, 1), "meta", origin);
  const std::vector<NpzEntry> entries = {
      matrix_entry("features", features.features, result.rows, result.columns),
      {"labels",
       {Dtype::Kind::kInt, 4},
       {result.rows},
       std::as_bytes(std::span<const std::int32_t>(labels))},
      names.entry("names", {dataset.classes.size()}),
      path_array.entry("paths", {result.rows}),
      meta_array.entry("meta", {})};
  write_file_atomically(request.out, make_npz(entries), "encode");
}

void encode_texts_to(const EncodeRequest& request, const LoadedModel& model,
                     const Observer& observer, EncodeResult& result) {
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, request.model.vocabulary);
  const Origin source{"encode", request.texts};
  const std::vector<std::string> texts = read_text_lines(source, EmptyLines::kKeep);
  if (texts.empty()) source.fail("no texts, expected one a line");
  check_text_lengths(texts, tokenizer, model.clip.config.context,
                     [&](std::size_t i, std::string_view what) {
                       source.fail(fmt::format("line {} {}", i + 1, what));
                     });
  const at::Tensor features =
      encode_texts(model.clip, tokenizer, texts,
                   {.memory = {request.memory}, .on_progress = observer.follow("encoding texts")})
          .to(at::kCPU)
          .contiguous();
  result.rows = texts.size();
  result.columns = static_cast<std::size_t>(features.size(1));
  const Origin origin = {"encode", request.out};
  const std::string meta = dump_line(description_json(result));
  const TextArray text_array(texts, "texts", origin);
  const TextArray meta_array(std::span(&meta, 1), "meta", origin);
  const std::vector<NpzEntry> entries = {
      matrix_entry("features", {features.data_ptr<float>(), result.rows * result.columns},
                   result.rows, result.columns),
      text_array.entry("texts", {texts.size()}), meta_array.entry("meta", {})};
  write_file_atomically(request.out, make_npz(entries), "encode");
}

}  // namespace

Json encode_json(const EncodeResult& result) {
  Json json = {{"schema", "openworld.features/2"}, {"out", result.out}};
  json.update(description_json(result));
  json["features"] = {result.rows, result.columns};
  if (result.data) {
    json["encoded"] = result.encoded;
    json["found"] = result.found;
    json["copies"] = result.copies;
  }
  return json;
}

EncodeResult run_encoding(const EncodeRequest& request, const Observer& observer) {
  expect_writable_npz(request.out, "encode");
  const LoadedModel model = load_model(request.model, "encode", observer);
  EncodeResult result;
  result.out = request.out;
  result.model = model.description(request.model);
  if (request.texts.empty()) {
    encode_images_to(request, model, observer, result);
  } else {
    encode_texts_to(request, model, observer, result);
  }
  return result;
}

}  // namespace openworld
