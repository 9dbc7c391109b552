#include "openworld/io/training_log.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"

namespace openworld {

using OrderedJson = nlohmann::ordered_json;

OrderedJson cut_log(const std::string& path, std::int64_t step, const std::string& function) {
  std::error_code ignored;
  OrderedJson last;
  if (!std::filesystem::is_regular_file(path, ignored)) return last;
  std::string kept;
  {
    const Bytes bytes = map_file({function, path});
    std::string_view text = as_text(bytes.values);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      // A line cut off by a crash is left out.
      const std::string_view row = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      // Parsing takes a microsecond even of an empty line, and a small file has millions.
      if (!row.starts_with('{')) continue;
      const std::optional<OrderedJson> line = try_parse_json(row);
      if (line && line->is_object() && line->contains("step") &&
          line->at("step").is_number_integer() && line->at("step").get<std::int64_t>() <= step) {
        kept.append(row).append("\n");
        last = *line;
      }
    }
  }
  write_file_atomically(path, kept, function);
  return last;
}

TrainingLog::TrainingLog(const std::string& path, const std::string& function)
    : path_(path), function_(function), file_(std::fopen(path.c_str(), "a")) {
  if (file_ == nullptr) Origin{function_, path}.fail("cannot be written");
}

TrainingLog::~TrainingLog() {
  std::fclose(file_);
}

void TrainingLog::add(const OrderedJson& line) {
  if (std::fputs((dump_line(line) + '\n').c_str(), file_) < 0 || std::fflush(file_) != 0) {
    Origin{function_, path_}.fail("cannot be written; is the disk full?");
  }
}

}  // namespace openworld
