// float4 and its kind: several numbers that a GPU loads at once, from an address that is a multiple of their size.
#pragma once

#define CPU_VECTOR2(name, type)                 \
  struct alignas(2 * sizeof(type)) name {       \
    type x, y;                                  \
  };                                            \
  inline name make_##name(type x, type y) { return {x, y}; }
#define CPU_VECTOR4(name, type)                 \
  struct alignas(16) name {                     \
    type x, y, z, w;                            \
  };                                            \
  inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }

CPU_VECTOR2(float2, float)
CPU_VECTOR2(int2, int)
CPU_VECTOR2(uint2, unsigned)
CPU_VECTOR4(float4, float)
CPU_VECTOR4(int4, int)
CPU_VECTOR4(uint4, unsigned)
#undef CPU_VECTOR2
#undef CPU_VECTOR4

struct float3 {
  float x, y, z;
};
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
