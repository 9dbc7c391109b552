#include "openworld/checkpoint/named_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace openworld {
namespace {

struct Refusal {
  std::string_view prefix;
  std::string_view what;
};

// Telltale tensors of models that OpenCLIP and OpenAI call CLIP, too.
constexpr Refusal kRefusals[] = {
    {"visual.layer1.", "its vision tower is a ResNet; expected a vision transformer"},
    {"visual.attnpool.", "its vision tower is a ResNet; expected a vision transformer"},
    {"visual.trunk.", "its vision tower is a timm model; expected CLIP's vision transformer"},
    {"text.transformer.embeddings.", "its text tower is a Hugging Face model; expected CLIP's"},
    {"logit_bias", "it is a SigLIP model (it has a logit_bias); expected CLIP"},
};

// "a, b, c and 12 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<int>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Names come from files: escape them and limit their length.
std::string shown(const std::string& name) {
  const std::string quoted = in_quotes(name);
  return quoted.substr(1, quoted.size() - 2);
}

bool all_start_with(const std::vector<StoredTensor>& tensors, std::string_view prefix) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const StoredTensor& t) { return t.name.starts_with(prefix); });
}

}  // namespace

NamedTensors::NamedTensors(std::vector<StoredTensor> tensors, const Origin& origin)
    : origin_(origin) {
  constexpr std::string_view kParallel = "module.", kText = "text.";
  if (tensors.empty()) origin_.fail("has no tensors; expected those of CLIP");
  const bool parallel = all_start_with(tensors, kParallel);
  bool has_weight = false, has_bias = false;
  for (StoredTensor& tensor : tensors) {
    if (parallel) tensor.name.erase(0, kParallel.size());
    for (const Refusal& refusal : kRefusals) {
      if (tensor.name.starts_with(refusal.prefix)) origin_.fail(refusal.what);
    }
    if (tensor.name.starts_with("text_model.") || tensor.name.starts_with("vision_model.")) {
      scheme_ = TensorNames::kHuggingFace;
    }
    if (tensor.name.starts_with(kText)) {
      has_text_prefix_ = true;
      tensor.name.erase(0, kText.size());
    }
    has_weight = has_weight || tensor.name.ends_with("attn.in_proj_weight");
    has_bias = has_bias || tensor.name.ends_with("attn.in_proj_bias");
    if (is_bookkeeping(tensor.name)) continue;
    const std::string name = tensor.name;
    if (!tensors_.emplace(name, std::move(tensor)).second) {
      origin_.fail(fmt::format("tensor {} appears twice, with and without the prefix text.",
                               in_quotes(name)));
    }
  }
  if (has_weight && !has_bias) {
    origin_.fail("its attention has no bias (no attn.in_proj_bias); expected CLIP's with biases");
  }
}

std::optional<std::vector<std::int64_t>> NamedTensors::shape(std::string_view name) const {
  std::vector<std::int64_t> shape;
  // The parts' own shapes are not known here; only their number and order matter.
  const TensorSpec any{std::string(name), {1, 1}};
  for (const StoredPart& part : stored_parts(any, scheme_)) {
    const auto found = tensors_.find(part.name);
    if (found == tensors_.end()) return std::nullopt;
    std::vector<std::int64_t> sides = found->second.shape;
    if (part.transposed && sides.size() == 2) std::swap(sides[0], sides[1]);
    if (shape.empty()) {
      shape = sides;
    } else if (!sides.empty()) {
      shape[0] += sides[0];
    }
  }
  return shape;
}

std::int64_t NamedTensors::count(std::string_view NumberedPrefixes::*prefix) const {
  const std::string_view text = numbered_prefixes(scheme_).*prefix;
  std::int64_t count = 0;
  for (auto at = tensors_.lower_bound(text); at != tensors_.end() && at->first.starts_with(text);
       ++at) {
    std::int64_t number = 0;
    const char* begin = at->first.data() + text.size();
    const char* end = at->first.data() + at->first.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    constexpr std::int64_t kMost = 999;  // the others are unexpected
    if (error == std::errc() && rest != end && *rest == '.' && number >= 0 && number <= kMost) {
      count = std::max(count, number + 1);
    }
  }
  return count;
}

std::vector<std::vector<StoredTensor>> NamedTensors::match(const ClipConfig& config) const {
  std::vector<std::string> missing, unexpected, misshapen;
  std::vector<std::vector<StoredTensor>> matched;
  std::set<std::string_view> used;
  for (const TensorSpec& spec : clip_tensors(config)) {
    matched.emplace_back();
    for (const StoredPart& part : stored_parts(spec, scheme_)) {
      const auto found = tensors_.find(part.name);
      if (found == tensors_.end()) {
        missing.push_back(part.name);
        continue;
      }
      StoredTensor tensor = found->second;
      used.insert(found->first);
      if (part.shape.empty() && tensor.shape == std::vector<std::int64_t>{1}) {
        tensor.shape.clear();  // a scalar, also as a list of one
        tensor.strides.clear();
      }
      if (tensor.shape != part.shape) {
        misshapen.push_back(fmt::format("{} is {}, expected {}", part.name,
                                        tensor_shape_text(tensor.shape),
                                        tensor_shape_text(part.shape)));
      } else if (!tensor_type(tensor.type).is_float) {
        misshapen.push_back(fmt::format("{} has type {}, expected a float type", part.name,
                                        tensor_type(tensor.type).name));
      } else {
        matched.back().push_back(part.transposed ? transposed(std::move(tensor))
                                                 : std::move(tensor));
      }
    }
  }
  for (const auto& [name, tensor] : tensors_) {
    if (!used.contains(name)) unexpected.push_back(shown(name));
  }
  std::vector<std::string> problems;
  if (!missing.empty()) problems.push_back("missing: " + listed(missing));
  if (!unexpected.empty()) problems.push_back("unexpected: " + listed(unexpected));
  if (!misshapen.empty()) problems.push_back("misshapen: " + listed(misshapen));
  if (!problems.empty()) origin_.fail(fmt::format("{}", fmt::join(problems, "; ")));
  return matched;
}

void NamedTensors::fail_missing(const std::vector<std::string>& names) const {
  std::vector<std::string> stored;
  for (const std::string& name : names) {
    for (const StoredPart& part : stored_parts({name, {1, 1}}, scheme_)) {
      if (!tensors_.contains(part.name)) stored.push_back(part.name);
    }
  }
  origin_.fail(fmt::format("is not a supported CLIP; missing: {}", listed(stored)));
}

}  // namespace openworld
