#pragma once

// Batches of samples, written ahead on other threads. What is in a batch does not depend on them.

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "openworld/osr/samples.h"

namespace openworld {

// The rows of a batch: [n, ...] and labels [n].
struct SampleBatch {
  at::Tensor input;
  at::Tensor labels;
};

class BatchStream {
 public:
  // Batch k, from 0 on, has the rows batches[k]; with a name for each row the samples are
  // augmented. Up to `ahead` batches are kept. REQUIRES: `samples` outlives it.
  using Namer = std::function<AugmentationName(std::uint32_t row)>;
  BatchStream(const OsrSamples& samples, std::vector<std::vector<std::uint32_t>> batches,
              Namer name, int threads, std::size_t ahead = 4);
  ~BatchStream();
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  // The next batch. Throws what writing a sample threw. REQUIRES: there is one.
  SampleBatch next();
  std::size_t left() const { return batches_.size() - served_; }

 private:
  void work();

  const OsrSamples& samples_;
  const std::vector<std::vector<std::uint32_t>> batches_;
  const Namer name_;
  const std::size_t ahead_;

  std::mutex mutex_;  // guards all below
  std::condition_variable made_, wanted_;
  std::size_t begun_ = 0, served_ = 0;
  std::map<std::size_t, SampleBatch> ready_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// Rows of samples as one batch, on the calling thread. An empty `name`: not augmented.
SampleBatch make_batch(const OsrSamples& samples, std::span<const std::uint32_t> rows,
                       const BatchStream::Namer& name);

}  // namespace openworld
