// Webdataset shards: tar files in which the members of one sample stand together and share their
// name up to the first dot: 000.jpg, 000.cls, or 000.png, 000.json.

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "openworld/io/json_file.h"
#include "openworld/io/json_number.h"
#include "openworld/io/utf8.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"
#include "openworld/worlds/listing.h"
#include "openworld/worlds/shards.h"

namespace openworld {
namespace {

constexpr std::size_t kMaxLabelSize = std::size_t{1} << 20;  // of a .cls or .json

bool recognise_webdataset(const std::string& path) {
  return holds_shards(path);
}

// A label as it stands in the archive: a number, or the name of a class.
using Label = std::variant<std::int64_t, std::string>;

// One sample while its members come in.
struct Group {
  std::string key;
  std::optional<std::uint32_t> image;
  std::optional<Label> label;
};

class ShardReader {
 public:
  ShardReader(const Origin& origin, Dataset* dataset) : origin_(origin), dataset_(*dataset) {}

  void read(const std::string& path) {
    archive_ = open_shard({origin_.function, path});
    shards_->archives.push_back(archive_);
    Group group;
    const auto close_group = [&] {
      close(group);
      group = {};
    };
    for_each_shard_member(*archive_, close_group,
                          [&](std::uint32_t member, std::string_view key, std::string_view ending) {
                            group.key = key;
                            take_member(member, ending, &group);
                          });
  }

  // Hands the samples over once it is clear whether labels are numbers or names.
  Dataset finish(const DatasetOptions& options, const std::string& names_folder,
                 std::vector<std::string> splits) {
    Listing listing(origin_, names_folder);
    const std::string first = found_.empty() ? "" : found_[0].first.path;
    const std::optional<Label> first_label = found_.empty() ? std::nullopt : found_[0].second;
    for (auto& [sample, label] : found_) {
      const std::string where = fmt::format("sample {}", in_quotes(sample.path));
      if (label.has_value() != first_label.has_value()) {
        origin_.fail(fmt::format("sample {} {} a label and {} {}; expected all or none",
                                 in_quotes(first), label ? "lacks" : "has", where,
                                 label ? "has one" : "lacks one"));
      }
      if (label && label->index() != first_label->index()) {
        origin_.fail(
            fmt::format("sample {} and {} have a number and a name as labels; expected "
                        "one kind",
                        in_quotes(first), where));
      }
      if (label && std::holds_alternative<std::string>(*label)) {
        listing.add_named(std::move(sample), std::get<std::string>(*label), "");
      } else {
        const std::int64_t number = label ? std::get<std::int64_t>(*label) : -1;
        listing.add(std::move(sample), number, "", "", [&] { return where; });
      }
    }
    DatasetOptions without_split = options;
    without_split.split.clear();
    dataset_.source = shards_;
    Dataset dataset = std::move(listing).finish(without_split, std::move(dataset_));
    dataset.splits = std::move(splits);
    return dataset;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { archive_->origin().fail(what); }

  std::string_view text_of(std::uint32_t member) const {
    const TarMember& m = archive_->members()[member];
    if (m.size > kMaxLabelSize) {
      fail(fmt::format("label {} has {} bytes; expected at most {}", in_quotes(m.name), m.size,
                       kMaxLabelSize));
    }
    return as_text(archive_->read(m).values);
  }

  Label parse_text(std::uint32_t member) const {
    std::string_view text = text_of(member);
    while (!text.empty() && std::string_view(" \n\r\t").find(text.back()) != text.npos) {
      text.remove_suffix(1);
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    if (text.empty() || !decode_utf8(text)) {
      fail(fmt::format("{} is {}; expected a label, a number or a class name",
                       in_quotes(archive_->members()[member].name), in_quotes(text)));
    }
    return std::string(text);
  }

  // The "label" of an object; others hold captions and the like.
  std::optional<Label> parse_json(std::uint32_t member) const {
    const std::string& name = archive_->members()[member].name;
    const auto root =
        openworld::parse_json(text_of(member),
                              {archive_->origin().function,
                               fmt::format("{}: {}", archive_->origin().file, in_quotes(name))},
                              {.bytes = kMaxLabelSize});
    if (!root.is_object() || !root.contains("label")) return std::nullopt;
    const auto& label = root["label"];
    if (const std::optional<std::int64_t> number = json_integer(label)) return *number;
    if (label.is_string()) return label.get<std::string>();
    fail(fmt::format("{} has label {}; expected a number or a class name", in_quotes(name),
                     in_quotes(label.dump())));
  }

  void take_member(std::uint32_t member, std::string_view ending, Group* group) {
    const auto once = [&](bool taken, std::string_view what) {
      if (taken) fail(fmt::format("sample {} has two {}", in_quotes(group->key), what));
    };
    // "seg.png" and the like are masks and other things beside the image.
    if (ending.find('.') == ending.npos && is_image_name(std::string(".").append(ending))) {
      once(group->image.has_value(), "images");
      group->image = member;
    } else if (ending == "cls") {
      once(group->label.has_value(), "labels");
      group->label = parse_text(member);
    } else if (ending == "json") {
      if (auto label = parse_json(member)) {
        once(group->label.has_value(), "labels");
        group->label = std::move(label);
      }
    } else {
      ++dataset_.skipped;
    }
  }

  void close(const Group& group) {
    if (group.key.empty()) return;
    if (!group.image) {
      if (!group.label) return;
      fail(fmt::format("sample {} has a label but no image in {}", in_quotes(group.key),
                       kImageEndings));
    }
    Sample sample{.path = archive_->members()[*group.image].name,
                  .place = Shards::place(shards_->archives.size() - 1, *group.image)};
    found_.emplace_back(std::move(sample), group.label);
  }

  const Origin& origin_;
  Dataset& dataset_;
  std::shared_ptr<Shards> shards_ = std::make_shared<Shards>();
  std::shared_ptr<const TarArchive> archive_;  // the last of them
  std::vector<std::pair<Sample, std::optional<Label>>> found_;
};

Dataset open_webdataset(const Origin& origin, const DatasetOptions& options) {
  std::vector<std::string> splits;
  const std::vector<std::string> shards = find_shards(origin, options.split, &splits);
  Dataset dataset;
  ShardReader reader(origin, &dataset);
  for (const std::string& shard : shards) reader.read(shard);
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(origin.file, ignored);
  const std::string names_folder = is_folder ? origin.file : folder_of(origin.file);
  return reader.finish(options, names_folder, std::move(splits));
}

}  // namespace

const DatasetFormat kWebdataset = {
    "webdataset",
    "webdataset .tar shards of images with .cls or .json labels: a file, a pattern "
    "data-{000..003}.tar, a folder, or folders train and test of them",
    false, recognise_webdataset, open_webdataset};

}  // namespace openworld
