#include "openworld/runs/request_options.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

template <class Options>
std::string error_of(const char* name, const OptionValue& value) {
  Options options;
  OptionList list;
  options.declare(list);
  try {
    set_named_option(list, {name, value}, "test");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RequestOptions, DefaultsAreThoseOfTheRequests) {
  const TuningRequest tuning = TuningRequestOptions().request();
  EXPECT_EQ(tuning.shots, TuningRequest().shots);
  EXPECT_EQ(tuning.base, TuningRequest().base);
  const ModelSpec model = ModelSpecOptions().spec("pocket");
  EXPECT_EQ(model.path, "pocket");
  EXPECT_EQ(model.batch, ModelSpec().batch);
  EXPECT_EQ(model.threads, ModelSpec().threads);
}

TEST(RequestOptions, SetWhatTheyName) {
  TuningRequestOptions options;
  OptionList list;
  options.declare(list);
  set_named_option(list, {"shots", std::int64_t{4}}, "test");
  set_named_option(list, {"base", std::int64_t{5}}, "test");
  set_named_option(list, {"image_root", std::string("photos")}, "test");
  set_named_option(list, {"augment", true}, "test");
  const TuningRequest request = options.request();
  EXPECT_EQ(request.shots, 4u);
  EXPECT_EQ(request.base, "5");
  EXPECT_EQ(request.data.options.image_root, "photos");
  EXPECT_TRUE(request.augment);
}

TEST(RequestOptions, MakeAScenario) {
  TuningRequestOptions options;
  options.scenario = "domain";
  options.looks = "chalk,crayon";
  options.scenario_set = "base=all;columns=train";
  const TuningRequest request = options.request();
  ASSERT_TRUE(request.scenario);
  EXPECT_EQ(request.scenario->name, "domain");
  EXPECT_EQ(request.scenario->looks, (std::vector<std::string>{"chalk", "crayon"}));
  EXPECT_EQ(request.scenario->options, (std::vector<std::string>{"base=all", "columns=train"}));
  EXPECT_TRUE(request.scenario->targets.empty());
  options.fields.base = "5";
  EXPECT_THROW(options.request(), Error);
  options = {};
  EXPECT_FALSE(options.request().scenario);
  options.targets = "food@chalk";
  EXPECT_THROW(options.request(), Error);
}

TEST(RequestOptions, RefuseByNameAndRange) {
  EXPECT_EQ(error_of<ModelSpecOptions>("batch", std::int64_t{0}),
            "[test] option batch is 0; expected an integer from 1 to 4096");
  EXPECT_EQ(error_of<ModelSpecOptions>("activation", std::string("relu")),
            "[test] option activation is \"relu\"; expected quick_gelu or gelu");
  EXPECT_EQ(error_of<ZeroShotRequestOptions>("ensemble", std::string("mean")),
            "[test] option ensemble is \"mean\"; expected features or logits");
  EXPECT_NE(error_of<TuningRequestOptions>("shot", std::int64_t{1}).find("did you mean shots?"),
            std::string::npos);
}

}  // namespace
}  // namespace openworld
