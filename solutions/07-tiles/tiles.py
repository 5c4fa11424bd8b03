# %% [markdown]
# # 07 · Tiles: long rows in small pieces, and gradients by hand
#
# **Time:** about 125 minutes, in eight parts of 10 to 20 minutes and a written question.
# **You need:** NumPy `@`, broadcasting and `keepdims`; what a softmax and causal attention compute. No GPU, no torch.
# **Beside it:** chapter 07 of the book, *Tiles*. Everything that you need is also said here.
#
# For a sequence of 32,768 tokens, the scores of a single head are a matrix of a billion numbers, 4 GiB in float32. The
# queries and keys that they come from, at 64 numbers for each token, take 8 MiB each. So fast attention never makes
# that matrix. It goes over it in *tiles*, a block of queries against a block of keys, and keeps for every query only a
# few numbers between one tile and the next. In the first half of this notebook you write that, and what makes it
# possible: a softmax that can be stopped and continued. In the second half you go the way back, and write the
# gradients of attention by hand, with a test that needs no calculus.
#
# <!-- how it works -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads import reference
from manyheads.grading import check

# %% [markdown]
# **Shapes** are written with these names throughout, and batch always comes first:
#
# | name | meaning |
# |---|---|
# | `batch` | sequences handled at once |
# | `heads` | query heads; and of keys and values too, up to part 6 |
# | `kv_heads` | key/value heads, K/V heads for short; divides `heads`. `group` is `heads // kv_heads` |
# | `q_len` | queries, the newest tokens |
# | `k_len` | keys, and as many values |
# | `head_dim`, `v_head_dim` | numbers in one query or key; in one value |
# | `block_q`, `block_k` | queries and keys in one block. A *tile* is a block of queries against a block of keys |
#
# An array with heads is `(batch, heads, length, dim)`. Counting starts at 0. A *score* is the product of a query and a
# key, times `head_dim ** -0.5`. **Causal** means that the last query sees every key, the one before it all but the
# last, and so on: query `i` sees key `j` where `j <= i + k_len - q_len`. A query that sees no key gives 0. A score of
# minus infinity, `-np.inf`, stands for a key that is not seen.
#
# In NumPy `-np.inf - x` is `-np.inf` for any finite `x`, and `np.exp(-np.inf)` is 0. But `-np.inf - -np.inf` is NaN.

# %% [markdown]
# ## 1 · A softmax that never sees the whole row
#
# *15 minutes. You need: `np.exp`, and a maximum along an axis.*
#
# The result for one query is the sum of $e^{s_j}$ times value $j$ over all keys $j$ that it sees, divided by the sum
# of the $e^{s_j}$. Exponentials overflow, so the largest score $m$ of the row is taken away from every score, which
# changes nothing in the end. But what if the keys come block by block, and the largest score may be in the last one?
#
# Then keep three things for every row, its *state*: the `largest` score so far, the `total`, which is the sum of
# $e^{s_j - m}$ so far, and `weighted`, the sum of $e^{s_j - m}$ times value $j$. When a block brings a larger score,
# $m$ changes to $m'$. Both old sums are then multiplied by $e^{m - m'}$: every term $e^{s_j - m}$ in them becomes
# $e^{s_j - m'}$. After the last block, `weighted / total` is the result; this part does not divide yet. (Milakov and
# Gimelshein described this *online softmax* in 2018.)
#
# A row that has seen nothing yet has the state -inf, 0, 0. If the block has nothing for it either, because all of its
# scores there are -inf, the state stays so, with no NaN in it. The results have the dtype of the arguments.
#
# By hand: one row has seen one key, with score 0 and value 10: its state is 0, 1 and 10. Now a block comes with the
# scores log 1 and log 2 and the values 4 and 6. The largest score is log 2 now, so the old sums are multiplied by
# $e^{0 - \log 2}$, one half: 0.5 and 5. The block's exponentials are 1/2 and 1. The new total is 0.5 + 0.5 + 1 = 2,
# the weighted sum 5 + 2 + 6 = 13. Were this the end, the result would be 6.5.
#
# <!-- contract: online-softmax-step -->


# %% nbgrader={"solution": true}
def online_softmax_step(largest, total, weighted, scores, values):
    """Take one more block of keys into the state of some rows; returns the new largest, total and weighted."""
    ### BEGIN SOLUTION
    new_largest = np.maximum(largest, scores.max(axis=1))
    # A row that has seen nothing has no largest score: any finite number may be taken away there.
    away = np.where(np.isneginf(new_largest), 0, new_largest)
    fade = np.exp(largest - away)
    powers = np.exp(scores - away[:, None])
    new_total = fade * total + powers.sum(axis=1)
    new_weighted = fade[:, None] * weighted + powers @ values
    return new_largest, new_total, new_weighted
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("online-softmax-step", online_softmax_step, aspect="values")

# %% nbgrader={"grade": true}
check("online-softmax-step", online_softmax_step, aspect="forbidden")

# %% nbgrader={"grade": true}
check("online-softmax-step", online_softmax_step, aspect="large scores")

# %% nbgrader={"grade": true}
check("online-softmax-step", online_softmax_step, aspect="float32")

# %% [markdown]
# ## 2 · Two parts of the keys, one result
#
# *15 minutes. You need: exponentials and logarithms.*
#
# Keys can also be split between two workers that know nothing of each other: two processors, or two machines. Each
# does attention over its own keys, to the end: its result `out` is divided by its own total. What is lost by that can
# be kept in one number for each query, the *log-sum-exp* of its scores: `lse` is the natural logarithm of the sum of
# $e^{s_j}$ over the part's keys.
#
# From `out` and `lse` of both parts follows what one worker would have got with all the keys. Part a stands for a
# total of $e^{\text{lse}_a}$, part b for one of $e^{\text{lse}_b}$; the result is the mean of `out_a` and `out_b` by
# these weights, and the new `lse` is the log of the sum of both. (Flash-Decoding, Dao and others 2023, splits long
# caches like this.)
#
# Do not take $e^{\text{lse}}$ of a large number: beyond 709 it is infinite (in float32 beyond 88). A part in which a
# query sees no key has -inf as its `lse`, and 0 in `out`; it weighs nothing. If that is so in both parts, the merged
# `lse` is -inf too, and the merged `out` is 0. The results have the dtype of the arguments.
#
# By hand: one query. Part a gives 10 with an lse of log 1, part b gives 20 with an lse of log 3. The weights are 1/4
# and 3/4, the result is 2.5 + 15 = 17.5, and the new lse is log 4.
#
# <!-- contract: merge-partial-results -->


# %% nbgrader={"solution": true}
def merge_partial_results(out_a, lse_a, out_b, lse_b):
    """Merge attention over two disjoint sets of keys; returns out and lse, as over all of them."""
    ### BEGIN SOLUTION
    lse = np.logaddexp(lse_a, lse_b)
    whole = np.where(np.isneginf(lse), 0, lse)  # neither part has a key: anything finite will do
    share_a, share_b = np.exp(lse_a - whole), np.exp(lse_b - whole)
    return share_a[..., None] * out_a + share_b[..., None] * out_b, lse
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("merge-partial-results", merge_partial_results, aspect="values")

# %% nbgrader={"grade": true}
check("merge-partial-results", merge_partial_results, aspect="empty parts")

# %% nbgrader={"grade": true}
check("merge-partial-results", merge_partial_results, aspect="large scores")

# %% nbgrader={"grade": true}
check("merge-partial-results", merge_partial_results, aspect="float32")

# %% [markdown]
# ## 3 · Which tiles are needed
#
# *10 minutes. You need: whole numbers, and the rule for causal above.*
#
# Cut the queries into blocks of `block_q` and the keys into blocks of `block_k`; the last block of each may be
# shorter. Block `i` of the queries begins at query `i * block_q`, block `j` of the keys at key `j * block_k`. With a
# causal mask, many tiles have no allowed pair at all: all their keys come after all their queries. Nothing of them is
# needed. Say which tiles have at least one allowed pair.
#
# The two kinds of blocks may differ in size, the lengths need not be multiples of them, and `q_len` and `k_len` may
# differ. Where there are more queries than keys, the first queries see no key, so whole blocks of queries may need no
# tile.
#
# By hand: five queries and six keys, in blocks of two queries and four keys. Query `i` sees the keys up to `i + 1`.
# There are three blocks of queries, 0 and 1, 2 and 3, and 4 alone; and two blocks of keys, 0 to 3, and 4 and 5. Query
# 1 sees keys up to 2, so that the first block of queries needs the first block of keys only. Query 3 sees key 4, and
# query 4 sees key 5: the other two blocks of queries need both.
#
# <!-- contract: needed-tiles -->


# %% nbgrader={"solution": true}
def needed_tiles(q_len, k_len, block_q, block_k):
    """Say which tiles have a pair that the causal mask allows; returns booleans (query blocks, key blocks)."""
    ### BEGIN SOLUTION
    first_keys = np.arange(0, k_len, block_k)
    first_queries = np.arange(0, q_len, block_q)
    last_queries = np.minimum(first_queries + block_q, q_len) - 1
    # The pair that is allowed most easily: the last query of a block with the first key.
    return first_keys <= last_queries[:, None] + k_len - q_len
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("needed-tiles", needed_tiles, aspect="equal lengths")

# %% nbgrader={"grade": true}
check("needed-tiles", needed_tiles, aspect="older keys")

# %% nbgrader={"grade": true}
check("needed-tiles", needed_tiles, aspect="empty rows")

# %% [markdown]
# ## 4 · Attention, tile by tile
#
# *20 minutes. You need: parts 1 and 3 read.*
#
# Now all of it. Here your function does not get `q`, `k` and `v`. It gets a function, `tile`, and has to ask it for
# what it needs. `tile(i, j)` returns three arrays: block `i` of the queries, block `j` of the keys, and block `j` of
# the values. It stands for what costs most on real hardware, the way from large slow memory to small fast memory. What
# is never loaded is never computed either, so the check also looks at what you ask for: only tiles with an allowed
# pair, each of them once. (The order is up to you. A right result that asked for other tiles too loses only the points
# for *tiles*.) A tile that does not exist gives an `IndexError`.
#
# For each block of queries, go over its tiles with the state of part 1, for all sequences and heads at once. On the
# diagonal a tile has allowed and forbidden pairs: inside it, compare the numbers of the tokens in the whole sequence.
# Attention is causal, scores are scaled by `head_dim ** -0.5`, and a query that sees no key gives 0. `head_dim` and
# the other sizes are those of the arrays in the tiles. There is always a needed tile that tells you: the last query
# sees every key. It need not be tile (0, 0), since the first block of queries may see nothing.
#
# By hand: two queries, two keys, blocks of one. There are four tiles, and (0, 1) is not needed. Query 0 sees key 0
# only, and gives its value, 10. Query 1 has a score of 0 = log 1 with key 0, so its state is 0, 1, 10; then a score of
# log 3 with key 1, whose value is 20. The old sums become 1/3 and 10/3, the total is 4/3, the weighted sum 70/3, and
# the result 17.5.
#
# <!-- contract: blocked-causal-attention -->


# %% nbgrader={"solution": true}
def blocked_causal_attention(tile, q_len, k_len, block_q, block_k):
    """Causal attention from the tiles that are needed, each asked for once; (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    out = None
    for first_query in range(0, q_len, block_q):
        queries = np.arange(q_len)[first_query : first_query + block_q]
        positions = queries[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0, 0
        for first_key in range(0, k_len, block_k):
            if first_key > positions[-1]:
                break  # no query of the block sees this key, nor any later one
            q, k, v = tile(first_query // block_q, first_key // block_k)
            if out is None:
                out = np.zeros((*q.shape[:2], q_len, v.shape[-1]))
            scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
            keys = first_key + np.arange(k.shape[2])
            scores = np.where(keys <= positions, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            away = np.where(np.isneginf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=-1, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if positions[-1] >= 0:  # else the block sees no key, and stays 0
            out[:, :, queries] = weighted / np.where(total == 0, 1, total)
    return out
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("blocked-causal-attention", blocked_causal_attention, aspect="values")

# %% nbgrader={"grade": true}
check("blocked-causal-attention", blocked_causal_attention, aspect="tiles")

# %% nbgrader={"grade": true}
check("blocked-causal-attention", blocked_causal_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("blocked-causal-attention", blocked_causal_attention, aspect="large scores")

# %% [markdown]
# ## 5 · Back through a softmax
#
# *10 minutes. You need: what a derivative is.*
#
# Training needs gradients: for every number that goes in, how fast the loss changes with it. They are computed
# backwards, one step after the other. Each step gets the gradient of the loss by what it *gave*, and says that by what
# it *got*. This part is the step through the softmax: from `grad`, the gradient by the weights, to the gradient by the
# scores.
#
# Take one row of weights $p$ with gradients $g$. When score $j$ goes up a little, weight $j$ grows, and the others
# shrink, for their sum stays 1: the derivative of $p_i$ by $s_j$ is $p_j (1 - p_j)$ for $i = j$, and $-p_i p_j$ for
# all other $i$. Multiply by $g_i$, and add up over $i$:
#
# $$\text{grad}_j = p_j \Big( g_j - \sum_i p_i g_i \Big)$$
#
# So what counts for a score is how far the gradient of its weight lies above the average of the row, by weight. A row
# of weights that are all 0, of a query that sees no key, gives 0. The result has the dtype of the arguments.
#
# By hand: the weights 1/4 and 3/4, with the gradients 4 and 8. The average is 1 + 6 = 7. The first score gets 1/4 · (4
# - 7) = -0.75, the second 3/4 · (8 - 7) = 0.75. They sum to 0, as they must: adding the same number to all scores of a
# row changes nothing.
#
# <!-- contract: softmax-backward -->


# %% nbgrader={"solution": true}
def softmax_backward(weights, grad):
    """Give the gradient by the scores, from that by the weights; an array like weights."""
    ### BEGIN SOLUTION
    average = (weights * grad).sum(axis=-1, keepdims=True)
    return weights * (grad - average)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("softmax-backward", softmax_backward, aspect="values")

# %% nbgrader={"grade": true}
check("softmax-backward", softmax_backward, aspect="empty rows")

# %% nbgrader={"grade": true}
check("softmax-backward", softmax_backward, aspect="float32")

# %% [markdown]
# ## 6 · Back through attention
#
# *20 minutes. You need: part 5 read; `@` and `swapaxes`.*
#
# Attention is a chain of three steps. With $P$ for the weights and $c$ for the scale, `head_dim ** -0.5`:
#
# $$S = c \, Q K^T \qquad P = \text{softmax}(S) \qquad O = P V$$
#
# A product $C = A B$ has two gradients: $dA = dC \, B^T$ and $dB = A^T \, dC$. So, from the end to the start, with
# $dO$ for `grad_out`:
#
# $$dV = P^T dO \qquad dP = dO \, V^T \qquad dS = P \circ (dP - \text{row sums of } P \circ dP)$$
# $$dQ = c \, dS \, K \qquad dK = c \, dS^T Q$$
#
# where $\circ$ multiplies element by element. The weights were not kept: compute them again from `q` and `k`, with the
# causal mask. Fast kernels do that too, since reading a matrix back can take longer than computing it again.
#
# The mask needs no step of its own on the way back: a weight of 0 makes a gradient of 0. A query that sees no key gets
# 0, and gives nothing to any key or value. `q_len` and `k_len` may differ, and so may `head_dim` and `v_head_dim`.
# Each gradient has the shape and the dtype of what it belongs to. In NumPy 2 `np.sqrt` of a whole number is a float64,
# which makes float32 arrays float64; `head_dim ** -0.5` does not.
#
# By hand: one query of four zeros, two keys `[2, 2, 2, 2]` and `[4, 4, 4, 4]`, the values 10 and 30, and `grad_out` 1.
# The scores are 0, the weights 1/2 each, and that is also the gradient of the two values. The weights' gradients are
# 10 and 30, their average is 20. The scores' gradients are 1/2 · (10 - 20) = -5 and 5. With the scale 1/2, each number
# of the query gets (-5 · 2 + 5 · 4) / 2 = 5. The keys get 0, since the query is 0.
#
# <!-- contract: attention-backward -->


# %% nbgrader={"solution": true}
def attention_backward(q, k, v, grad_out):
    """Give the gradients of causal attention; returns grad_q, grad_k and grad_v, shaped like q, k and v."""
    ### BEGIN SOLUTION
    scale = k.shape[-1] ** -0.5
    scores = q @ k.swapaxes(-1, -2) * scale
    q_len, k_len = scores.shape[2:]
    scores = np.where(reference.causal_mask(q_len, k_len), scores, -np.inf)
    weights = reference.softmax(scores)
    grad_v = weights.swapaxes(-1, -2) @ grad_out
    grad_weights = grad_out @ v.swapaxes(-1, -2)
    average = (weights * grad_weights).sum(axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - average)
    grad_q = grad_scores @ k * scale
    grad_k = grad_scores.swapaxes(-1, -2) @ q * scale
    return grad_q, grad_k, grad_v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("attention-backward", attention_backward, aspect="values")

# %% nbgrader={"grade": true}
check("attention-backward", attention_backward, aspect="empty rows")

# %% nbgrader={"grade": true}
check("attention-backward", attention_backward, aspect="float32")

# %% [markdown]
# ## 7 · What comes back to a shared head
#
# *15 minutes. You need: part 6 read.*
#
# In many models several query heads share one head of keys and values: there are fewer K/V heads, `kv_heads`, and
# query head `h` reads K/V head `h // group`, where `group` is `heads // kv_heads`. The heads of a group stand
# together. (One K/V head for all is one end of this; one for each query head, as in part 6, is the other.)
#
# On the way back, each query head of the group has gradients for the keys and values that it read. A key that is moved
# a little changes the results of all of them, and the changes of the loss add up. So the gradients of a K/V head are
# the *sum* over its group, and have the shapes of `k` and `v`. Queries are not shared: `grad_q` has a head for each.
#
# All else is as in part 6: causal, the scale `head_dim ** -0.5`, 0 for a query that sees no key, each gradient in the
# dtype of what it belongs to.
#
# By hand: as in part 6, but two query heads, both of zeros, share the keys and values, and `grad_out` is 1 for the
# first and 3 for the second. All weights are 1/2. For the first head alone each value gets 1/2, for the second 3/2:
# together 2. The queries get 5 in each number for the first head, and three times that, 15, for the second.
#
# <!-- contract: grouped-attention-backward -->


# %% nbgrader={"solution": true}
def grouped_attention_backward(q, k, v, grad_out):
    """Give the gradients where query heads share K/V heads; returns grad_q, grad_k, grad_v, shaped like q, k, v."""
    ### BEGIN SOLUTION
    batch, heads, q_len, head_dim = q.shape
    _, kv_heads, k_len, v_head_dim = v.shape
    group, scale = heads // kv_heads, head_dim**-0.5
    # The heads of a group get an axis of their own, where keys and values have size 1.
    queries = q.reshape(batch, kv_heads, group, q_len, head_dim)
    upstream = grad_out.reshape(batch, kv_heads, group, q_len, v_head_dim)
    keys, values = k[:, :, None], v[:, :, None]
    scores = queries @ keys.swapaxes(-1, -2) * scale
    scores = np.where(reference.causal_mask(q_len, k_len), scores, -np.inf)
    weights = reference.softmax(scores)
    grad_weights = upstream @ values.swapaxes(-1, -2)
    average = (weights * grad_weights).sum(axis=-1, keepdims=True)
    grad_scores = weights * (grad_weights - average) * scale
    grad_q = (grad_scores @ keys).reshape(q.shape)
    # Every head of the group reads the same keys and values, so what comes back from all of them is added up.
    grad_k = (grad_scores.swapaxes(-1, -2) @ queries).sum(axis=2)
    grad_v = (weights.swapaxes(-1, -2) @ upstream).sum(axis=2)
    return grad_q, grad_k, grad_v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("grouped-attention-backward", grouped_attention_backward, aspect="values")

# %% nbgrader={"grade": true}
check("grouped-attention-backward", grouped_attention_backward, aspect="the ends")

# %% nbgrader={"grade": true}
check("grouped-attention-backward", grouped_attention_backward, aspect="empty rows")

# %% nbgrader={"grade": true}
check("grouped-attention-backward", grouped_attention_backward, aspect="float32")

# %% [markdown]
# ## 8 · A gradient without calculus
#
# *10 minutes. You need: a loop over the places of an array.*
#
# How can you test a gradient when you have no other one to compare it with? Move one number of the input a little up
# and a little down, and see how far the loss moves. For a function `f` of an array `x`, and for each element by
# itself:
#
# $$\frac{f(x + \text{step}) - f(x - \text{step})}{2 \, \text{step}}$$
#
# where only this element is moved, and all others are where they were. This *central difference* is off by an amount
# that shrinks with the square of the step. With one side only, $(f(x + \text{step}) - f(x)) / \text{step}$, it shrinks
# with the step itself. `f` takes an array of the shape of `x`, and gives one number. Here `x` has four axes, like
# queries and keys; some may have a single element.
#
# By hand: `f` is the sum of the third powers, `x` is `[1, 2]` and the step 0.5. For the first element: 1.5³ - 0.5³ =
# 3.375 - 0.125 = 3.25, over 2 · 0.5 = 1: that is 3.25. For the second: 15.625 - 3.375 = 12.25. The true slopes are 3
# and 12; one side only would give 4.75 for the first.
#
# <!-- contract: central-difference -->


# %% nbgrader={"solution": true}
def central_difference(f, x, step):
    """Give the slope of f for every element of x, from one step up and one step down; an array like x."""
    ### BEGIN SOLUTION
    gradient = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (f(up) - f(down)) / (2 * step)
    return gradient
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("central-difference", central_difference, aspect="values")

# %% nbgrader={"grade": true}
check("central-difference", central_difference, aspect="other shapes")

# %% [markdown]
# **Now test your own gradients.** The loss has to be one number, and any will do: take the sum of the result, each
# element times a fixed random number. Then these numbers are the gradient that comes in. The cell below does this for
# parts 5 and 6, once both and part 8 are written; nothing here is graded. The differences that it prints should be
# near 1e-9, or smaller.

# %%
rng = np.random.default_rng(0)
q, k = rng.standard_normal((2, 1, 2, 3, 4))  # one sequence, two heads, three tokens
v, grad_out = rng.standard_normal((2, 1, 2, 3, 5))
scores, grad = rng.standard_normal((2, 1, 2, 3, 3))


def weights_of(scores):
    """Causal weights, from scores (batch, heads, q_len, k_len)."""
    return reference.softmax(np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf))


def loss_of_scores(scores):
    """One number that depends on the scores: the sum of the weights times grad."""
    return float((grad * weights_of(scores)).sum())


def loss_of_keys(k):
    """One number that depends on the keys: the sum of the result times grad_out."""
    return float((grad_out * (weights_of(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5) @ v)).sum())


try:
    by_hand = softmax_backward(weights_of(scores), grad)
    print("by the scores:", np.abs(by_hand - central_difference(loss_of_scores, scores, 1e-5)).max())
    by_hand = attention_backward(q, k, v, grad_out)[1]
    print("by the keys:  ", np.abs(by_hand - central_difference(loss_of_keys, k, 1e-5)).max())
except NotImplementedError:
    print("Write parts 5, 6 and 8 first, then run this cell again.")

# %% [markdown]
# ## 9 · In your own words
#
# *10 minutes. You need: parts 1, 3, 4 and 7 read. 4 points, given by a person.*
#
# A colleague has replaced plain causal attention by a version that works in tiles, in the forward pass and on the way
# back, for a model with eight query heads and two K/V heads. Before, they could train on 8,192 tokens; now they want
# to train on 65,536. In at most 200 words:
#
# - (a) The colleague says: "A softmax needs its whole row, so in tiles it can only be an approximation." What makes
#   the result the same up to rounding (1 point)?
# - (b) The new length is eight times the old one. By what factor does the memory for scores grow in the plain version,
#   and by what factor does the memory of the version in tiles grow, apart from `q`, `k`, `v` and the result? And what
#   part of the work does skipping save (2 points; 1 for the memory and 1 for the work)?
# - (c) A test of the new backward pass compares the gradients of the keys with those of the plain version, and finds
#   them four times too small everywhere. Which line is likely to be wrong, and why can no such factor appear for the
#   queries (1 point)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-same-numbers-less-memory"}
# ### BEGIN SOLUTION
# **An answer.** (a) The sums over a row can be taken in any order. What looks as if it needed the whole row is the
# largest score, which is taken away before the exponentials. But it is only a common factor of both sums, the total
# and the weighted values. When a tile brings a larger one, multiplying both sums by exp(old largest - new largest)
# gives exactly what they would have been with it from the start. At the end one is divided by the other.
#
# (b) The plain version holds a score for each pair of a query and a key: 8 times 8, or 64 times as many. The version
# in tiles holds one tile, whose size does not depend on the length, and for each query a largest score and a total: at
# most 8 times as many. A tile in which every key comes after every query is never loaded. For equal lengths that is
# nearly half of them: all above the diagonal. So almost half of the products are saved, and the rest still grows with
# the square.
#
# (c) A K/V head is read by four query heads, and its gradient is the sum over them. Four times too small everywhere
# means that the mean was taken instead. A query belongs to one head only, so nothing is summed over a group there.
#
# **Rubric (4 points).**
#
# - 1 point: the old sums are rescaled when the largest score changes, which is exact (or: the shift by the largest
#   score cancels in the quotient, so any running value will do).
# - 1 point: 64 times for the plain scores; in tiles not more than 8 times (the state of each query), or constant if
#   only the tile is meant. Half of it for one of the two.
# - 1 point: about half of the tiles, or of the pairs, lie above the diagonal and are skipped; the work that is left
#   still grows with the square (half of it if this is missing).
# - 1 point: a mean over the group where a sum belongs, with the reason that all four heads read the same keys; queries
#   are not shared. Half of it without a word on the queries.
# ### END SOLUTION
