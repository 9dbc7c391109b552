#include "openworld/stats/studentized_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"
#include "openworld/stats/expect_relative.h"

namespace openworld {
namespace {

struct Golden {
  double x;
  int k;
  double value;
};

TEST(StudentizedRange, MatchesScipy) {
  // scipy 1.10.1, scipy.stats.studentized_range.cdf(q, k, inf), then .sf, then .ppf. Its own error
  // is about 1e-11 absolute, which is why no smaller probability is asked of it.
  const std::vector<Golden> cdf = {
      {0.5, 2, 0.27632639016823696},     {1, 2, 0.5204998778130465},
      {2, 2, 0.8427007929497148},        {3.5, 2, 0.9866716712191826},
      {5, 2, 0.999593047982555},         {0.5, 3, 0.06657805486471302},
      {1, 3, 0.24071264122933875},       {2, 3, 0.66650067495985},
      {3.5, 3, 0.9644429581368396},      {5, 3, 0.998816008769013},
      {0.5, 5, 0.0033403160565506893},   {1, 5, 0.04504514481135578},
      {2, 5, 0.3815505194490081},        {3.5, 5, 0.9036615360345732},
      {5, 5, 0.9962697261948056},        {0.5, 10, 1.4133805157339613e-06},
      {1, 10, 0.0005198694554641243},    {2, 10, 0.07678576139314684},
      {3.5, 10, 0.7179835617108637},     {5, 10, 0.9851425621122164},
      {0.5, 20, 1.7949944909781144e-13}, {1, 20, 4.961337569841825e-08},
      {2, 20, 0.002335749390537207},     {3.5, 20, 0.3963950547965262},
      {5, 20, 0.9486353364208663},       {3.5, 100, 0.000999781132425012},
      {5, 100, 0.5214522935530123}};
  const std::vector<Golden> survival = {
      {0.5, 2, 0.7236736098317631},    {2, 2, 0.15729920705028522},
      {3.5, 2, 0.013328328780817356},  {5, 2, 0.00040695201744500586},
      {8, 2, 1.5417257914762672e-08},  {0.5, 3, 0.933421945135287},
      {2, 3, 0.33349932504015},        {3.5, 3, 0.03555704186316044},
      {5, 3, 0.0011839912309870027},   {8, 3, 4.6214387094956066e-08},
      {0.5, 5, 0.9966596839434493},    {2, 5, 0.6184494805509919},
      {3.5, 5, 0.09633846396542678},   {5, 5, 0.0037302738051944173},
      {8, 5, 1.5380313811430568e-07},  {0.5, 10, 0.9999985866194843},
      {2, 10, 0.9232142386068531},     {3.5, 10, 0.28201643828913625},
      {5, 10, 0.014857437887783598},   {8, 10, 6.894622225361857e-07},
      {0.5, 20, 0.9999999999998205},   {2, 20, 0.9976642506094628},
      {3.5, 20, 0.6036049452034737},   {5, 20, 0.05136466357913372},
      {8, 20, 2.8901613927656555e-06}, {2, 100, 0.9999999999999997},
      {3.5, 100, 0.999000218867575},   {5, 100, 0.47854770644698774},
      {8, 100, 7.191934654937615e-05}};
  const std::vector<Golden> quantile = {
      {0.01, 2, 0.017725002561901165}, {0.5, 2, 0.9538725524089396},
      {0.9, 2, 2.3261743073533476},    {0.95, 2, 2.771807648699355},
      {0.99, 2, 3.642772735436894},    {0.999, 2, 4.653507531026965},
      {0.01, 3, 0.19094499182679314},  {0.5, 3, 1.5877877504463476},
      {0.9, 3, 2.9023802134282515},    {0.95, 3, 3.314493155398122},
      {0.99, 3, 4.12030320646012},     {0.999, 3, 5.063452578036243},
      {0.01, 5, 0.6650152540843267},   {0.5, 5, 2.256882493026194},
      {0.9, 5, 3.478280550703068},     {0.95, 5, 3.857655510378623},
      {0.99, 5, 4.602821042201571},    {0.999, 5, 5.483753686172636},
      {0.01, 10, 1.467032562397111},   {0.5, 10, 3.0242015729725664},
      {0.9, 10, 4.129346398236873},    {0.95, 10, 4.474124221725907},
      {0.99, 10, 5.156634960089622},   {0.999, 10, 5.973306526399561},
      {0.01, 20, 2.2527909668294295},  {0.5, 20, 3.6859147719627656},
      {0.9, 20, 4.694104409490512},    {0.95, 20, 5.0116887941184425},
      {0.99, 20, 5.6452146979858515},  {0.999, 20, 6.411187358406609},
      {0.01, 100, 3.8067467130408437}, {0.5, 100, 4.967945618635792},
      {0.9, 100, 5.812496242333562},   {0.95, 100, 6.084637537173171},
      {0.99, 100, 6.635541907441475},  {0.999, 100, 7.314093840195487}};
  for (const auto& [q, k, value] : cdf) {
    EXPECT_NEAR(studentized_range_cdf(q, k), value, 2e-11);
  }
  for (const auto& [q, k, value] : survival) {
    EXPECT_NEAR(studentized_range_survival(q, k), value, 2e-11);
  }
  for (const auto& [p, k, value] : quantile) {
    EXPECT_RELATIVE(studentized_range_quantile(p, k), value, 1e-10);
  }
}

// The difference of two standard normals has variance 2: P(|difference| > q) = erfc(q/2).
TEST(StudentizedRange, TwoValuesAreClosedFormInBothTails) {
  for (const double q : {1e-3, 0.1, 1.0, 5.0, 12.0, 30.0, 50.0}) {
    EXPECT_RELATIVE(studentized_range_survival(q, 2), std::erfc(q / 2), 1e-12);
    EXPECT_RELATIVE(studentized_range_cdf(q, 2), std::erf(q / 2), 1e-12);
  }
}

// Bonferroni: the tail is at most the sum over pairs, and in the deep tail little less.
TEST(StudentizedRange, DeepTailsLieWithinBonferroniBounds) {
  for (const int k : {3, 10, 100}) {
    for (const double q : {12.0, 20.0, 40.0}) {
      const double pairs = 0.5 * k * (k - 1) * std::erfc(q / 2);
      const double survival = studentized_range_survival(q, k);
      EXPECT_LE(survival, pairs * (1 + 1e-12));
      EXPECT_GE(survival, pairs * (1 - 0.02));
    }
  }
}

TEST(StudentizedRange, TailsAddUpToOneAndQuantileInverts) {
  for (const int k : {2, 3, 7, 50, 1000, 10000}) {
    for (const double q : {0.3, 1.0, 2.5, 4.0, 6.0, 9.0}) {
      const double cdf = studentized_range_cdf(q, k);
      EXPECT_NEAR(cdf + studentized_range_survival(q, k), 1, 1e-12) << q << " " << k;
    }
  }
  for (const double alpha : {0.1, 0.05, 1e-3, 1e-9}) {
    EXPECT_NEAR(studentized_range_survival(studentized_range_quantile(1 - alpha, 6), 6) / alpha, 1,
                1e-6);
  }
}

// The integral point by point, as the header has it: what is left out changes no bit.
TEST(StudentizedRange, HasTheBitsOfTheWholeSum) {
  for (const int k : {2, 3, 10, 499, 10'000}) {
    const StudentizedRangeTail tail(k);
    for (const double q : {1e-9, 0.01, 0.7, 3.3, 8.0, 20.0, 37.0, 60.0, 900.0}) {
      double sum = 0;
      for (int i = -38 * 16; i <= 38 * 16; ++i) {
        const double z = i / 16.0, above = normal_survival(z);
        if (above == 0) continue;
        const double beyond = normal_survival(z + q) / above;
        sum += std::exp(-0.5 * z * z) *
               (std::pow(above, k - 1) * -std::expm1((k - 1) * std::log1p(-beyond)));
      }
      const double expected = k * sum * (1.0 / 16) / std::sqrt(2 * std::numbers::pi);
      EXPECT_EQ(tail.survival(q), expected) << q << " " << k;
      EXPECT_EQ(studentized_range_survival(q, k), expected) << q << " " << k;
    }
  }
}

TEST(StudentizedRange, EndsAndErrors) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(studentized_range_cdf(0, 3), 0);
  EXPECT_EQ(studentized_range_survival(-1, 3), 1);
  EXPECT_EQ(studentized_range_quantile(0, 3), 0);
  EXPECT_THROW(studentized_range_cdf(kNan, 3), Error);
  EXPECT_THROW(studentized_range_cdf(1, 1), Error);
  EXPECT_THROW(studentized_range_survival(1, 0), Error);
  EXPECT_THROW(studentized_range_quantile(1, 3), Error);
  EXPECT_THROW(studentized_range_quantile(-0.1, 3), Error);
  EXPECT_THROW(studentized_range_quantile(kNan, 3), Error);
}

}  // namespace
}  // namespace openworld
