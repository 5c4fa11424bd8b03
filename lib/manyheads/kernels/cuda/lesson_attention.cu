// Attention, one block for each head: softmax(scale q k^T) v.
//
// A block computes one head of one batch item. Which one, the launch grid says: (heads, batch).
// A thread computes every THREADS-th query row, from the first key to the last, with an online softmax.
// Shared memory holds all keys of the head, k_len x HEAD_DIM floats: loaded once, read by every row.
// That is this kernel's limit: 1024 keys x 64 floats are 256 KiB, more than any block may have.
//
// Arrays are (batch, heads, length, dim), float32, contiguous. A group of query heads shares a K/V head.

#ifndef HEAD_DIM
#define HEAD_DIM 64
#endif
#ifndef V_HEAD_DIM
#define V_HEAD_DIM HEAD_DIM
#endif
#ifndef THREADS
#define THREADS 128
#endif
#ifndef INFINITY  // NVRTC has no math.h
#define INFINITY __int_as_float(0x7f800000)
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
lesson_attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                 float* __restrict__ out, int group, int q_len, int k_len, float scale, int causal) {
  extern __shared__ float k_tile[];  // (k_len, HEAD_DIM); the launch says how much

  const int heads = gridDim.x, head = blockIdx.x, batch = blockIdx.y;
  const long long q_head = (long long)batch * heads + head;
  const long long kv_head = (long long)batch * (heads / group) + head / group;
  q += q_head * q_len * HEAD_DIM;
  k += kv_head * k_len * HEAD_DIM;
  v += kv_head * k_len * V_HEAD_DIM;
  out += q_head * q_len * V_HEAD_DIM;

  for (int i = threadIdx.x; i < k_len * HEAD_DIM; i += THREADS) k_tile[i] = k[i];
  __syncthreads();  // every key is there before anybody reads one

  for (int row = threadIdx.x; row < q_len; row += THREADS) {
    // Bottom-right: the last query stands beside the last key. The first ones may see no key at all.
    const int end_key = causal ? row + k_len - q_len + 1 : k_len;
    float largest = -INFINITY, total = 0.0f;
    float sums[V_HEAD_DIM] = {};
    for (int key = 0; key < end_key; ++key) {
      float score = 0.0f;
#pragma unroll 8  // not all of it: the compiler would keep the whole query row in registers, beside the sums
      for (int d = 0; d < HEAD_DIM; ++d) score += q[row * HEAD_DIM + d] * k_tile[key * HEAD_DIM + d];
      score *= scale;

      const float new_largest = fmaxf(largest, score);
      const float rescale = expf(largest - new_largest);  // 0 for the first key
      const float weight = expf(score - new_largest);
      largest = new_largest;
      total = total * rescale + weight;
#pragma unroll
      for (int d = 0; d < V_HEAD_DIM; ++d) sums[d] = sums[d] * rescale + weight * v[key * V_HEAD_DIM + d];
    }
#pragma unroll
    for (int d = 0; d < V_HEAD_DIM; ++d) out[row * V_HEAD_DIM + d] = total == 0.0f ? 0.0f : sums[d] / total;
  }
}
