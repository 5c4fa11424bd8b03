// What the threads of a warp do together, and atomics.
//
// A warp operation waits for the lanes in its mask, like a barrier, and then hands the values over. As CUDA says, only
// __syncwarp orders memory: after a shuffle, what another lane stored may still be on its way.
#pragma once

inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  cpu::exchange(mask, nullptr, 0, 0, true, line);
}
inline unsigned __activemask() { return cpu::active_lanes(); }

inline int cpu_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
// A shuffle stays within a segment of `width` lanes; beyond its ends a lane keeps its own value.
template <class T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32, int line = __builtin_LINE()) {
  const int first = cpu_lane() / width * width;
  cpu::exchange(mask, &value, sizeof value, first + (lane & (width - 1)), false, line);
  return value;
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
  const int from = cpu_lane() ^ lanes, end = (cpu_lane() / width + 1) * width;
  cpu::exchange(mask, &value, sizeof value, from < end ? from : cpu_lane(), false, line);
  return value;
}
template <class T> T __shfl_down_sync(unsigned mask, T value, int by, int width = 32, int line = __builtin_LINE()) {
  const int from = cpu_lane() + by, end = (cpu_lane() / width + 1) * width;
  cpu::exchange(mask, &value, sizeof value, from < end ? from : cpu_lane(), false, line);
  return value;
}
template <class T> T __shfl_up_sync(unsigned mask, T value, int by, int width = 32, int line = __builtin_LINE()) {
  const int from = cpu_lane() - by, first = cpu_lane() / width * width;
  cpu::exchange(mask, &value, sizeof value, from >= first ? from : cpu_lane(), false, line);
  return value;
}

inline unsigned __ballot_sync(unsigned mask, int yes, int line = __builtin_LINE()) {
  return cpu::vote(mask, yes != 0, line);
}
inline int __any_sync(unsigned mask, int yes, int line = __builtin_LINE()) {
  return cpu::vote(mask, yes != 0, line) != 0;
}
inline int __all_sync(unsigned mask, int yes, int line = __builtin_LINE()) {
  return cpu::vote(mask, yes == 0, line) == 0;
}
#define CPU_REDUCE(name, type, expression)                                                       \
  inline type name(unsigned mask, type mine, int line = __builtin_LINE()) {                      \
    type all = mine;                                                                             \
    bool first = true;                                                                           \
    for (int lane = 0; lane < 32; ++lane) {                                                      \
      if (!(mask >> lane & 1)) continue;                                                         \
      const type other = __shfl_sync(mask, mine, lane, 32, line);                                \
      all = first ? other : (expression);                                                        \
      first = false;                                                                             \
    }                                                                                            \
    return all;                                                                                  \
  }
CPU_REDUCE(__reduce_add_sync, int, all + other)
CPU_REDUCE(__reduce_add_sync, unsigned, all + other)
CPU_REDUCE(__reduce_max_sync, int, all > other ? all : other)
CPU_REDUCE(__reduce_max_sync, unsigned, all > other ? all : other)
CPU_REDUCE(__reduce_min_sync, int, all < other ? all : other)
CPU_REDUCE(__reduce_min_sync, unsigned, all < other ? all : other)
#undef CPU_REDUCE

// Between barriers one fiber runs at a time, so a load and a store that follow each other are one step. They are kept
// from the race check, which hears of them as atomic.
#define CPU_ATOMIC(name, new_value)                                                                          \
  template <class T, class U>                                                                                \
  __attribute__((no_sanitize("thread"), noinline)) T name(T* p, U u, int line = __builtin_LINE()) {          \
    cpu::atomic(p, sizeof(T), line);                                                                         \
    const T old = *p, value = (T)u;                                                                          \
    (void)value;                                                                                             \
    *p = (new_value);                                                                                        \
    return old;                                                                                              \
  }
CPU_ATOMIC(atomicAdd, old + value)
CPU_ATOMIC(atomicSub, old - value)
CPU_ATOMIC(atomicMax, value > old ? value : old)
CPU_ATOMIC(atomicMin, value < old ? value : old)
CPU_ATOMIC(atomicExch, value)
CPU_ATOMIC(atomicAnd, old & value)
CPU_ATOMIC(atomicOr, old | value)
CPU_ATOMIC(atomicXor, old ^ value)
CPU_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
#undef CPU_ATOMIC
template <class T, class U, class V>
__attribute__((no_sanitize("thread"), noinline)) T atomicCAS(T* p, U compare, V value, int line = __builtin_LINE()) {
  cpu::atomic(p, sizeof(T), line);
  const T old = *p;
  if (old == (T)compare) *p = (T)value;
  return old;
}
