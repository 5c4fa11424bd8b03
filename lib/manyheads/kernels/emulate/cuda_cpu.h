// What a CUDA C++ kernel finds in front of it when it is built for a CPU: CUDA's names, as far as a kernel needs them.
//
// Every thread of a block is a fiber, a stack of its own on one CPU thread. It runs until a barrier, then the next one
// does; so the order of the threads between barriers is ours to choose, and a launch gives the same bits every time.
//
// What this cannot show: speed; what a warp does in lockstep; how wide a load is, and banks of shared memory; bfloat16,
// half, TF32 and tensor cores; the last bits of a GPU's own expf and of its fused multiply-adds; __launch_bounds__ and
// registers; textures, streams, cooperative groups, dynamic parallelism. Blocks run one after another.
#pragma once
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime.h"

#define __global__
#define __device__
#define __host__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __constant__ static
#define __managed__
#define __shared__ static  // only where the build could not read the declaration: see source.py
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__ __restrict

#define threadIdx (cpu::thread_index)
#define blockIdx (cpu::block_index)
#define blockDim (cpu::block_size)
#define gridDim (cpu::grid_size)
constexpr int warpSize = 32;

using dim3 = cpu::dim3;
using uint3 = cpu::dim3;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

// Barriers. __builtin_LINE() in a default argument is the line of the caller.
inline void __syncthreads(int line = __builtin_LINE()) { cpu::barrier(0, line); }
inline int __syncthreads_count(int yes, int line = __builtin_LINE()) { return cpu::barrier(yes != 0, line); }
inline int __syncthreads_or(int yes, int line = __builtin_LINE()) { return cpu::barrier(yes != 0, line) > 0; }
inline int __syncthreads_and(int yes, int line = __builtin_LINE()) { return cpu::barrier(yes == 0, line) == 0; }
inline void __threadfence() { cpu::fence(); }
inline void __threadfence_block() {}
inline void __threadfence_system() { cpu::fence(); }

#define malloc(bytes) cpu::heap(bytes, __LINE__)
extern "C" void free(void*) noexcept;
extern "C" int printf(const char* format, ...);
#undef assert
#define assert(condition) ((condition) ? (void)0 : cpu::give_up("assert(" #condition ") failed", __LINE__))
inline void __trap(int line = __builtin_LINE()) { cpu::give_up("__trap() was called", line); }

#include "cuda_cpu_math.h"
#include "cuda_cpu_vectors.h"
#include "cuda_cpu_warp.h"

// The kernel's parameters, as data: the launch is compared with them before it runs.
namespace cpu {
template <class T> struct Element { static constexpr char kind = '?'; };
template <> struct Element<void> { static constexpr char kind = '*'; };  // takes any array
#define CPU_ELEMENT(type, letter) template <> struct Element<type> { static constexpr char kind = letter; }
CPU_ELEMENT(float, 'f'); CPU_ELEMENT(double, 'f');
CPU_ELEMENT(float2, 'f'); CPU_ELEMENT(float3, 'f'); CPU_ELEMENT(float4, 'f');
CPU_ELEMENT(signed char, 'i'); CPU_ELEMENT(short, 'i'); CPU_ELEMENT(int, 'i'); CPU_ELEMENT(long, 'i');
CPU_ELEMENT(int2, 'i'); CPU_ELEMENT(int4, 'i'); CPU_ELEMENT(long long, 'i');
CPU_ELEMENT(unsigned short, 'u'); CPU_ELEMENT(unsigned, 'u'); CPU_ELEMENT(unsigned long, 'u');
CPU_ELEMENT(unsigned long long, 'u'); CPU_ELEMENT(unsigned char, 'u'); CPU_ELEMENT(uint2, 'u'); CPU_ELEMENT(uint4, 'u');
CPU_ELEMENT(bool, 'b'); CPU_ELEMENT(char, 'i');
#undef CPU_ELEMENT

template <class T> struct Plain { using type = T; static constexpr bool constant = false; };
template <class T> struct Plain<const T> { using type = T; static constexpr bool constant = true; };
template <class T> struct Size { static constexpr int bytes = sizeof(T); };
template <> struct Size<void> { static constexpr int bytes = 1; };
template <> struct Size<float2> { static constexpr int bytes = 4; };
template <> struct Size<float3> { static constexpr int bytes = 4; };
template <> struct Size<float4> { static constexpr int bytes = 4; };
template <> struct Size<int2> { static constexpr int bytes = 4; };
template <> struct Size<int4> { static constexpr int bytes = 4; };
template <> struct Size<uint2> { static constexpr int bytes = 4; };
template <> struct Size<uint4> { static constexpr int bytes = 4; };

template <class T> struct Argument {  // by value
  using Value = typename Plain<T>::type;
  static constexpr Parameter about{false, false, Element<Value>::kind, sizeof(T)};
  static Value from(const Slot& slot) { return Element<Value>::kind == 'f' ? (Value)slot.real : (Value)slot.whole; }
};
template <class T> struct Argument<T*> {
  using Value = typename Plain<T>::type;
  static constexpr Parameter about{true, Plain<T>::constant, Element<Value>::kind, Size<Value>::bytes};
  static T* from(const Slot& slot) { return (T*)slot.array; }
};
template <class T> struct Argument<T* const> : Argument<T*> {};
template <class T> struct Argument<T* __restrict> : Argument<T*> {};

template <int... I> struct Indices {};
template <int N, int... I> struct Count : Count<N - 1, N - 1, I...> {};
template <int... I> struct Count<0, I...> { using type = Indices<I...>; };

template <auto kernel, class... P, int... I> Kernel describe(void (*)(P...), Indices<I...>) {
  static constexpr Parameter parameters[] = {Argument<P>::about..., Parameter{}};
  return {sizeof...(P), parameters, [](const Slot* slots) { (void)slots; kernel(Argument<P>::from(slots[I])...); }};
}
template <auto kernel, class... P> Kernel describe(void (*k)(P...)) {
  return describe<kernel>(k, typename Count<sizeof...(P)>::type{});
}
}  // namespace cpu
