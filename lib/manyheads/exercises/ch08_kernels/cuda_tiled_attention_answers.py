"""Right answers of cuda-tiled-attention: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

ANSWER = kernel_source(r"""
extern "C" __global__ void cuda_tiled_attention(const float* q, const float* k, const float* v, float* out, int q_len,
                                                int k_len, int heads, int kv_heads, float scale, int causal) {
  __shared__ float keys[BLOCK_K * HEAD_DIM], values[BLOCK_K * V_HEAD_DIM];
  const int query = blockIdx.x * BLOCK_Q + threadIdx.x, head = blockIdx.y, batch = blockIdx.z;
  const long long row = (long long)(batch * heads + head) * q_len + query;
  const long long kv_row = (long long)(batch * kv_heads + head / (heads / kv_heads)) * k_len;
  int seen = causal ? query + k_len - q_len + 1 : k_len;  // so many keys this query sees, the first ones
  if (query >= q_len) seen = 0;  // no query, but this thread helps to load, and waits at the barriers

  float mine[HEAD_DIM], sum[V_HEAD_DIM] = {}, largest = -INFINITY, total = 0;
  for (int d = 0; d < HEAD_DIM; ++d) mine[d] = query < q_len ? q[row * HEAD_DIM + d] * scale : 0;
  for (int first = 0; first < k_len; first += BLOCK_K) {
    const int count = min(BLOCK_K, k_len - first);
    for (int i = threadIdx.x; i < count * HEAD_DIM; i += BLOCK_Q) keys[i] = k[(kv_row + first) * HEAD_DIM + i];
    for (int i = threadIdx.x; i < count * V_HEAD_DIM; i += BLOCK_Q) values[i] = v[(kv_row + first) * V_HEAD_DIM + i];
    __syncthreads();  // the tile is there
    for (int j = 0; j < count && first + j < seen; ++j) {
      float score = 0;
      for (int d = 0; d < HEAD_DIM; ++d) score += mine[d] * keys[j * HEAD_DIM + d];
      const float before = largest;
      largest = fmaxf(before, score);
      const float fade = expf(before - largest), power = expf(score - largest);
      total = total * fade + power;
      for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] = sum[d] * fade + power * values[j * V_HEAD_DIM + d];
    }
    __syncthreads();  // nobody needs the tile any more
  }
  if (query < q_len)
    for (int d = 0; d < V_HEAD_DIM; ++d) out[row * V_HEAD_DIM + d] = total > 0 ? sum[d] / total : 0;
}
""")

TWO_PASSES = kernel_source(r"""
// First the largest score of every query, over all tiles; then the sums, without any fading. Keys and values take
// turns in one tile. Tiles that no query of the block sees are left out.
extern "C" __global__ void cuda_tiled_attention(const float* q, const float* k, const float* v, float* out, int q_len,
                                                int k_len, int heads, int kv_heads, float scale, int causal) {
  const int width = HEAD_DIM + V_HEAD_DIM;
  __shared__ float tile[BLOCK_K][HEAD_DIM + V_HEAD_DIM];
  const int t = threadIdx.x, query = blockIdx.x * BLOCK_Q + t;
  const int kv_head = blockIdx.z * kv_heads + blockIdx.y * kv_heads / heads;
  const size_t row = (size_t(blockIdx.z) * heads + blockIdx.y) * q_len + query;
  const int end = causal ? min(k_len, int(blockIdx.x + 1) * BLOCK_Q + k_len - q_len) : k_len;
  float largest = -INFINITY, total = 0, sum[V_HEAD_DIM] = {};
  for (int pass = 0; pass < 2; ++pass)
    for (int first = 0; first < end; first += BLOCK_K) {
      __syncthreads();
      for (int i = t; i < BLOCK_K * width; i += BLOCK_Q) {
        const int key = first + i / width, d = i % width;
        const size_t there = size_t(kv_head) * k_len + key;
        float number = 0;
        if (key < k_len) number = d < HEAD_DIM ? k[there * HEAD_DIM + d] : v[there * V_HEAD_DIM + d - HEAD_DIM];
        tile[i / width][d] = number;
      }
      __syncthreads();
      if (query >= q_len) continue;
      for (int j = 0; j < BLOCK_K; ++j) {
        if (first + j >= k_len || (causal && first + j > query + k_len - q_len)) break;
        float score = 0;
        for (int d = 0; d < HEAD_DIM; ++d) score += q[row * HEAD_DIM + d] * tile[j][d];
        score *= scale;
        if (pass == 0) {
          largest = fmaxf(largest, score);
        } else {
          total += expf(score - largest);
          for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] += expf(score - largest) * tile[j][HEAD_DIM + d];
        }
      }
    }
  for (int d = 0; d < V_HEAD_DIM && query < q_len; ++d) out[row * V_HEAD_DIM + d] = total == 0 ? 0 : sum[d] / total;
}
""")

SCORES_OF_A_TILE = kernel_source(r"""
// A tile's scores first, then one new largest score for the whole tile: the sums fade once a tile. Forbidden keys
// have the score -infinity. The powers are powers of two.
extern "C" __global__ void cuda_tiled_attention(const float* q, const float* k, const float* v, float* out, int q_len,
                                                int k_len, int heads, int kv_heads, float scale, int causal) {
  __shared__ float keys[BLOCK_K][HEAD_DIM], values[BLOCK_K][V_HEAD_DIM];
  const int t = threadIdx.x, query = blockIdx.x * BLOCK_Q + t, group = heads / kv_heads;
  const float* q_head = q + (long long)(blockIdx.z * heads + blockIdx.y) * q_len * HEAD_DIM;
  const float* k_head = k + (long long)(blockIdx.z * kv_heads + blockIdx.y / group) * k_len * HEAD_DIM;
  const float* v_head = v + (long long)(blockIdx.z * kv_heads + blockIdx.y / group) * k_len * V_HEAD_DIM;
  float* out_head = out + (long long)(blockIdx.z * heads + blockIdx.y) * q_len * V_HEAD_DIM;
  float mine[HEAD_DIM] = {}, sum[V_HEAD_DIM] = {}, largest = -1e30f, total = 0;
  if (query < q_len)
    for (int d = 0; d < HEAD_DIM; ++d) mine[d] = q_head[query * HEAD_DIM + d] * scale * 1.44269504f;
  for (int first = 0; first < k_len; first += BLOCK_K) {
    for (int j = t; j < BLOCK_K; j += BLOCK_Q) {
      for (int d = 0; d < HEAD_DIM; ++d) keys[j][d] = first + j < k_len ? k_head[(first + j) * HEAD_DIM + d] : 0;
      for (int d = 0; d < V_HEAD_DIM; ++d) values[j][d] = first + j < k_len ? v_head[(first + j) * V_HEAD_DIM + d] : 0;
    }
    __syncthreads();
    float scores[BLOCK_K], new_largest = largest;
#pragma unroll
    for (int j = 0; j < BLOCK_K; ++j) {
      scores[j] = 0;
#pragma unroll
      for (int d = 0; d < HEAD_DIM; ++d) scores[j] += mine[d] * keys[j][d];
      const int key = first + j;
      if (key >= k_len || (causal && key - k_len > query - q_len)) scores[j] = -INFINITY;
      new_largest = fmaxf(new_largest, scores[j]);
    }
    const float fade = exp2f(largest - new_largest);
    largest = new_largest;
    total *= fade;
    for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] *= fade;
#pragma unroll
    for (int j = 0; j < BLOCK_K; ++j) {
      const float power = exp2f(scores[j] - largest);
      total += power;
      for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] += power * values[j][d];
    }
    __syncthreads();
  }
  const float factor = total > 0 ? 1 / total : 0;
  if (query < q_len)
    for (int d = 0; d < V_HEAD_DIM; ++d) out_head[query * V_HEAD_DIM + d] = sum[d] * factor;
}
""")

TWO_THREADS_A_QUERY = kernel_source(r"""
// Neighbouring threads share a query: one takes the even keys, the other the odd ones, and at the end they merge. So
// the block goes over its queries in two halves, and loads the tiles twice.
extern "C" __global__ void cuda_tiled_attention(const float* q, const float* k, const float* v, float* out, int q_len,
                                                int k_len, int heads, int kv_heads, float scale, int causal) {
  __shared__ float keys[BLOCK_K][HEAD_DIM], values[BLOCK_K][V_HEAD_DIM];
  const int odd = threadIdx.x % 2;
  const long long head = blockIdx.z * heads + blockIdx.y;
  const long long kv_row = (blockIdx.z * kv_heads + blockIdx.y / (heads / kv_heads)) * (long long)k_len;
  for (int half = 0; half < 2; ++half) {
    const int query = blockIdx.x * BLOCK_Q + half * (BLOCK_Q / 2) + threadIdx.x / 2;
    const bool real = query < q_len;
    float sum[V_HEAD_DIM] = {}, m = -INFINITY, total = 0;
    for (int first = 0; first < k_len; first += BLOCK_K) {
      const int count = min(BLOCK_K, k_len - first);
      for (int j = threadIdx.x; j < count; j += BLOCK_Q) {
        for (int d = 0; d < HEAD_DIM; ++d) keys[j][d] = k[(kv_row + first + j) * HEAD_DIM + d];
        for (int d = 0; d < V_HEAD_DIM; ++d) values[j][d] = v[(kv_row + first + j) * V_HEAD_DIM + d];
      }
      __syncthreads();
      for (int j = odd; real && j < count; j += 2) {
        if (causal && k_len - first - j < q_len - query) break;
        float score = 0;
        for (int d = 0; d < HEAD_DIM; ++d) score += q[(head * q_len + query) * HEAD_DIM + d] * keys[j][d];
        score *= scale;
        if (score > m) {
          const float fade = expf(m - score);
          total *= fade;
          for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] *= fade;
          m = score;
        }
        total += expf(score - m);
        for (int d = 0; d < V_HEAD_DIM; ++d) sum[d] += expf(score - m) * values[j][d];
      }
      __syncthreads();
    }
    const float both = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1)), fade = m > -INFINITY ? expf(m - both) : 0;
    total *= fade;
    total += __shfl_xor_sync(0xffffffff, total, 1);
    for (int d = 0; d < V_HEAD_DIM; ++d) {
      float mixed = sum[d] * fade;
      mixed += __shfl_xor_sync(0xffffffff, mixed, 1);
      if (real && d % 2 == odd) out[(head * q_len + query) * V_HEAD_DIM + d] = total > 0 ? mixed / total : 0;
    }
  }
}
""")

ALTERNATIVES = {
    "two passes over the tiles": TWO_PASSES,
    "the scores of a tile": SCORES_OF_A_TILE,
    "two threads a query": TWO_THREADS_A_QUERY,
}
