#include "openworld/detection/openset_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "openworld/base/text_map.h"
#include "openworld/detection/json_item.h"
#include "openworld/detection/json_stream.h"
#include "openworld/detection/json_values.h"

namespace openworld {
namespace {

using Element = simdjson::dom::element;

// Uncertainties of a file. Every one is looked for in every image.
constexpr std::size_t kMostTypes = 1000;

class OpenSetReader {
 public:
  OpenSetReader(const JsonInput& input, const CocoAnnotations& annotations, bool any_score)
      : input_(input), origin_(input.origin), annotations_(annotations), any_score_(any_score) {
    file_.path = origin_.file;
    for (std::uint32_t i = 0; i < annotations.images.size(); ++i) {
      const std::string& name = annotations.images[i].file_name;
      if (!name.empty() && !images_.emplace(name, i).second) {
        origin_.fail(fmt::format("two images of {} have the file name {}; expected one",
                                 annotations.path, in_quotes(name)));
      }
    }
    for (std::uint32_t k = 0; k < annotations.categories.size(); ++k) {
      const std::string& name = annotations.categories[k].name;
      if (!categories_.emplace(name, k).second) {
        origin_.fail(fmt::format("two categories of {} have the name {}; expected one",
                                 annotations.path, in_quotes(name)));
      }
    }
    objects_.assign(annotations.images.size(), 0);
    for (const CocoObject& object : annotations.objects) ++objects_[object.image];
    read_.assign(annotations.images.size(), false);
  }

  OpenSetFile read() {
    // The uncertainties may stand behind the detections, so the file is walked twice.
    read_types();
    for (OpenSetRun* run : {&file_.all, &file_.open_set}) {
      run->values.resize(file_.uncertainties.size());
    }
    JsonStream stream(input_);
    file_.file_bytes = stream.size();
    stream.open_object("open-set detections");
    std::string key;
    bool found = false;
    while (stream.next_key(key)) {
      if (key != "detections") {
        stream.skip_value();
        continue;
      }
      if (found) origin_.fail("has detections twice");
      found = true;
      if (stream.peek() != '{') origin_.fail("detections is no object; expected one by image");
      stream.each_member("image", [&](std::string_view name, Element e) { read_image(name, e); });
    }
    stream.finish();
    if (!found) origin_.fail("has no detections; expected those of openset_vlms");
    return std::move(file_);
  }

 private:
  void read_types() {
    JsonStream stream(input_);
    if (stream.peek() == '[') {
      origin_.fail(
          "is an array, as COCO results are; expected an object with unc-types and "
          "detections");
    }
    stream.open_object("open-set detections");
    std::string key;
    bool found = false;
    while (stream.next_key(key)) {
      if (key != "unc-types") {
        stream.skip_value();
        continue;
      }
      if (found) origin_.fail("has unc-types twice");
      found = true;
      const Element types = stream.value("unc-types");
      if (!types.is_array()) {
        origin_.fail(fmt::format("unc-types is {}; expected a list", describe(types)));
      }
      for (const Element type : json_array(types)) read_type(type);
    }
    if (!found) origin_.fail("has no unc-types; expected a list such as [[\"scores\", \"low\"]]");
    if (file_.uncertainties.empty()) origin_.fail("unc-types is empty; expected one or more");
  }

  void read_type(Element type) {
    std::vector<std::string_view> words;
    if (type.is_array()) {
      for (const Element word : json_array(type)) {
        words.push_back(word.is_string() ? word.get_string().value() : std::string_view());
      }
    }
    if (words.size() != 2 || words[0].empty() || (words[1] != "low" && words[1] != "high")) {
      origin_.fail(fmt::format("unc-types[{}] is {}; expected a name and \"low\" or \"high\"",
                               file_.uncertainties.size(), describe(type)));
    }
    for (const std::string_view taken : {"boxes", "labels"}) {
      if (words[0] == taken) origin_.fail(fmt::format("unc-types names {}", taken));
    }
    if (file_.uncertainties.size() == kMostTypes) {
      origin_.fail(fmt::format("has more than {} unc-types", kMostTypes));
    }
    for (const Uncertainty& other : file_.uncertainties) {
      if (other.name == words[0]) {
        origin_.fail(fmt::format("unc-types has {} twice", in_quotes(words[0])));
      }
    }
    file_.uncertainties.push_back({std::string(words[0]), words[1] == "low"});
  }

  void read_image(std::string_view name, Element element) {
    const auto refuse = [&](std::string_view message) {
      origin_.fail(fmt::format("image {}: {}", in_quotes(name), message));
    };
    const auto it = images_.find(std::string(name));
    if (it == images_.end()) {
      refuse(fmt::format("is not among the images of {}", annotations_.path));
    }
    if (objects_[it->second] == 0) {
      refuse(fmt::format("has no object in {}; the open-set test is about images with objects",
                         annotations_.path));
    }
    if (read_[it->second]) refuse("is there twice");
    read_[it->second] = true;
    file_.images.push_back(it->second);
    if (!element.is_object()) refuse(fmt::format("is {}; expected an object", describe(element)));
    Element run;
    for (const auto& [key, to] : {std::pair{"all", &file_.all}, {"open-set", &file_.open_set}}) {
      if (element[key].get(run)) refuse(fmt::format("has no {}", in_quotes(key)));
      read_run(fmt::format("image {}, {}", in_quotes(name), in_quotes(key)), run, it->second, *to);
    }
  }

  // A list of a run, checked to be one.
  simdjson::dom::array list(const std::string& where, Element run, std::string_view key) {
    Element value;
    if (run[key].get(value)) origin_.fail(fmt::format("{}: has no {}", where, in_quotes(key)));
    if (!value.is_array()) {
      origin_.fail(
          fmt::format("{}: {} is {}; expected a list", where, in_quotes(key), describe(value)));
    }
    return json_array(value);
  }

  double number(const std::string& where, std::string_view key, std::size_t index, Element value) {
    double number = 0;
    // Some files hold lists of one number.
    if (value.is_array() && json_array(value).size() == 1) value = value.at(0).value();
    if (value.get_double().get(number)) {
      origin_.fail(fmt::format("{}: {}[{}] is {}; expected a finite number", where, key, index,
                               describe(value)));
    }
    return number;
  }

  void read_run(const std::string& where, Element run, std::uint32_t image, OpenSetRun& to) {
    if (!run.is_object()) {
      origin_.fail(fmt::format("{}: is {}; expected an object", where, describe(run)));
    }
    const std::size_t before = to.size();
    for (const Element label : list(where, run, "labels")) {
      const std::size_t index = to.size() - before;
      if (!label.is_string()) {
        origin_.fail(
            fmt::format("{}: labels[{}] is {}; expected a name", where, index, describe(label)));
      }
      const auto it = categories_.find(std::string(label.get_string().value()));
      if (it == categories_.end()) {
        origin_.fail(fmt::format("{}: labels[{}] is {}, which is no category of {}", where, index,
                                 describe(label), annotations_.path));
      }
      to.category.push_back(it->second);
      to.image.push_back(image);
    }
    const std::size_t count = to.size() - before;
    const auto check_count = [&](std::string_view key, std::size_t got) {
      if (got != count) {
        origin_.fail(
            fmt::format("{}: {} has {} entries; expected {}, as labels", where, key, got, count));
      }
    };
    for (const Element box : list(where, run, "boxes")) {
      to.box.push_back(corners(where, to.box.size() - before, box));
    }
    check_count("boxes", to.box.size() - before);
    for (const Element score : list(where, run, "scores")) {
      const std::size_t index = to.score.size() - before;
      to.score.push_back(number(where, "scores", index, score));
      if (!any_score_ && !(to.score.back() >= 0 && to.score.back() <= 1)) {
        origin_.fail(
            fmt::format("{}: scores[{}] is {}; expected 0 to 1", where, index, to.score.back()));
      }
    }
    check_count("scores", to.score.size() - before);
    for (std::size_t u = 0; u < file_.uncertainties.size(); ++u) {
      const std::string& name = file_.uncertainties[u].name;
      auto& values = to.values[u];
      for (const Element value : list(where, run, name)) {
        values.push_back(number(where, name, values.size() - before, value));
      }
      check_count(name, values.size() - before);
    }
  }

  Corners corners(const std::string& where, std::size_t index, Element box) {
    double of[4] = {};
    std::size_t count = 0;
    if (box.is_array()) {
      for (const Element side : json_array(box)) {
        if (count < 4) of[count] = number(where, fmt::format("boxes[{}]", index), count, side);
        ++count;
      }
    }
    if (count != 4) {
      origin_.fail(fmt::format("{}: boxes[{}] is {}; expected [x1, y1, x2, y2]", where, index,
                               describe(box)));
    }
    if (of[2] < of[0] || of[3] < of[1]) {
      origin_.fail(fmt::format("{}: boxes[{}] has the size {} x {}; expected 0 or more", where,
                               index, of[2] - of[0], of[3] - of[1]));
    }
    return {of[0], of[1], of[2], of[3]};
  }

  const JsonInput& input_;
  const Origin& origin_;
  const CocoAnnotations& annotations_;
  bool any_score_;
  OpenSetFile file_;
  TextMap<std::uint32_t> images_, categories_;
  std::vector<std::uint32_t> objects_;
  std::vector<bool> read_;
};

}  // namespace

OpenSetFile read_openset_file(const JsonInput& input, const CocoAnnotations& annotations,
                              bool any_score) {
  return OpenSetReader(input, annotations, any_score).read();
}

}  // namespace openworld
