# %% [markdown]
# # 02 · Heads: split, attend, combine, mix
#
# **Time:** about 115 minutes, in seven parts of 5 to 25 minutes and a written question.
# **You need:** NumPy indexing, `reshape`, `transpose` and `@`. No GPU, no torch.
# **Beside it:** chapter 02 of the book, *Heads*. Everything that you need is also said here.
#
# Multi-head attention cuts each token's numbers into heads, lets every head attend on its own, lays the heads side by
# side again, and mixes them with one matrix. In this notebook you write the cut and its inverse, find out what they
# cost, meet an error that nothing reports, put the whole layer together, and take its output apart again, head by head.
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
# | `q_len`, `k_len` | tokens that ask, and tokens that are asked, where these are not the same |
# | `d_model` | numbers for each token, also called the width of the model |
# | `n_heads` | heads |
# | `head_dim` | numbers for each token in one head |
# | `v_head_dim` | the same for values, where it differs |
#
# Weights act from the right: a token `x` of shape `(d_model,)` becomes `x @ w`, with `w` of shape
# `(d_model, something)`. Heads, tokens and the numbers of a head are all counted from 0.

# %% [markdown]
# ## 1 · Splitting the width into heads
#
# *10 minutes. You need: `reshape` and `transpose`.*
#
# One matrix product makes the numbers of all heads at once: each token has a row in which the heads stand side by
# side. In a row the number changes fastest and the head slowest. To let each head work on its own, cut that row into
# heads, and move the heads in front of the tokens. Then NumPy's `@`, which works on the last two axes, treats every
# head of every sequence as a matrix `(seq, head_dim)`.
#
# By hand: one sequence of two tokens, two heads of three numbers.
#
# ```
#               head 0          head 1
# token 0   [  1   2   3  |   4   5   6 ]
# token 1   [  7   8   9  |  10  11  12 ]
# ```
#
# So head 0 is `[[1, 2, 3], [7, 8, 9]]`, and head 1 is `[[4, 5, 6], [10, 11, 12]]`. The shape `(1, 2, 6)` has become
# `(1, 2, 2, 3)`: sequence, head, token, number.
#
# <!-- contract: split-heads -->
#
# Nothing is computed; every number moves to its place. Look at the numbers and not only at the shape.


# %% nbgrader={"solution": true}
def split_heads(x, n_heads):
    """Cut the last axis into heads and move them in front of the tokens; returns (batch, n_heads, seq, head_dim)."""
    ### BEGIN SOLUTION
    batch, seq, width = x.shape
    cut = x.reshape(batch, seq, n_heads, width // n_heads)
    return cut.transpose(0, 2, 1, 3)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("split-heads", split_heads, aspect="values")

# %% nbgrader={"grade": true}
check("split-heads", split_heads, aspect="any dtype")

# %% [markdown]
# ## 2 · Putting the heads back together
#
# *5 minutes. You need: `reshape` and `transpose`; part 1 read.*
#
# When every head has attended, each token's numbers are spread over the heads. The layer goes on with one row for each
# token again, the heads side by side in their order. This is the way back from part 1.
#
# By hand: the two heads of part 1, `[[1, 2, 3], [7, 8, 9]]` and `[[4, 5, 6], [10, 11, 12]]`, become the rows
# `[1, 2, 3, 4, 5, 6]` and `[7, 8, 9, 10, 11, 12]`, and the shape `(1, 2, 2, 3)` becomes `(1, 2, 6)`.
#
# <!-- contract: combine-heads -->
#
# When both are right, `combine_heads(split_heads(x, n_heads))` is `x`. That alone proves little: two mistakes that undo
# each other give `x` as well.


# %% nbgrader={"solution": true}
def combine_heads(x):
    """Lay the heads side by side again; returns (batch, seq, n_heads * head_dim)."""
    ### BEGIN SOLUTION
    batch, n_heads, seq, head_dim = x.shape
    tokens_first = x.transpose(0, 2, 1, 3)
    return tokens_first.reshape(batch, seq, n_heads * head_dim)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("combine-heads", combine_heads, aspect="values")

# %% nbgrader={"grade": true}
check("combine-heads", combine_heads, aspect="any dtype")

# %% [markdown]
# ## 3 · Weights trained in the other order
#
# *15 minutes. You need: `reshape`, `transpose` or indexing; parts 1 and 2 read.*
#
# A row with all heads of a token can be ordered in two ways. The course writes the one of part 1 as `(h d)`: first
# which head, then which number in it, so that a head's numbers stand together. The other is `(d h)`: number 0 of
# every head, then number 1 of every head, and so on. Both have the same shape, so mixing them up raises nothing.
#
# After the heads are put together, the row is multiplied by the output matrix `W_O`, of shape
# `(n_heads * head_dim, d_model)`. Each number of the row meets one row of `W_O`. You are given a `W_O` that was
# trained in a program that puts the heads together as `(d h)`. You want to use it in one that puts them together as
# `(h d)`, and get the same output.
#
# By hand: two heads of three numbers, `d_model` 1. Name each row of `W_O` by head and number, so that `12` is head 1,
# number 2. Below its name stands the one number that the row holds.
#
# ```
# trained for (d h):   00  10  01  11  02  12
#                       7   3   5   9   2   4
#
# wanted for (h d):    00  01  02  10  11  12
#                       7   5   2   3   9   4
# ```
#
# In shapes, `(6, 1)` stays `(6, 1)`.
#
# <!-- contract: regroup-output-weight -->


# %% nbgrader={"solution": true}
def regroup_output_weight(w_o, n_heads):
    """Reorder a W_O that was trained for heads merged as (d h), for heads merged as (h d); the same shape."""
    ### BEGIN SOLUTION
    rows, d_model = w_o.shape
    head_dim = rows // n_heads
    by_dim_and_head = w_o.reshape(head_dim, n_heads, d_model)
    return by_dim_and_head.transpose(1, 0, 2).reshape(rows, d_model)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("regroup-output-weight", regroup_output_weight, aspect="values")

# %% nbgrader={"grade": true}
check("regroup-output-weight", regroup_output_weight, aspect="float32")

# %% [markdown]
# ## 4 · Views, strides and copies
#
# *25 minutes. You need: `reshape`, `transpose`, `np.shares_memory`; parts 1 and 2 read.*
#
# What do splitting and combining cost? The elements of an array lie in memory one after the other. An array itself is
# only a note about them: where they begin, its shape, and its *strides*, how many bytes apart two neighbours along
# each axis are. Take `a = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int16)`, with 2 bytes for each element. In memory
# lie `1 2 3 4 5 6`. The next column is 2 bytes on, the next row 3 elements or 6 bytes: its strides are `(6, 2)`.
# `a.T` reads the same six elements with the strides `(2, 6)`. No element has moved. Such a second note on the same
# memory is a *view*.
#
# An array is *contiguous* where its elements, read row by row, follow one another in memory: `a` is, `a.T` is not.
# `np.ascontiguousarray` gives back a contiguous array as it is, and makes a contiguous copy of any other. `reshape`
# gives a view where some strides describe the new shape. Where none do, it copies without a word: `a.T` read row by row
# is `1 4 2 5 3 6`, and no single stride leads through memory in that order, so `a.T.reshape(6)` is a copy. Two
# neighbouring axes can become one without a copy where one step along the outer is as long as the whole inner axis:
# outer stride = inner size · inner stride. In `a` that holds, 6 = 3 · 2, in `a.T` it does not: 2 is not 2 · 6. Where
# an axis has size 1 there is no next element along it, so its stride never matters.
#
# Now let `x` be contiguous, of shape `(batch, seq, n_heads * head_dim)`, with `itemsize` bytes for each element:
#
# ```python
# y = x.reshape(batch, seq, n_heads, head_dim)              # step 0
# z = y.transpose(0, 2, 1, 3)                               # step 1
# c = np.ascontiguousarray(z)                               # step 2
# m = z.reshape(batch * n_heads, seq, head_dim)             # step 3
# back = z.transpose(0, 2, 1, 3).reshape(batch, seq, -1)    # step 4
# row = c.transpose(0, 2, 1, 3).reshape(batch, seq, -1)     # step 5
# ```
#
# How many bytes does each step copy, the six in order, and what are the four strides of `z`? A step copies either
# all of `x` or nothing. Each step is judged against the array it starts from: 3 and 4 against `z`, 5 against `c`.
#
# By hand: `batch` 2, `seq` 3, two heads of two numbers, 8 bytes each, so `x` has 24 elements and 192 bytes. In memory
# two numbers of a head are 8 bytes apart, two heads 16, two tokens 32, two sequences 96. The axes of `z` are sequence,
# head, token, number, so its strides are `[96, 16, 32, 8]`. Steps 2, 3 and 5 copy, 192 bytes each. With one sequence
# instead of two, `x` has 96 bytes, and steps 2 and 5 copy, but step 3 does not.
#
# <!-- contract: bytes-copied -->
#
# Some of the sizes are far beyond any memory: find the rule on small arrays, and do not build the large ones. Make your
# arrays with `dtype=np.int64`, because byte counts pass 2³¹, where 32-bit integers end. Where an axis has size 1, give
# the stride that `z.strides` shows.


# %% nbgrader={"solution": true}
def bytes_copied(batch, seq, n_heads, head_dim, itemsize):
    """Bytes copied by each of the six steps, and the strides of z in bytes; two arrays of whole numbers."""
    ### BEGIN SOLUTION
    head = head_dim * itemsize
    token = n_heads * head
    sequence = seq * token
    everything = batch * sequence
    # With one token or one head, moving the heads changes nothing: z is read as it lies in memory.
    moved = seq > 1 and n_heads > 1
    copied = np.zeros(6, dtype=np.int64)
    if moved:
        copied[2] = everything
    if moved and batch > 1:  # from head to head and from sequence to sequence, one stride does not do
        copied[3] = everything
    if moved and head_dim > 1:  # in c, the heads of one token lie apart
        copied[5] = everything
    return copied, np.array([sequence, head, token, itemsize], dtype=np.int64)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("bytes-copied", bytes_copied, aspect="several")

# %% nbgrader={"grade": true}
check("bytes-copied", bytes_copied, aspect="ones")

# %% nbgrader={"grade": true}
check("bytes-copied", bytes_copied, aspect="large")

# %% [markdown]
# ## 5 · The whole layer
#
# *25 minutes. You need: `@` on arrays with four axes, and what softmax is; parts 1 and 2 read.*
#
# Every token of `x` makes a *query* in each head, what it looks for. Every token of `context` makes a *key*, what it is
# found by, and a *value*, what it hands over. Where `context` is `x`, tokens attend to their own sequence:
# *self-attention*. Where it is another sequence, which may be longer or shorter and of another width, it is
# *cross-attention*, as when a translation looks at its source. There is no mask and there are no biases. With $q_h$,
# $k_h$ and $v_h$ for the queries, keys and values of head $h$:
#
# - the queries of all heads are `x @ w_q`, the keys `context @ w_k`, the values `context @ w_v`, each split into heads;
# - the scores of head $h$ are $q_h k_h^T / \sqrt d$ with $d$ = `head_dim`, one for each query and key. A score is a
#   sum of $d$ products, and dividing by the root keeps its size the same for narrow and wide heads;
# - softmax makes each query's scores into weights that sum to 1 over the keys. The head's result for that query is the
#   mean of the values with these weights;
# - the heads are laid side by side and multiplied by `w_o`, back to `d_model`.
#
# By hand: one query, two keys, two heads of width 1, so that the root is 1: the example does not try your scale. In it
# the query is 1 in head 0 and 0 in head 1. The keys are 0 and log 3 in both heads, the values 0 and 4 in both. The
# scores of head 0 are 0 and log 3, so its weights are 1/4 and 3/4, and its result is 3. The scores of head 1 are both
# 0, its weights 1/2 and 1/2, its result 2. Side by side `[3, 2]`, and times `[[1, 0], [1, 1]]` that is `[5, 2]`. In
# shapes: `x` is `(1, 1, 2)`, `context` `(1, 2, 2)`, the scores `(1, 2, 1, 2)`, the result `(1, 1, 2)`.
#
# <!-- contract: multi-head-attention -->
#
# Call the given functions as `reference.split_heads(y, n_heads)`, `reference.combine_heads(y)` and
# `reference.softmax(scores)`, which runs over the last axis unless you name another with `axis=`. `head_dim` is not
# given: find it from the shapes, and not from `d_model`: from the width of `w_q`. From NumPy 2 on, dividing a float32
# array by `np.sqrt(4)` gives float64; dividing it by the Python float `4**0.5` does not.


# %% nbgrader={"solution": true}
def multi_head_attention(x, context, w_q, w_k, w_v, w_o, n_heads):
    """Let x attend to context in n_heads heads, and mix the heads; returns (batch, q_len, d_model)."""
    ### BEGIN SOLUTION
    q = reference.split_heads(x @ w_q, n_heads)  # (batch, n_heads, q_len, head_dim)
    k = reference.split_heads(context @ w_k, n_heads)  # (batch, n_heads, k_len, head_dim)
    v = reference.split_heads(context @ w_v, n_heads)  # (batch, n_heads, k_len, v_head_dim)
    head_dim = q.shape[3]
    scores = q @ k.transpose(0, 1, 3, 2) / head_dim**0.5  # (batch, n_heads, q_len, k_len)
    weights = reference.softmax(scores)
    return reference.combine_heads(weights @ v) @ w_o
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("multi-head-attention", multi_head_attention, aspect="self")

# %% nbgrader={"grade": true}
check("multi-head-attention", multi_head_attention, aspect="cross")

# %% nbgrader={"grade": true}
check("multi-head-attention", multi_head_attention, aspect="widths")

# %% nbgrader={"grade": true}
check("multi-head-attention", multi_head_attention, aspect="float32")

# %% [markdown]
# ## 6 · What each head writes
#
# *10 minutes. You need: slicing and `@`; part 2 read.*
#
# Laying the heads side by side and multiplying by `W_O` looks as if the heads were melted together. They are not. A
# matrix product is a sum over the rows of the right-hand matrix, and each of these rows belongs to one head. So the
# output is a sum over heads, and what each head *writes* into it can be looked at on its own.
#
# By hand: one token, two heads of two numbers, `d_model` 1. The heads are `[1, 2]` and `[3, 4]`, and the rows of `W_O`
# are 1, 10, 100 and 1000. The output is 1·1 + 2·10 + 3·100 + 4·1000 = 4321. Of that, head 0 writes 21, and head 1
# writes 4300. In shapes: `(1, 2, 1, 2)` and `(4, 1)` give `(1, 2, 1, 1)`.
#
# <!-- contract: head-contributions -->
#
# Summed over its axis 1, your result is the output of the layer.


# %% nbgrader={"solution": true}
def head_contributions(heads, w_o):
    """What each head on its own writes into the output; returns (batch, n_heads, seq, d_model)."""
    ### BEGIN SOLUTION
    n_heads, head_dim = heads.shape[1], heads.shape[3]
    written = []
    for h in range(n_heads):
        rows = w_o[h * head_dim : (h + 1) * head_dim]
        written.append(heads[:, h] @ rows)
    return np.stack(written, axis=1)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("head-contributions", head_contributions, aspect="values")

# %% nbgrader={"grade": true}
check("head-contributions", head_contributions, aspect="float32")

# %% [markdown]
# ## 7 · Taking a head away
#
# *10 minutes. You need: indexing and `@`; part 6 read.*
#
# Is a head needed? One way to find out is to take it away and to see what becomes of the model: *ablation*. Since the
# output is a sum over heads, that is well defined: the head's term goes, and the others stay exactly as they are.
#
# By hand: in the example of part 6 the output is 21 + 4300. Without head 0 it is 4300, without head 1 it is 21. In
# shapes: `(1, 2, 1, 2)` and `(4, 1)` give `(1, 1, 1)`.
#
# <!-- contract: without-head -->


# %% nbgrader={"solution": true}
def without_head(heads, w_o, removed):
    """The layer's output when one head writes nothing; returns (batch, seq, d_model)."""
    ### BEGIN SOLUTION
    kept = heads.copy()
    kept[:, removed] = 0
    return reference.combine_heads(kept) @ w_o
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("without-head", without_head, aspect="middle")

# %% nbgrader={"grade": true}
check("without-head", without_head, aspect="ends")

# %% nbgrader={"grade": true}
check("without-head", without_head, aspect="float32")

# %% [markdown]
# ## 8 · In your own words
#
# *15 minutes. You need: parts 1 to 3 and 5 read. 4 points, given by a person.*
#
# A colleague's program splits queries, keys and values into heads as `(d h)`, and puts the heads together as `(d h)`
# too. Otherwise it is the layer of part 5. In at most 150 words: (a) Why does no error appear (1 point)? (b) They train
# a model from scratch. The random numbers with which training starts prefer no order. Does the model suffer, and why
# (1 point)? (c) They load published weights, which were trained with `(h d)`, instead: which numbers does a head get,
# and what does that do to its attention weights (1 point)? (d) They correct the split to `(h d)` but forget to correct
# how the heads are put together. What do they have to reorder to make the published weights work all the same, and
# what can stay as it is (1 point)?

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-heads-in-the-other-order"}
# ### BEGIN SOLUTION
# **An answer.** (a) Both orders give arrays of the same shape and dtype, and no step looks at more than that. (b) No.
# Which column of `W_Q`, `W_K` and `W_V` feeds which head, and which row of `W_O` a head meets, is only a question of
# numbering. The program is the usual layer with columns and rows in another order. The random start has no preferred
# order either, so training does just as well. (c) Each head gets the columns of several trained heads, and no trained
# head is whole in any of them. Its scores sum products that belong to different heads, so its weights, and with them
# the output, are wrong. That the heads are put together in the same other order does not help: attention has already
# run on the wrong groups. (d) Now each head computes what it was trained to, and only the row that meets `W_O` has the
# other order. It is enough to reorder the rows of `W_O` to match; `W_Q`, `W_K` and `W_V` stay.
#
# **Rubric (4 points).**
#
# - 1 point: the shapes (and dtypes) are the same in both orders, and nothing else is checked.
# - 1 point: training does not suffer, because it is the same layer with its weights numbered differently (or: the
#   weights are learnt to fit the order). "It is consistent" without a word on the weights is half a point.
# - 1 point: the heads mix numbers of several trained heads, so that scores and weights are wrong; not "the output is
#   only permuted".
# - 1 point: the rows of `W_O`, and nothing else.
# ### END SOLUTION
