#include "openworld/vlm/device.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <atomic>
#include <charconv>

#include "openworld/base/error.h"
#include "openworld/io/origin.h"

namespace openworld {
namespace {

constexpr std::string_view kParseDevice = "parse_device", kCuda = "cuda";

std::atomic<int> torch_only = 0;

[[noreturn]] void refuse(std::string_view text) {
  fail(kParseDevice, fmt::format("device {}: expected cpu, cuda or cuda:N", in_quotes(text)));
}

}  // namespace

at::Device parse_device(std::string_view text) {
  if (text == "cpu") return at::kCPU;
  if (!text.starts_with(kCuda)) refuse(text);
  int index = 0;
  const bool has_index = text.size() > kCuda.size();
  if (has_index) {
    const std::string_view digits = text.substr(kCuda.size() + 1);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, index);
    if (text[kCuda.size()] != ':' || digits.empty() || error != std::errc() || stop != end ||
        index < 0) {
      refuse(text);
    }
  }
  if (!at::globalContext().hasCUDART()) {
    fail(kParseDevice, fmt::format("device {}: this libtorch has no CUDA; expected cpu", text));
  }
  if (!at::hasCUDA()) {
    fail(kParseDevice, fmt::format("device {}: there is no CUDA device; expected cpu", text));
  }
  const auto count = static_cast<int>(at::getNumGPUs());
  if (index >= count) {
    fail(kParseDevice,
         fmt::format("device {}: there are {} CUDA devices; expected cuda:0 to cuda:{}", text,
                     count, count - 1));
  }
  return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
}

bool uses_kernels(const at::Device& device) {
  return device.is_cpu() && torch_only == 0;
}

TorchOperationsOnly::TorchOperationsOnly() {
  ++torch_only;
}

TorchOperationsOnly::~TorchOperationsOnly() {
  --torch_only;
}

}  // namespace openworld
