#include "openworld/osr/batch_stream.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace openworld {

SampleBatch make_batch(const OsrSamples& samples, std::span<const std::uint32_t> rows,
                       const BatchStream::Namer& name) {
  const auto n = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> shape = {n};
  shape.insert(shape.end(), samples.shape().begin(), samples.shape().end());
  SampleBatch batch{.input = at::empty(shape, at::kFloat), .labels = at::empty({n}, at::kLong)};
  float* to = batch.input.data_ptr<float>();
  std::int64_t* const labels = batch.labels.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    samples.write(rows[i], name ? std::optional(name(rows[i])) : std::nullopt,
                  {to, samples.values()});
    to += samples.values();
    labels[i] = samples.labels()[rows[i]];
  }
  return batch;
}

BatchStream::BatchStream(const OsrSamples& samples, std::vector<std::vector<std::uint32_t>> batches,
                         Namer name, int threads, std::size_t ahead)
    : samples_(samples), batches_(std::move(batches)), name_(std::move(name)), ahead_(ahead) {
  for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([this] { work(); });
}

BatchStream::~BatchStream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BatchStream::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] {
      return stop_ || error_ || begun_ == batches_.size() || begun_ < served_ + ahead_;
    });
    if (stop_ || error_ || begun_ == batches_.size()) return;
    const std::size_t k = begun_++;
    lock.unlock();
    SampleBatch batch;
    std::exception_ptr error;
    try {
      batch = make_batch(samples_, batches_[k], name_);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) {
      error_ = error;
    } else {
      ready_[k] = std::move(batch);
    }
    made_.notify_all();
    if (error) wanted_.notify_all();
  }
}

SampleBatch BatchStream::next() {
  std::unique_lock lock(mutex_);
  made_.wait(lock, [this] { return error_ || ready_.contains(served_); });
  const auto found = ready_.find(served_);
  if (found == ready_.end()) std::rethrow_exception(error_);
  SampleBatch batch = std::move(found->second);
  ready_.erase(found);
  ++served_;
  lock.unlock();
  wanted_.notify_all();
  return batch;
}

}  // namespace openworld
