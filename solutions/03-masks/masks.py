# %% [markdown]
# # 03 · Masks: who may attend to whom
#
# **Time:** about 110 minutes, in eight parts of 5 to 25 minutes and a written question.
# **You need:** NumPy comparisons, broadcasting, `np.where` and `@`. No GPU, no torch.
# **Beside it:** chapter 03 of the book, *Masks*. Everything that you need is also said here.
#
# In attention every token, as a *query*, looks at the tokens of a sequence, each of which offers a *key* and a
# *value*. The query gives each key a score, softmax makes weights of the scores that sum to 1, and the result is the
# average of the values with these weights. A *mask* says which keys a query may use at all. In this notebook you make
# four masks that are in wide use, translate between the conventions of libraries, use a mask in attention without the
# mistakes that nobody notices, and find out how much work a mask could save.
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
# | `heads` | heads: attentions that run side by side |
# | `q_len` | queries in each sequence |
# | `k_len` | keys in each sequence, and as many values |
# | `seq` | tokens, where there are as many queries as keys |
# | `head_dim` | numbers in a query or a key, in one head |
# | `v_head_dim` | numbers in a value, in one head |
#
# A mask is an array of booleans in which **True means: may attend**. A row belongs to a query, a column to a key, so
# its shape is `(q_len, k_len)`, or, with more to tell apart, `(batch, heads, q_len, k_len)`. Positions are counted
# from 0. Below, masks are drawn with `1` for True and `.` for False.

# %% [markdown]
# ## 1 · Causal: nobody looks ahead
#
# *10 minutes. You need: comparing a column with a row, by broadcasting.*
#
# A language model learns to predict the next token. It must not see that token while it learns, so a query may use the
# keys up to its own position, and none after it. Such a mask is called *causal*.
#
# There can be fewer queries than keys: when a model writes, it keeps the keys of all earlier tokens and asks with the
# newest ones only. The queries are therefore the **last** tokens, and the last query sees every key.
#
# By hand: with 4 keys, position 3 is the last. Two queries stand at positions 2 and 3. Six queries would begin two
# places before the first key, so the first two see nothing.
#
# ```
# q_len 4, k_len 4      q_len 2, k_len 4      q_len 6, k_len 4
#     1 . . .               1 1 1 .               . . . .
#     1 1 . .               1 1 1 1               . . . .
#     1 1 1 .                                     1 . . .
#     1 1 1 1                                     1 1 . .
#                                                 1 1 1 .
#                                                 1 1 1 1
# ```
#
# <!-- contract: causal-mask -->
#
# In all three pictures the bottom right corner is 1.


# %% nbgrader={"solution": true}
def causal_mask(q_len, k_len):
    """Each query sees the keys up to its own position; returns booleans (q_len, k_len)."""
    ### BEGIN SOLUTION
    key = np.arange(k_len)
    query = np.arange(q_len) + (k_len - q_len)  # where each query stands among the keys
    return key <= query[:, None]
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("causal-mask", causal_mask, aspect="values")

# %% nbgrader={"grade": true}
check("causal-mask", causal_mask, aspect="empty rows")

# %% [markdown]
# ## 2 · Padding: nobody reads the filling
#
# *10 minutes. You need: indexing with `None`, which adds an axis of length 1.*
#
# Sentences have different lengths, but the rows of an array do not. So the shorter sentences of a batch are filled up
# to the longest, with *padding*: tokens that mean nothing. Here the real tokens stand first, and the padding behind
# them. Padding has keys and values like any token, and no query should use them.
#
# This mask is the same for every head and for every query of a sentence. These axes get the length 1, and NumPy
# stretches them where the mask is used: the shape is `(batch, 1, 1, k_len)`.
#
# By hand: two sentences with 3 tokens and 1 token, in rows of 4.
#
# ```
# sentence 0    1 1 1 .
# sentence 1    1 . . .
# ```
#
# <!-- contract: padding-mask -->


# %% nbgrader={"solution": true}
def padding_mask(lengths, k_len):
    """True for the real tokens of each sequence; returns booleans (batch, 1, 1, k_len)."""
    ### BEGIN SOLUTION
    real = np.arange(k_len) < lengths[:, None]  # (batch, k_len)
    return real[:, None, None, :]
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("padding-mask", padding_mask, aspect="values")

# %% nbgrader={"grade": true}
check("padding-mask", padding_mask, aspect="empty and full")

# %% [markdown]
# ## 3 · A window: only the latest keys
#
# *10 minutes. You need: `&` between arrays of booleans; part 1 read, not solved.*
#
# In a long text most of what a token needs is near it. A causal *sliding window* lets a query see its own position and
# the few keys before it, so that the work grows with the length of the text and not with its square. How many are "a
# few"? In this course a window of W means **W keys, the token itself included**. As in part 1, the queries are the
# last tokens.
#
# By hand: `window` 2. On the left, three queries stand at positions 1, 2 and 3; the one at position 2 sees keys 1 and
# 2. On the right there are more queries than keys, and the first two stand before all keys.
#
# ```
# q_len 3, k_len 4      q_len 5, k_len 3
#     1 1 . .               . . .
#     . 1 1 .               . . .
#     . . 1 1               1 . .
#                           1 1 .
#                           . 1 1
# ```
#
# <!-- contract: sliding-window-mask -->
#
# At the start of the sequence there are fewer keys than the window has room for.


# %% nbgrader={"solution": true}
def sliding_window_mask(q_len, k_len, window):
    """Each query sees the `window` keys that end with its own position; returns booleans (q_len, k_len)."""
    ### BEGIN SOLUTION
    key = np.arange(k_len)
    query = np.arange(q_len)[:, None] + (k_len - q_len)
    back = query - key  # how far behind the query a key lies; negative for what comes after it
    return (back >= 0) & (back < window)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("sliding-window-mask", sliding_window_mask, aspect="values")

# %% nbgrader={"grade": true}
check("sliding-window-mask", sliding_window_mask, aspect="empty rows")

# %% [markdown]
# ## 4 · Blocks: from a layout to a mask
#
# *5 minutes. You need: `np.repeat` and its `axis`.*
#
# Fast code for attention does not compute one score at a time but a whole *block*, say 64 queries by 64 keys. A mask
# that allows or forbids whole blocks is one that it can use to skip work. Such a mask is written as a small *layout*
# with one boolean for each block. To use it with any other code, or to compare it with another mask, you need the mask
# itself: each entry of the layout becomes a square of `block` by `block` entries.
#
# By hand: a layout of one row and three columns, with blocks of 2.
#
# ```
# layout      mask
# 1 . 1       1 1 . . 1 1
#             1 1 . . 1 1
# ```
#
# <!-- contract: block-sparse-mask -->


# %% nbgrader={"solution": true}
def block_sparse_mask(layout, block):
    """Each entry of the layout covers a square; returns booleans (q_blocks * block, k_blocks * block)."""
    ### BEGIN SOLUTION
    rows = np.repeat(layout, block, axis=0)
    return np.repeat(rows, block, axis=1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("block-sparse-mask", block_sparse_mask, aspect="values")

# %% nbgrader={"grade": true}
check("block-sparse-mask", block_sparse_mask, aspect="empty rows")

# %% [markdown]
# ## 5 · Three conventions for one mask
#
# *15 minutes. You need: `~` on booleans, `np.where`, `np.inf`.*
#
# Libraries do not agree on what a mask holds. Three conventions are in use:
#
# | name here | holds | may attend | must not | found in |
# |---|---|---|---|---|
# | `"allow"` | booleans | True | False | this course, torch's `scaled_dot_product_attention` |
# | `"forbid"` | booleans | False | True | torch's `nn.MultiheadAttention` |
# | `"bias"` | float32 | any finite number | minus infinity | wherever a mask is *added* to the scores |
#
# The first two have the same shape and dtype. Mix them up, and each query attends to exactly what it must not; nothing
# raises. A bias can say more than a mask: 0 changes nothing, and another finite number makes a key more or less
# likely. Even -1e9 does not forbid: in a row where every key has it, the weights still sum to 1, and they go to keys
# that are all forbidden.
#
# By hand: `[[True, False]]` as `"allow"` is `[[False, True]]` as `"forbid"` and `[[0, -inf]]` as `"bias"`. And the bias
# `[[-0.5, -inf]]` is `[[True, False]]` as `"allow"`.
#
# <!-- contract: convert-mask -->
#
# A bias that is made from booleans holds nothing but 0 and minus infinity.


# %% nbgrader={"solution": true}
def convert_mask(mask, have, want):
    """The same mask in another convention: "allow", "forbid" or "bias"."""
    ### BEGIN SOLUTION
    if have == want:
        return mask
    if have == "allow":
        allowed = mask
    elif have == "forbid":
        allowed = ~mask
    else:
        allowed = mask != -np.inf

    if want == "allow":
        return allowed
    if want == "forbid":
        return ~allowed
    return np.where(allowed, 0, -np.inf).astype(np.float32)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("convert-mask", convert_mask, aspect="to allow")

# %% nbgrader={"grade": true}
check("convert-mask", convert_mask, aspect="to forbid")

# %% nbgrader={"grade": true}
check("convert-mask", convert_mask, aspect="to bias")

# %% nbgrader={"grade": true}
check("convert-mask", convert_mask, aspect="unchanged")

# %% [markdown]
# ## 6 · Attention under a mask
#
# *25 minutes. You need: `@` on arrays of four axes, `swapaxes`; of the table in part 5, the row `"allow"`.*
#
# Attention takes four steps. The score of a query and a key is their inner product, divided by the square root of
# `head_dim`, so `scores` has the shape `(batch, heads, q_len, k_len)`. Softmax along the keys, the last axis, turns a
# row of scores $s_j$ into weights $e^{s_j} / \sum_i e^{s_i}$. The weights times the values are the result. The mask
# has its place between scores and softmax: a forbidden key must get the weight 0, and those that are left must still
# sum to 1.
#
# A query that may attend to nothing (part 1 has such rows) gets 0. That is a decision of this course, and a sensible
# one: it knows nothing, so it adds nothing.
#
# By hand: `head_dim` is 4, and both queries are four ones. The first key is four times (ln 3)/2: the inner product is
# 2 ln 3, and divided by √4 the score is ln 3. The second key is zeros, with a score of 0, and the third has ln 9. The
# values are 10, 20 and 60. The first query may attend to the first two keys: e to their scores is 3 and 1, so its
# weights are 3/4, 1/4 and 0, and its result is 7.5 + 5 = 12.5. The second may attend to nothing and gets 0.
#
# <!-- contract: masked-attention -->
#
# The mask comes in any of its three shapes, and all of them broadcast against the scores. Scores can be very low and
# very high, and a forbidden key can have the highest of its row: its weight is 0 all the same. The result has to have
# the dtype of `q`, so look at the dtype after each step.


# %% nbgrader={"solution": true}
def masked_attention(q, k, v, mask):
    """Attention in which a query uses only what the mask allows; returns (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    head_dim = k.shape[-1]
    scores = q @ k.swapaxes(-1, -2) / head_dim**0.5
    scores = np.where(mask, scores, -np.inf)
    weights = reference.softmax(scores)  # zeros where a whole row is minus infinity
    return weights @ v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("masked-attention", masked_attention, aspect="values")

# %% nbgrader={"grade": true}
check("masked-attention", masked_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("masked-attention", masked_attention, aspect="float32")

# %% [markdown]
# ## 7 · The same sentence, alone and in a batch
#
# *20 minutes. You need: parts 2 and 6 read, not solved.*
#
# A sentence must give the same result whatever it is batched with. In this part the model reads whole sentences, as an
# encoder for translation does: no causal mask, so each real token of a sentence sees **all** real tokens of that
# sentence. Queries, keys and values come from the same tokens, `seq` of them, of which the first `lengths[b]` are real
# in sentence `b`. In these rows the result is what the sentence gives alone. In the rows of the padding it is 0.
#
# What the padding holds must not matter. It may be anything, in `q`, `k` and `v`: numbers of any size, infinity, even
# NaN ("not a number"), since memory that nobody has written to can contain all of these. And 0 times NaN is NaN, as is
# 0 times infinity.
#
# By hand: two sentences in rows of 2, with 2 tokens and 1 token. All queries are four ones, and in both sentences the
# keys are those of part 6 with scores of ln 3 and 0. The values are 10 and 20 in the first sentence, and 10 and 90 in
# the second. In the first, each token has the weights 3/4 and 1/4 and gives 12.5. In the second, 90 is padding: its one
# token gives 10, and not 30, and the row of the padding is 0.
#
# <!-- contract: padded-batch -->
#
# Whether you loop over the sentences or use a mask is up to you. As in part 6, scores can be very low and very high,
# and the result has to have the dtype of `q`.


# %% nbgrader={"solution": true}
def padded_batch(q, k, v, lengths):
    """Attention of each sentence over its own real tokens; returns (batch, heads, seq, v_head_dim), 0 in padding."""
    ### BEGIN SOLUTION
    real_key = reference.padding_mask(lengths, v.shape[2])  # (batch, 1, 1, seq)
    real_row = real_key.swapaxes(2, 3)  # (batch, 1, seq, 1)
    q, k, v = (np.where(real_row, x, 0) for x in (q, k, v))  # whatever the padding holds, it is gone
    scores = q @ k.swapaxes(2, 3) / k.shape[3] ** 0.5
    weights = reference.softmax(np.where(real_key & real_row, scores, -np.inf))  # a padding query sees nothing
    return weights @ v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("padded-batch", padded_batch, aspect="values")

# %% nbgrader={"grade": true}
check("padded-batch", padded_batch, aspect="padding contents")

# %% nbgrader={"grade": true}
check("padded-batch", padded_batch, aspect="float32")

# %% [markdown]
# ## 8 · How much a causal mask saves
#
# *5 minutes. You need: part 1 read; adding up 1 + 2 + … + n.*
#
# Attention that computes all scores and then forbids half of them has done that half for nothing. How much could be
# saved? Count how many entries of a causal mask are True, and divide by the `q_len * k_len` entries that it has.
#
# By hand: for 4 queries and 4 keys there are 1 + 2 + 3 + 4 = 10 of 16, which is 0.625. A single query, the newest
# token of a text that is being written, sees all keys: a share of 1, and nothing to save.
#
# <!-- contract: used-fraction -->
#
# Some of the sizes are in the millions: a mask of that size fits into no memory.


# %% nbgrader={"solution": true}
def used_fraction(q_len, k_len):
    """The share of the q_len * k_len scores that causal attention needs."""
    ### BEGIN SOLUTION
    first_row = k_len - q_len + 1
    last_row = k_len
    needed = q_len * (first_row + last_row) / 2
    return needed / (q_len * k_len)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("used-fraction", used_fraction, aspect="square")

# %% nbgrader={"grade": true}
check("used-fraction", used_fraction, aspect="fewer queries")

# %% nbgrader={"grade": true}
check("used-fraction", used_fraction, aspect="long")

# %% [markdown]
# ## 9 · In your own words
#
# *10 minutes. You need: parts 5 to 7 read. 4 points, given by a person.*
#
# A team serves a translation model. Users complain that short sentences are sometimes translated badly, and that the
# same short sentence comes out differently from one day to the next. Long sentences are fine, and so is any sentence
# that is sent alone. Nothing crashes. In at most 150 words: (a) Name the one cause that explains all of this, and say
# why the short sentences are the ones that suffer (2 points). (b) Describe a test that would have found it (1 point).
# (c) The team adds a mask, and writes -1e9 over the scores that it forbids. Name a case in which a query still uses
# what is forbidden to it, or in which the number cannot be written (1 point).

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-short-sentences"}
# ### BEGIN SOLUTION
# **An answer.** The padding is not masked. In a batch, a short sentence is filled up to the longest, and its tokens
# attend to the filling as if it were text: a score that means nothing, even 0, still gets its share of the weight. The
# shorter the sentence, the larger that share, and it depends on what else happens to be in the batch, which differs
# from day to day. The longest sentence, or one alone, has no padding. The test: run a sentence alone and in a batch
# with a longer one, and compare the results for its real tokens; they must agree up to rounding. A score of -1e9 is a
# number like others. In a row whose keys are all forbidden, all scores are the same, and the query gets the mean of the
# values that it must not read. (Or: float16 cannot hold it; its lowest is -65504.)
#
# **Rubric (4 points).**
#
# - 1 point: real tokens attend to the padding, which is not masked.
# - 1 point: why short ones, and not always: the padding's share of the weight grows with the number of padding
#   tokens, and that depends on the longest sentence of the batch.
# - 1 point: a test that compares numbers of one sentence alone and in a batch with a longer one (not: "check the
#   shapes", "look at the loss", "test with a batch of equal lengths").
# - 1 point: one true case: a row with no allowed key becomes the mean of the forbidden values; or float16 does not hold
#   -1e9. ("It is not exactly 0" earns nothing: beside any ordinary score, e to the -1e9 is.)
# ### END SOLUTION
