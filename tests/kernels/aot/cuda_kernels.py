"""CUDA C++ sources for the tests of compiling."""

REVERSE = """
__global__ void reverse(const float* x, float* out, int n) {
    __shared__ float tile[BLOCK];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}
"""

# A thread that keeps 300 numbers, each of which meets each other: they cannot fit into 255 registers.
MANY_VALUES = """
extern "C" __global__ void many_values(const float* x, float* out, int n) {
    float a[300];
    #pragma unroll
    for (int i = 0; i < 300; i++) a[i] = x[i * n + threadIdx.x];
    __syncthreads();
    float s = 0;
    #pragma unroll
    for (int i = 0; i < 300; i++) { a[i] = a[i] * a[(i * 7 + 3) % 300] + s; s += a[(i + 150) % 300]; }
    #pragma unroll
    for (int i = 0; i < 300; i++) out[i * n + threadIdx.x] = a[i] * s;
}
"""

# An index that is only known when it runs.
LOCAL_ARRAY = """
__global__ void local_array(const int* which, float* out) {
    float a[50];
    for (int i = 0; i < 50; i++) a[i] = i * 0.5f;
    for (int i = 0; i < which[0]; i++) a[which[i]] += a[which[i + 1]];
    out[0] = a[which[1]];
}
"""
