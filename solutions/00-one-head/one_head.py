# %% [markdown]
# # 00 · One head: from scores to attention
#
# **Time:** about 70 minutes, in five parts of 5 to 20 minutes and a written question of 20.
# **You need:** NumPy arrays, `sum` and `max` along an axis, broadcasting and `@`. No GPU, no torch.
# **Beside it:** chapter 00 of the book, *One head*. Everything that you need is also said here.
#
# A language model reads a sequence of *tokens*: words, or pieces of words. Attention is how a token collects
# something from other tokens. A *score* says how much one token thinks of another. Softmax turns the scores into
# *weights*, and with these the token takes an average. In this notebook you write softmax, then attention with
# one *head* (one such way of looking; models have many side by side). Then you measure what a row of weights is
# like: how widely it is spread, what a temperature does to it, and whether a model can still learn through it.
#
# <!-- how it works -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads import reference
from manyheads.grading import check

# %% [markdown]
# **Words.** The token that looks is the *query*, the tokens that it looks at are the *keys*. Each key comes with a
# *value*: what it hands over when it is heard.
#
# **Shapes** are written with these names throughout, and batch always comes first:
#
# | name | meaning |
# |---|---|
# | `batch` | sequences handled at once; they never mix |
# | `q_len` | queries in each |
# | `k_len` | keys in each, and as many values |
# | `head_dim` | numbers in one query, and in one key |
# | `v_head_dim` | numbers in one value |
#
# So scores and weights are `(batch, q_len, k_len)`: a row for each query, and in it a number for each key.
#
# **Dtypes.** A result has the dtype of what came in: float32 stays float32. In NumPy 2, `np.sqrt(4)` is a float64 and
# makes float64 of a float32 array that meets it; `4 ** 0.5` is a Python float and does not. `np.zeros(shape)` is
# float64 too, unless you say otherwise.

# %% [markdown]
# ## 1 · From scores to weights
#
# *20 minutes. You need: `max` and `sum` with `axis` and `keepdims`, `np.exp`.*
#
# A query has one score for each key, any number at all. To take an average it needs weights: none negative, and 1 in
# all. *Softmax* makes them. The weight of key $j$ is
#
# $$w_j = \frac{e^{s_j}}{e^{s_0} + e^{s_1} + \dots}$$
#
# with the sum over all keys of the same row. A larger score gets a larger weight, and on paper no weight is 0 unless
# the score is minus infinity. That is how a key is *forbidden*: its score is set to minus infinity, and $e^{-\infty}$
# is 0.
# A query for which every key is forbidden has nothing to average. In this course such a row, an *empty row*, gets
# zeros.
#
# By hand: the scores 0 and ln 3 have the exponentials 1 and 3, which sum to 4. The weights are 0.25 and 0.75. Add 1000
# to both scores: the two exponentials grow by the same factor, and the weights stay 0.25 and 0.75. A row's weights
# depend on the differences of its scores only.
#
# Real scores can be large. `np.exp(1000.0)` is infinite and `np.exp(-1000.0)` is 0, but the weights of the row
# `[1000, 1000 + ln 3]` are as ordinary as above. Your function has to find them, above 0 and below, with forbidden keys
# and without.
#
# <!-- contract: softmax -->


# %% nbgrader={"solution": true}
def softmax(scores):
    """Turn each row of scores into weights that sum to 1; returns (batch, q_len, k_len)."""
    ### BEGIN SOLUTION
    weights = np.zeros_like(scores)
    rows = np.isfinite(scores).any(axis=-1)  # (batch, q_len): the rows in which something is allowed
    allowed = scores[rows]
    exponentials = np.exp(allowed - allowed.max(axis=-1, keepdims=True))
    weights[rows] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("softmax", softmax, aspect="values")

# %% nbgrader={"grade": true}
check("softmax", softmax, aspect="large scores")

# %% nbgrader={"grade": true}
check("softmax", softmax, aspect="empty rows")

# %% nbgrader={"grade": true}
check("softmax", softmax, aspect="float32")

# %% [markdown]
# ## 2 · Attention with one head
#
# *10 minutes. You need: `@` and `.T`; part 1 read.*
#
# Where do scores come from? A query and a key are lists of `head_dim` numbers each, and their score is a dot product:
# multiply them number by number, and sum. Then three steps make attention. Scores: each query with each key, divided
# by the square root of `head_dim`. Weights: softmax of each row. Result: for each query, the average of the values with
# that row's weights. In one line,
#
# $$\mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d}}\right) V$$
#
# where the rows of $Q$, $K$ and $V$ are the queries, keys and values, and $d$ is `head_dim`.
#
# Why divide? Say that the numbers in queries and keys are independent and spread around 0 with standard deviation 1.
# So are their products. A dot product sums $d$ of them. Variances of independent numbers add up, so its standard
# deviation is $\sqrt{d}$. Divided by $\sqrt{d}$, scores have the same spread in a narrow head as in a wide one.
#
# By hand, with a `head_dim` of 4: the query `[2, 0, 0, 0]`, the keys `[ln 3, 0, 0, 0]` and `[0, 5, 0, 0]`, the values
# `[4]` and `[8]`. The dot products are 2 ln 3 and 0. Divided by 2, the root of 4, they are ln 3 and 0. The weights
# are 0.75 and 0.25, and the result is 0.75 · 4 + 0.25 · 8 = 5.
#
# Here there is one sequence and no batch. There may be more keys than queries or fewer, and a value may be wider or
# narrower than a key. You need not use your own softmax: one that does all that part 1 asks for is given. Unless told
# otherwise it takes the last axis.
#
# <!-- contract: single-head-attention -->


# %% nbgrader={"solution": true}
def single_head_attention(q, k, v):
    """Give each query the average of the values, weighted by softmax; returns (q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    head_dim = k.shape[-1]
    scores = q @ k.T / head_dim**0.5  # (q_len, k_len)
    weights = reference.softmax(scores)
    return weights @ v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("single-head-attention", single_head_attention, aspect="values")

# %% nbgrader={"grade": true}
check("single-head-attention", single_head_attention, aspect="large scores")

# %% nbgrader={"grade": true}
check("single-head-attention", single_head_attention, aspect="float32")

# %% [markdown]
# ## 3 · How widely a query looks: entropy
#
# *10 minutes. You need: `np.log2`, and a way to treat some elements differently (`np.where`, or boolean indexing).*
#
# A query may give all its weight to one key, or spread it over many. One number tells which: the *entropy* of
# its row of weights $p_0, p_1, \dots$
#
# $$H = -\sum_j p_j \log_2 p_j$$
#
# in *bits*. Read a weight as the chance to draw that key. Then $-\log_2 p$ is how surprising the key is (a chance of
# one half: 1 bit; of one quarter: 2 bits), and $H$ is the average surprise. An even row over $n$ keys has
# $\log_2 n$ bits, which is the most that $n$ keys can have. Turned round: a row with $H$ bits is as spread as an even
# row over $2^H$ keys. A row with all its weight on one key has 0 bits. A key of weight 0 never comes up, and adds 0:
# so $0 \log_2 0$ counts as 0. An empty row is all zeros, and has 0 bits.
#
# By hand: the row `[0.5, 0.25, 0.25]` has 0.5 · 1 + 0.25 · 2 + 0.25 · 2 = 1.5 bits. The row `[0.5, 0, 0.5]` has
# 0.5 · 1 + 0 + 0.5 · 1 = 1 bit: as many as if the key in the middle were not there.
#
# NumPy does not know the rule about $0 \log_2 0$: look at what `0 * np.log2(0)` gives. The other terms have to keep
# all their digits, those of tiny weights too. (Where the entropy is 0, `-0.` is fine.)
#
# <!-- contract: row-entropy -->


# %% nbgrader={"solution": true}
def row_entropy(weights):
    """Entropy of each row of weights, in bits; returns (batch, q_len)."""
    ### BEGIN SOLUTION
    terms = np.zeros_like(weights)
    positive = weights > 0
    p = weights[positive]
    terms[positive] = -p * np.log2(p)
    return terms.sum(axis=-1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("row-entropy", row_entropy, aspect="values")

# %% nbgrader={"grade": true}
check("row-entropy", row_entropy, aspect="zeros")

# %% nbgrader={"grade": true}
check("row-entropy", row_entropy, aspect="float32")

# %% [markdown]
# ## 4 · Sharper or more even: temperature
#
# *5 minutes. You need: part 1 read.*
#
# A *temperature* $T$, a number larger than 0, makes a row of weights sharper or more even without changing the order of
# its keys. With it, the weight of key $j$ is
#
# $$w_j = \frac{e^{s_j / T}}{e^{s_0 / T} + e^{s_1 / T} + \dots}$$
#
# At a temperature of 1 nothing changes. Towards 0, the differences between the scores count for more and more, and the
# largest score takes all the weight. (Scores that share the maximum share the weight.) Towards infinity, the
# differences vanish, and all allowed keys get the same weight. Forbidden keys keep weight 0 at every temperature, and
# an empty row stays all 0.
#
# By hand: the scores 0 and ln 3 have the weights 0.25 and 0.75. At a temperature of 0.5 the scores become 0 and
# 2 ln 3 = ln 9, the exponentials 1 and 9, the weights 0.1 and 0.9.
#
# The scores here are of ordinary size, but the temperature may be as low as 0.001: divided by it, they are in the
# thousands. All that part 1 says of large scores holds again.
#
# <!-- contract: softmax-with-temperature -->
#
# The division by the square root of `head_dim` in part 2 is a temperature too: one that goes with the width of the
# head.


# %% nbgrader={"solution": true}
def softmax_with_temperature(scores, temperature):
    """Softmax of the scores at a temperature; returns (batch, q_len, k_len)."""
    ### BEGIN SOLUTION
    return reference.softmax(scores / temperature)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("softmax-with-temperature", softmax_with_temperature, aspect="values")

# %% nbgrader={"grade": true}
check("softmax-with-temperature", softmax_with_temperature, aspect="forbidden keys")

# %% nbgrader={"grade": true}
check("softmax-with-temperature", softmax_with_temperature, aspect="float32")

# %% [markdown]
# ## 5 · How much gradient gets through
#
# *5 minutes. You need: the idea of a derivative (how much a result moves when an input does); part 1 read.*
#
# A model learns by *gradients*: it asks how much its result would move if a score moved a little, and changes the
# scores accordingly. Scores act only through the weights. If the score of key $j$ rises a little, its own weight $p_j$
# rises by $p_j (1 - p_j)$ times as much. Both factors count: $p_j$ is what the key has, and $1 - p_j$ is what the
# others have, from whom it takes. (The weight of another key $i$ falls by $p_i p_j$ times as much.)
#
# If one weight is nearly 1 and the others nearly 0, all of these are nearly 0: no small change of a score changes
# anything. Such a row is *saturated*, and learns almost nothing, even if it looks at the wrong key. In this course the
# *gradient scale* of a row is the largest $p (1 - p)$ among its entries. It is at most 1/4, where a weight is 1/2. It
# is 0 where a row has all its weight on one key, and in an empty row. In an even row of 16 keys it is 1/16 · 15/16,
# about 0.06: smaller, because many keys share, but far from 0.
#
# Before training, a model's numbers are random, and so are its queries and keys.
#
# By hand: in the row `[0.5, 0.25, 0.25]` the entries have 0.25, 0.1875 and 0.1875, so its gradient scale is 0.25. In
# `[0.9, 0.1, 0]` they have 0.09, 0.09 and 0: it is 0.09.
#
# <!-- contract: gradient-scale -->


# %% nbgrader={"solution": true}
def gradient_scale(weights):
    """The largest p * (1 - p) of each row of weights; returns (batch, q_len)."""
    ### BEGIN SOLUTION
    derivatives = weights * (1 - weights)
    return derivatives.max(axis=-1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("gradient-scale", gradient_scale, aspect="values")

# %% nbgrader={"grade": true}
check("gradient-scale", gradient_scale, aspect="saturated rows")

# %% nbgrader={"grade": true}
check("gradient-scale", gradient_scale, aspect="float32")

# %% [markdown]
# ## 6 · In your own words
#
# *20 minutes. You need: parts 2 to 5 read. 4 points, given by a person.*
#
# Queries and keys were drawn at random, every number independent, with mean 0 and standard deviation 1. Each of 40,000
# queries met 16 keys of its own, and this is what was measured. *Saturated* counts the rows with a gradient scale under
# 0.01; with 16 keys only sharp rows are under it.
#
# | `head_dim` | scores | standard deviation | mean entropy | mean largest weight | saturated |
# |---|---|---|---|---|---|
# | 4 | not divided | 2.0 | 2.6 bits | 0.43 | 0.2 % |
# | 64 | not divided | 8.0 | 0.6 bits | 0.84 | 29 % |
# | 256 | not divided | 16.0 | 0.3 bits | 0.92 | 57 % |
# | 4 | divided by its root | 1.0 | 3.4 bits | 0.23 | 0 % |
# | 64 | divided by its root | 1.0 | 3.4 bits | 0.25 | 0 % |
# | 256 | divided by its root | 1.0 | 3.4 bits | 0.25 | 0 % |
#
# In at most 200 words: (a) where do the standard deviations 2, 8 and 16 come from, and why does one divide by the
# root of `head_dim` rather than by `head_dim` (1 point)? (b) What are the rows like at a `head_dim` of 64 without the
# division, in weights and in bits, and why is that a bad state for a model to *begin* training in (2 points)? (c) A
# colleague leaves the division out and uses a temperature of 8 in every softmax instead. For which `head_dim` is that
# the same? What does it make of a head with a `head_dim` of 4 (1 point; a sentence will do)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-why-divide"}
# ### BEGIN SOLUTION
# **An answer.** (a) A score is a sum of `head_dim` products, independent, each with variance 1. Variances add up: the
# sum has variance `head_dim` and standard deviation `sqrt(head_dim)`, that is 2, 8 and 16. Dividing by the root makes
# it 1 for every width. Dividing by `head_dim` would make it `1 / sqrt(head_dim)`, and a wide head would give all keys
# nearly the same weight. (b) Most rows have nearly all their weight on one key: the largest weight is 0.84 on average,
# and the entropy is 0.6 of 4 possible bits. Which key that is was drawn at random, so the model begins with firm
# opinions about nothing. And in 29 % of the rows every p(1 - p) is under 0.01. The gradient that would correct the
# scores has to pass through these factors, so a row that is sure of the wrong key is slow to change. (c) Dividing by
# 8 is dividing by the root of 64: the same for a `head_dim` of 64 only. With 4, the standard deviation of the scores
# becomes 2 / 8 = 0.25: all weights are close to 1/16, the entropy is close to 4 bits, and the head averages nearly
# everything.
#
# **Rubric (4 points).**
#
# - 1 point: a sum of head_dim independent products, variances add, so the spread is the root of head_dim; the root and
#   not head_dim brings it to 1 at every width.
# - 1 point: nearly all weight on one key (low entropy, about 0.6 bits of 4), and that key is a random one.
# - 1 point: saturated rows have p(1 - p) near 0, so that little gradient reaches the scores, and the model is slow to
#   correct them. ("The model is too sure" without gradients: not this point.)
# - 1 point: the same for head_dim 64 only; at 4 the scores are divided by too much, and rows become nearly even
#   (nearly 4 bits).
# ### END SOLUTION
