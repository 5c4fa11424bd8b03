# %% [markdown]
# # 08 · Kernels in Triton: blocks instead of threads
#
# **Time:** about 130 minutes, in four parts of 25 to 40 minutes and a written question.
# **You need:** what a stride is; what a softmax and causal attention compute; for parts 2 to
# 4 the softmax in blocks of notebook 07. No GPU, no torch, no CUDA.
# Linux, WSL or Colab, with Triton and a C++ compiler: the extra `kernel-exercises` of the library brings Triton.
# **Beside it:** chapter 08 of the book, *Kernels*. Everything that you need is also said here.
#
# A CUDA kernel says what one thread does. A Triton kernel says what one *program* does: it handles whole blocks of
# numbers, and the compiler divides them among threads, puts what they share into shared memory, and sets the barriers.
# What is left for you is where the numbers lie, which of them are there at all, and in which order they are taken in.
# In this notebook you write a softmax, and then attention as fast libraries do it: in blocks, without the blocks that
# nobody sees, and with shared heads that are never copied.
#
# <!-- how kernels work -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
from manyheads.grading import check
from manyheads.kernels.handed_in.triton_runner import missing

print(missing() or "Triton is here; no GPU is needed.")
if missing():  # the cells below can be run all the same: each check says why it cannot check
    from manyheads.kernels.handed_in.triton_stub import tl, triton
else:
    import triton
    import triton.language as tl

# %% [markdown]
# **What holds for a kernel.** Each answer is one function with `@triton.jit` above it. Inside there are the parameters,
# your own variables, `tl`, `triton.cdiv`, and of Python `for`, `while`, `if`, `range`, `min`, `max`, `float("-inf")`
# and the operators. There is no NumPy, no `import`, no `print`, no second function, no `return` of a value, and no
# `break` or `continue`. `if`, `while`, `and` and `or` need one number each. For blocks there are `tl.where`, `&` and
# `|`, with brackets around each comparison: `(a < b) & (c < d)`.
#
# | in a kernel | meaning |
# |---|---|
# | `tl.program_id(0)`, `tl.program_id(1)` | which program of the grid this is, along its first and second axis |
# | `tl.arange(0, n)` | the whole numbers 0 to n - 1 as a block; `n` is a power of two and a `tl.constexpr` |
# | `x[:, None]`, `x[None, :]` | a block with one axis more, for broadcasting, as in NumPy |
# | `tl.load(places, mask=…, other=…)` | what stands at a block of pointers; where the mask is False, `other` |
# | `tl.store(places, block, mask=…)` | writes; rounds to the dtype of the pointer |
# | `tl.full([n], value, tl.float32)`, `tl.zeros([n, m], tl.float32)` | new blocks |
# | `tl.max(x, axis)`, `tl.sum(x, axis)`, `tl.maximum(x, y)`, `tl.minimum(x, y)` | along an axis; element by element |
# | `tl.exp(x)`, `tl.where(c, a, b)`, `x.to(tl.float32)` | `tl.exp` takes float32, not float16 |
# | `tl.dot(a, b, input_precision="ieee")` | a matrix product, summed in float32 |
# | `tl.trans(x)`, `x.dtype` | transposed; the dtype, for `.to` |
#
# A **pointer** plus a number is the place so many elements on. A pointer plus a block of numbers is a block of places.
# What lies outside an array must not be touched: every lane that has no element needs a mask. What a masked lane gets
# without `other` is undefined; here it is NaN.
#
# `tl.dot` needs blocks of one dtype, with at least 16 numbers to sum over. Without `input_precision="ieee"` a GPU
# rounds float32 to the 10 bits of TF32 first, and so do the checks. `tl.constexpr` parameters are known when the kernel
# is compiled: only they can be the size of a block. A variable that a loop changes must keep its shape and dtype, so
# begin sums in float32.
#
# **How you are checked.** Your kernel is run on the CPU, by Triton's interpreter, and every load and store is looked
# at before it happens. "For a GPU" also compiles it for an A100 (sm_80) and an H100 (sm_90), which needs no GPU.
# Nothing here says how fast it would be: that can only be measured on a GPU.

# %% [markdown]
# ## 1 · A softmax, one program a row
#
# *25 minutes. You need: `np.exp`, a maximum along an axis; what a stride is.*
#
# Program `r` does row `r`: it loads the row as one block, computes $e^{s_j - m}$ with the largest score $m$, divides by
# the sum, and stores the weights. Three things make it a kernel:
#
# - **The block is larger than the row.** `BLOCK` is a power of two, `length` is not. The lanes past the end need a
#   mask, and a filler that changes neither the largest score nor the sum.
# - **The strides.** Number `j` of row `r` of `scores` is at `scores + r * scores_row + j * scores_column`. The array of
#   weights has strides of its own.
# - **The dtype.** With float16 scores, compute in float32 all the same, and let `tl.store` round.
#
# Scores of -inf stand for forbidden keys and get the weight 0. A row of nothing but -inf gives 0 everywhere.
#
# By hand: `length` is 3 and `BLOCK` 4. The scores 0, log 2 and -inf give, with the filler -inf, the powers 1/2, 1, 0
# and 0. Their sum is 1.5, and the weights are 1/3, 2/3 and 0. With the filler 0 the sum would be 2.
#
# <!-- contract: triton-row-softmax -->


# %% nbgrader={"solution": true}
@triton.jit
def triton_row_softmax(
    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr
):
    """Store the softmax of row tl.program_id(0)."""
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < length
    place = scores + row * scores_row + column * scores_column
    x = tl.load(place, mask=inside, other=float("-inf")).to(tl.float32)
    largest = tl.max(x, 0)
    largest = tl.where(largest == float("-inf"), 0.0, largest)
    powers = tl.exp(x - largest)
    total = tl.sum(powers, 0)
    weight = powers / tl.where(total == 0.0, 1.0, total)
    tl.store(weights + row * weights_row + column * weights_column, weight, mask=inside)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="values")

# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="large scores")

# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="forbidden")

# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="any strides")

# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="half precision")

# %% nbgrader={"grade": true}
check("triton-row-softmax", triton_row_softmax, aspect="for a GPU")

# %% [markdown]
# ## 2 · Attention in blocks
#
# *40 minutes. You need: part 1; the running softmax of notebook 07.*
#
# One program has `BLOCK_Q` queries of one head. It goes over the keys, `BLOCK_K` at a time, and keeps three things for
# each query in float32: the `largest` score so far, the `total`, which is the sum of $e^{s_j - m}$, and `weighted`, the
# sum of $e^{s_j - m}$ times value $j$. When a block brings a larger score $m'$, both sums are multiplied by
# $e^{m - m'}$ before the block's own are added. In the end, `weighted / total` is the result.
#
# A score is the product of a query and a key, times `scale`. There is no causal mask in this part.
#
# Program `(x, y)` has the queries from `x * BLOCK_Q` on, of head `y % heads` of sequence `y // heads`. Each tensor
# says by three strides where a sequence, a head and a token begin. The numbers of one token are neighbours. `q_len` and
# `k_len` differ, and neither is a multiple of its block. Values have `V_HEAD_DIM` numbers, which is not `HEAD_DIM`.
#
# With float16 in, `tl.dot` sums in float32, but takes two blocks of one dtype: the powers have to be float16 for the
# product with the values.
#
# By hand: one query, `BLOCK_K` 2, the scores 0, 0 and log 2, the values 1, 3 and 5. After the first block the state is
# 0, 2 and 4. The second block has one key and one lane without. The largest becomes log 2, the factor is 1/2: the total
# is 1 + 1 = 2, the weighted sum 2 + 5 = 7, and the result 3.5.
#
# <!-- contract: triton-attention -->


# %% nbgrader={"solution": true}
@triton.jit
def triton_attention(
    q, k, v, out, scale, heads, q_len, k_len,
    q_batch, q_head, q_token, k_batch, k_head, k_token,
    v_batch, v_head, v_token, out_batch, out_head, out_token,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Store the attention of a block of queries of one head."""
    ### BEGIN SOLUTION
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    v_dim = tl.arange(0, V_HEAD_DIM)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head * k_head
    v += batch * v_batch + head * v_head
    out += batch * out_batch + head * out_head
    queries = tl.load(q + query[:, None] * q_token + dim[None, :], mask=query[:, None] < q_len, other=0.0)
    largest = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, V_HEAD_DIM], tl.float32)
    for start in range(0, k_len, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * k_token + dim[:, None], mask=key[None, :] < k_len, other=0.0)
        values = tl.load(v + key[:, None] * v_token + v_dim[None, :], mask=key[:, None] < k_len, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(key[None, :] < k_len, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        fade = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    result = weighted / total[:, None]
    tl.store(out + query[:, None] * out_token + v_dim[None, :], result, mask=query[:, None] < q_len)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("triton-attention", triton_attention, aspect="values")

# %% nbgrader={"grade": true}
check("triton-attention", triton_attention, aspect="any strides")

# %% nbgrader={"grade": true}
check("triton-attention", triton_attention, aspect="half precision")

# %% nbgrader={"grade": true}
check("triton-attention", triton_attention, aspect="for a GPU")

# %% [markdown]
# ## 3 · Blocks that nobody sees
#
# *25 minutes. You need: part 2.*
#
# Now causal: query `i` sees key `j` where `j <= i + k_len - q_len`. The last query sees every key. If there are more
# queries than keys, the first ones see none, and their result is 0.
#
# A program need read only the blocks of keys of which its last query sees at least one. The others are *skipped*: the
# loop ends before them, so neither keys nor values are loaded. For long sequences that is half of the work. Inside the
# blocks that the diagonal crosses, each pair needs the mask.
#
# The checks see whether you skip: they launch only the first programs of each head, with NaN in the keys and values
# that no query of theirs sees, from the next multiple of `BLOCK_K` on. Even a weight of 0 times NaN is NaN.
#
# All tensors are without gaps here: token `t` of head `y` of `k` begins at `(y * k_len + t) * HEAD_DIM`.
#
# By hand: `q_len` 5, `k_len` 7, `BLOCK_Q` 2, `BLOCK_K` 4. Program 0 has the queries 0 and 1, which see the keys up to 2
# and 3: one block. Program 1, with the queries 2 and 3, sees the keys up to 5: two blocks.
#
# <!-- contract: triton-causal-attention -->


# %% nbgrader={"solution": true}
@triton.jit
def triton_causal_attention(
    q, k, v, out, scale, q_len, k_len, HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Store the causal attention of a block of queries of one head; read no block that none of them sees."""
    ### BEGIN SOLUTION
    head = tl.program_id(1)
    first = tl.program_id(0) * BLOCK_Q
    query = first + tl.arange(0, BLOCK_Q)
    dim = tl.arange(0, HEAD_DIM)
    q_place = (head * q_len + query[:, None]) * HEAD_DIM + dim[None, :]
    queries = tl.load(q + q_place, mask=query[:, None] < q_len, other=0.0)
    ahead = k_len - q_len
    end = tl.minimum(k_len, first + BLOCK_Q + ahead)
    largest = tl.full([BLOCK_Q], -1.0e30, tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for start in range(0, end, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        k_place = (head * k_len + key[:, None]) * HEAD_DIM + dim[None, :]
        keys = tl.load(k + k_place, mask=key[:, None] < k_len, other=0.0)
        values = tl.load(v + k_place, mask=key[:, None] < k_len, other=0.0)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
        allowed = key[None, :] <= query[:, None] + ahead
        new = tl.maximum(largest, tl.max(tl.where(allowed, scores, -1.0e30), 1))
        fade = tl.exp(largest - new)
        powers = tl.where(allowed, tl.exp(scores - new[:, None]), 0.0)
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    result = weighted / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out + q_place, result, mask=query[:, None] < q_len)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("triton-causal-attention", triton_causal_attention, aspect="values")

# %% nbgrader={"grade": true}
check("triton-causal-attention", triton_causal_attention, aspect="skipped blocks")

# %% nbgrader={"grade": true}
check("triton-causal-attention", triton_causal_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("triton-causal-attention", triton_causal_attention, aspect="half precision")

# %% nbgrader={"grade": true}
check("triton-causal-attention", triton_causal_attention, aspect="for a GPU")

# %% [markdown]
# ## 4 · Shared heads, and nothing copied
#
# *25 minutes. You need: part 2.*
#
# Several query heads share one head of keys and values: query head `h` reads K/V head `h // group`, where `group` is
# `heads // kv_heads`. Libraries often repeat keys and values for each query head first, which costs as much memory as
# if nothing were shared. A kernel need not: it computes where the shared head lies.
#
# Here it also reads `q`, `k` and `v` where the projection has put them. `qkv` holds, for each token, first the query
# heads, then the key heads, then the value heads, each with `HEAD_DIM` numbers. So a token takes
# `(heads + 2 * kv_heads) * HEAD_DIM` numbers. The result has the heads of a token side by side, `heads * HEAD_DIM`
# numbers a token: as the output projection wants it.
#
# Program `(x, y)` has the queries from `x * BLOCK_Q` on, of query head `y % heads` of sequence `y // heads`. There is
# no causal mask in this part.
#
# By hand: 4 query heads, 2 K/V heads, `HEAD_DIM` 16. A token takes 8 * 16 = 128 numbers. Query head 3 begins at number
# 48 of its token. Its K/V head is 3 // 2 = 1: keys at (4 + 1) * 16 = 80, values at (4 + 2 + 1) * 16 = 112.
#
# <!-- contract: triton-grouped-attention -->


# %% nbgrader={"solution": true}
@triton.jit
def triton_grouped_attention(
    qkv, out, scale, heads, kv_heads, seq, HEAD_DIM: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr
):
    """Store the attention of a block of queries of one head, whose keys and values others share."""
    ### BEGIN SOLUTION
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // (heads // kv_heads)
    token = (heads + 2 * kv_heads) * HEAD_DIM
    dim = tl.arange(0, HEAD_DIM)
    query = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    qkv += batch * seq * token
    q = qkv + head * HEAD_DIM
    k = qkv + (heads + kv_head) * HEAD_DIM
    v = qkv + (heads + kv_heads + kv_head) * HEAD_DIM
    queries = tl.load(q + query[:, None] * token + dim[None, :], mask=query[:, None] < seq, other=0.0)
    largest = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    weighted = tl.zeros([BLOCK_Q, HEAD_DIM], tl.float32)
    for start in range(0, seq, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        keys = tl.load(k + key[None, :] * token + dim[:, None], mask=key[None, :] < seq, other=0.0)
        values = tl.load(v + key[:, None] * token + dim[None, :], mask=key[:, None] < seq, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        scores = tl.where(key[None, :] < seq, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        fade = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * fade + tl.sum(powers, 1)
        product = tl.dot(powers.to(values.dtype), values, input_precision="ieee")
        weighted = weighted * fade[:, None] + product
        largest = new
    place = (batch * seq + query[:, None]) * heads * HEAD_DIM + head * HEAD_DIM + dim[None, :]
    tl.store(out + place, weighted / total[:, None], mask=query[:, None] < seq)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("triton-grouped-attention", triton_grouped_attention, aspect="values")

# %% nbgrader={"grade": true}
check("triton-grouped-attention", triton_grouped_attention, aspect="the ends")

# %% nbgrader={"grade": true}
check("triton-grouped-attention", triton_grouped_attention, aspect="half precision")

# %% nbgrader={"grade": true}
check("triton-grouped-attention", triton_grouped_attention, aspect="for a GPU")

# %% [markdown]
# ## 5 · In your own words
#
# *15 minutes. You need: parts 2 to 4. 4 points, given by a person.*
#
# A colleague has written a causal attention kernel in Triton. On the CPU, interpreted, all numbers are right. In at
# most 200 words:
#
# - (a) Name two things about the kernel that this run cannot show, and how each could be found out (2 points).
# - (b) The colleague masks all scores above the diagonal, but loops over all keys. The result is right. What does it
#   cost, and why does no test of the numbers notice (1 point)?
# - (c) For a model with 32 query heads and 8 K/V heads the colleague calls `np.repeat` on keys and values before the
#   launch. By what factor do the keys and values in memory grow, and what would the kernel do instead (1 point)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-what-a-cpu-cannot-show"}
# ### BEGIN SOLUTION
# **An answer.** (a) Its speed: that has to be measured on a GPU, against another kernel. Whether it compiles, and how
# many registers and how much shared memory it takes: the compiler says so, and needs no GPU for it. How TF32 or
# bfloat16 round: only a GPU computes with them, so compare with float64 there. Whether two programs write to the same
# place: the interpreter runs one after the other.
#
# (b) About half of the tiles lie above the diagonal for equal lengths; they are loaded and multiplied for nothing, so
# it takes nearly twice as long. The weights there are 0, so the numbers are the same. Only time shows it, or keys and
# values that must not be read.
#
# (c) Four times. Query head h would read K/V head h // 4 where it lies; no copy is made.
#
# **Rubric (4 points).**
#
# - 2 points: two of speed, compiling or registers, rounding of TF32 or bfloat16, races between programs; each with a
#   way to find out. 1 point for each; half of it without the way.
# - 1 point: about half of the work for equal lengths, and that masked weights are 0 whether or not they are computed.
# - 1 point: four times (32 / 8), and the head by index, h // group.
# ### END SOLUTION
