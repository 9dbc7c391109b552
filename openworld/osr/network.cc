#include "openworld/osr/network.h"

#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/origin.h"
#include "openworld/osr/conv_net.h"
#include "openworld/osr/feature_net.h"

namespace openworld {
namespace {

constexpr NetworkRow kNetworks[] = {
    {.name = "vgg32",
     .description = "nine convolutions on images of 32 x 32, as ARPL's classifier32; 128 features",
     .takes_images = true,
     .width = 128,
     .make = make_vgg32},
    {.name = "small",
     .description = "five convolutions on images of 32 x 32, an eighth of the work; 128 features",
     .takes_images = true,
     .width = 128,
     .make = make_small_net},
    {.name = "linear",
     .description = "features of any model, standardised: a linear classifier",
     .takes_images = false,
     .width = 0,
     .make = make_linear_net},
    {.name = "mlp",
     .description = "one hidden layer on features of any model; 128 features",
     .takes_images = false,
     .width = 128,
     .make = make_mlp},
};

}  // namespace

void Network::fit_input(const at::Tensor&) {}

std::vector<at::Tensor> Network::draw_masks(std::int64_t, Random&) const {
  return {};
}

std::int64_t most_inputs(const NetworkRow& row) {
  return row.takes_images ? 16 : 1 << 16;
}

std::span<const NetworkRow> networks() {
  return kNetworks;
}

const NetworkRow& find_network(std::string_view name) {
  std::vector<std::string> names;
  for (const NetworkRow& row : kNetworks) {
    if (is_same_name(row.name, name)) return row;
    names.emplace_back(row.name);
  }
  fail("osr", fmt::format("no network {}; {}", in_quotes(name), known_names(name, names)));
}

}  // namespace openworld
