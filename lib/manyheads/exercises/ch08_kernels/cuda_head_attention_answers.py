"""Right answers of cuda-head-attention: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

ANSWER = kernel_source(r"""
__device__ float dot(const float* a, const float* b) {
  float sum = 0;
  for (int d = 0; d < HEAD_DIM; ++d) sum += a[d] * b[d];
  return sum;
}

extern "C" __global__ void cuda_head_attention(const float* q, const float* k, const float* v, float* out, int seq,
                                               float scale) {
  __shared__ float keys[MAX_SEQ * HEAD_DIM], values[MAX_SEQ * HEAD_DIM];
  const long long head = (long long)blockIdx.x * seq * HEAD_DIM;  // where this block's head begins, in all four arrays
  for (int i = threadIdx.x; i < seq * HEAD_DIM; i += blockDim.x) {
    keys[i] = k[head + i];
    values[i] = v[head + i];
  }
  __syncthreads();
  for (int query = threadIdx.x; query < seq; query += blockDim.x) {
    const float* mine = q + head + query * HEAD_DIM;
    float largest = -INFINITY, total = 0, sum[HEAD_DIM] = {};
    for (int key = 0; key <= query; ++key) largest = fmaxf(largest, dot(mine, keys + key * HEAD_DIM) * scale);
    for (int key = 0; key <= query; ++key) {
      const float power = expf(dot(mine, keys + key * HEAD_DIM) * scale - largest);
      total += power;
      for (int d = 0; d < HEAD_DIM; ++d) sum[d] += power * values[key * HEAD_DIM + d];
    }
    for (int d = 0; d < HEAD_DIM; ++d) out[head + query * HEAD_DIM + d] = sum[d] / total;
  }
}
""")

ONLINE = kernel_source(r"""
// One pass over the keys, from the newest back: the sums fade when a larger score comes.
extern "C" __global__ void cuda_head_attention(const float* q, const float* k, const float* v, float* out, int seq,
                                               float scale) {
  __shared__ float keys[MAX_SEQ][HEAD_DIM], values[MAX_SEQ][HEAD_DIM];
  const size_t first = size_t(blockIdx.x) * seq;
  for (int token = threadIdx.x; token < seq; token += blockDim.x)
    for (int d = 0; d < HEAD_DIM; ++d) {
      keys[token][d] = k[(first + token) * HEAD_DIM + d];
      values[token][d] = v[(first + token) * HEAD_DIM + d];
    }
  __syncthreads();
  for (int i = seq - 1 - int(threadIdx.x); i >= 0; i -= blockDim.x) {
    float mine[HEAD_DIM], sum[HEAD_DIM] = {}, largest = -INFINITY, total = 0;
    for (int d = 0; d < HEAD_DIM; ++d) mine[d] = q[(first + i) * HEAD_DIM + d] * scale;
    for (int j = i; j >= 0; --j) {
      float score = 0;
      for (int d = 0; d < HEAD_DIM; ++d) score += mine[d] * keys[j][d];
      if (score > largest) {
        const float fade = expf(largest - score);
        total *= fade;
        for (int d = 0; d < HEAD_DIM; ++d) sum[d] *= fade;
        largest = score;
      }
      const float power = expf(score - largest);
      total += power;
      for (int d = 0; d < HEAD_DIM; ++d) sum[d] += power * values[j][d];
    }
    for (int d = 0; d < HEAD_DIM; ++d) out[(first + i) * HEAD_DIM + d] = sum[d] / total;
  }
}
""")

THREADS_SHARE_A_QUERY = kernel_source(r"""
// All threads work on one query at a time: first a key each for the scores, then a number of the result each.
extern "C" __global__ void cuda_head_attention(const float* q, const float* k, const float* v, float* out, int seq,
                                               float scale) {
  __shared__ float tile[MAX_SEQ * HEAD_DIM], scores[MAX_SEQ], mine[HEAD_DIM];
  const int t = threadIdx.x;
  const long long head = (long long)blockIdx.x * seq * HEAD_DIM;
  for (int i = t; i < seq * HEAD_DIM; i += blockDim.x) tile[i] = k[head + i];
  for (int query = 0; query < seq; ++query) {
    for (int d = t; d < HEAD_DIM; d += blockDim.x) mine[d] = q[head + query * HEAD_DIM + d] * scale;
    __syncthreads();
    for (int key = t; key <= query; key += blockDim.x) {
      scores[key] = 0;
      for (int d = 0; d < HEAD_DIM; ++d) scores[key] += mine[d] * tile[key * HEAD_DIM + d];
    }
    __syncthreads();
    for (int d = t; d < HEAD_DIM; d += blockDim.x) {
      float largest = scores[0], total = 0, sum = 0;
      for (int key = 1; key <= query; ++key) largest = fmaxf(largest, scores[key]);
      for (int key = 0; key <= query; ++key) {
        const float power = expf(scores[key] - largest);
        total += power;
        sum += power * v[head + key * HEAD_DIM + d];  // read once by each thread: nothing to share
      }
      out[head + query * HEAD_DIM + d] = sum / total;
    }
    __syncthreads();
  }
}
""")

KEYS_THEN_VALUES = kernel_source(r"""
// Half the shared memory: the same tile holds the keys first, for the largest score and the total of every query,
// and then again with the values beside; the weights are divided before they are used.
extern "C" __global__ void cuda_head_attention(const float* q, const float* k, const float* v, float* out, int seq,
                                               float scale) {
  __shared__ float tile[MAX_SEQ * HEAD_DIM], largest[MAX_SEQ], total[MAX_SEQ];
  const long long head = (long long)blockIdx.x * seq * HEAD_DIM;
  for (int i = threadIdx.x; i < seq * HEAD_DIM; i += blockDim.x) tile[i] = k[head + i] * scale;
  __syncthreads();
  for (int query = threadIdx.x; query < seq; query += blockDim.x) {
    largest[query] = -INFINITY;
    total[query] = 0;
    for (int key = 0; key <= query; ++key) {
      float score = 0;
      for (int d = 0; d < HEAD_DIM; ++d) score += q[head + query * HEAD_DIM + d] * tile[key * HEAD_DIM + d];
      const float before = largest[query];
      largest[query] = fmaxf(before, score);
      total[query] = total[query] * expf(before - largest[query]) + expf(score - largest[query]);
    }
  }
  for (int query = threadIdx.x; query < seq; query += blockDim.x) {
    float sum[HEAD_DIM] = {};
    for (int key = 0; key <= query; ++key) {
      float score = -largest[query] - logf(total[query]);
      for (int d = 0; d < HEAD_DIM; ++d) score += q[head + query * HEAD_DIM + d] * tile[key * HEAD_DIM + d];
      const float weight = expf(score);
      for (int d = 0; d < HEAD_DIM; ++d) sum[d] += weight * v[head + key * HEAD_DIM + d];
    }
    for (int d = 0; d < HEAD_DIM; ++d) out[head + query * HEAD_DIM + d] = sum[d];
  }
}
""")

ALTERNATIVES = {
    "online, from the newest key back": ONLINE,
    "all threads share a query": THREADS_SHARE_A_QUERY,
    "log of the total": KEYS_THEN_VALUES,
}
