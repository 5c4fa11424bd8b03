"""Right answers of cuda-head-split: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

ANSWER = kernel_source(r"""
extern "C" __global__ void cuda_head_split(const float* qkv, float* scores, int seq, int q_len, int heads,
                                           int kv_heads, int head_dim, int batch_stride, int token_stride,
                                           float scale) {
  const int key = blockIdx.x * blockDim.x + threadIdx.x, query = blockIdx.y;
  const int batch = blockIdx.z / heads, head = blockIdx.z % heads;
  if (key >= seq) return;
  const int kv_head = head / (heads / kv_heads);
  const float* sequence = qkv + (long long)batch * batch_stride;
  const float* q = sequence + (long long)(seq - q_len + query) * token_stride + head * head_dim;
  const float* k = sequence + (long long)key * token_stride + (heads + kv_head) * head_dim;  // behind all queries
  float product = 0;
  for (int d = 0; d < head_dim; ++d) product += q[d] * k[d];
  scores[((long long)blockIdx.z * q_len + query) * seq + key] = product * scale;
}
""")

QUERY_IN_SHARED_MEMORY = kernel_source(r"""
// All threads of a block need the same query: one part of it at a time is loaded once, for all of them.
extern "C" __global__ void cuda_head_split(const float* qkv, float* scores, int seq, int q_len, int heads,
                                           int kv_heads, int head_dim, int batch_stride, int token_stride,
                                           float scale) {
  __shared__ float part[32];
  const int key = blockIdx.x * blockDim.x + threadIdx.x;
  const int head = blockIdx.z % heads, group = heads / kv_heads;
  const float* sequence = qkv + (long long)(blockIdx.z / heads) * batch_stride;
  const float* q = sequence + (long long)(seq - q_len + blockIdx.y) * token_stride + head * head_dim;
  const float* k = sequence + (long long)key * token_stride + (heads + head / group) * head_dim;
  float product = 0;
  for (int first = 0; first < head_dim; first += 32) {
    const int count = min(32, head_dim - first);
    for (int d = threadIdx.x; d < count; d += blockDim.x) part[d] = q[first + d];
    __syncthreads();
    if (key < seq)
      for (int d = 0; d < count; ++d) product += part[d] * k[first + d];
    __syncthreads();
  }
  if (key < seq) scores[((long long)blockIdx.z * q_len + blockIdx.y) * seq + key] = product * scale;
}
""")

TILE_OF_KEYS = kernel_source(r"""
// Neighbouring threads load neighbouring numbers of the keys: a tile of 8 numbers of each key goes through shared
// memory, and so does the same part of the query.
extern "C" __global__ void cuda_head_split(const float* qkv, float* scores, int seq, int q_len, int heads,
                                           int kv_heads, int head_dim, int batch_stride, int token_stride,
                                           float scale) {
  __shared__ float tile[64][9], part[8];
  const int first_key = blockIdx.x * blockDim.x, t = threadIdx.x;
  const long long sequence = (long long)(blockIdx.z / heads) * batch_stride;
  const int head = blockIdx.z % heads;
  const long long q = sequence + (long long)(seq - q_len + blockIdx.y) * token_stride + head * head_dim;
  const long long k = sequence + (long long)(heads + head * kv_heads / heads) * head_dim;
  float product = 0;
  for (int d0 = 0; d0 < head_dim; d0 += 8) {
    for (int e = t; e < 8 * blockDim.x; e += blockDim.x) {
      const int key = first_key + e / 8, d = d0 + e % 8;
      tile[e / 8][e % 8] = key < seq && d < head_dim ? qkv[k + (long long)key * token_stride + d] : 0;
    }
    if (t < 8) part[t] = d0 + t < head_dim ? qkv[q + d0 + t] : 0;
    __syncthreads();
    for (int d = 0; d < 8; ++d) product += tile[t][d] * part[d];
    __syncthreads();
  }
  if (first_key + t < seq) scores[((long long)blockIdx.z * q_len + blockIdx.y) * seq + first_key + t] = product * scale;
}
""")

POINTERS_THAT_WALK = kernel_source(r"""
// One loop over the keys of this thread, however many blocks there are; the last number of a row comes first.
extern "C" __global__ void cuda_head_split(const float* qkv, float* scores, int seq, int q_len, int heads,
                                           int kv_heads, int head_dim, int batch_stride, int token_stride,
                                           float scale) {
  const unsigned head = blockIdx.z % heads, batch = blockIdx.z / heads;
  const float* tokens = qkv + size_t(batch) * batch_stride;
  const float* q = tokens + size_t(seq - q_len + blockIdx.y) * token_stride + head * head_dim;
  const float* k0 = tokens + (heads + head / (heads / kv_heads)) * head_dim;
  float* row = scores + (size_t(blockIdx.z) * q_len + blockIdx.y) * seq;
  for (int key = blockIdx.x * blockDim.x + threadIdx.x; key < seq; key += gridDim.x * blockDim.x) {
    const float* k = k0 + size_t(key) * token_stride;
    float product = 0;
    for (int d = head_dim; d-- > 0;) product = fmaf(q[d] * scale, k[d], product);
    row[key] = product;
  }
}
""")

ALTERNATIVES = {
    "the query in shared memory": QUERY_IN_SHARED_MEMORY,
    "a tile of keys in shared memory": TILE_OF_KEYS,
    "pointers that walk": POINTERS_THAT_WALK,
}
