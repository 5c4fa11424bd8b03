// CUDA's mathematics, where C's <math.h> does not have it already. The fast ones are as exact as the slow ones here.
#pragma once

#define CPU_FLOAT(name) inline float name(float x) { return name##f(x); }
CPU_FLOAT(exp) CPU_FLOAT(exp2) CPU_FLOAT(log) CPU_FLOAT(log2) CPU_FLOAT(log10) CPU_FLOAT(log1p) CPU_FLOAT(expm1)
CPU_FLOAT(sqrt) CPU_FLOAT(cbrt) CPU_FLOAT(sin) CPU_FLOAT(cos) CPU_FLOAT(tan) CPU_FLOAT(tanh) CPU_FLOAT(erf)
CPU_FLOAT(fabs) CPU_FLOAT(floor) CPU_FLOAT(ceil) CPU_FLOAT(round) CPU_FLOAT(trunc) CPU_FLOAT(rint)
#undef CPU_FLOAT
inline float pow(float x, float y) { return powf(x, y); }
inline float fmod(float x, float y) { return fmodf(x, y); }
inline float fmin(float x, float y) { return fminf(x, y); }
inline float fmax(float x, float y) { return fmaxf(x, y); }
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" int abs(int) noexcept;
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return ::fabs(x); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float __saturatef(float x) { return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }  // NaN gives 0

inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
inline float __uint_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
inline int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
inline unsigned __float_as_uint(float x) { unsigned y; memcpy(&y, &x, 4); return y; }
inline int __float2int_rn(float x) { return (int)rintf(x); }
inline int __float2int_rd(float x) { return (int)floorf(x); }
inline int __float2int_rz(float x) { return (int)x; }
inline float __int2float_rn(int x) { return (float)x; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __mul24(int x, int y) { return x * y; }

// CUDA has these for every pair of arithmetic types; the floating ones ignore a NaN, as fminf does.
template <class A, class B> inline auto min(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  if ((T)0.5 != (T)0) return a != a ? (T)b : b != b ? (T)a : (T)b < (T)a ? (T)b : (T)a;
  return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B> inline auto max(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  if ((T)0.5 != (T)0) return a != a ? (T)b : b != b ? (T)a : (T)a < (T)b ? (T)b : (T)a;
  return (T)a < (T)b ? (T)b : (T)a;
}

template <class T> inline T __ldg(const T* p) { return *p; }
