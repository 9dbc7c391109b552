#pragma once

// Decodes images on all cores ahead of the consumer, in batches, in order.
//
// Batch b holds the items [b * batch_size, (b + 1) * batch_size) that could be read, in order; the
// others are listed as failures and their places closed. So the batches are the same for any number
// of threads. Memory: besides the batch that the caller has, 2 more, and as many as there have to
// be so that every thread has an item; or fewer, if `batches_ahead` says so.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "openworld/base/buffer.h"
#include "openworld/base/error.h"
#include "openworld/images/image.h"
#include "openworld/images/preprocessing.h"
#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

// A file in memory. `origin` names it in messages.
struct ImageFile {
  Bytes bytes;
  Origin origin;
};

// The file origin.file, mapped. Throws Error.
ImageFile open_image(Origin origin);

struct ImageBatch {
  struct Failure {
    std::size_t index;
    Error error;
  };
  std::vector<std::size_t> indices;  // of the items in the batch, ascending
  Buffer<float> chw;                 // of each item in turn; the first indices.size() are valid
  std::vector<Failure> failures;     // ascending
};

struct ImageLoaderOptions {
  std::size_t items = 0;
  std::size_t batch_size = 100;
  std::size_t image_values = 0;   // floats of one item, 3 * image_size^2
  int threads = 0;                // 0: default_threads()
  std::size_t batches_ahead = 0;  // at most so many besides the caller's; 0: as above

  // Gives the file of an item. Error, unless it is a MachineError, makes the item a failure. Called
  // from several threads.
  std::function<ImageFile(std::size_t item)> open;
  // Gives the image of an item that is not in a file, which is then not opened; nothing for one
  // that is. May be empty. Errors as those of `open`.
  std::function<std::optional<Image>(std::size_t item)> image = {};
  // Writes the image_values floats of an item. Called from several threads.
  std::function<void(const Image& image, std::size_t item, std::span<float> chw)> transform;
};

class ImageLoader {
 public:
  // Starts the threads. Throws Error for a batch size or a number of image values of zero.
  explicit ImageLoader(ImageLoaderOptions options);
  // Stops after the items that are being decoded.
  ~ImageLoader();

  ImageLoader(const ImageLoader&) = delete;
  ImageLoader& operator=(const ImageLoader&) = delete;

  // The next batch, which may be without items if all of its failed; nothing after the last. Waits
  // for it. What `open` and `transform` throw other than such an Error is rethrown here, for the
  // first such item of the batch, and ends the sequence.
  std::optional<ImageBatch> next();

 private:
  struct Item {
    std::optional<Error> failure;
    std::exception_ptr exception;
    bool read = false;
  };
  // A batch in the making. `waiting` items are not done yet.
  struct Slot {
    std::size_t begin = 0;
    std::vector<Item> items;
    Buffer<float> chw;
    std::size_t waiting = 0;
  };

  void work(const std::stop_token& stop);
  Item read(std::size_t item, std::span<float> chw) const;
  std::unique_ptr<Slot> make_slot(std::size_t begin) const;

  const ImageLoaderOptions options_;
  std::mutex mutex_;  // guards started_, limit_, slots_ and what is in them
  std::condition_variable_any room_;
  std::condition_variable_any done_;
  std::size_t started_ = 0;                  // items given to threads
  std::size_t limit_ = 0;                    // items that have a slot
  std::deque<std::unique_ptr<Slot>> slots_;  // of the batches that are not taken
  bool failed_ = false;                      // next() has thrown
  std::vector<std::jthread> threads_;        // last: joined before the rest goes
};

}  // namespace openworld
