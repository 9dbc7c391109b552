// Captions in webdataset shards, as img2dataset writes them: 000.jpg with 000.txt, or with 000.json
// that has a "caption".

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/trimmed.h"
#include "openworld/io/json_file.h"
#include "openworld/worlds/file_captions.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/shards.h"

namespace openworld {
namespace {

struct Pairs {
  std::shared_ptr<Shards> shards = std::make_shared<Shards>();
  Dataset images;
  std::vector<std::vector<std::string>> captions;
};

// Adds the captioned images of one archive; images without a caption are skipped.
void read_archive(const std::shared_ptr<const TarArchive>& archive, Pairs* pairs) {
  const Origin& origin = archive->origin();
  pairs->shards->archives.push_back(archive);
  const std::size_t number = pairs->shards->archives.size() - 1;
  std::optional<std::uint32_t> image;
  std::vector<std::string> text, json;
  const auto close = [&] {
    std::vector<std::string>& captions = text.empty() ? json : text;
    if (image && !captions.empty()) {
      pairs->images.samples.push_back(
          {.path = archive->members()[*image].name, .place = Shards::place(number, *image)});
      pairs->captions.push_back(captions);
    } else if (image) {
      ++pairs->images.skipped;
    }
    image.reset();
    text.clear();
    json.clear();
  };
  for_each_shard_member(
      *archive, close, [&](std::uint32_t i, std::string_view, std::string_view ending) {
        const TarMember& member = archive->members()[i];
        const std::string where = in_quotes(member.name);
        std::string_view content = as_text(archive->read(member).values);
        if (ending.find('.') == ending.npos && is_image_name(std::string(".").append(ending))) {
          if (image) origin.fail(fmt::format("{}: its sample has two images", where));
          image = i;
        } else if (ending == "txt") {
          while (!content.empty()) {
            const std::string_view line = take_line(&content);
            if (line.empty()) continue;
            check_caption(line, where, origin);
            text.emplace_back(line);
          }
        } else if (ending == "json") {
          const auto root =
              parse_json(content, {origin.function, fmt::format("{}: {}", origin.file, where)});
          if (!root.is_object() || !root.contains("caption") || !root["caption"].is_string())
            return;
          const auto caption = root["caption"].get<std::string>();
          if (trimmed(caption).empty()) return;
          check_caption(trimmed(caption), where, origin);
          json.emplace_back(trimmed(caption));
        }
      });
}

}  // namespace

std::unique_ptr<CaptionSource> open_caption_shards(const Origin& origin,
                                                   const CaptionOptions& options) {
  if (!holds_shards(origin.file)) return nullptr;
  std::vector<std::string> splits;
  Pairs pairs;
  for (const std::string& path : find_shards(origin, options.dataset.split, &splits)) {
    read_archive(open_shard({origin.function, path}), &pairs);
  }
  if (pairs.captions.empty()) return nullptr;  // labelled, perhaps
  pairs.images.source = pairs.shards;
  return std::make_unique<FileCaptions>("webdataset", origin.file, std::move(pairs.images),
                                        std::move(pairs.captions));
}

}  // namespace openworld
