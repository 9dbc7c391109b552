#pragma once

// For tests of values that span hundreds of orders of magnitude.

#include <gtest/gtest.h>

#include <cmath>

#define EXPECT_RELATIVE(expression, golden, tolerance) \
  EXPECT_NEAR(expression, golden, std::abs(golden) * (tolerance))
