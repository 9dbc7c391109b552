#include "openworld/report/page_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "openworld/report/data_uri.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Little-endian, whatever the machine.
std::string floats_text(const std::vector<float>& values) {
  std::vector<std::byte> bytes;
  bytes.reserve(4 * values.size());
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(std::byte(bits >> shift & 0xff));
  }
  return base64(bytes);
}

// To six digits, which a figure shows less of.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(unit) && unit > 0 ? std::round(value * unit) / unit : value;
}

std::vector<double> rounded_list(std::vector<double> values) {
  std::ranges::transform(values, values.begin(), rounded);
  return values;
}

Json run_json(const PageRun& run) {
  Json json = {{"method", run.method},
               {"seed", run.seed},
               {"n", run.ranked.samples},
               {"bits", run.ranked.bits},
               {"codes", base64(std::as_bytes(std::span(run.ranked.codes)))},
               {"values", floats_text(run.ranked.values)}};
  if (run.own) json["own"] = *run.own;
  return json;
}

// A list by method of the page, null for methods that are not in it.
template <class Item, class Write>
Json by_method(const std::vector<Item>& items, std::size_t methods, const Write& write) {
  Json list(Json::value_t::array);
  list.get_ref<Json::array_t&>().resize(methods);
  for (const Item& item : items) list[item.method] = write(item);
  return list;
}

Json samples_json(const PageSamples& samples, std::size_t methods) {
  Json pictures = Json::array();
  for (const std::string& uri : samples.pictures)
    pictures.push_back(uri.empty() ? Json() : Json(uri));
  return {{"seed", samples.seed},
          {"row", samples.row},
          {"side", samples.side},
          {"label", samples.label},
          {"picture", std::move(pictures)},
          {"methods", by_method(samples.methods, methods, [](const SampleAnswers& mine) {
             return Json{{"r", rounded_list(mine.r)},
                         {"rank", mine.rank},
                         {"base", mine.base},
                         {"new", mine.new_side},
                         {"correct", mine.correct}};
           })}};
}

bool has_overall(const PageClasses& classes) {
  for (const MethodClasses& mine : classes.methods) {
    if (mine.overall.empty()) return false;
  }
  return true;
}

Json confusions_json(const MethodClasses& mine) {
  Json rows = Json::array();
  for (const Confusion& c : mine.confusions) rows.push_back({c.truth, c.answer, c.count, c.total});
  return rows;
}

Json group_json(const PageGroup& group, std::size_t methods) {
  Json runs = Json::array();
  for (const PageRun& run : group.runs) runs.push_back(run_json(run));
  Json json = {{"name", group.name},
               {"size", group.samples},
               {"repeats", group.repeats},
               {"classes", group.classes},
               {"baseClasses", group.base_classes},
               {"runs", std::move(runs)}};
  if (group.shown) json["samples"] = samples_json(*group.shown, methods);
  if (!group.no_pictures.empty()) json["why"] = group.no_pictures;
  if (group.by_class) {
    const PageClasses& classes = *group.by_class;
    Json overall = nullptr;
    if (has_overall(classes)) {
      overall = by_method(classes.methods, methods, [](const auto& m) { return Json(m.overall); });
    }
    json["perClass"] = {
        {"total", classes.total},
        {"right", by_method(classes.methods, methods, [](const auto& m) { return Json(m.right); })},
        {"overall", std::move(overall)}};
    json["confusions"] = by_method(classes.methods, methods, confusions_json);
  }
  return json;
}

}  // namespace

nlohmann::ordered_json page_data_json(const PageData& data,
                                      const std::vector<std::string>& methods) {
  Json groups = Json::array(), losses = Json::array();
  for (const PageGroup& group : data.groups) groups.push_back(group_json(group, methods.size()));
  for (const PageLoss& loss : data.losses) {
    Json points = Json::array();
    for (const LossPoint& point : loss.points) points.push_back({point.step, rounded(point.loss)});
    losses.push_back({{"method", loss.method},
                      {"group", loss.group},
                      {"seed", loss.seed},
                      {"points", std::move(points)}});
  }
  return {{"methods", methods}, {"groups", std::move(groups)}, {"loss", std::move(losses)}};
}

}  // namespace openworld
