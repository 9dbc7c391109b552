// openworld ls learners and openworld help learner, from the table behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/tuning/learner_json.h"
#include "openworld/tuning/method.h"

namespace openworld {
namespace {

void print_page(const LearnerRow& row) {
  print_out("{} ({}): {}\n{}\n\ninput     {}\ngradient  {}\nshots     {}\n\n", row.title, row.name,
            row.description, row.citation, image_input_name(row.input),
            row.gradient == "none" ? "none" : fmt::format("{} tower", row.gradient),
            row.shots == ShotRule::kCoop ? "drawn as Dassl does" : "drawn as DeCoOp does");
  print_out("Options, set by --set key=value:\n");
  const Method method{std::string(row.name)};
  for (const OptionRow& option : method.list.rows()) {
    print_out("  {:<20} {} [{}]\n{:23}{}\n", option.name, option.help, option_text(option.value()),
              "", option.expected);
  }
  print_out("\nopenworld tune --method {} --model pocket --data doodles:animals --out RUN\n",
            row.name);
}

}  // namespace

void list_learners(const LearnerListCommand& command) {
  if (!command.name.empty()) {
    const LearnerRow& row = find_learner(command.name);
    return command.json ? print_json(learner_json(row)) : print_page(row);
  }
  if (wants_rows(command.json)) return print_rows("learners", learners_json(), command.json);
  for (const LearnerRow& row : learners()) {
    print_out("  {:<12} {:<9} {}\n", row.name, row.title, row.description);
  }
  print_out("\n`openworld help learner NAME` shows one in full.\n");
}

}  // namespace openworld
