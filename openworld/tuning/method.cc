#include "openworld/tuning/method.h"

namespace openworld {

Method::Method(const std::string& name) : row(&find_learner(name)), options(row->options()) {
  options->declare(list);
}

OptionValues Method::changed() const {
  const auto own = row->options();
  OptionList defaults;
  own->declare(defaults);
  return list.changed_from(defaults);
}

Method method_of(const RunSpec& spec, const std::string& function) {
  Method method(spec.method);
  method.list.set_values(spec.options, function);
  return method;
}

TuningTask task_of(const RunSpec& spec, const TextModel& text_model) {
  return {.text_model = text_model,
          .base_names = spec.base_names(),
          .sentences = {.templates = spec.templates,
                        .template_set = spec.template_set,
                        .ensemble = spec.ensemble,
                        .plain_words = spec.plain_words},
          .seed = spec.seed};
}

}  // namespace openworld
