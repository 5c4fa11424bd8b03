// Attention in tiles that reads the heads where they lie: no copy transposes them first.
//
// A projection leaves (batch, seq, heads, dim), a fused one q, k and v side by side in each row. A head is a pattern of
// strides in that memory: where its first row begins, and how far on the next row is. So this is tiled_attention with
// other addresses; blocks, threads and shared memory do the same.
//
// Strides count floats; neighbouring dims are neighbours in memory. out is (batch, seq, heads, V_HEAD_DIM), as W_O
// wants it: combining the heads needs no copy either. Grid: (query tiles, heads, batch).
// left, right: how many keys before and after its own position a query sees; causal is right = 0. Where there is no
// limit, the caller passes q_len + k_len, which reaches every key.

#ifndef HEAD_DIM
#define HEAD_DIM 64
#endif
#ifndef V_HEAD_DIM
#define V_HEAD_DIM HEAD_DIM
#endif
#ifndef BLOCK_Q
#define BLOCK_Q 32
#endif
#ifndef BLOCK_K
#define BLOCK_K 16
#endif
#ifndef INFINITY  // NVRTC has no math.h
#define INFINITY __int_as_float(0x7f800000)
#endif

constexpr int THREADS_PER_ROW = 4;
constexpr int THREADS = BLOCK_Q * THREADS_PER_ROW;
constexpr int SCORES = BLOCK_K / THREADS_PER_ROW;                               // of a thread, in a tile
constexpr int SUMS = (V_HEAD_DIM + THREADS_PER_ROW - 1) / THREADS_PER_ROW;      // of a thread
constexpr int PAD = 4;  // floats between rows, so that the rows a warp reads at once lie in different banks
static_assert(BLOCK_K % THREADS_PER_ROW == 0, "BLOCK_K must be a multiple of 4");

extern "C" __global__ void __launch_bounds__(THREADS, 3)  // three blocks at a time: 170 registers for each thread
head_stride_attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                      const int* __restrict__ lengths, float* __restrict__ out, float* __restrict__ lse,
                      int q_batch_stride, int q_head_stride, int q_row_stride,
                      int k_batch_stride, int k_head_stride, int k_row_stride,
                      int v_batch_stride, int v_head_stride, int v_row_stride,
                      int kv_heads, int q_len, int k_len, int left, int right, float scale, float softcap) {
  __shared__ float q_tile[BLOCK_Q][HEAD_DIM + PAD];
  __shared__ float k_tile[BLOCK_K][HEAD_DIM + PAD];
  __shared__ float v_tile[BLOCK_K][SUMS * THREADS_PER_ROW];
  __shared__ float scores[BLOCK_Q][BLOCK_K + 1];

  const int heads = gridDim.y, head = blockIdx.y, batch = blockIdx.z;
  const int kv_head = head / (heads / kv_heads);  // neighbouring query heads share a K/V head
  q += (long long)batch * q_batch_stride + (long long)head * q_head_stride;
  k += (long long)batch * k_batch_stride + (long long)kv_head * k_head_stride;
  v += (long long)batch * v_batch_stride + (long long)kv_head * v_head_stride;
  out += ((long long)batch * q_len * heads + head) * V_HEAD_DIM;
  lse += ((long long)batch * heads + head) * q_len;

  const int tile_row = threadIdx.x / THREADS_PER_ROW, lane = threadIdx.x % THREADS_PER_ROW;
  const int first_row = blockIdx.x * BLOCK_Q, row = first_row + tile_row;
  const int last_row = first_row + BLOCK_Q - 1;  // beyond q_len in the last block, whose rows reach the last key anyway

  // The keys that some row of this block sees. They start at the first one, not at a multiple of BLOCK_K: what nobody
  // sees is never loaded, whatever lies there.
  const int offset = k_len - q_len;  // the last query stands beside the last key
  const int position = row + offset;
  const int length = min(lengths[batch], k_len);
  const int first_key = max(0, first_row + offset - left);
  const int end_key = min(length, last_row + offset + right + 1);

  for (int i = threadIdx.x; i < BLOCK_Q * HEAD_DIM; i += THREADS) {
    const int r = i / HEAD_DIM, d = i % HEAD_DIM;
    const bool there = first_row + r < q_len;
    q_tile[r][d] = there ? q[(long long)(first_row + r) * q_row_stride + d] : 0.0f;
  }

  float largest = -INFINITY, total = 0.0f;
  float sums[SUMS] = {};
  for (int start = first_key; start < end_key; start += BLOCK_K) {
    for (int i = threadIdx.x; i < BLOCK_K * HEAD_DIM; i += THREADS) {
      const int r = i / HEAD_DIM, d = i % HEAD_DIM;
      const bool there = start + r < end_key;
      k_tile[r][d] = there ? k[(long long)(start + r) * k_row_stride + d] : 0.0f;
    }
    for (int i = threadIdx.x; i < BLOCK_K * SUMS * THREADS_PER_ROW; i += THREADS) {
      const int r = i / (SUMS * THREADS_PER_ROW), d = i % (SUMS * THREADS_PER_ROW);
      const bool there = start + r < end_key && d < V_HEAD_DIM;
      v_tile[r][d] = there ? v[(long long)(start + r) * v_row_stride + d] : 0.0f;
    }
    __syncthreads();  // the tiles are complete

    float dots[SCORES] = {};
    for (int d = 0; d < HEAD_DIM; ++d) {
      const float q_d = q_tile[tile_row][d];  // read once for all the keys of this thread
#pragma unroll
      for (int i = 0; i < SCORES; ++i) dots[i] += q_d * k_tile[i * THREADS_PER_ROW + lane][d];
    }
#pragma unroll
    for (int i = 0; i < SCORES; ++i) {
      const int j = i * THREADS_PER_ROW + lane, key = start + j;
      float score = scale * dots[i];
      if (softcap > 0.0f) score = softcap * tanhf(score / softcap);
      const bool seen = key < length && key >= position - left && key <= position + right;
      scores[tile_row][j] = seen ? score : -INFINITY;
    }
    __syncthreads();  // the row's other scores are there

    // Online softmax. All four threads of a row do the same here, which is cheaper than to exchange the weights.
    float new_largest = largest;
    for (int j = 0; j < BLOCK_K; ++j) new_largest = fmaxf(new_largest, scores[tile_row][j]);
    const float shift = new_largest == -INFINITY ? 0.0f : new_largest;  // no key so far: -inf - -inf is not a number
    const float rescale = expf(largest - shift);
    largest = new_largest;
    total *= rescale;
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums[i] *= rescale;
    for (int j = 0; j < BLOCK_K; ++j) {
      const float weight = expf(scores[tile_row][j] - shift);
      total += weight;
#pragma unroll
      for (int i = 0; i < SUMS; ++i) sums[i] += weight * v_tile[j][i * THREADS_PER_ROW + lane];
    }
    __syncthreads();  // nobody reads the tiles any more: the next ones may come
  }

  if (row >= q_len) return;
#pragma unroll
  for (int i = 0; i < SUMS; ++i) {
    const int d = i * THREADS_PER_ROW + lane;
    if (d < V_HEAD_DIM) out[(long long)row * heads * V_HEAD_DIM + d] = total == 0.0f ? 0.0f : sums[i] / total;
  }
  if (lane == 0) lse[row] = largest + logf(total);  // -inf where there is no key
}
