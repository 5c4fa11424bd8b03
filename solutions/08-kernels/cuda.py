# %% [markdown]
# # 08 · Kernels in CUDA C++: what every thread does
#
# **Time:** about 120 minutes, in four parts of 20 to 35 minutes and a written question.
# **You need:** a little C or C++: loops, arrays and pointers; what a softmax and causal attention compute. No GPU.
# Linux, WSL or Colab, with a C++ compiler and the extra `kernel-exercises` of the library.
# **Beside it:** chapter 08 of the book, *Kernels*. Everything that you need is also said here.
#
# A GPU runs one function, the *kernel*, in thousands of threads at once. You write it once, for a single thread; from
# its own number the thread finds out which part of the work is its own. In this notebook you write four kernels: one
# that reads the heads where they lie, without splitting them; one whose threads share a softmax; attention with one
# block for each head; and attention in tiles, which is how fast kernels are built.
#
# <!-- how kernels work -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads.grading import check
from manyheads.kernels import emulate
from manyheads.kernels.launching import Launch, Out

# %% [markdown]
# **What you hand in.** Each answer is a Python function without arguments that returns the kernel's source as text,
# between `r"""` and `"""`. A check builds it and starts it on arrays of its own. In a kernel you may use what the
# language and CUDA offer without any `#include`; small functions of your own, marked `__device__`, may stand above it.
#
# **How it is run.** On your computer's processor, with a C++ compiler. *values* is about the numbers. *threads* runs
# the threads of a block in other orders, and all at once, and looks for two threads that use the same place with no
# barrier between them. *memory* looks for every load and store outside an array, and for shared memory that is read
# before it is written. *for a GPU* compiles your kernel for two GPUs: there a thread's values must fit into its
# registers. What only a GPU can show is missing: how fast it is.
#
# **What CUDA adds to C++**, as far as it is needed here:
#
# | you write | meaning |
# |---|---|
# | `threadIdx.x` | number of this thread in its block, from 0 |
# | `blockDim.x` | how many threads a block has |
# | `blockIdx.x`, `.y`, `.z` | number of this block in the grid, in three directions |
# | `__shared__ float a[64];` | an array that all threads of a block share; of a fixed size, at first not filled |
# | `__syncthreads();` | a *barrier*: every thread of the block waits here until all have come |
# | `__device__ float f(…)` | a function that a kernel may call |
# | `expf`, `fmaxf`, `min`, `INFINITY` | $e^x$, the larger of two floats, the smaller of two ints, infinity |
#
# Plain variables, and small arrays like `float sum[HEAD_DIM] = {};`, belong to one thread, which keeps them in
# *registers*. Without a first value, as in `float sum;`, they begin with just anything. What no thread stores in an
# array that is to be filled, is NaN when a check looks at it. Names in capital letters are macros: whole numbers that
# are known when compiling.
#
# Blocks know nothing of each other, and run in any order. Threads of a block run in any order too, between two
# barriers. Behind a barrier each thread sees what the others have written before it. It must be reached by all threads
# of the block: it may not stand in an `if` that only some of them enter, nor in a loop that some leave earlier.
#
# **Arrays** are given as pointers to their first number. The numbers lie one after the other, the last axis innermost:
# element `(i, j)` of an array with rows of `n` is `a[i * n + j]`. With several axes, an `int` can get too small for
# real sizes: begin such a product with `(long long)`.
#
# In the next cell, a kernel is started by hand: two blocks of four threads, for seven numbers. You can do the same
# with your own. `order` is "up", "down" or "shuffled", and `check` may be "races" or "memory".

# %%
add_one = r"""
extern "C" __global__ void add_one(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + 1;
}
"""
x = np.arange(7, dtype="float32")
emulate.launch(add_one, Launch("add_one", (2,), (4,), {"x": x, "out": Out((7,)), "n": 7}), order="down")

# %% [markdown]
# ## 1 · Heads that are never split
#
# *20 minutes. You need: the table above.*
#
# One matrix product makes queries, keys and values of all tokens at once. For each token, the result has `(heads + 2 *
# kv_heads) * head_dim` numbers: first all query heads, then all key heads, then all value heads, each of them
# `head_dim` numbers that lie side by side. Usually they are split, transposed and copied before attention. A kernel
# needs none of that. It can work out where each number lies, and read it there.
#
# This kernel computes the scores of the newest `q_len` tokens with all `seq` tokens of their sequence, straight from
# the packed buffer. Query `y` is token `seq - q_len + y`. The score of a query with a key is the sum over `d` of
# `query[d] * key[d]`, times `scale`. There is no mask.
#
# From a token's first number to that of the next one it is `token_stride` floats; from a sequence's first to that of
# the next sequence, `batch_stride`. Often the numbers lie without gaps, and then `token_stride` is the length of a
# token. But `qkv` may be part of a larger buffer, with other things behind each token or each sequence, so use the
# strides.
#
# Query heads may share K/V heads: there are `kv_heads` of those, and query head `h` reads K/V head `h / group`, where
# `group` is `heads / kv_heads`. The division of two `int`s rounds down.
#
# By hand: two query heads, one K/V head, `head_dim` 2. A token is 8 numbers, say `1 2 3 4 5 6 7 8`: query head 0 is
# `1 2`, query head 1 is `3 4`, the key is `5 6` and the value `7 8`. Query head 1 begins 1 · 2 = 2 floats behind the
# token's start, the key 2 · 2 = 4. With the scale 0.5, the score of head 1 for this token with itself is (3 · 5 + 4 ·
# 6) · 0.5 = 19.5.
#
# <!-- contract: cuda-head-split -->


# %% nbgrader={"solution": true}
def cuda_head_split():
    """Give the kernel's source, CUDA C++ as text."""
    ### BEGIN SOLUTION
    return r"""
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
"""
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("cuda-head-split", cuda_head_split, aspect="values")

# %% nbgrader={"grade": true}
check("cuda-head-split", cuda_head_split, aspect="strides")

# %% nbgrader={"grade": true}
check("cuda-head-split", cuda_head_split, aspect="memory")

# %% nbgrader={"grade": true}
check("cuda-head-split", cuda_head_split, aspect="for a GPU")

# %% [markdown]
# ## 2 · A softmax that a block shares
#
# *30 minutes. You need: part 1 read; what a softmax is.*
#
# The weight of score $s_j$ is $e^{s_j - m}$ over the sum of all $e^{s_i - m}$ of its row, where $m$ is the row's
# largest score. A block of threads works on one row. Thread `t` takes the scores `t`, `t + blockDim.x`, `t + 2 *
# blockDim.x` and so on, as far as there are any: so the row may be longer than the block, or shorter. But both the
# largest and the sum need all of them.
#
# So the threads put together what each has found, in a shared array with a place for each thread. This is a
# *reduction*. In the first round, each thread of the first half takes in what the thread half a block further has:
# `shared[t] = fmaxf(shared[t], shared[t + half])`. In the next round half of the half does the same, until one number
# is left, at place 0. With 256 threads that is 8 rounds. The number of threads is a power of two. The reduction for
# the sum has `+` for `fmaxf`.
#
# Between writing a shared place and another thread's reading it there must be a barrier. So there is one before the
# first round, and one after each round. Reading counts as well: before the array is used again for the sums, every
# thread must have read the largest.
#
# A score may be `-INFINITY`; its weight is 0. In a row of nothing but `-INFINITY` all weights are 0. Look out there:
# `-INFINITY - -INFINITY` is NaN, and so is 0 / 0.
#
# By hand, with 4 threads: the row is `2 5 1 4 3 0`. Thread 0 has the scores 2 and 3, so its largest is 3; thread 1 has
# 5 and 0, thread 2 only 1, thread 3 only 4. The shared array is `3 5 1 4`. In the round with `half` 2, thread 0 takes
# the larger of 3 and 1, thread 1 the larger of 5 and 4: `3 5 …`. In the round with `half` 1, thread 0 takes the larger
# of 3 and 5. At place 0 stands 5.
#
# <!-- contract: cuda-row-softmax -->


# %% nbgrader={"solution": true}
def cuda_row_softmax():
    """Give the kernel's source, CUDA C++ as text."""
    ### BEGIN SOLUTION
    return r"""
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
"""
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("cuda-row-softmax", cuda_row_softmax, aspect="values")

# %% nbgrader={"grade": true}
check("cuda-row-softmax", cuda_row_softmax, aspect="forbidden")

# %% nbgrader={"grade": true}
check("cuda-row-softmax", cuda_row_softmax, aspect="threads")

# %% nbgrader={"grade": true}
check("cuda-row-softmax", cuda_row_softmax, aspect="memory")

# %% nbgrader={"grade": true}
check("cuda-row-softmax", cuda_row_softmax, aspect="for a GPU")

# %% [markdown]
# ## 3 · One block for each head
#
# *25 minutes. You need: barriers and shared arrays, as in part 2.*
#
# Heads know nothing of each other, and neither do blocks. So give each head of each sequence a block of its own. The
# kernel then knows nothing of heads at all: it is attention for one head, and the grid makes it attention for all.
#
# Every query of a head needs the same keys and values. Shared memory is much nearer to the threads than the memory
# that the arrays lie in, so the threads of a block first copy the head's keys and values into two shared arrays,
# together: thread `t` copies number `t`, then number `t + blockDim.x`, and so on. There is room for `MAX_SEQ` tokens;
# `seq` may be less. Then comes a barrier. Then each thread has queries of its own: `t`, `t + blockDim.x`, and so on.
#
# For one query: its score with a key is the sum over `d` of `query[d] * key[d]`, times `scale`. It is *causal*: query
# `i` sees the keys 0 to `i`. A first loop over these keys finds the largest score. A second loop computes each score
# again, adds $e^{\text{score} - \text{largest}}$ to a total, and that times the value's numbers to `HEAD_DIM` sums. At
# the end each sum is divided by the total. Why not keep the scores? A thread's registers have no numbers to count
# them by: an array that is read at a place which is not known when compiling lies in slow memory, and the last check
# refuses that. Arrays whose loops have a fixed end, like `HEAD_DIM`, are fine.
#
# By hand: `seq` 3, `HEAD_DIM` 2 and 2 threads. A head has 6 numbers, so that of block 5 begins at number 30 of `q`,
# `k`, `v` and `out`. Thread 0 copies the numbers 0, 2 and 4 of the keys, thread 1 the others. Thread 0 has the queries
# 0 and 2, thread 1 has query 1. If all queries are 0, all scores are 0 and each power is 1: query 2 gets the mean of
# the three values, query 1 that of the first two, query 0 the first value.
#
# <!-- contract: cuda-head-attention -->


# %% nbgrader={"solution": true}
def cuda_head_attention():
    """Give the kernel's source, CUDA C++ as text."""
    ### BEGIN SOLUTION
    return r"""
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
"""
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("cuda-head-attention", cuda_head_attention, aspect="values")

# %% nbgrader={"grade": true}
check("cuda-head-attention", cuda_head_attention, aspect="threads")

# %% nbgrader={"grade": true}
check("cuda-head-attention", cuda_head_attention, aspect="memory")

# %% nbgrader={"grade": true}
check("cuda-head-attention", cuda_head_attention, aspect="for a GPU")

# %% [markdown]
# ## 4 · Attention in tiles
#
# *35 minutes. You need: part 3 written or read.*
#
# A block may have 48 KiB of shared arrays. The keys and values of a head with 64 numbers fill that at 96 tokens. So
# longer sequences go through shared memory in *tiles*: `BLOCK_K` keys and their values are loaded, used by all threads
# of the block, and then replaced by the next ones. One barrier stands between loading and using, and another between
# using and loading again. The last tile may have fewer keys. And as one block for each head would leave most of a GPU
# idle, the queries are dealt out too: each block has `BLOCK_Q` queries of a head, one for each thread. In the last
# block some threads may have no query. They help to load, wait at the barriers, and store nothing.
#
# The largest score of a query may be in the last tile. So a thread keeps the `largest` so far, the `total` of
# $e^{\text{score} - \text{largest}}$ so far, and as many sums of that times value as a value has numbers. When a new
# score changes the largest from $m$ to $m'$, total and sums are first multiplied by $e^{m - m'}$. Begin with
# `-INFINITY`, 0 and 0; `expf(-INFINITY)` is 0. At the end the sums are divided by the total.
#
# What is also more general than in part 3: there may be more keys than queries, or fewer; a value has `V_HEAD_DIM`
# numbers; and query head `h` reads K/V head `h / group`, where `group` is `heads / kv_heads`. If `causal` is 1, the
# queries are the newest tokens: query `i` sees key `j` where `j <= i + k_len - q_len`. A query that sees no key gives
# 0. If `causal` is 0, every query sees all keys. Each of `q`, `k`, `v` and `out` has its own lengths, so work out for
# each where the block's head begins.
#
# (A tile that no query of the block sees need not be loaded. That saves almost half of the work, but is not asked for
# here. Beware: a thread whose own query needs no more tiles must stay, for the others of its block.)
#
# By hand: `BLOCK_Q` is 4 and `q_len` 6, so block 1 has the queries 4 and 5 and two threads without any. `BLOCK_K` is 3
# and `k_len` 8: the tiles have the keys 0 to 2, 3 to 5, and 6 and 7. Causal, query 4 sees the keys up to 4 + 8 - 6 = 6:
# two tiles, and one key of the last. Say it has the state 0, 1 and 10, from a key with score 0 and value 10, and now
# comes one with score log 2 and value 6. The new largest is log 2, so the total becomes 1 · 1/2 + 1 = 1.5 and the sum
# 10 · 1/2 + 6 = 11. Were this the end, the result would be 7.33.
#
# <!-- contract: cuda-tiled-attention -->


# %% nbgrader={"solution": true}
def cuda_tiled_attention():
    """Give the kernel's source, CUDA C++ as text."""
    ### BEGIN SOLUTION
    return r"""
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
"""
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("cuda-tiled-attention", cuda_tiled_attention, aspect="values")

# %% nbgrader={"grade": true}
check("cuda-tiled-attention", cuda_tiled_attention, aspect="threads")

# %% nbgrader={"grade": true}
check("cuda-tiled-attention", cuda_tiled_attention, aspect="memory")

# %% nbgrader={"grade": true}
check("cuda-tiled-attention", cuda_tiled_attention, aspect="for a GPU")

# %% [markdown]
# ## 5 · In your own words
#
# *10 minutes. You need: parts 2 to 4 read. 4 points, given by a person.*
#
# A colleague has written the kernel of part 4. In at most 200 words:
#
# - (a) To save time, they have removed the barrier at the end of the loop over tiles, and their test on one GPU still
#   passes. What can go wrong, and why may a test not see it (1 point)?
# - (b) Next they let threads without a query leave at the very start, with `if (query >= q_len) return;`. What two
#   things are wrong with that (2 points)?
# - (c) They want to use part 3's kernel, one block for each head with all keys and values in shared memory, for 4,096
#   tokens with 64 float32 numbers in a key and in a value. Say why this cannot work, with a number (1 point).

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-barriers-and-tiles"}
# ### BEGIN SOLUTION
# **An answer.** (a) A thread that is done with its tile goes on and loads the next one into the same shared arrays,
# while a slower thread still reads the old keys or values there, and gets a mixture. Whether it happens depends on
# the order in which the threads run, which is not fixed: threads of one warp mostly run together, so a small block
# may give right numbers in every test and wrong ones on another GPU.
#
# (b) The threads that are left wait at the barriers for those that have gone: what happens then is undefined, the
# kernel may hang. And the tiles are loaded by all threads together; what the missing ones should have loaded can be
# missing, and old or arbitrary numbers are used in its place.
#
# (c) Keys and values of a head are 4,096 · 2 · 64 · 4 bytes = 2 MiB. A block's shared arrays may have 48 KiB, and
# even on the largest GPUs, when asked for specially, not more than about 227 KiB.
#
# **Rubric (4 points).**
#
# - 1 point: the next tile is written while others still read the old one, and the outcome depends on the order of the
#   threads, which a test does not control (half of it for only one of the two).
# - 1 point: the others wait at barriers that some never reach.
# - 1 point: the threads that left do not load their share of the tiles. ("They should only not store" is enough if
#   loading is named.)
# - 1 point: 2 MiB (or: at most 96 tokens in 48 KiB, or about 450 in 227 KiB) against what a block may have; half of it
#   without a number.
# ### END SOLUTION
