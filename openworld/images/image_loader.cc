#include "openworld/images/image_loader.h"

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/images/decode.h"
#include "openworld/io/machine_error.h"
#include "openworld/io/mapped_file.h"

namespace openworld {

ImageFile open_image(Origin origin) {
  Bytes bytes = map_file(origin);
  return {std::move(bytes), std::move(origin)};
}

ImageLoader::ImageLoader(ImageLoaderOptions options) : options_(std::move(options)) {
  if (options_.batch_size == 0) fail("ImageLoader", "batch_size is 0; expected at least 1");
  if (options_.image_values == 0) fail("ImageLoader", "image_values is 0; expected at least 1");
  const auto threads =
      static_cast<std::size_t>(options_.threads > 0 ? options_.threads : default_threads());
  std::size_t slots = 2 + (threads - 1) / options_.batch_size;
  if (options_.batches_ahead > 0) slots = std::min(slots, options_.batches_ahead);
  while (slots_.size() < slots && limit_ < options_.items) {
    slots_.push_back(make_slot(limit_));
    limit_ += slots_.back()->items.size();
  }
  for (std::size_t i = 0; i < std::min(threads, options_.items); ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

ImageLoader::~ImageLoader() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

std::unique_ptr<ImageLoader::Slot> ImageLoader::make_slot(std::size_t begin) const {
  const std::size_t size = std::min(options_.batch_size, options_.items - begin);
  auto slot = std::make_unique<Slot>();
  slot->begin = begin;
  slot->items.resize(size);
  slot->chw = Buffer<float>(size * options_.image_values);
  slot->waiting = size;
  return slot;
}

ImageLoader::Item ImageLoader::read(std::size_t item, std::span<float> chw) const {
  Item result;
  try {
    std::optional<Image> image;
    if (options_.image) image = options_.image(item);
    if (!image) {
      const ImageFile file = options_.open(item);
      image = decode_image(file.bytes.values, file.origin);
    }
    options_.transform(*image, item, chw);
    result.read = true;
  } catch (const MachineError&) {
    result.exception = std::current_exception();
  } catch (const Error& error) {
    result.failure = error;
  } catch (...) {
    result.exception = std::current_exception();
  }
  return result;
}

void ImageLoader::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto has_work = [&] { return started_ < limit_ || limit_ == options_.items; };
    if (!room_.wait(lock, stop, has_work) || stop.stop_requested()) return;
    if (started_ == options_.items) return;
    const std::size_t item = started_++;
    Slot& slot = *slots_[(item - slots_.front()->begin) / options_.batch_size];
    const std::size_t place = item - slot.begin;
    lock.unlock();
    Item result =
        read(item, slot.chw.span().subspan(place * options_.image_values, options_.image_values));
    lock.lock();
    slot.items[place] = std::move(result);
    if (--slot.waiting == 0) done_.notify_all();
  }
}

std::optional<ImageBatch> ImageLoader::next() {
  std::unique_lock lock(mutex_);
  if (slots_.empty() || failed_) return std::nullopt;
  done_.wait(lock, [&] { return slots_.front()->waiting == 0; });
  if (limit_ < options_.items) {
    slots_.push_back(make_slot(limit_));
    limit_ += slots_.back()->items.size();
    room_.notify_all();
  }
  const std::unique_ptr<Slot> slot = std::move(slots_.front());
  slots_.pop_front();
  lock.unlock();

  ImageBatch batch;
  batch.chw = std::move(slot->chw);
  const std::size_t values = options_.image_values;
  for (std::size_t i = 0; i < slot->items.size(); ++i) {
    Item& item = slot->items[i];
    if (item.exception) {
      failed_ = true;
      std::rethrow_exception(item.exception);
    }
    if (!item.read) {
      batch.failures.push_back({slot->begin + i, std::move(*item.failure)});
      continue;
    }
    const std::size_t place = batch.indices.size();
    if (place != i) std::copy_n(&batch.chw[i * values], values, &batch.chw[place * values]);
    batch.indices.push_back(slot->begin + i);
  }
  return batch;
}

}  // namespace openworld
