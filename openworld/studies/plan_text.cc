#include "openworld/studies/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/data_folder.h"
#include "openworld/io/mapped_file.h"
#include "openworld/studies/plan.h"
#include "openworld/studies/toml_entry.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

std::string read_text(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  return {reinterpret_cast<const char*>(bytes.values.data()), bytes.values.size()};
}

toml::array list_of(const std::vector<std::string>& names) {
  toml::array list;
  for (const std::string& name : names) list.push_back(name);
  return list;
}

// An entry that is a name as the table that means the same.
void make_table(toml::node_view<toml::node> list, std::size_t i) {
  toml::array& entries = *list.as_array();
  const auto* name = entries[i].as_string();
  if (name == nullptr) return;
  entries.replace(entries.cbegin() + static_cast<std::ptrdiff_t>(i),
                  toml::table{{"name", name->get()}});
}

// The options of every learner get at most so many epochs. Zero-shot CLIP has none.
void limit_epochs(toml::table& plan, std::int64_t epochs) {
  toml::array* learners = plan["learners"].as_array();
  if (learners == nullptr) return;
  for (std::size_t i = 0; i < learners->size(); ++i) {
    make_table(plan["learners"], i);
    toml::table* entry = (*learners)[i].as_table();
    if (entry == nullptr || (*entry)["name"].value_or(std::string()) == "zero-shot") continue;
    if (!entry->contains("options")) entry->insert("options", toml::table{});
    toml::table* options = (*entry)["options"].as_table();
    if (options == nullptr) continue;
    if ((*options)["epochs"].value_or(epochs + 1) > epochs) {
      options->insert_or_assign("epochs", epochs);
    }
  }
}

// Replaces keys of the plan by those of one of its tables.
void apply(toml::table& plan, const toml::table& changes, const Origin& origin) {
  expect_keys(changes, {"models", "data", "scenarios", "learners", "shots", "seeds", "epochs"},
              origin);
  for (const auto& [key, value] : changes) {
    if (key.str() == "epochs") continue;
    plan.insert_or_assign(key.str(), value);
  }
  const toml::node* epochs = changes.get("epochs");
  if (epochs == nullptr) return;
  const auto* number = epochs->as_integer();
  if (number == nullptr || number->get() < 1) {
    fail_at(origin, line_of(*epochs),
            fmt::format("epochs is {}; expected a whole number from 1 on", type_text(*epochs)));
  }
  limit_epochs(plan, number->get());
}

const toml::table* table_of(const toml::table& plan, const char* key, const Origin& origin) {
  const toml::node* node = plan.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    fail_at(origin, line_of(*node),
            fmt::format("{} is {}; expected a table", key, type_text(*node)));
  }
  return node->as_table();
}

// Sets `key` of the scenarios that have it; removes it there if `names` is empty.
void set_of_scenarios(toml::table& plan, const char* key, const std::vector<std::string>& names,
                      const Origin& origin) {
  toml::array* scenarios = plan["scenarios"].as_array();
  bool any = false;
  for (std::size_t i = 0; scenarios != nullptr && i < scenarios->size(); ++i) {
    toml::table* entry = (*scenarios)[i].as_table();
    if (entry == nullptr || !entry->contains(key)) continue;
    any = true;
    if (names.empty()) {
      entry->erase(key);
    } else {
      entry->insert_or_assign(key, list_of(names));
    }
  }
  if (!any && !names.empty()) origin.fail(fmt::format("no scenario of the plan has {}", key));
}

std::string toml_text(const toml::table& table) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << table << '\n';
  return stream.str();
}

std::string bundled_folder() {
  return (fs::path(data_folder()) / "studies").string();
}

// "openworld-table2.toml" as "openworld:table2"; "" for other files.
std::string name_of(const fs::path& file) {
  std::string name = file.stem().string();
  const std::size_t dash = name.find('-');
  if (file.extension() != ".toml" || dash == std::string::npos) return "";
  name[dash] = ':';
  return name;
}

// table2 before table10.
bool by_number(const BundledPlan& a, const BundledPlan& b) {
  const auto key = [](const std::string& name) {
    const std::size_t digits = name.find_first_of("0123456789");
    const std::string head = name.substr(0, digits);
    return std::pair(head, digits == std::string::npos ? 0 : std::atoi(name.c_str() + digits));
  };
  return key(a.name) < key(b.name);
}

std::string absolute_if_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? fs::absolute(path).lexically_normal().string() : path;
}

}  // namespace

std::string changed_plan(std::string_view text, const PlanChanges& changes, const Origin& origin) {
  if (!changes.any()) return std::string(text);
  // Tables of the file know their lines, copies of them do not.
  const toml::table file = parse_plan_table(text, origin);
  const toml::table* quick = table_of(file, "quick", origin);
  const toml::table* published = table_of(file, "published", origin);
  if (changes.quick && quick == nullptr) origin.fail("has no [quick] table, which --quick takes");
  toml::table plan = file;
  plan.erase("quick");
  plan.erase("published");
  if (!changes.models.empty() && published != nullptr) apply(plan, *published, origin);
  if (changes.quick) apply(plan, *quick, origin);
  if (!changes.models.empty()) plan.insert_or_assign("models", list_of(changes.models));
  if (!changes.data.empty()) {
    plan.insert_or_assign("data", list_of(changes.data));
    // Those of the plan belong to its data.
    set_of_scenarios(plan, "looks", changes.looks, origin);
    set_of_scenarios(plan, "targets", changes.targets, origin);
  } else {
    if (!changes.looks.empty()) set_of_scenarios(plan, "looks", changes.looks, origin);
    if (!changes.targets.empty()) set_of_scenarios(plan, "targets", changes.targets, origin);
  }
  return toml_text(plan);
}

std::vector<BundledPlan> bundled_plans(std::string_view function) {
  std::vector<BundledPlan> plans;
  const std::string folder = bundled_folder();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = name_of(entry.path());
    if (name.empty()) continue;
    const Origin origin{std::string(function), entry.path().string()};
    const toml::table table = parse_plan_table(read_text(origin), origin);
    plans.push_back({.name = name,
                     .path = origin.file,
                     .description = table["description"].value_or(std::string()),
                     .source = table["source"].value_or(std::string())});
  }
  if (error) fail(function, fmt::format("{}: {}", folder, error.message()));
  std::ranges::sort(plans, by_number);
  return plans;
}

PlanText read_plan_text(const std::string& plan, PlanChanges changes, std::string_view function) {
  for (auto* names : {&changes.models, &changes.data, &changes.looks, &changes.targets}) {
    for (std::string& name : *names) name = absolute_if_there(name);
  }
  std::error_code error;
  if (plan.find(':') == std::string::npos || fs::exists(plan, error)) {
    const std::string path = fs::absolute(plan, error).lexically_normal().string();
    PlanText result{.text = {}, .folder = fs::path(path).parent_path().string()};
    result.text = changed_plan(read_text({std::string(function), path}), changes,
                               {std::string(function), plan});
    return result;
  }
  std::vector<std::string> names;
  for (const BundledPlan& each : bundled_plans(function)) {
    if (each.name == plan) {
      return {.text = changed_plan(read_text({std::string(function), each.path}), changes,
                                   {std::string(function), plan}),
              .folder = fs::current_path(error).string()};
    }
    names.push_back(each.name);
  }
  fail(function, fmt::format("no bundled plan is called '{}'; {}", plan, known_names(plan, names)));
}

}  // namespace openworld
