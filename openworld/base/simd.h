#pragma once

// OPENWORLD_SIMD in front of a function compiles it twice, for AVX2 and for the baseline, and the
// loader picks; the package then runs on any x86-64 and still uses what the machine has. For plain
// loops that the compiler can vectorise. Results are the same bits either way: only integer
// arithmetic, or floating-point arithmetic in a fixed order, belongs in such a function.
//
// OPENWORLD_SIMD_V3 is for any processor of the level x86-64-v3 (AVX2, FMA, BMI2), and so also
// allows fused multiply-adds: for sums of products that need to be the same bits from run to run,
// but not from one kind of machine to another.
//
// Sanitizers run before the loader's choice is possible, so there it is off.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OPENWORLD_SIMD __attribute__((target_clones("avx2", "default")))
#define OPENWORLD_SIMD_V3 __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define OPENWORLD_SIMD
#define OPENWORLD_SIMD_V3
#endif
