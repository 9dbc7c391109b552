#include "openworld/checkpoint/published_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kWeightEndings = {".pt", ".pth", ".bin", ".safetensors",
                                                            ".json"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : "";
}

// Where openai/CLIP keeps what it downloads.
std::string openai_copy(const std::string& file) {
  const std::string home = variable("HOME");
  return home.empty() ? "" : if_there(fs::path(home) / ".cache" / "clip" / file);
}

// The folder of a repository in the cache of huggingface_hub, of its snapshots the last by name.
std::string hub_copy(std::string name) {
  std::string cache = variable("HF_HOME");
  const std::string home = variable("HOME");
  if (cache.empty() && !home.empty()) cache = home + "/.cache/huggingface";
  if (cache.empty()) return "";
  name.replace(name.find('/'), 1, "--");
  const fs::path snapshots = fs::path(cache) / "hub" / ("models--" + name) / "snapshots";
  std::string last;
  std::error_code error;
  for (fs::directory_iterator it(snapshots, error), end; !error && it != end; it.increment(error)) {
    last = std::max(last, it->path().string());
  }
  return last;
}

std::string or_use(const std::string& copy) {
  return copy.empty() ? "" : fmt::format("; there is a copy, use {}", copy);
}

// Letters, digits and -_.@ alone.
bool is_word(std::string_view text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("-_.@").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string hub_files(const std::string& name) {
  return fmt::format(
      "is the name of a model on a hub, and nothing is downloaded here; put its "
      "config.json, preprocessor_config.json and model.safetensors (of OpenCLIP: "
      "open_clip_config.json and open_clip_model.safetensors) from "
      "https://huggingface.co/{} into a folder, and name the folder{}",
      name, or_use(hub_copy(name)));
}

std::string architecture_files(const std::string& name) {
  if (name.starts_with("RN")) {
    return "is a ResNet; expected a vision transformer, such as the file ViT-B-32.pt of "
           "https://github.com/openai/CLIP";
  }
  std::string file = name + ".pt";
  std::ranges::replace(file, '/', '-');
  return fmt::format(
      "is the name of a model, and nothing is downloaded here; put {} (its address "
      "is in clip/clip.py of https://github.com/openai/CLIP), or the folder of an "
      "OpenCLIP model with open_clip_config.json and open_clip_model.safetensors, "
      "somewhere, and name its path{}",
      file, or_use(openai_copy(file)));
}

}  // namespace

std::string published_model(const std::string& path) {
  std::string name = path.starts_with("hf-hub:") ? path.substr(7) : path;
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (std::ranges::any_of(kWeightEndings, ends)) return "";
  const std::size_t slash = name.find('/');
  const std::string_view first = std::string_view(name).substr(0, slash);
  if (!is_word(first)) return "";
  const bool architecture = first.starts_with("ViT-") ||
                            (slash == name.npos && first.starts_with("RN50")) ||
                            (slash == name.npos && first.starts_with("RN101"));
  if (slash == name.npos) return architecture ? architecture_files(name) : "";
  if (!is_word(std::string_view(name).substr(slash + 1))) return "";
  if (architecture) return architecture_files(name);
  // A folder that exists is meant as one: the mistake is in what follows.
  std::error_code ignored;
  return fs::exists(std::string(first), ignored) ? "" : hub_files(name);
}

}  // namespace openworld
