#include "openworld/osr/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/io/tensor_file.h"
#include "openworld/osr/table.h"

namespace openworld {
namespace {

using at::Tensor;

// Users call it "weight"; files of networks have it as "fc.weight".
std::string head_name(const std::string& name) {
  return name == "weight" ? "fc.weight" : name;
}

std::string user_name(const std::string& name) {
  return name == "fc.weight" ? "weight" : name;
}

void expect_matrix(const char* name, const Tensor& value) {
  if (!value.defined()) fail("osr_loss", fmt::format("{} is missing", name));
  if (value.dim() != 2 || value.numel() == 0) {
    fail("osr_loss", fmt::format("{} is {}; expected two dimensions, none of them 0", name,
                                 tensor_shape_text(value.sizes())));
  }
}

void expect_finite(const std::string& name, const Tensor& value) {
  if (!at::isfinite(value).all().item<bool>()) {
    fail("osr_loss", fmt::format("{} has values that are not finite", name));
  }
}

// From the first parameter that has a row for each class.
HeadShape shape_of(const OsrLossInput& input) {
  expect_matrix("features", input.features);
  for (const char* name : {"weight", "centers"}) {
    const auto found = input.parameters.find(name);
    if (found == input.parameters.end()) continue;
    expect_matrix(name, found->second);
    if (found->second.size(1) != input.features.size(1)) {
      fail("osr_loss", fmt::format("{} is {} and features are {}; expected as many columns in both",
                                   name, tensor_shape_text(found->second.sizes()),
                                   tensor_shape_text(input.features.sizes())));
    }
    if (found->second.size(0) < 2) {
      fail("osr_loss",
           fmt::format("{} has one row; expected one for each of two or more classes", name));
    }
    return {found->second.size(0), found->second.size(1)};
  }
  fail("osr_loss", "neither weight nor centers is given; expected one row for each class");
}

void check_labels(const OsrLossInput& input, std::int64_t classes) {
  const Tensor& labels = input.labels;
  if (!labels.defined() || labels.dim() != 1 || labels.scalar_type() != at::kLong ||
      labels.size(0) != input.features.size(0)) {
    fail("osr_loss",
         fmt::format("labels do not fit features {}; expected {} integers",
                     tensor_shape_text(input.features.sizes()), input.features.size(0)));
  }
  const std::int64_t* const values = labels.contiguous().data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < labels.size(0); ++i) {
    if (values[i] >= 0 && values[i] < classes) continue;
    fail("osr_loss", fmt::format("labels[{}] is {}; expected 0 to {}", i, values[i], classes - 1));
  }
}

void check_mix(const OsrLossInput& input) {
  const MixDraw& mix = input.mix;
  const auto n = static_cast<std::size_t>(input.features.size(0));
  std::vector<std::int64_t> sorted = mix.order;
  std::ranges::sort(sorted);
  bool permutation = sorted.size() <= n;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    permutation = permutation && sorted[i] == static_cast<std::int64_t>(i);
  }
  if (!permutation) {
    fail("osr_loss", fmt::format("order is no permutation of the last samples; expected each of 0, "
                                 "1, ... once, at most {} of them",
                                 n));
  }
  if (!(mix.share >= 0 && mix.share <= 1)) {
    fail("osr_loss", fmt::format("share is {}; expected a number from 0 to 1", mix.share));
  }
}

void set_parameters(OsrHead& head, const OsrLossInput& input) {
  NamedTensors given;
  for (const auto& [name, value] : input.parameters) given[head_name(name)] = value;
  for (const auto& [name, value] : head.parameters()) {
    if (!given.contains(name)) {
      fail("osr_loss", fmt::format("{} is missing; the method has it", user_name(name)));
    }
  }
  for (const auto& [name, value] : given) {
    const std::string shown = user_name(name);
    const auto own = head.parameters().find(name);
    if (own == head.parameters().end()) {
      fail("osr_loss", fmt::format("{} is given; the method has no such tensor", shown));
    }
    const bool fits = own->second.sizes() == value.sizes();
    if (!fits) {
      fail("osr_loss", fmt::format("{} is {}; expected {}", shown, tensor_shape_text(value.sizes()),
                                   tensor_shape_text(own->second.sizes())));
    }
    expect_finite(shown, value);
    head.set_parameter(name, value.to(input.features.scalar_type()));
  }
}

Tensor gradient_of(const Tensor& leaf) {
  return leaf.grad().defined() ? leaf.grad().detach() : at::zeros_like(leaf).detach();
}

}  // namespace

OsrLoss osr_loss(std::string_view method, const std::vector<std::string>& assignments,
                 const OsrLossInput& input) {
  const std::unique_ptr<OsrOptions> options = find_osr_method(method).options();
  OptionList list;
  options->declare(list);
  for (const std::string& assignment : assignments) list.set(assignment, "osr_loss");
  const HeadShape shape = shape_of(input);
  check_labels(input, shape.classes);
  check_mix(input);
  expect_finite("features", input.features);
  const std::unique_ptr<OsrHead> head = options->make(shape, 1);
  set_parameters(*head, input);

  const at::AutoGradMode grad(true);
  const Tensor features = input.features.detach().clone().set_requires_grad(true);
  Tensor loss = head->loss(features, input.labels, input.mix);
  Tensor generated;
  if (input.generated.defined()) {
    expect_matrix("generated", input.generated);
    if (input.generated.size(1) != shape.width) {
      fail("osr_loss", fmt::format("generated is {}; expected {} columns",
                                   tensor_shape_text(input.generated.sizes()), shape.width));
    }
    expect_finite("generated", input.generated);
    generated = input.generated.detach().to(features.scalar_type()).clone().set_requires_grad(true);
    const Tensor confusion = head->confusion(generated);
    if (!confusion.defined()) fail("osr_loss", "generated is given; the method generates nothing");
    loss = loss + confusion;
  }
  loss.backward();

  OsrLoss result;
  result.loss = loss.item<double>();
  result.gradients["features"] = gradient_of(features);
  if (generated.defined()) result.gradients["generated"] = gradient_of(generated);
  for (const auto& [name, value] : head->parameters()) {
    result.gradients[user_name(name)] = gradient_of(value);
  }
  const at::NoGradGuard no_grad;
  result.logits = head->logits(features).detach();
  result.scores = osr_scores(result.logits, options->score);
  return result;
}

}  // namespace openworld
