#include "openworld/cli/long_table.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "openworld/base/name_index.h"

namespace openworld {
namespace {

constexpr std::string_view kJoin = " / ";
// Every pair of methods is tested, and takes 20 us.
constexpr std::size_t kMostMethods = 500;

}  // namespace

LongTable read_long_table(const CsvTable& csv, const std::string& method_column,
                          const std::vector<std::string>& setting_columns,
                          const std::string& value_column, const std::string& seed_column) {
  const std::size_t method_at = csv.column(method_column), value_at = csv.column(value_column);
  const auto seed_at = csv.find(seed_column);
  std::vector<std::size_t> setting_at;
  for (const std::string& column : setting_columns) setting_at.push_back(csv.column(column));
  if (csv.rows() == 0) csv.origin().fail("no rows; expected at least one result");

  struct Sum {
    double sum = 0;
    std::set<std::string, std::less<>> seeds;
  };
  LongTable table;
  NameIndex methods, settings;
  std::map<std::pair<std::size_t, std::size_t>, Sum> cells;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    std::string task;
    for (std::size_t i = 0; i < setting_at.size(); ++i) {
      if (i > 0) task += kJoin;
      task += csv.cell(row, setting_at[i]);
      const bool parts = setting_at.size() > 1;
      if (parts && csv.cell(row, setting_at[i]).find(kJoin) != std::string_view::npos) {
        csv.fail_cell(row, setting_at[i],
                      "text without \" / \", which joins the parts of a setting");
      }
    }
    const std::size_t m = methods.index_of(std::string(csv.cell(row, method_at)), table.methods);
    const std::size_t s = settings.index_of(task, table.settings);
    Sum& cell = cells[{s, m}];
    const std::string seed(seed_at ? csv.cell(row, *seed_at) : "");
    if (!cell.seeds.insert(seed).second) {
      csv.origin().fail(fmt::format(
          "row {} repeats method {} in setting {}{}; expected each once, or a {} column that "
          "distinguishes them",
          row + 1, in_quotes(table.methods[m]), in_quotes(task),
          seed_at ? fmt::format(" with {} {}", seed_column, in_quotes(seed)) : "", seed_column));
    }
    cell.sum += csv.number(row, value_at);
  }
  if (table.methods.size() < 2) {
    csv.origin().fail(fmt::format("only method {}; expected two or more to compare",
                                  in_quotes(table.methods[0])));
  }
  if (table.methods.size() > kMostMethods) {
    csv.origin().fail(
        fmt::format("has {} methods; expected at most {}", table.methods.size(), kMostMethods));
  }
  // No more cells than rows, so that a missing one is found before there is room for all.
  for (std::size_t s = 0; s < table.settings.size(); ++s) {
    for (std::size_t m = 0; m < table.methods.size(); ++m) {
      const auto it = cells.find({s, m});
      if (it == cells.end()) {
        csv.origin().fail(
            fmt::format("method {} has no row for setting {}; expected every method "
                        "in every setting",
                        in_quotes(table.methods[m]), in_quotes(table.settings[s])));
      }
      table.values.push_back(it->second.sum / static_cast<double>(it->second.seeds.size()));
    }
  }
  return table;
}

}  // namespace openworld
