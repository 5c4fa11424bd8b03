# %% [markdown]
# # 01 · Projections: one matrix a head, or one for all
#
# **Time:** about 70 minutes, in five parts of 5 to 20 minutes and a written question.
# **You need:** NumPy indexing, `reshape`, `transpose` and `@`. No GPU, no torch.
# **Beside it:** chapter 01 of the book, *Projections*. Everything that you need is also said here.
#
# A multi-head attention layer starts by making queries, keys and values for every head. You can give each head
# a matrix of its own, or lay those matrices side by side and do it in one product. Both give the same numbers.
# In this notebook you write both, go from one to the other, take apart what published models store, and count
# the weights.
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
# | `seq` | tokens in each |
# | `d_model` | numbers for each token, also called the width of the model |
# | `n_heads` | heads |
# | `head_dim` | numbers for each token in one head |
#
# Weights act from the right: a token `x` of shape `(d_model,)` becomes `x @ w`, with `w` of shape
# `(d_model, something)`.

# %% [markdown]
# ## 1 · One product for each head
#
# *10 minutes. You need: `@`, and how to stack arrays along a new axis.*
#
# The plain way to read "multi-head": every head has its own matrix, and looks at the same tokens
# through it. Here the matrices come stacked, `w[h]` being head `h`'s. Multiply, and put the heads where this
# course always has them: behind the batch, in front of the tokens.
#
# By hand: one sequence of two tokens, `[1, 2]` and `[3, 4]`, and two heads of width 1, with the matrices
# `[[1], [0]]` and `[[0], [10]]`. Head 0 reads the first number of each token: 1 and 3. Head 1 reads the second times
# ten: 20 and 40. So the result, of shape `(1, 2, 2, 1)`, is `[[[[1], [3]], [[20], [40]]]]`.
#
# <!-- contract: per-head-projections -->
#
# A loop over the heads is a good answer.


# %% nbgrader={"solution": true}
def per_head_projections(x, w):
    """Project the tokens once for every head; returns (batch, n_heads, seq, head_dim)."""
    ### BEGIN SOLUTION
    heads = []
    for head_matrix in w:
        heads.append(x @ head_matrix)
    return np.stack(heads, axis=1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("per-head-projections", per_head_projections, aspect="values")

# %% nbgrader={"grade": true}
check("per-head-projections", per_head_projections, aspect="float32")

# %% [markdown]
# ## 2 · One product for all heads
#
# *15 minutes. You need: `reshape` and `transpose`; part 1 read, not solved.*
#
# Now the matrices of all heads lie side by side in one `w`: head `h` owns the columns
# `h * head_dim` to `(h + 1) * head_dim`. One product makes a row with all heads' numbers for each token. What is
# left is to cut that row into heads and to move the heads in front of the tokens.
#
# By hand: one sequence of two tokens, `[1, 0]` and `[0, 10]`, and two heads of width 2. With the matrix
# `[[1, 2, 3, 4], [5, 6, 7, 8]]` token 0 picks out its first row, and token 1 ten times its second, so the product is
#
# ```
#              head 0     head 1
# token 0   [  1   2  |   3   4 ]
# token 1   [ 50  60  |  70  80 ]
# ```
#
# Then head 0 is `[[1, 2], [50, 60]]` and head 1 is `[[3, 4], [70, 80]]`: a row for each token in both. Try your idea
# on these eight numbers before you check; more than one way of getting the *shape* `(1, 2, 2, 2)` gets the numbers
# wrong, and NumPy will not complain.
#
# <!-- contract: fused-projection -->
#
# No loop is needed: one product, one `reshape`, one `transpose`.


# %% nbgrader={"solution": true}
def fused_projection(x, w, n_heads):
    """Project the tokens for all heads with one product; returns (batch, n_heads, seq, head_dim)."""
    ### BEGIN SOLUTION
    y = x @ w
    batch, seq, width = y.shape
    return y.reshape(batch, seq, n_heads, width // n_heads).transpose(0, 2, 1, 3)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("fused-projection", fused_projection, aspect="values")

# %% nbgrader={"grade": true}
check("fused-projection", fused_projection, aspect="float32")

# %% [markdown]
# ## 3 · From a matrix for each head to one matrix
#
# *10 minutes. You need: `transpose` or `concatenate`; parts 1 and 2 read.*
#
# You are given the stacked matrices of part 1 and want the single one of part 2, so that one product
# does the work of many. Nothing is computed: every weight moves to its place.
#
# By hand: the matrices `[[1, 2], [3, 4]]` and `[[5, 6], [7, 8]]`, stacked to shape `(2, 2, 2)`, become
#
# ```
#   head 0     head 1
# [  1   2  |   5   6 ]
# [  3   4  |   7   8 ]
# ```
#
# A row of the result belongs to one of the `d_model` inputs and runs through all heads.
#
# <!-- contract: pack-heads -->
#
# When all three are right, `per_head_projections(x, w)` and `fused_projection(x, pack_heads(w), n_heads)` give the
# same numbers.


# %% nbgrader={"solution": true}
def pack_heads(w):
    """Lay the matrices w[0], w[1], … side by side; returns (d_model, n_heads * head_dim)."""
    ### BEGIN SOLUTION
    return np.concatenate(list(w), axis=1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("pack-heads", pack_heads, aspect="values")

# %% nbgrader={"grade": true}
check("pack-heads", pack_heads, aspect="float32")

# %% [markdown]
# ## 4 · Three layouts of one fused product
#
# *20 minutes. You need: slicing and `reshape`; part 2 read.*
#
# If one product can serve all heads, it can serve queries, keys and values too: many published models
# keep a single matrix for all three. They do not agree on the order of its columns. In blocks of `head_dim` columns,
# with two heads (`q0` is the query of head 0, and so on):
#
# | layout | blocks | found in |
# |---|---|---|
# | `"concatenated"` | `q0 q1`, `k0 k1`, `v0 v1` | GPT-2, Phi-3 |
# | `"per_head"` | `q0 k0 v0`, `q1 k1 v1` | GPT-NeoX, BLOOM |
# | `"per_group"` | see below | Falcon-40B, Megatron |
#
# Some models have fewer key/value heads than query heads, and several query heads share one of them: a *group*.
# With six query heads and two key/value heads, three queries to a group, `"concatenated"` is `q0 q1 q2 q3 q4 q5`,
# `k0 k1`, `v0 v1`, and `"per_group"` is `q0 q1 q2 k0 v0`, `q3 q4 q5 k1 v1`: the queries of a group, then its key, then
# its value. Query head `h` belongs to group `h // (n_heads // n_kv_heads)`. (`"per_head"` always has as many key/value
# heads as query heads.)
#
# By hand: two heads, `head_dim` 2, and a token whose row is the 12 numbers 1 to 12. Per head, head 1 has `q = 7 8`,
# `k = 9 10`, `v = 11 12`. Concatenated, head 1 has `q = 3 4`, `k = 7 8`, `v = 11 12`. Both are plausible, and the
# query of head 0 and the value of head 1 are the same in both. With six query heads, two key/value heads and
# `head_dim` 1, the row of the 10 numbers 1 to 10 is, per group, `q = 1 2 3` and `6 7 8`, `k = 4` and `9`, `v = 5` and
# `10`.
#
# <!-- contract: split-qkv -->
#
# `head_dim` is not given: find it from the width.


# %% nbgrader={"solution": true}
def split_qkv(qkv, n_heads, n_kv_heads, layout):
    """Take q, k and v out of one fused projection; q has n_heads heads, k and v have n_kv_heads."""
    ### BEGIN SOLUTION
    batch, seq, width = qkv.shape
    group = n_heads // n_kv_heads
    head_dim = width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        q_end = n_heads * head_dim
        k_end = q_end + n_kv_heads * head_dim
        return (
            reference.split_heads(qkv[..., :q_end], n_heads),
            reference.split_heads(qkv[..., q_end:k_end], n_kv_heads),
            reference.split_heads(qkv[..., k_end:], n_kv_heads),
        )
    # "per_head" is "per_group" with one query head in every group.
    groups = qkv.reshape(batch, seq, n_kv_heads, group + 2, head_dim)
    q = groups[..., :group, :].reshape(batch, seq, n_heads, head_dim)
    k = groups[..., group, :]
    v = groups[..., group + 1, :]
    return q.transpose(0, 2, 1, 3), k.transpose(0, 2, 1, 3), v.transpose(0, 2, 1, 3)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("split-qkv", split_qkv, aspect="concatenated")

# %% nbgrader={"grade": true}
check("split-qkv", split_qkv, aspect="per_head")

# %% nbgrader={"grade": true}
check("split-qkv", split_qkv, aspect="per_group")

# %% [markdown]
# ## 5 · Counting the weights
#
# *5 minutes. You need: arithmetic.*
#
# An attention layer has four matrices: `W_Q`, `W_K` and `W_V` make the queries, keys and values, and
# `W_O`, of shape `(n_heads * head_dim, d_model)`, takes the heads, laid side by side, back to `d_model`. This layer has
# no biases. How many weights do `n_layers` such layers have?
#
# By hand: `d_model` 4, two heads of width 2, one layer, as many key/value heads as query heads. Every matrix is
# 4 by 4, so there are 4 · 16 = 64 weights. With a single key/value head, `W_K` and `W_V` are 4 by 2, and there are
# 16 + 8 + 8 + 16 = 48. Do not rely on `d_model` being `n_heads * head_dim`: in several published models it is not. With
# heads of width 3 and the rest as before, `W_Q` is 4 by 6, `W_K` and `W_V` are 4 by 3 and `W_O` is 6 by 4:
# 24 + 12 + 12 + 24 = 72, and in two layers 144.
#
# <!-- contract: attention-parameters -->


# %% nbgrader={"solution": true}
def attention_parameters(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    """Weights in the attention of n_layers layers, as a whole number."""
    ### BEGIN SOLUTION
    q_width = n_heads * head_dim
    kv_width = n_kv_heads * head_dim
    one_layer = d_model * q_width + 2 * d_model * kv_width + q_width * d_model
    return n_layers * one_layer
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("attention-parameters", attention_parameters, aspect="the habit")

# %% nbgrader={"grade": true}
check("attention-parameters", attention_parameters, aspect="shared heads")

# %% nbgrader={"grade": true}
check("attention-parameters", attention_parameters, aspect="free width")

# %% nbgrader={"grade": true}
check("attention-parameters", attention_parameters, aspect="layers")

# %% [markdown]
# ## 6 · In your own words
#
# *10 minutes. You need: part 2 read. 4 points, given by a person.*
#
# In a model without a mask, a colleague splits the heads with
#
# ```python
# q = (x @ w_q).reshape(batch, n_heads, seq, head_dim)     # and k and v likewise
# ```
#
# and puts the heads back together with the reverse, `.reshape(batch, seq, d_model)`. Nothing raises, every shape
# is right, the model trains, and its loss is disappointing. Look at one such layer, with `seq` 12, `n_heads` 4 and
# `d_model` equal to `n_heads * head_dim`; count tokens and heads from 0. (Inside a head every row of the `seq` axis may
# attend to every other row; heads do not see each other.) In at most 150 words: (a) which tokens does head 0 get to
# see, and into what are they cut (2 points)? (b) Which tokens does token 7 still see, and why no others (1 point)?
# (c) Name a test that would have caught the mistake, and one that would not (1 point).

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-bare-reshape"}
# ### BEGIN SOLUTION
# **An answer.** (a) `reshape` keeps the numbers in reading order. In memory a sequence is token after token, each with
# all of its heads. Cutting that into 4 equal parts gives head 0 the first 12 / 4 = 3 tokens, 0, 1 and 2, each chopped
# into 4 pieces of `head_dim` numbers that pose as tokens of their own: 12 rows. (b) Head 1 gets tokens 3, 4, 5, and
# head 2 gets 6, 7, 8. Token 7 is in head 2 with all of its pieces and in no other head, so it sees tokens 6, 7 and 8,
# itself among them; everything farther away is out of reach. (c) A test with several tokens and several heads that
# compares with one product for each head catches it. One with a single token, or a single head, or one that looks at
# the shape only, does not.
#
# **Rubric (4 points).**
#
# - 1 point: reading order is kept, so head 0 gets tokens 0, 1 and 2 (not "the tokens are shuffled").
# - 1 point: each of these tokens is cut into 4 pieces of `head_dim` numbers that pose as tokens.
# - 1 point: token 7 sees 6, 7 and 8, because head 2 holds these three and nothing else. "6 and 8", with itself taken
#   for granted, is as good.
# - 1 point: one test of each kind. Catching: numbers, with seq > 1 and n_heads > 1. Not catching: shape only, seq = 1,
#   or n_heads = 1.
# ### END SOLUTION
