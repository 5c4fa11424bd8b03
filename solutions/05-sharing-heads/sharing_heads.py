# %% [markdown]
# # 05 · Sharing heads: many queries, few keys and values
#
# **Time:** about 95 minutes, in six parts of 10 to 30 minutes and a written question.
# **You need:** NumPy `reshape`, `@` and broadcasting; what attention with several heads computes. No GPU, no torch.
# **Beside it:** chapter 05 of the book, *Sharing heads*. Everything that you need is also said here.
#
# A model that writes text keeps the keys and values of all earlier tokens, for every layer and every head. This is
# its *cache*, and each new token has to read all of it. Queries are not kept: a token uses its own once. So here is
# an idea that costs little: let several query heads share one head of keys and values. In this notebook you write
# attention with shared heads, without copying what is shared, count what it saves, and turn the weights of a model
# that shares nothing into those of one that does.
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
# | `heads`, `n_heads` | query heads |
# | `kv_heads`, `n_kv_heads` | key/value heads, K/V heads for short: each has keys and values; divides `n_heads` |
# | `group` | `n_heads // n_kv_heads`: query heads that share one K/V head |
# | `q_len` | queries, the tokens that ask |
# | `k_len` | keys, and as many values: the tokens that are asked |
# | `seq` | tokens, where it does not matter which of the two they are |
# | `head_dim`, `v_head_dim` | numbers in one query or key; in one value |
# | `d_model` | numbers for each token between the layers, also called the width of the model |
#
# An array with heads is `(batch, heads, length, dim)`. Three cases have names:
#
# | name | K/V heads |
# |---|---|
# | MHA, multi-head attention | as many as query heads; nothing is shared |
# | GQA, grouped-query attention | fewer: one for each group |
# | MQA, multi-query attention | one for all |
#
# Counting starts at 0, and **the query heads of a group stand together**: query head `h` reads K/V head
# `h // group`.

# %% [markdown]
# ## 1 · Who reads which head
#
# *10 minutes. You need: `np.repeat` or indexing with a list.*
#
# The plainest way to share: give every query head a
# copy of the K/V head that it reads. After that there are as many K/V heads as query heads, and any attention for
# MHA will do. Fast implementations avoid the copies, as you will in part 3. But this is what they must agree with.
#
# By hand: two K/V heads with a single number each, `[10, 20]`, and six query heads. A group is 6 // 2 = 3 heads.
# Heads 0, 1 and 2 read K/V head 0, and heads 3, 4 and 5 read K/V head 1. The shape goes from `(1, 2, 1, 1)` to
# `(1, 6, 1, 1)`, and the numbers are `[10, 10, 10, 20, 20, 20]`.
#
# <!-- contract: repeat-kv-heads -->
#
# The right shape says little here: several wrong answers have it too.


# %% nbgrader={"solution": true}
def repeat_kv_heads(x, n_heads):
    """Copy each K/V head for every query head of its group; returns (batch, n_heads, seq, head_dim)."""
    ### BEGIN SOLUTION
    group = n_heads // x.shape[1]
    return np.repeat(x, group, axis=1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("repeat-kv-heads", repeat_kv_heads, aspect="values")

# %% nbgrader={"grade": true}
check("repeat-kv-heads", repeat_kv_heads, aspect="float32")

# %% [markdown]
# ## 2 · One key/value head for all
#
# *15 minutes. You need: `@` on arrays with four axes, and broadcasting.*
#
# Now the extreme, MQA: all query heads read
# the same keys and values. Their queries differ, so what they attend to differs too.
#
# For each query, attention is three steps. The *scores* are its products with all keys, divided by the square root
# of `head_dim`. The *weights* are the softmax of the scores: not negative, and 1 in all over the keys. The result is
# the sum of the values, each times its weight. There is no mask in this part: every query sees every key.
#
# By hand: one sequence, two heads with one query each, `[0]` and `[log 3]`, all of width 1. The shared keys are
# `[0]` and `[1]`, the shared values `[0]` and `[8]`. Head 0 has the scores 0 and 0, the weights 1/2 and 1/2, and gives
# 4. Head 1 has the scores 0 and log 3. The exponentials are 1 and 3, so the weights are 1/4 and 3/4, and it gives 6.
#
# <!-- contract: multi-query-attention -->
#
# `k` and `v` come with four axes like `q`, the second of size 1. Results have the dtype of the arguments. In NumPy 2
# `np.sqrt` of a whole number is a float64, which makes float32 arrays float64; `head_dim ** 0.5` does not.


# %% nbgrader={"solution": true}
def multi_query_attention(q, k, v):
    """Let all query heads read one key and one value head; returns (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    head_dim = k.shape[-1]
    scores = q @ k.swapaxes(-1, -2) / head_dim**0.5  # the single head of k meets every head of q
    weights = reference.softmax(scores)
    return weights @ v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("multi-query-attention", multi_query_attention, aspect="values")

# %% nbgrader={"grade": true}
check("multi-query-attention", multi_query_attention, aspect="large scores")

# %% nbgrader={"grade": true}
check("multi-query-attention", multi_query_attention, aspect="float32")

# %% [markdown]
# ## 3 · Groups share, and nothing is copied
#
# *30 minutes. You need: parts 1 and 2 read.*
#
# Between the two ends lies GQA. With the repeat of part 1 it would be easy, but then keys and values would take as
# much memory as if nothing were shared. So this part also looks at what your function *holds*. At its peak, not
# counting its arguments, it may hold 2.5 times the bytes of `k` and `v` together. This is measured with groups of 16
# heads. There is room for the scores, and even for one copy each of `q`, `k` and `v`; there is none for keys that are
# repeated for a group. A *view*, such as a reshape of a contiguous array, a slice, or what `np.broadcast_to` returns,
# holds nothing of its own; but a reshape of a broadcast view has to copy. How you get there is up to you: a loop that
# takes one K/V head at a time, with the query heads of its group, is fine.
#
# This attention is *causal*: a query sees no key after its own position. The queries are the newest tokens, so the
# last query sees every key, the one before it every key but the last, and so on, whether or not `q_len` and `k_len`
# are the same. Where `q_len` is larger, the first queries see no key at all, and their result is 0. (A model that
# keeps everything never gets there; it is a test of the mask, and of the softmax.) What a query may not see gets a
# score of minus infinity before the softmax.
#
# By hand: four query heads, two K/V heads, two tokens, and all queries and keys 0, so that every score is 0 and the
# weights of the keys that are seen are equal. The values are 10 and 20 in K/V head 0, 30 and 50 in K/V head 1. Token
# 0 sees itself only, token 1 sees both. Heads 0 and 1 give 10 and 15, heads 2 and 3 give 30 and 40: the shape is
# `(1, 4, 2, 1)`.
#
# <!-- contract: grouped-attention -->


# %% nbgrader={"solution": true}
def grouped_attention(q, k, v):
    """Causal attention in which a group of query heads reads one K/V head; (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, head_dim = k.shape
    # The heads of a group stand together, so they can have an axis of their own: k and v get one of size 1 there.
    groups = q.reshape(batch, kv_heads, heads // kv_heads, q_len, head_dim)
    scores = groups @ k[:, :, None].swapaxes(-1, -2) / head_dim**0.5
    scores = np.where(reference.causal_mask(q_len, k_len), scores, -np.inf)
    out = reference.softmax(scores) @ v[:, :, None]
    return out.reshape(batch, heads, q_len, v.shape[-1])
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("grouped-attention", grouped_attention, aspect="values")

# %% nbgrader={"grade": true}
check("grouped-attention", grouped_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("grouped-attention", grouped_attention, aspect="memory")

# %% nbgrader={"grade": true}
check("grouped-attention", grouped_attention, aspect="float32")

# %% [markdown]
# ## 4 · Fewer weights
#
# *10 minutes. You need: multiplication.*
#
# A layer makes queries, keys and values from its tokens with
# three matrices, `W_Q`, `W_K` and `W_V`. A fourth, `W_O`, takes the results of the query heads, laid side by side, back
# to `d_model`. A matrix from width `a` to width `b` has `a * b` weights. There are no biases here, and a head is
# `head_dim = d_model // n_heads` wide, for queries, keys and values alike. How many weights has the layer as MHA,
# with `n_kv_heads` K/V heads, and as MQA?
#
# By hand: `d_model` 8 and four query heads, so `head_dim` is 2. As MHA, all four matrices are 8 by 8: 256 weights.
# With two K/V heads, `W_K` and `W_V` are 8 by 4: 64 + 32 + 32 + 64 = 192. As MQA they are 8 by 2, and there are
# 64 + 16 + 16 + 64 = 160.
#
# <!-- contract: sharing-parameters -->


# %% nbgrader={"solution": true}
def sharing_parameters(d_model, n_heads, n_kv_heads):
    """Weights of one attention layer as MHA, with n_kv_heads, and as MQA; three whole numbers."""
    ### BEGIN SOLUTION
    head_dim = d_model // n_heads
    counts = []
    for kv_heads in (n_heads, n_kv_heads, 1):
        q_and_o = 2 * d_model * d_model
        k_and_v = 2 * d_model * kv_heads * head_dim
        counts.append(q_and_o + k_and_v)
    mha, gqa, mqa = counts
    return mha, gqa, mqa
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("sharing-parameters", sharing_parameters, aspect="one layer")

# %% nbgrader={"grade": true}
check("sharing-parameters", sharing_parameters, aspect="a large model")

# %% [markdown]
# ## 5 · A smaller cache, and what it is good for
#
# *10 minutes. You need: arithmetic; the introduction read.*
#
# The cache holds, for each layer, each K/V head and each token,
# one key and one value of `head_dim` numbers. Count its bytes for one sequence three times: as MHA, with `n_kv_heads`
# K/V heads, and as MQA. Then say what that buys. Take the memory that MHA needs for the cache of one sequence: how
# many sequences of the same length fit into it with `n_kv_heads` K/V heads?
#
# By hand: two layers, six query heads, two K/V heads, `head_dim` 4, ten tokens, two bytes for each number. One K/V
# head takes 4 · 2 = 8 bytes for a key and 8 for a value, 16 for each token and layer, and 16 · 10 · 2 = 320 in all.
# That is MQA. With two K/V heads it is 640, as MHA with six 1920. So three sequences of the grouped model fit where one
# of MHA did.
#
# <!-- contract: sharing-cache -->
#
# When you are done, try `sharing_cache(32, 32, 8, 128, 2048, 2)`, the sizes of Llama 3 8B at 2048 tokens. It gives
# 1 GiB as MHA (a GiB is `2 ** 30` bytes), 256 MiB with its eight K/V heads, 32 MiB as MQA, and 4 sequences.


# %% nbgrader={"solution": true}
def sharing_cache(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    """Bytes of the cache as MHA, with n_kv_heads, as MQA; how many of the second fit in the first."""
    ### BEGIN SOLUTION
    one_kv_head = 2 * head_dim * tokens * n_layers * bytes_per_element  # a key and a value
    mha = n_heads * one_kv_head
    gqa = n_kv_heads * one_kv_head
    mqa = one_kv_head
    return mha, gqa, mqa, mha // gqa
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("sharing-cache", sharing_cache, aspect="two bytes")

# %% nbgrader={"grade": true}
check("sharing-cache", sharing_cache, aspect="other widths")

# %% nbgrader={"grade": true}
check("sharing-cache", sharing_cache, aspect="a long context")

# %% [markdown]
# ## 6 · From many key/value heads to few
#
# *10 minutes. You need: `reshape` and `mean`.*
#
# A model with shared heads need not be trained from the start. Ainslie
# and others (2023) take a trained MHA model, replace the K/V heads of each group by their mean, and train on for
# about a twentieth of the original steps. `W_Q` and `W_O` stay as they are.
#
# In `W_K` and `W_V`, both `(d_model, n_heads * head_dim)`, the heads stand side by side: head `h` owns
# `w[:, h * head_dim : (h + 1) * head_dim]`. Column `j` of a new head is the mean of the columns `j`
# of its group's heads.
#
# By hand: four heads of width 1 in one row, `[1, 3, 10, 20]`, two to keep. Heads 0 and 1 become their mean, 2, and
# heads 2 and 3 become 15: the shape goes from `(1, 4)` to `(1, 2)`. With two heads of width 2 in the same row and
# one to keep, the mean of `[1, 3]` and `[10, 20]` is `[5.5, 11.5]`.
#
# <!-- contract: pool-kv-weights -->
#
# `head_dim` is not given: find it from the width.


# %% nbgrader={"solution": true}
def pool_kv_weights(w, n_heads, n_kv_heads):
    """Average the key or value heads of each group; returns (d_model, n_kv_heads * head_dim)."""
    ### BEGIN SOLUTION
    d_model, width = w.shape
    group, head_dim = n_heads // n_kv_heads, width // n_heads
    groups = w.reshape(d_model, n_kv_heads, group, head_dim)
    return groups.mean(axis=2).reshape(d_model, n_kv_heads * head_dim)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("pool-kv-weights", pool_kv_weights, aspect="values")

# %% nbgrader={"grade": true}
check("pool-kv-weights", pool_kv_weights, aspect="the ends")

# %% nbgrader={"grade": true}
check("pool-kv-weights", pool_kv_weights, aspect="float32")

# %% [markdown]
# ## 7 · In your own words
#
# *10 minutes. You need: parts 1 to 5 read. 4 points, given by a person.*
#
# A colleague writes grouped attention with eight query heads and two K/V heads, but with `np.tile` where part 1
# repeats: query head `h` reads K/V head `h % 2`. A model that is trained from the start with this code becomes as good
# as any other. A published model, loaded into it, writes nonsense. A test that compares head 0 with the right answer
# passes with this code as with the right one. In at most 200 words:
#
# - (a) Against MHA with eight heads: name what becomes four times smaller in memory and reading, and two things of the
#   layer that stay as they were (2 points).
# - (b) Why does the order not matter to the model that was trained with it, and why does it to the published one
#   (1 point)?
# - (c) Which of the eight heads nevertheless give the right result for the same `q`, `k` and `v`, and what should the
#   test compare (1 point)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-tiled-groups"}
# ### BEGIN SOLUTION
# **An answer.** (a) For each new token the model reads the keys and values of all earlier tokens. With two K/V heads
# for eight query heads these are a quarter of the bytes, to keep and to read. Two things that stay: `W_Q` and `W_O`,
# since there are as many query heads as before; and the scores, since each of the eight still multiplies its query with
# every key and adds up every value, so that this work, and the size of the scores, are those of MHA.
#
# (b) Heads have no order of their own. If the code pairs query heads with K/V heads in another way, training finds
# columns of `W_Q` and rows of `W_O` that suit it; it is the same layer with its query heads in another order. In the
# published model the weights are there already. The queries of head 1 were trained to meet keys of K/V head 0, and
# here meet those of K/V head 1, which mean something else; likewise its rows of `W_O`, which expect other values.
#
# (c) Head `h` should read K/V head `h // 4` and reads `h % 2`. These are the same for heads 0, 2, 5 and 7. A test
# should compare all heads, or at least heads 1, 3, 4 and 6, with numbers in which the two K/V heads differ.
#
# **Rubric (4 points).**
#
# - 1 point: the cache, or its keys and values, as bytes kept and read for each token, is a quarter (smaller `W_K` and
#   `W_V` alone are not enough).
# - 1 point: two things that stay, such as the scores or their work, the weighted sums, the queries, `W_Q`, `W_O`, the
#   number of query heads, the size of the result. Half of it for one.
# - 1 point: training fits `W_Q` and `W_O` to any fixed pairing, a mere renaming of heads; trained weights belong to the
#   pairing that they were trained with.
# - 1 point: heads 0, 2, 5 and 7 are right; the test must compare the others too ("all heads" is enough). Half of it
#   for "head 0 is right in any case, compare all".
# ### END SOLUTION
