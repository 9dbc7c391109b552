#pragma once

// The device that a model runs on.
//
// Tensors are made on the device of those they meet, and results that plain C++ reads are moved to
// the CPU first. Kernels written by hand (forest attention, QuickGELU) run on the CPU; elsewhere
// the same is computed by torch's operations. That path is tested on the CPU, where tests choose
// it, and by itself on torch's "meta" device, which has shapes and no values. No model has been run
// on a GPU.

#include <ATen/core/Tensor.h>

#include <string_view>

namespace openworld {

// "cpu", "cuda" or "cuda:N". Throws Error for another text, and for a device that the libtorch at
// hand does not have.
at::Device parse_device(std::string_view text);

// Whether tensors on `device` go through kernels written by hand.
bool uses_kernels(const at::Device& device);

// While it lives, none do, in the whole process: for tests.
class TorchOperationsOnly {
 public:
  TorchOperationsOnly();
  ~TorchOperationsOnly();
  TorchOperationsOnly(const TorchOperationsOnly&) = delete;
  TorchOperationsOnly& operator=(const TorchOperationsOnly&) = delete;
};

}  // namespace openworld
