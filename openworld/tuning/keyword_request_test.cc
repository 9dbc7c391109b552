#include "openworld/tuning/keyword_request.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

TEST(KeywordRequest, SortsOptionsOfTheJobAndOfTheMethod) {
  const TuningRequest request = keyword_request(
      "coop", {{"shots", std::int64_t{2}}, {"lr", 0.25}, {"epochs", std::int64_t{3}}});
  EXPECT_EQ(request.method, "coop");
  EXPECT_EQ(request.shots, 2u);
  EXPECT_EQ(request.options, (std::vector<std::string>{"lr=0.25", "epochs=3"}));
  EXPECT_EQ(request.epochs, 0);
  // A method without that option leaves it to the job, which says why it has none.
  EXPECT_EQ(keyword_request("zeroshot", {{"epochs", std::int64_t{3}}}).epochs, 3);
}

TEST(KeywordRequest, NamesTheNearestOfBoth) {
  const auto error_of = [](const char* name) -> std::string {
    try {
      keyword_request("coop", {{name, 1.0}});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of("shot").find("[tune] no option \"shot\" of tune or coop; did you mean shots?"),
            std::string::npos);
  EXPECT_NE(error_of("lrr").find("did you mean lr?"), std::string::npos);
  EXPECT_EQ(error_of("lr"), "no error");
  EXPECT_NE(error_of("tokens").find("option tokens is 1.0"), std::string::npos);
}

}  // namespace
}  // namespace openworld
