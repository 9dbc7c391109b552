#include "openworld/images/image_loader.h"

#include <atomic>
#include <stdexcept>

#include "openworld/images/test_util.h"
#include "openworld/images/transform.h"
#include "openworld/io/machine_error.h"

namespace openworld {
namespace {

using testing::TempFolder;

// A PNG of one pixel of the grey `value`, its checksums by zlib.
std::string grey_png(std::uint8_t value) {
  const auto number = [](std::uint32_t n) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(n >> shift);
    return text;
  };
  const auto chunk = [&](const std::string& body) {
    const std::uint32_t crc = crc32(std::as_bytes(std::span(body)));
    return number(static_cast<std::uint32_t>(body.size() - 4)) + body + number(crc);
  };
  const std::string row = {'\0', static_cast<char>(value)};
  std::string data = "IDAT";
  std::string packed(64, '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(row.data()), row.size());
  data += packed.substr(0, size);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR" + number(1) + number(1) + std::string("\x08\0\0\0\0", 5)) + chunk(data) +
         chunk("IEND");
}

// Item i is an image of the grey i % 256, unless i is 5 modulo 7: then it is not an image.
ImageFile open_item(std::size_t i) {
  const std::string name = "item" + std::to_string(i);
  if (i % 7 == 5) return {make_bytes("broken"), {"load", name}};
  return {make_bytes(grey_png(static_cast<std::uint8_t>(i))), {"load", name}};
}

ImageLoaderOptions options_of(std::size_t items, std::size_t batch_size, int threads) {
  ImageLoaderOptions options;
  options.items = items;
  options.batch_size = batch_size;
  options.image_values = 2;
  options.threads = threads;
  options.open = open_item;
  options.transform = [](const Image& image, std::size_t item, std::span<float> chw) {
    chw[0] = image.rgb[0];
    chw[1] = static_cast<float>(item);
  };
  return options;
}

TEST(ImageLoader, TakesImagesThatAreInNoFile) {
  ImageLoaderOptions options = options_of(9, 4, 2);
  options.image = [](std::size_t item) -> std::optional<Image> {
    if (item % 2 == 0) return std::nullopt;
    if (item == 7) fail("load", "item7: is not there");
    return Image{1, 1, {200, 200, 200}};
  };
  ImageLoader loader(std::move(options));
  std::vector<float> greys;
  std::vector<std::size_t> failures;
  while (const auto batch = loader.next()) {
    for (std::size_t i = 0; i < batch->indices.size(); ++i) greys.push_back(batch->chw[2 * i]);
    for (const auto& failure : batch->failures) failures.push_back(failure.index);
  }
  // Item 5 is broken as a file, but it is none.
  EXPECT_EQ(greys, (std::vector<float>{0, 200, 2, 200, 4, 200, 6, 8}));
  EXPECT_EQ(failures, (std::vector<std::size_t>{7}));
}

TEST(ImageLoader, GivesEveryItemInOrderForAnyThreads) {
  for (const int threads : {0, 1, 2, 7}) {
    for (const std::size_t batch_size : {1, 3, 10, 200}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, batches of " + std::to_string(batch_size));
      ImageLoader loader(options_of(101, batch_size, threads));
      std::size_t item = 0, batches = 0;
      while (const auto batch = loader.next()) {
        std::size_t place = 0, failure = 0;
        const std::size_t end = std::min<std::size_t>(101, item + batch_size);
        for (; item < end; ++item) {
          if (item % 7 == 5) {
            ASSERT_LT(failure, batch->failures.size());
            EXPECT_EQ(batch->failures[failure].index, item);
            EXPECT_EQ(std::string(batch->failures[failure].error.what())
                          .find("[load] item" + std::to_string(item) + ": is not an image"),
                      0u);
            ++failure;
          } else {
            ASSERT_LT(place, batch->indices.size());
            EXPECT_EQ(batch->indices[place], item);
            EXPECT_EQ(batch->chw[2 * place], static_cast<float>(item));
            EXPECT_EQ(batch->chw[2 * place + 1], static_cast<float>(item));
            ++place;
          }
        }
        EXPECT_EQ(batch->indices.size(), place);
        EXPECT_EQ(batch->failures.size(), failure);
        ++batches;
      }
      EXPECT_EQ(item, 101u);
      EXPECT_EQ(batches, (101 + batch_size - 1) / batch_size);
      EXPECT_FALSE(loader.next());
    }
  }
}

TEST(ImageLoader, StopsReadingAheadOfASlowCaller) {
  std::atomic<std::size_t> opened{0};
  ImageLoaderOptions options = options_of(1000, 5, 2);
  options.open = [&](std::size_t i) {
    ++opened;
    return open_item(i);
  };
  ImageLoader loader(options);
  for (std::size_t taken = 1; taken <= 3; ++taken) {
    ASSERT_TRUE(loader.next());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LE(opened, 5 * (taken + 2));
  }
}

TEST(ImageLoader, ReadsNoMoreBatchesAheadThanAllowed) {
  for (const std::size_t ahead : {1, 2}) {
    std::atomic<std::size_t> opened{0};
    ImageLoaderOptions options = options_of(60, 3, 8);
    options.batches_ahead = ahead;
    options.open = [&](std::size_t i) {
      ++opened;
      return open_item(i);
    };
    ImageLoader loader(options);
    for (std::size_t taken = 1; taken <= 20; ++taken) {
      const auto batch = loader.next();
      ASSERT_TRUE(batch);
      EXPECT_EQ(batch->indices.size() + batch->failures.size(), 3u);
      if (taken <= 3) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_LE(opened, 3 * (taken + ahead));
    }
    EXPECT_FALSE(loader.next());
  }
}

TEST(ImageLoader, EndsInTheMiddle) {
  ImageLoader loader(options_of(100'000, 4, 3));
  ASSERT_TRUE(loader.next());
}

TEST(ImageLoader, HasNothingOfNoItems) {
  ImageLoader loader(options_of(0, 4, 3));
  EXPECT_FALSE(loader.next());
}

TEST(ImageLoader, RethrowsWhatIsNoFaultOfAFile) {
  ImageLoaderOptions options = options_of(40, 4, 3);
  options.transform = [](const Image&, std::size_t item, std::span<float>) {
    if (item >= 13) throw std::logic_error("item " + std::to_string(item));
  };
  ImageLoader loader(options);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(loader.next());
  try {
    loader.next();
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "item 13");
  }
  EXPECT_FALSE(loader.next());
}

// Skipping the image would make the result depend on what else the machine does.
TEST(ImageLoader, RethrowsWhatTheMachineCannotDo) {
  ImageLoaderOptions options = options_of(6, 2, 2);
  options.open = [](std::size_t i) {
    if (i == 3) throw MachineError("load", "item3: cannot open: Too many open files");
    return open_item(i);
  };
  ImageLoader loader(std::move(options));
  EXPECT_EQ(loader.next()->indices.size(), 2u);
  EXPECT_THROW(loader.next(), MachineError);
  EXPECT_FALSE(loader.next());
}

TEST(ImageLoader, ReadsFiles) {
  const TempFolder folder;
  folder.write("0", grey_png(10));
  folder.write("2", grey_png(12));
  ImageLoaderOptions options = options_of(3, 3, 2);
  options.open = [&](std::size_t i) { return open_image({"load", folder / std::to_string(i)}); };
  options.image_values = 12;
  options.transform = [](const Image& image, std::size_t, std::span<float> chw) {
    Preprocessing preprocessing{2, {0, 0, 0}, {1, 1, 1}};
    clip_transform(image, preprocessing, chw);
  };
  ImageLoader loader(options);
  const auto batch = loader.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->indices, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(batch->chw[0], 10.0f / 255);
  EXPECT_EQ(batch->chw[12], 12.0f / 255);
  ASSERT_EQ(batch->failures.size(), 1u);
  EXPECT_EQ(std::string(batch->failures[0].error.what()),
            "[load] " + (folder / "1") + ": cannot open: No such file or directory");
}

TEST(ImageLoader, RefusesEmptyBatches) {
  EXPECT_ERROR(ImageLoader(options_of(1, 0, 1)),
               "[ImageLoader] batch_size is 0; expected at least 1");
  ImageLoaderOptions options = options_of(1, 1, 1);
  options.image_values = 0;
  EXPECT_ERROR(ImageLoader{options}, "[ImageLoader] image_values is 0; expected at least 1");
}

}  // namespace
}  // namespace openworld
