"""Right answers of cuda-row-softmax: the model answer, from which the mistakes are made, and other techniques."""

from manyheads.exercises.kernel import kernel_source

ANSWER = kernel_source(r"""
extern "C" __global__ void cuda_row_softmax(const float* scores, float* weights, int length) {
  __shared__ float shared[MAX_THREADS];
  const int t = threadIdx.x;
  const float* row = scores + (long long)blockIdx.x * length;

  float largest = -INFINITY;
  for (int j = t; j < length; j += blockDim.x) largest = fmaxf(largest, row[j]);
  shared[t] = largest;
  __syncthreads();  // everybody has written
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();  // this round is done
  }
  largest = shared[0];
  __syncthreads();  // everybody has read the largest: now the array may be used again

  float total = 0;
  for (int j = t; j < length; j += blockDim.x) total += expf(row[j] - largest);
  shared[t] = total;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  total = shared[0];

  for (int j = t; j < length; j += blockDim.x)
    weights[(long long)blockIdx.x * length + j] = largest > -INFINITY ? expf(row[j] - largest) / total : 0;
}
""")

WARP_SHUFFLES = kernel_source(r"""
// The 32 threads of a warp hand their numbers to each other; only one number a warp goes through shared memory.
__device__ float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, step));
  return x;
}
__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
  return x;
}
extern "C" __global__ void cuda_row_softmax(const float* scores, float* weights, int length) {
  __shared__ float maxima[MAX_THREADS / 32], sums[MAX_THREADS / 32];
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const long long row = (long long)blockIdx.x * length;
  float largest = -INFINITY;
  for (int j = threadIdx.x; j < length; j += blockDim.x) largest = fmaxf(largest, scores[row + j]);
  largest = warp_max(largest);
  if (threadIdx.x % 32 == 0) maxima[warp] = largest;
  __syncthreads();
  for (int w = 0; w < warps; ++w) largest = fmaxf(largest, maxima[w]);
  if (largest == -INFINITY) largest = 0;
  float total = 0;
  for (int j = threadIdx.x; j < length; j += blockDim.x) total += expf(scores[row + j] - largest);
  total = warp_sum(total);
  if (threadIdx.x % 32 == 0) sums[warp] = total;
  __syncthreads();
  total = 0;
  for (int w = 0; w < warps; ++w) total += sums[w];
  const float factor = total > 0 ? 1 / total : 0;
  for (int j = threadIdx.x; j < length; j += blockDim.x) weights[row + j] = expf(scores[row + j] - largest) * factor;
}
""")

ONE_PASS = kernel_source(r"""
// Every thread goes over its numbers once, with a largest and a total of its own; then the pairs are merged.
extern "C" __global__ void cuda_row_softmax(const float* scores, float* weights, int length) {
  __shared__ float largest[MAX_THREADS], total[MAX_THREADS];
  const int t = threadIdx.x;
  const long long row = (long long)blockIdx.x * length;
  float m = -INFINITY, sum = 0;
  for (int j = t; j < length; j += blockDim.x) {
    const float score = scores[row + j];
    if (score > m) {
      sum = sum * expf(m - score) + 1;
      m = score;
    } else if (score > -INFINITY) {
      sum += expf(score - m);
    }
  }
  largest[t] = m;
  total[t] = sum;
  for (int step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    if (t % (2 * step) == 0) {
      const float a = largest[t], b = largest[t + step], both = fmaxf(a, b);
      if (both > -INFINITY) total[t] = total[t] * expf(a - both) + total[t + step] * expf(b - both);
      largest[t] = both;
    }
  }
  __syncthreads();
  for (int j = t; j < length; j += blockDim.x)
    weights[row + j] = total[0] == 0 ? 0 : expf(scores[row + j] - largest[0]) / total[0];
}
""")

ONE_THREAD_ADDS = kernel_source(r"""
// The first thread puts together what the others have found; the weights are powers of two.
extern "C" __global__ void cuda_row_softmax(const float* scores, float* weights, int length) {
  __shared__ float found[MAX_THREADS];
  __shared__ float largest, total;
  const float log2_e = 1.44269504f;
  const float* row = scores + (long long)blockIdx.x * length;
  float* out = weights + (long long)blockIdx.x * length;
  const int share = (length + blockDim.x - 1) / blockDim.x;  // neighbours in the row belong to one thread
  const int first = min(length, int(threadIdx.x) * share), end = min(length, first + share);
  found[threadIdx.x] = -INFINITY;
  for (int j = first; j < end; ++j) found[threadIdx.x] = max(found[threadIdx.x], row[j]);
  __syncthreads();
  if (threadIdx.x == 0) {
    largest = -INFINITY;
    for (int i = 0; i < blockDim.x; ++i) largest = max(largest, found[i]);
  }
  __syncthreads();
  const bool nothing = largest == -INFINITY;
  float sum = 0;
  for (int j = first; j < end; ++j) sum += out[j] = nothing ? 0 : exp2f((row[j] - largest) * log2_e);
  found[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = nothing;
    for (int i = 0; i < blockDim.x; ++i) total += found[i];
  }
  __syncthreads();
  for (int j = first; j < end; ++j) out[j] /= total;
}
""")

ALTERNATIVES = {
    "warp shuffles": WARP_SHUFFLES,
    "one pass": ONE_PASS,
    "one thread adds": ONE_THREAD_ADDS,
}
