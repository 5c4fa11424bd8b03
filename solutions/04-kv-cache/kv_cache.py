# %% [markdown]
# # 04 · The KV cache: what is kept between tokens
#
# **Time:** about 90 minutes, in six parts of 10 to 20 minutes and a written question.
# **You need:** NumPy slicing, broadcasting and `@`. No GPU, no torch.
# **Beside it:** chapter 04 of the book, *The KV cache*. Everything that you need is also said here.
#
# A language model writes one token at a time, and each new token attends to all tokens before it. Their keys and
# values have been computed once already, and they do not change. So they are kept: that is the KV cache. In this
# notebook you write one. You store new tokens, attend with one query and with chunks of queries, count the bytes, and
# build the ring that a model with a sliding window uses.
#
# **How it works.** Write your answer where it says `YOUR CODE HERE`, then run the cells with `check` below it. A
# check tells you what is right, what is not, and, if it knows your mistake, which one it is. It also raises, so that
# *Run All* stops there. You may add cells of your own, and check as often as you like; what counts is the notebook as
# you hand it in. When you are graded, the same checks run again with other numbers.
#
# **What is allowed.** Anything in NumPy. Of the course's library, only what a part says is given: handing a call of
# the library's own answer to `check` is not an answer.

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads import reference
from manyheads.grading import check

# %% [markdown]
# If that raised `ModuleNotFoundError`, the course's library is not installed in the Python that runs this notebook:
# `%pip install` the folder of the course, or the wheel that you were given, and restart the kernel.
#
# **Shapes** are written with these names throughout. Heads always stand behind the batch and in front of the tokens:
#
# | name | meaning |
# |---|---|
# | `batch` | sequences handled at once |
# | `heads` | query heads |
# | `kv_heads` | heads that have keys and values; here as many as `heads` wherever both meet |
# | `seq` | tokens in each sequence |
# | `q_len` | queries of one call for each sequence; in decoding 1 |
# | `capacity` | slots of a cache: tokens that it can hold for each sequence |
# | `window` | slots of a ring, which keeps the newest tokens only |
# | `new` | tokens that are added by one call |
# | `head_dim`, `v_head_dim` | numbers for each token in one head, of queries and keys, and of values |
#
# **Attention, in short.** Every token has a query, a key and a value in each head. A query is compared with keys: the
# *score* of a key is the sum of the products of their numbers, divided by the square root of `head_dim`. The
# *softmax* of the scores gives weights: each is e to the power of its score, divided by their sum. The result is the
# sum of the values, each times its weight. *Causal* means that a token attends to the tokens before it and to itself.
#
# **Counting** starts at 0: the first token is token 0, the first slot is slot 0.

# %% [markdown]
# ## 1 · Behind the tokens that are there
#
# *10 minutes. You need: slices, and assigning to a slice.*
#
# Making an array longer by one token means copying it, for each token again. A cache is therefore made once, as long
# as it may ever have to be: a *buffer* of `capacity` slots. Beside it stands how many slots are filled. The slots
# behind those are free, and may hold anything. Keys have such a buffer and values have another one; this function
# serves both. The sequences of a batch need not be equally long, so there is a length for each.
#
# By hand: one sequence, one head of width 1, four slots with `[10, 20, 0, 0]`, of which two are filled. The new token
# 30 makes `[10, 20, 30, 0]`. The next one will go into slot 3.
#
# <!-- contract: append-to-cache -->
#
# Return a new array, and leave the cache that you were given as it was. Only the slots of the new tokens differ.


# %% nbgrader={"solution": true}
def append_to_cache(cache, lengths, new):
    """The cache with new tokens behind the old ones of each sequence; (batch, kv_heads, capacity, head_dim)."""
    ### BEGIN SOLUTION
    after = np.array(cache)  # a copy
    for b, length in enumerate(lengths):
        after[b, :, length : length + new.shape[2]] = new[b]
    return after
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("append-to-cache", append_to_cache, aspect="one token")

# %% nbgrader={"grade": true}
check("append-to-cache", append_to_cache, aspect="a chunk")

# %% nbgrader={"grade": true}
check("append-to-cache", append_to_cache, aspect="different lengths")

# %% [markdown]
# ## 2 · One query against the cache
#
# *15 minutes. You need: `@`, `swapaxes`; part 1 read, and the short account of attention above.*
#
# To write one more token, a model needs one result: that of the newest token. Its key and its value have been stored,
# and are the last of the filled slots. Its query attends to every filled slot. Earlier queries have done their work,
# and nobody needs them again. This is called *decoding*.
#
# By hand: four slots, two filled, with the values 10 and 20. All keys are 0, so both scores are 0, both weights are
# one half, and the result is 15. If the two free slots were taken for tokens, there would be four weights of one
# quarter.
#
# <!-- contract: decode-step -->
#
# What is in the free slots must make no difference, whatever it is: zeros, numbers that an earlier sequence left
# there, or NaN.


# %% nbgrader={"solution": true}
def decode_step(q, keys, values, lengths):
    """Attention of the newest tokens over the filled slots of their sequences; (batch, heads, 1, v_head_dim)."""
    ### BEGIN SOLUTION
    head_dim = keys.shape[3]
    result = np.empty_like(values[:, :, :1])
    for b, length in enumerate(lengths):
        filled_keys = keys[b, :, :length]
        filled_values = values[b, :, :length]
        scores = q[b] @ filled_keys.swapaxes(1, 2) / head_dim**0.5
        result[b] = reference.softmax(scores) @ filled_values
    return result
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("decode-step", decode_step, aspect="in step")

# %% nbgrader={"grade": true}
check("decode-step", decode_step, aspect="different lengths")

# %% nbgrader={"grade": true}
check("decode-step", decode_step, aspect="free slots")

# %% [markdown]
# ## 3 · In any chunks, the same result
#
# *20 minutes. You need: `np.where`, `np.concatenate`; part 2 read.*
#
# Before a model writes, it reads a prompt, and the tokens of a prompt are all there at once. Handling them together
# is called *prefill*. A very long prompt is cut into *chunks*, because the scores of all pairs of tokens would take
# too much memory. Decoding is the case of chunks of one token. However a sequence is cut, each token must get the
# same result, up to rounding: that of causal attention over the whole sequence.
#
# A *mask* says which keys a query may attend to, and True means that it may. Give a score of minus infinity to a key
# that it may not attend to: softmax makes a weight of exactly 0 of that.
#
# By hand: three tokens with the values 10, 20 and 60, in chunks of 1 and 2. All queries and keys are 0, so that each
# token gets the mean of the values that it sees. Token 0 comes alone and gets 10. Then tokens 1 and 2 come together.
# Token 1 sees 10 and 20, and gets 15. Token 2 sees all three, and gets 30.
#
# <!-- contract: attend-in-chunks -->
#
# Here q, k and v of all tokens are handed over together, so that no buffer is needed. Do not look ahead all the same:
# when a chunk is computed, the chunks after it do not exist yet. And hold the scores of one chunk at a time; one of the
# checks looks at the memory.


# %% nbgrader={"solution": true}
def attend_in_chunks(q, k, v, chunks):
    """Causal attention, computed chunk by chunk; (batch, heads, seq, v_head_dim)."""
    ### BEGIN SOLUTION
    head_dim = k.shape[3]
    pieces = []
    start = 0
    for size in chunks:
        end = start + int(size)
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) / head_dim**0.5
        mask = reference.causal_mask(end - start, end)
        weights = reference.softmax(np.where(mask, scores, -np.inf))
        pieces.append(weights @ v[:, :, :end])
        start = end
    return np.concatenate(pieces, axis=2)
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("attend-in-chunks", attend_in_chunks, aspect="prefill")

# %% nbgrader={"grade": true}
check("attend-in-chunks", attend_in_chunks, aspect="decode")

# %% nbgrader={"grade": true}
check("attend-in-chunks", attend_in_chunks, aspect="any chunks")

# %% nbgrader={"grade": true}
check("attend-in-chunks", attend_in_chunks, aspect="long prompt")

# %% [markdown]
# ## 4 · What the cache costs
#
# *10 minutes. You need: arithmetic; part 1 read.*
#
# A model has many layers, and each has a cache of its own. For long texts and many users at once, the cache can be
# larger than the model. In some models several query heads share one head of keys and values, so that `n_kv_heads` is
# smaller than `n_heads`. Here keys and values are equally wide. How many bytes does it take?
#
# By hand: one layer, four query heads, two key/value heads of width 8, ten tokens, one sequence, 2 bytes for each
# number. One token leaves 2 keys and 2 values of 8 numbers each: 32 numbers, 64 bytes. Ten tokens leave 640 bytes.
#
# <!-- contract: kv-cache-bytes -->
#
# One of the checks is a model that you may have used: Llama-3-70B has 80 layers, 64 query heads and 8 key/value heads
# of width 128. At 32,768 tokens and 2 bytes a number its cache takes 10 GiB, that is 10 · 2³⁰ bytes.


# %% nbgrader={"solution": true}
def kv_cache_bytes(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    """Bytes of the keys and values of all layers, tokens and sequences, as a whole number."""
    ### BEGIN SOLUTION
    one_key = n_kv_heads * head_dim * bytes_per_element  # of one token and layer, all heads
    one_token = n_layers * 2 * one_key  # its key and its value
    return batch * tokens * one_token
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("kv-cache-bytes", kv_cache_bytes, aspect="one layer")

# %% nbgrader={"grade": true}
check("kv-cache-bytes", kv_cache_bytes, aspect="layers")

# %% nbgrader={"grade": true}
check("kv-cache-bytes", kv_cache_bytes, aspect="published models")

# %% [markdown]
# ## 5 · A ring of slots
#
# *10 minutes. You need: `%`, the remainder; part 1 read.*
#
# Some models have a *sliding window*: a token attends to the newest `window` tokens only, itself included. Older keys
# and values will never be read again, so that `window` slots are enough, however long the text becomes. Nothing has
# to be moved for that. Token number `p` lives in slot `p % window`. When all slots are filled, the next token takes
# the slot of the oldest one. Slot 0 follows on the last slot: a *ring*.
#
# By hand, with a window of 3, the tokens' numbers in the slots:
#
# ```
#               slot 0   slot 1   slot 2
# 2 tokens         0        1      free
# 3 tokens         0        1        2
# 4 tokens         3        1        2
# 5 tokens         3        4        2
# ```
#
# So if the ring holds `[10, 11, 12]` after 3 tokens, the two new tokens 13 and 14 make `[13, 14, 12]`.
#
# <!-- contract: ring-append -->
#
# From here on all sequences of a batch are equally long, and `length` is a plain number. It counts all tokens seen so
# far, those that have been overwritten too, so it can be larger than `window`. Slots that no new token takes keep
# what they held.


# %% nbgrader={"solution": true}
def ring_append(cache, length, new):
    """The ring after further tokens, each in the slot of its number; (batch, kv_heads, window, head_dim)."""
    ### BEGIN SOLUTION
    window = cache.shape[2]
    after = np.array(cache)  # a copy
    for i in range(new.shape[2]):
        after[:, :, (length + i) % window] = new[:, :, i]
    return after
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("ring-append", ring_append, aspect="one token")

# %% nbgrader={"grade": true}
check("ring-append", ring_append, aspect="across the end")

# %% nbgrader={"grade": true}
check("ring-append", ring_append, aspect="a long chunk")

# %% [markdown]
# ## 6 · One query against the ring
#
# *15 minutes. You need: indexing with an array; parts 2 and 5 read.*
#
# Now decode from a ring: the newest token's query attends to the filled slots, its own included. The keys are not in
# the order of the text, and that changes nothing, because softmax and sum do not ask for an order. But a model may
# need to know where each key stands, for instance to work with the distance between two tokens. So give the positions
# as well: for each slot the number of the token in it, and -1 for a free slot.
#
# By hand: a window of 3 after 4 tokens, as in the table of part 5: the slots hold tokens 3, 1 and 2. With the values
# `[40, 20, 30]` in the slots and keys of 0, the result is their mean, 30, and the positions are `[3, 1, 2]`.
#
# <!-- contract: ring-decode -->
#
# Free slots hold numbers that mean nothing, of any size.


# %% nbgrader={"solution": true}
def ring_decode(q, keys, values, length):
    """Attention of the newest tokens over a ring, (batch, heads, 1, v_head_dim), and each slot's token, (window,)."""
    ### BEGIN SOLUTION
    window = values.shape[2]
    positions = np.full(window, -1)
    for token in range(length):
        positions[token % window] = token
    filled = positions >= 0
    scores = q @ keys[:, :, filled].swapaxes(2, 3) / keys.shape[3] ** 0.5
    result = reference.softmax(scores) @ values[:, :, filled]
    return result, positions
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("ring-decode", ring_decode, aspect="filling")

# %% nbgrader={"grade": true}
check("ring-decode", ring_decode, aspect="full")

# %% [markdown]
# ## 7 · In your own words
#
# *10 minutes. You need: parts 2 to 4 read. 4 points, given by a person.*
#
# A model has 32 layers and 32 query heads of width 128, and keeps its cache
# in 2 bytes a number. In at most 200 words:
#
# (a) With a cache, the newest token gets what it would get if the whole text were computed again, up to rounding.
# Which property of causal attention makes that so, layer after layer (1 point)?
#
# (b) A colleague's mask lets query `i` see keys 0 to `i`, whatever the number of keys. All tests with the whole
# prompt in one chunk pass. What does the model see when it decodes one token at a time, and why did the tests not
# show it (1 point)?
#
# (c) How many GiB does the cache of one text of 131,072 tokens take if each query head has its own key/value head,
# and how many with 8 key/value heads (1 point)?
#
# (d) How often is each number of the cache read for one new token, and how much arithmetic is done with it? Say why
# decoding is limited by the memory's speed rather than by the arithmetic (1 point).

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-decoding"}
# ### BEGIN SOLUTION
# **An answer.** (a) Under a causal mask, what a layer computes for a token depends on that token and those before it,
# and on nothing that comes later. So in every layer its key and value are the same with or without later tokens: what
# was stored is what would be computed again. The newest query meets the same keys and values, and gets the same
# result.
#
# (b) Decoding has one query and many keys. Query 0 sees key 0 only, so each new token attends to the first token of
# the text, and not to what it continues, nor to itself. In one chunk there are as many queries as keys, and then this
# mask and the right one are the same.
#
# (c) A token leaves 32 · 2 · 32 · 128 · 2 = 524,288 bytes, half a MiB, so 131,072 tokens take 64 GiB. With 8
# key/value heads it is a quarter: 16 GiB.
#
# (d) Each number is read once, and goes into one multiplication and one addition for each query head that uses it.
# That is about one operation for each byte, or four with 8 shared heads. A processor can do many more operations in
# the time in which it reads a byte, so it waits for the memory.
#
# **Rubric (4 points).**
#
# - 1 point: a token's keys and values, in every layer, do not depend on later tokens (not only "they are stored").
# - 1 point: each decoded token sees the first key only; with as many queries as keys both masks agree.
# - 1 point: 64 GiB and 16 GiB. Half a point if one is right, or if both are off by one and the same factor.
# - 1 point: read once, used for one multiplication and addition a query head, hence too little arithmetic for each
#   byte. Half a point for "everything must be read for each token" alone.
# ### END SOLUTION
