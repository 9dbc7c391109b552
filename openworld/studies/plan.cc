#include "openworld/studies/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "openworld/base/error.h"
#include "openworld/io/mapped_file.h"
#include "openworld/runs/seed_list.h"
#include "openworld/studies/toml_entry.h"

namespace openworld {
namespace {

// The depth of a table is bounded by the dots of its names, and toml++ frees tables recursively:
// 100,000 levels overflow a stack of 8 MiB.
constexpr std::size_t kMostDots = 4096;

// The entries of a list that is not empty. Throws Error.
const toml::array& list_of(const toml::table& table, const char* key, const Origin& origin) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    origin.fail(fmt::format("{} is missing; expected a list of names or tables", key));
  }
  const toml::array* list = node->as_array();
  if (list == nullptr || list->empty()) {
    fail_at(origin, line_of(*node),
            fmt::format("{} is {}; expected a list with at least one entry", key,
                        list == nullptr ? type_text(*node) : "an empty list"));
  }
  return *list;
}

// Fills an entry from a name or a table; the table, or null. `name` is the field that a name sets.
template <class T>
const toml::table* read_entry(const toml::node& node, const char* key, const char* name, T& part,
                              const std::vector<std::string>& other, const Origin& origin) {
  OptionList list;
  part.declare(list);
  const toml::table* table = node.as_table();
  if (table != nullptr) {
    set_from_toml(*table, list, other, origin);
  } else if (const auto* text = node.as_string()) {
    list.set_values({{name, text->get()}}, "plan");
  } else {
    fail_at(origin, line_of(node),
            fmt::format("an entry of {} is {}; expected a name or a table", key, type_text(node)));
  }
  const OptionValues values = list.values();
  const auto named = std::find_if(values.begin(), values.end(),
                                  [&](const NamedOption& value) { return value.name == name; });
  if (std::get<std::string>(named->value).empty()) {
    fail_at(origin, line_of(node), fmt::format("an entry of {} has no {}", key, name));
  }
  return table;
}

const toml::table* options_of(const toml::table* entry, const Origin& origin) {
  const toml::node* node = entry == nullptr ? nullptr : entry->get("options");
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    fail_at(origin, line_of(*node),
            fmt::format("options is {}; expected a table", type_text(*node)));
  }
  return node->as_table();
}

PlanLearner read_learner(const toml::node& node, const Origin& origin) {
  PlanLearner entry{.learner = {}, .sweep = {}, .line = line_of(node)};
  const toml::table* table =
      read_entry(node, "learners", "name", entry.learner, {"options"}, origin);
  if (const toml::table* options = options_of(table, origin)) {
    for (const auto& [key, value] : *options) {
      entry.sweep.push_back({.name = std::string(key.str()),
                             .values = toml_values(value, key.str(), origin),
                             .line = line_of(value)});
    }
  }
  return entry;
}

PlanScenario read_scenario(const toml::node& node, const Origin& origin) {
  PlanScenario entry{.scenario = {}, .line = line_of(node)};
  const toml::table* table =
      read_entry(node, "scenarios", "name", entry.scenario, {"options"}, origin);
  if (const toml::table* options = options_of(table, origin)) {
    for (const auto& [key, value] : *options) {
      entry.scenario.options.push_back(
          {std::string(key.str()), joined_toml_value(value, key.str(), origin)});
    }
  }
  return entry;
}

// A whole number or a list of them, each once.
std::vector<std::int64_t> read_numbers(const toml::node& node, const char* key,
                                       const Origin& origin) {
  std::vector<std::int64_t> numbers;
  const auto add = [&](const toml::node& item) {
    const auto* value = item.as_integer();
    if (value == nullptr || value->get() < 0) {
      fail_at(origin, line_of(item),
              fmt::format("{} has {}; expected whole numbers", key, type_text(item)));
    }
    if (std::find(numbers.begin(), numbers.end(), value->get()) != numbers.end()) {
      fail_at(origin, line_of(item), fmt::format("{} has {} twice", key, value->get()));
    }
    numbers.push_back(value->get());
  };
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) add(item);
  } else {
    add(node);
  }
  if (numbers.empty()) {
    fail_at(origin, line_of(node), fmt::format("{} is an empty list; expected numbers", key));
  }
  return numbers;
}

std::vector<std::int64_t> read_seeds(const toml::node& node, const Origin& origin) {
  const auto* text = node.as_string();
  if (text == nullptr) return read_numbers(node, "seeds", origin);
  std::vector<std::int64_t> seeds;
  try {
    for (const std::uint64_t seed : parse_seed_list(text->get(), "plan")) {
      if (seed >> 63 != 0) fail("plan", "seeds are at most 2^63 - 1");
      seeds.push_back(static_cast<std::int64_t>(seed));
    }
  } catch (const Error& error) {
    fail_at(origin, line_of(node), error.message());
  }
  return seeds;
}

void expect_few_cells(const Plan& plan, const Origin& origin) {
  if (plan.size() <= kMostCells) return;
  origin.fail(fmt::format("has more than {} cells; split it into several plans", kMostCells));
}

}  // namespace

toml::table parse_plan_table(std::string_view text, const Origin& origin) {
  if (text.size() > kMostPlanBytes) {
    origin.fail(fmt::format("has {} bytes; a plan has at most {}", text.size(), kMostPlanBytes));
  }
  if (std::count(text.begin(), text.end(), '.') > static_cast<std::ptrdiff_t>(kMostDots)) {
    origin.fail(fmt::format("has more than {} dots; tables may be nested too deeply", kMostDots));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail_at(origin, error.source().begin.line,
            fmt::format("not valid TOML: {}", printable_line(error.description())));
  }
}

std::size_t Plan::size() const {
  std::size_t swept = 0;
  // Saturates: factors are at most the bytes of a plan, and a sweep may have many of them.
  const auto times = [](std::size_t a, std::size_t b) { return std::min(a * b, kMostCells + 1); };
  for (const PlanLearner& learner : learners) {
    std::size_t count = 1;
    for (const SweptOption& option : learner.sweep) count = times(count, option.values.size());
    swept = std::min(swept + count, kMostCells + 1);
  }
  std::size_t cells = swept;
  for (const std::size_t factor :
       {models.size(), data.size(), scenarios.size(), shots.size(), seeds.size()}) {
    cells = times(cells, factor);
  }
  return cells;
}

Plan parse_plan(std::string_view text, const Origin& origin) {
  const toml::table table = parse_plan_table(text, origin);
  expect_keys(table,
              {"name", "models", "data", "scenarios", "learners", "shots", "seeds", "description",
               "source", "quick", "published"},
              origin);
  Plan plan;
  if (const toml::node* name = table.get("name")) {
    if (!name->is_string()) {
      fail_at(origin, line_of(*name), fmt::format("name is {}; expected text", type_text(*name)));
    }
    plan.name = name->as_string()->get();
  }
  for (const toml::node& node : list_of(table, "models", origin)) {
    PlanModel& entry = plan.models.emplace_back(PlanModel{{}, line_of(node)});
    read_entry(node, "models", "path", entry.model, {}, origin);
  }
  for (const toml::node& node : list_of(table, "data", origin)) {
    PlanData& entry = plan.data.emplace_back(PlanData{{}, line_of(node)});
    read_entry(node, "data", "path", entry.data, {}, origin);
  }
  if (table.contains("scenarios")) {
    for (const toml::node& node : list_of(table, "scenarios", origin)) {
      plan.scenarios.push_back(read_scenario(node, origin));
    }
  } else {
    plan.scenarios.emplace_back().scenario.name = "recognition";
  }
  for (const toml::node& node : list_of(table, "learners", origin)) {
    plan.learners.push_back(read_learner(node, origin));
  }
  const toml::node* shots = table.get("shots");
  plan.shots =
      shots == nullptr ? std::vector<std::int64_t>{16} : read_numbers(*shots, "shots", origin);
  const toml::node* seeds = table.get("seeds");
  plan.seeds = seeds == nullptr ? std::vector<std::int64_t>{1} : read_seeds(*seeds, origin);
  expect_few_cells(plan, origin);
  return plan;
}

Plan read_plan(const std::string& path, std::string_view function) {
  const Origin origin{std::string(function), path};
  const Bytes bytes = map_file(origin);
  const auto* text = reinterpret_cast<const char*>(bytes.values.data());
  return parse_plan({text, bytes.values.size()}, origin);
}

}  // namespace openworld
