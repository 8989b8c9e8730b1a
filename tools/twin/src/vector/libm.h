// The C library's functions in double, declared so that loops over them use the library's own vector versions where
// it has them (glibc 2.35 on x86-64 under gcc); elsewhere they are called one by one. Not to be mixed with <cmath>.
#pragma once
#include <features.h>
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define AKGEN_SIMD __attribute__((simd("notinbranch"), const, nothrow))
#endif
#endif
#ifndef AKGEN_SIMD
#define AKGEN_SIMD
#endif

extern "C" {
double exp(double) AKGEN_SIMD;
double log(double) AKGEN_SIMD;
double log2(double) AKGEN_SIMD;
double log10(double) AKGEN_SIMD;
double log1p(double) AKGEN_SIMD;
double sin(double) AKGEN_SIMD;
double cos(double) AKGEN_SIMD;
double tan(double) AKGEN_SIMD;
double asin(double) AKGEN_SIMD;
double acos(double) AKGEN_SIMD;
double atan(double) AKGEN_SIMD;
double sinh(double) AKGEN_SIMD;
double cosh(double) AKGEN_SIMD;
double tanh(double) AKGEN_SIMD;
double asinh(double) AKGEN_SIMD;
double acosh(double) AKGEN_SIMD;
double atanh(double) AKGEN_SIMD;
double erf(double) AKGEN_SIMD;
double erfc(double) AKGEN_SIMD;
double pow(double, double) AKGEN_SIMD;
double hypot(double, double) AKGEN_SIMD;
double lgamma(double);
double fmod(double, double);
}
