#include "openworld/tuning/keyword_request.h"

#include <fmt/format.h>

#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"
#include "openworld/runs/request_options.h"
#include "openworld/tuning/method.h"

namespace openworld {
namespace {

[[noreturn]] void refuse(const std::string& name, const OptionList& job, const Method& method) {
  std::vector<std::string> names;
  for (const OptionRow& row : job.rows()) names.push_back(row.name);
  for (const OptionRow& row : method.list.rows()) names.push_back(row.name);
  fail("tune",
       fmt::format("no option {} of tune or {}; {}expected one of tune, or of {}: {}",
                   in_quotes(name), method.row->name, did_you_mean(name, names), method.row->name,
                   fmt::join(names.begin() + job.rows().size(), names.end(), ", ")));
}

}  // namespace

TuningRequest keyword_request(const std::string& name, const OptionValues& keywords) {
  Method method(name);
  TuningRequestOptions options;
  OptionList job;
  options.declare(job);
  std::vector<std::string> of_method;
  for (const NamedOption& keyword : keywords) {
    if (method.list.has(keyword.name)) {
      set_named_option(method.list, keyword, "tune");
      of_method.push_back(keyword.name + "=" + option_text(keyword.value));
    } else if (job.has(keyword.name)) {
      set_named_option(job, keyword, "tune");
    } else {
      refuse(keyword.name, job, method);
    }
  }
  TuningRequest request = options.request();
  request.method = name;
  request.options = std::move(of_method);
  return request;
}

}  // namespace openworld
