// Weights of the published code (iCGY96/ARPL and what was made from it).

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <map>

#include "openworld/base/error.h"
#include "openworld/checkpoint/weights_file.h"
#include "openworld/osr/osr_model.h"
#include "openworld/osr/table.h"

namespace openworld {
namespace {

using at::Tensor;

using Stored = std::map<std::string, StoredTensor>;

// Without "module." before names, and without counters of batches.
Stored read_state(const std::string& path) {
  constexpr std::string_view kWrapper = "module.";
  Weights weights = open_weights({path}, "osr");
  const Origin origin{"osr", path};
  Stored stored;
  for (StoredTensor& tensor : weights.tensors) {
    std::string_view rest = tensor.name;
    while (rest.starts_with(kWrapper)) rest.remove_prefix(kWrapper.size());
    const std::string name(rest);
    if (name.ends_with("num_batches_tracked")) continue;
    if (!stored.emplace(name, std::move(tensor)).second) {
      origin.fail(fmt::format("has {} twice, with and without module.", name));
    }
  }
  return stored;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == 6) return fmt::format("{} and {} more", text, names.size() - i);
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text;
}

// What stands in `wanted` and is not there, is there and not wanted, or has another shape.
class Problems {
 public:
  void missing(const std::string& name) { missing_.push_back(name); }
  void unexpected(const std::string& name) { unexpected_.push_back(name); }
  void misshapen(const std::string& name, const StoredTensor& got, at::IntArrayRef expected) {
    misshapen_.push_back(fmt::format("{} is {} {}, expected {}", name, tensor_type(got.type).name,
                                     tensor_shape_text(got.shape), tensor_shape_text(expected)));
  }

  void refuse(const Origin& origin, std::string_view what) const {
    if (missing_.empty() && unexpected_.empty() && misshapen_.empty()) return;
    std::string text = fmt::format("is not {}", what);
    if (!missing_.empty()) text += "; missing: " + listed(missing_);
    if (!unexpected_.empty()) text += "; unexpected: " + listed(unexpected_);
    if (!misshapen_.empty()) text += "; misshapen: " + listed(misshapen_);
    origin.fail(text);
  }

 private:
  std::vector<std::string> missing_, unexpected_, misshapen_;
};

bool fits(const StoredTensor& stored, const Tensor& tensor) {
  const std::vector<std::int64_t> shape(tensor.sizes().begin(), tensor.sizes().end());
  return tensor_type(stored.type).is_float && stored.shape == shape;
}

void copy(const StoredTensor& stored, const Tensor& to) {
  const at::NoGradGuard no_grad;
  const Tensor values = at::empty(to.sizes(), at::kFloat);
  read_floats(stored, {values.data_ptr<float>(), static_cast<std::size_t>(values.numel())});
  to.copy_(values);
}

// Classes of the tensor that has a row for each.
std::int64_t rows_of(const Stored& stored, std::initializer_list<const char*> names,
                     const NetworkRow& net, const Origin& origin) {
  for (const char* name : names) {
    const auto found = stored.find(name);
    if (found == stored.end()) continue;
    // With rows of this width, so that a file has as many as it says.
    const std::vector<std::int64_t>& shape = found->second.shape;
    if (shape.size() == 2 && shape[0] >= 2 && shape[1] == net.width) return shape[0];
    origin.fail(fmt::format("{} is {}; expected a row of {} for each of two or more classes", name,
                            tensor_shape_text(shape), net.width));
  }
  origin.fail(fmt::format("has no {}; expected the state of such a network", *names.begin()));
}

// The tensor of a loss under the names that the published code and ours have for it.
const StoredTensor* find_any(const Stored& stored, const std::string& name) {
  for (const std::string& each :
       {name, "Dist." + name, name == "centers" ? std::string("points") : name}) {
    if (const auto found = stored.find(each); found != stored.end()) return &found->second;
  }
  return nullptr;
}

void load_criterion(OsrModel& model, const Stored& stored, const Origin& origin) {
  Problems problems;
  std::map<std::string, const StoredTensor*> found;
  for (const auto& [name, tensor] : model.head().parameters()) {
    const StoredTensor* const one = find_any(stored, name);
    if (one == nullptr) {
      problems.missing(name);
    } else if (!fits(*one, tensor)) {
      problems.misshapen(name, *one, tensor.sizes());
    }
    found[name] = one;
  }
  problems.refuse(origin, fmt::format("the loss of {}", model.method().name));
  for (const auto& [name, tensor] : model.head().parameters()) copy(*found.at(name), tensor);
}

}  // namespace

OsrModel open_published_model(const PublishedOsrModel& request) {
  const Origin origin{"osr", request.weights};
  const NetworkRow& net = find_network(request.net);
  if (!net.takes_images) {
    fail("osr",
         fmt::format("--net {} has no published weights; expected vgg32 or small", request.net));
  }
  const Stored stored = read_state(request.weights);
  const std::unique_ptr<OsrOptions> options = find_osr_method(request.method).options();
  OptionList list;
  options->declare(list);
  for (const std::string& assignment : request.options) list.set(assignment, "osr");
  const bool has_centers = options->make({2, 2}, 1)->parameters().contains("centers");
  const std::string& head_file =
      has_centers && !request.criterion.empty() ? request.criterion : request.weights;
  const Origin head_origin{"osr", head_file};
  const Stored of_head = head_file == request.weights ? stored : read_state(head_file);
  if (has_centers && find_any(of_head, "centers") == nullptr) {
    head_origin.fail(
        fmt::format("has no centers; {} needs those of its loss, which the published "
                    "code writes to a file of its own (--criterion)",
                    request.method));
  }
  const std::int64_t classes =
      has_centers ? rows_of(of_head, {"centers", "Dist.centers", "points"}, net, head_origin)
                  : rows_of(stored, {"fc.weight"}, net, origin);
  const auto first = stored.find("conv1.weight");
  if (first == stored.end() || first->second.shape.size() != 4) {
    origin.fail("has no conv1.weight of four dimensions; expected the state of such a network");
  }
  const std::int64_t channels = first->second.shape[1];
  if (channels < 1 || channels > most_inputs(net)) {
    origin.fail(fmt::format("conv1.weight is {}; expected 1 to {} channels",
                            tensor_shape_text(first->second.shape), most_inputs(net)));
  }
  OsrModel model({.method = request.method,
                  .net = request.net,
                  .options = list.values(),
                  .classes = classes,
                  .input = channels,
                  .norm_sets = stored.contains("bn1.bns.0.weight") ? 2 : 1});

  Problems problems;
  NamedTensors wanted = model.network().parameters();
  wanted.insert(model.network().buffers().begin(), model.network().buffers().end());
  if (!has_centers) {
    wanted.insert(model.head().parameters().begin(), model.head().parameters().end());
  }
  for (const auto& [name, tensor] : wanted) {
    const auto found = stored.find(name);
    if (found == stored.end()) {
      // Never used, and left out by ports.
      if (!name.starts_with("bn10.")) problems.missing(name);
    } else if (!fits(found->second, tensor)) {
      problems.misshapen(name, found->second, tensor.sizes());
    }
  }
  for (const auto& [name, tensor] : stored) {
    const bool of_loss = name == "fc.weight" || name == "centers" || name == "points" ||
                         name == "Dist.centers" || name == "radius";
    if (!wanted.contains(name) && !of_loss) problems.unexpected(name);
  }
  problems.refuse(origin, fmt::format("a {}", request.net));
  for (const auto& [name, tensor] : wanted) {
    if (const auto found = stored.find(name); found != stored.end()) copy(found->second, tensor);
  }
  if (has_centers) load_criterion(model, of_head, head_origin);
  return model;
}

}  // namespace openworld
