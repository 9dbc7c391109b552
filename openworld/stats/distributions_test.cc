#include "openworld/stats/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/stats/expect_relative.h"

// Golden values: scipy 1.10.1 where it is right to the digits tested, else 50-digit arithmetic
// (Boost.Math 1.74 on cpp_bin_float<50>, or 60-digit sums of Python's decimal). scipy 1.10 itself
// is off by 2e-8 for a binomial with n = 1e9, by 2e-9 for common t quantiles and without a right
// digit for t.ppf(1e-300, 10).

namespace openworld {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct One {
  double x, value;
};
struct Two {
  double x, a, value;
};
struct Three {
  double x, a, b, value;
};

TEST(Normal, CdfMatchesScipy) {
  const std::vector<One> golden = {
      {-37, 5.7255712225239266e-300}, {-20, 2.7536241186061556e-89}, {-10, 7.61985302416047e-24},
      {-5, 2.866515718791933e-07},    {-1.96, 0.024997895148220435}, {-1, 0.15865525393145707},
      {-0.1, 0.460172162722971},      {0.5, 0.6914624612740131},     {1, 0.8413447460685429},
      {3, 0.9986501019683699}};  // scipy.stats.norm.cdf(x)
  for (const auto& [x, value] : golden) {
    EXPECT_RELATIVE(normal_cdf(x), value, 1e-12);
    EXPECT_RELATIVE(normal_survival(-x), value, 1e-12);
  }
  EXPECT_EQ(normal_cdf(0), 0.5);
  EXPECT_EQ(normal_cdf(kInfinity), 1);
  EXPECT_EQ(normal_survival(kInfinity), 0);
}

TEST(Normal, QuantileMatchesScipyAndInvertsTheCdf) {
  const std::vector<One> golden = {
      {1e-300, -37.0470962993612}, {1e-100, -21.273453560965322}, {1e-20, -9.262340089798409},
      {1e-10, -6.361340902404056}, {0.001, -3.090232306167813},   {0.025, -1.9599639845400545},
      {0.05, -1.6448536269514729}, {0.3, -0.5244005127080409},    {0.7, 0.5244005127080407},
      {0.975, 1.959963984540054},  {0.999, 3.090232306167813}};  // scipy.stats.norm.ppf(p)
  for (const auto& [p, value] : golden) EXPECT_RELATIVE(normal_quantile(p), value, 1e-14);
  for (double x = -37; x < 5; x += 0.37) {
    EXPECT_NEAR(normal_quantile(normal_cdf(x)), x, x < 0 ? 1e-13 : 1e-9);
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -kInfinity);
  EXPECT_EQ(normal_quantile(1), kInfinity);
}

TEST(StudentT, SurvivalMatchesScipy) {
  const std::vector<Two> golden = {
      {1e-08, 1, 0.4999999968169011},
      {0.5, 1, 0.3524163823495668},
      {2, 1, 0.1475836176504332},
      {10, 1, 0.03172551743055356},
      {37, 1, 0.008600876105433152},
      {1e-08, 2, 0.49999999646446613},
      {0.5, 2, 0.33333333333333337},
      {2, 2, 0.09175170953613696},
      {10, 2, 0.004926228511662846},
      {37, 2, 0.00036483040246253174},
      {1e-08, 4.5, 0.4999999962245318},
      {0.5, 4.5, 0.3202747510370236},
      {2, 4.5, 0.05412895359056247},
      {10, 4.5, 0.00015264028784169788},
      {37, 4.5, 4.5758460639632066e-07},
      {1e-08, 30, 0.4999999960436782},
      {0.5, 30, 0.31036150244256366},
      {2, 30, 0.02731252248149155},
      {10, 30, 2.2876257041148048e-11},
      {37, 30, 6.80290314570995e-27},
      {1e-08, 10000, 0.4999999960106769},
      {0.5, 10000, 0.30854303966161667},
      {2, 10000, 0.022763630330717727},
      {10, 10000, 9.816403714332053e-24},
      {37, 10000, 2.8113156176397006e-281},
      {1e-08, 1000000000, 0.4999999960105772},
      {0.5, 1000000000, 0.3085375387809969},
      {2, 1000000000, 0.022750132083156665},
      {10, 1000000000, 7.619872453045468e-24},
      {37, 1000000000, 5.728258428776903e-300}};  // scipy.stats.t.sf(t, df)
  for (const auto& [t, df, value] : golden) {
    EXPECT_RELATIVE(student_t_survival(t, df), value, 1e-12);
    EXPECT_RELATIVE(student_t_cdf(-t, df), value, 1e-12);
    EXPECT_NEAR(student_t_cdf(t, df), 1 - value, 1e-15);
  }
  EXPECT_EQ(student_t_survival(1.5, kInfinity), normal_survival(1.5));
  EXPECT_EQ(student_t_survival(kInfinity, 3), 0);
  EXPECT_EQ(student_t_survival(-kInfinity, 3), 1);
}

TEST(StudentT, TheCauchyTailIsClosedForm) {
  for (const double t : {1e-3, 1.0, 1e3, 1e100, 1e150}) {
    EXPECT_RELATIVE(student_t_survival(t, 1), std::atan(1 / t) / std::numbers::pi, 1e-13);
  }
}

TEST(StudentT, QuantileMatches50Digits) {
  const std::vector<Two> golden = {{1e-300, 1, -3.1830988618379066e+299},
                                   {1e-10, 1, -3183098861.837907},
                                   {0.001, 1, -318.30883898555044},
                                   {0.025, 1, -12.706204736174705},
                                   {0.2, 1, -1.3763819204711734},
                                   {0.4999, 1, -0.0003141592756943707},
                                   {0.975, 1, 12.706204736174694},
                                   {1e-300, 2, -7.071067811865475e+149},
                                   {1e-10, 2, -70710.67810804815},
                                   {0.001, 2, -22.327124770119877},
                                   {0.025, 2, -4.302652729749464},
                                   {0.2, 2, -1.0606601717798212},
                                   {0.4999, 2, -0.0002828427181314423},
                                   {0.975, 2, 4.302652729749462},
                                   {1e-300, 3, -1.033110836044653e+100},
                                   {1e-10, 3, -2225.7692846830932},
                                   {0.001, 3, -10.214531852407386},
                                   {0.025, 3, -3.1824463052837095},
                                   {0.2, 3, -0.9784723123633043},
                                   {0.4999, 3, -0.00027206990911047337},
                                   {0.975, 3, 3.1824463052837086},
                                   {1e-300, 4.5, -6.7094554006634836e+66},
                                   {1e-10, 4.5, -241.117429191934},
                                   {0.001, 4.5, -6.421242884295792},
                                   {0.025, 4.5, -2.658912347204404},
                                   {0.2, 4.5, -0.9289655685760092},
                                   {0.4999, 4.5, -0.0002648678148282035},
                                   {0.975, 4.5, 2.658912347204403},
                                   {1e-300, 10, -2.564525718948198e+30},
                                   {1e-10, 10, -25.466008021697725},
                                   {0.001, 10, -4.143700494046589},
                                   {0.025, 10, -2.228138851986275},
                                   {0.2, 10, -0.8790578285505887},
                                   {0.4999, 10, -0.00025699780660494995},
                                   {0.975, 10, 2.2281388519862744},
                                   {1e-300, 30, -50178575360.50508},
                                   {1e-10, 30, -9.377489780407144},
                                   {0.001, 30, -3.385184866829305},
                                   {0.025, 30, -2.042272456301238},
                                   {0.2, 30, -0.8537672614712976},
                                   {0.4999, 30, -0.00025276002539339365},
                                   {0.975, 30, 2.0422724563012378},
                                   {1e-300, 100, -9682.734287069563},
                                   {1e-10, 100, -7.083375481400722},
                                   {0.001, 100, -3.173739493738783},
                                   {0.025, 100, -1.9839715185235522},
                                   {0.2, 100, -0.845230424491016},
                                   {0.4999, 100, -0.00025129026070821304},
                                   {0.975, 100, 1.9839715185235518},
                                   {1e-300, 10000, -38.35638432100424},
                                   {1e-10, 10000, -6.367941351482803},
                                   {0.001, 10000, -3.091047516030612},
                                   {0.025, 10000, -1.9602012398906263},
                                   {0.2, 10000, -0.8416571791416527},
                                   {0.4999, 10000, -0.0002506690967374758},
                                   {0.975, 10000, 1.960201239890626},
                                   {1e-300, 1000000000, -37.04710902029432},
                                   {1e-10, 1000000000, -6.361340968349944},
                                   {0.001, 1000000000, -3.0902323143179427},
                                   {0.025, 1000000000, -1.9599639869123255},
                                   {0.2, 1000000000, -0.8416212339323551},
                                   {0.4999, 1000000000, -0.0002506628301506732},
                                   {0.975, 1000000000, 1.959963986912325}};
  for (const auto& [p, df, value] : golden) {
    EXPECT_RELATIVE(student_t_quantile(p, df), value, 1e-12);
  }
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
  EXPECT_EQ(student_t_quantile(0, 3), -kInfinity);
  EXPECT_EQ(student_t_quantile(1, 3), kInfinity);
  EXPECT_EQ(student_t_quantile(0.3, kInfinity), normal_quantile(0.3));
}

TEST(ChiSquared, MatchesScipy) {
  const std::vector<Two> survival = {
      {1e-10, 1, 0.9999920211543921},        {0.5, 1, 0.47950012218695337},
      {3.84, 1, 0.05004352124870519},        {50, 1, 1.537459794428033e-12},
      {1300, 1, 1.1303728441493301e-284},    {1e-10, 2, 0.99999999995},
      {0.5, 2, 0.7788007830714049},          {3.84, 2, 0.14660696213035013},
      {50, 2, 1.3887943864964e-11},          {1300, 2, 5.111951948651156e-283},
      {0.5, 5, 0.9921232932326296},          {3.84, 5, 0.5726744598320888},
      {50, 5, 1.3857973367009573e-09},       {1300, 5, 6.3873752344737004e-279},
      {0.5, 10, 0.999993388289439},          {3.84, 10, 0.9542763043207358},
      {50, 10, 2.669083424904495e-07},       {1300, 10, 3.825653538395905e-273},
      {50, 100, 0.9999930466947524},         {1300, 100, 6.18324640912833e-208},
      {1001000, 1000000, 0.2396768048255214}};  // scipy.stats.chi2.sf(x, df)
  const std::vector<Two> cdf = {
      {1e-10, 1, 7.978845607895682e-06},
      {0.5, 1, 0.5204998778130466},
      {3.84, 1, 0.9499564787512949},
      {50, 1, 0.9999999999984626},
      {1e-10, 2, 4.999999999875002e-11},
      {0.5, 2, 0.22119921692859512},
      {3.84, 2, 0.8533930378696499},
      {50, 2, 0.9999999999861121},
      {1e-10, 5, 5.319230405162487e-27},
      {0.5, 5, 0.007876706767370404},
      {3.84, 5, 0.4273255401679113},
      {50, 5, 0.9999999986142026},
      {1e-10, 10, 2.6041666665582024e-54},
      {0.5, 10, 6.611710561034244e-06},
      {3.84, 10, 0.04572369567926417},
      {50, 10, 0.9999997330916575},
      {0.5, 100, 2.0299524618646476e-95},
      {3.84, 100, 7.324770749107227e-52},
      {50, 100, 6.953305247616201e-06},
      {999000, 1000000, 0.23982326854012725}};  // scipy.stats.chi2.cdf(x, df)
  for (const auto& [x, df, value] : survival) {
    EXPECT_RELATIVE(chi_squared_survival(x, df), value, 1e-12);
  }
  for (const auto& [x, df, value] : cdf) EXPECT_RELATIVE(chi_squared_cdf(x, df), value, 1e-12);
  EXPECT_EQ(chi_squared_survival(0, 3), 1);
  EXPECT_EQ(chi_squared_survival(kInfinity, 3), 0);
  EXPECT_EQ(chi_squared_cdf(kInfinity, 3), 1);
}

TEST(F, SurvivalMatchesScipyAnd50Digits) {
  const std::vector<Three> scipy = {
      {1e-06, 1, 1, 0.9993633804398584},    {0.5, 1, 1, 0.6081734479693929},
      {1, 1, 1, 0.5000000000000001},        {3, 1, 1, 0.33333333333333337},
      {100, 1, 1, 0.06345103486110715},     {1e-06, 2, 10, 0.9999990000005998},
      {0.5, 2, 10, 0.620921323059155},      {1, 2, 10, 0.401877572016461},
      {3, 2, 10, 0.095367431640625},        {100, 2, 10, 2.448519270213934e-07},
      {1e-06, 5, 50, 0.9999999999999968},   {0.5, 5, 50, 0.7747520966479877},
      {1, 5, 50, 0.4274944664166391},       {3, 5, 50, 0.019127687725118473},
      {100, 5, 50, 8.139642227455317e-25},  {1e-06, 10, 650, 0.9999999999999999},
      {0.5, 10, 650, 0.8904116791664993},   {1, 10, 650, 0.4418317419634384},
      {3, 10, 650, 0.0010306354244629028},  {100, 10, 650, 2.131658581210242e-124},
      {1e-06, 10, 50, 0.9999999999999999},  {0.5, 10, 50, 0.8818645912839074},
      {1, 10, 50, 0.45635690548036967},     {3, 10, 50, 0.004853287607887447},
      {100, 10, 50, 1.7329608910543247e-29}};  // scipy.stats.f.sf(f, df1, df2)
  const std::vector<Three> digits50 = {
      {1e-06, 1, 100000, 0.9992021175668878}, {0.9, 1, 100000, 0.3427840037113546},
      {3, 1, 100000, 0.08326760027014629},    {100, 1, 100000, 1.5633015300207278e-23},
      {1e-06, 5, 100000, 0.999999999999997},  {0.9, 5, 100000, 0.47988795364376813},
      {3, 5, 100000, 0.010366183777032535},   {100, 5, 100000, 1.4775979496833374e-105},
      {0.9, 100, 3, 0.6516977075651819},      {3, 100, 3, 0.19874405035878467},
      {100, 100, 3, 0.0013794768627819708}};
  for (const auto& golden : {scipy, digits50}) {
    for (const auto& [f, df1, df2, value] : golden) {
      EXPECT_RELATIVE(f_survival(f, df1, df2), value, 1e-12);
    }
  }
  EXPECT_EQ(f_survival(0, 2, 3), 1);
  EXPECT_EQ(f_survival(kInfinity, 2, 3), 0);
}

TEST(F, OneNumeratorDegreeIsTheSquareOfT) {
  for (const double t : {0.1, 1.0, 4.3, 30.0}) {
    EXPECT_RELATIVE(f_survival(t * t, 1, 7), 2 * student_t_survival(t, 7), 1e-13);
  }
}

TEST(Distributions, RefuseWhatHasNoMeaning) {
  EXPECT_THROW(normal_cdf(kNan), Error);
  EXPECT_THROW(normal_survival(kNan), Error);
  EXPECT_THROW(normal_quantile(-0.1), Error);
  EXPECT_THROW(normal_quantile(kNan), Error);
  EXPECT_THROW(student_t_cdf(kNan, 3), Error);
  EXPECT_THROW(student_t_survival(1, 0), Error);
  EXPECT_THROW(student_t_quantile(1.1, 3), Error);
  EXPECT_THROW(student_t_quantile(0.5, -3), Error);
  EXPECT_THROW(chi_squared_cdf(-1, 3), Error);
  EXPECT_THROW(chi_squared_survival(1, kNan), Error);
  EXPECT_THROW(f_survival(-1, 2, 3), Error);
  EXPECT_THROW(f_survival(1, 0, 3), Error);
  EXPECT_THROW(f_survival(1, 2, kInfinity), Error);
}

}  // namespace
}  // namespace openworld
