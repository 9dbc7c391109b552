// Where the files of a vocabulary are found, and how they are written.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "openworld/io/atomic_file.h"
#include "openworld/io/gzip.h"
#include "openworld/text/vocabulary.h"
#include "openworld/text/vocabulary_json.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFunction = "load_vocabulary";
// OpenAI's has 3.2 MB; a hundred times that is some mistake or an attack.
constexpr std::size_t kMaxMergesSize = std::size_t{1} << 25;

Vocabulary load_merges(const std::string& path, std::size_t size) {
  const Origin origin{kFunction, path};
  const Bytes text = map_or_gunzip(origin, kMaxMergesSize);
  return parse_merges(as_text(text.values), size, origin);
}

Vocabulary load_pair(const fs::path& folder, std::size_t size) {
  const Origin json_origin{kFunction, (folder / "vocab.json").string()};
  const Origin merges_origin{kFunction, (folder / "merges.txt").string()};
  const Bytes json = map_or_gunzip(json_origin, kMaxMergesSize);
  const Bytes merges = map_or_gunzip(merges_origin, kMaxMergesSize);
  Vocabulary vocabulary =
      parse_vocabulary(as_text(json.values), as_text(merges.values), json_origin, merges_origin);
  if (size != 0 && vocabulary.size() != size) {
    json_origin.fail(fmt::format("has {} tokens; expected {}", vocabulary.size(), size));
  }
  return vocabulary;
}

}  // namespace

Vocabulary load_vocabulary(const std::string& path, std::size_t size) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (fs::exists(fs::path(path) / "vocab.json", ignored)) return load_pair(path, size);
    for (const char* name : {"bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"}) {
      const fs::path file = fs::path(path) / name;
      if (fs::exists(file, ignored)) return load_merges(file.string(), size);
    }
    Origin{kFunction, path}.fail(
        "holds no vocabulary; expected vocab.json and merges.txt, or bpe_simple_vocab_16e6.txt, "
        "plain or .gz");
  }
  const fs::path file(path);
  const fs::path folder = file.parent_path();
  const bool json = file.filename() == "vocab.json";
  const bool merges = file.filename() == "merges.txt";
  if (json || (merges && fs::exists(folder / "vocab.json", ignored)))
    return load_pair(folder, size);
  return load_merges(path, size);
}

void save_vocabulary(const Vocabulary& vocabulary, const std::string& folder, std::size_t context) {
  const auto write = [&](const char* name, std::string_view text) {
    write_file_atomically((fs::path(folder) / name).string(), text, "save_vocabulary");
  };
  std::string merges = "#version: 0.2\n";
  for (const Merge& merge : vocabulary.merges) {
    merges += fmt::format("{} {}\n", vocabulary.tokens[merge.left], vocabulary.tokens[merge.right]);
  }
  write("merges.txt", merges);
  write("vocab.json", make_vocab_json(vocabulary.tokens));

  // CLIPTokenizer pads with the end token and knows no other word for what it cannot read.
  const nlohmann::ordered_json special = {{"bos_token", kStartOfText},
                                          {"eos_token", kEndOfText},
                                          {"unk_token", kEndOfText},
                                          {"pad_token", kEndOfText}};
  write("special_tokens_map.json", special.dump(2) + "\n");
  nlohmann::ordered_json config = special;
  config["add_prefix_space"] = false;
  config["do_lower_case"] = true;
  config["errors"] = "replace";
  config["model_max_length"] = context;
  config["tokenizer_class"] = "CLIPTokenizer";
  write("tokenizer_config.json", config.dump(2) + "\n");
}

}  // namespace openworld
