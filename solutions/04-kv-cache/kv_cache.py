# %% [markdown]
# # 04 · The KV cache: what is kept between tokens
#
# **Time:** about 110 minutes, in six parts of 10 to 25 minutes and a written question.
# **You need:** NumPy slicing, broadcasting and `@`. No GPU, no torch.
# **Beside it:** chapter 04 of the book, *The KV cache*. Everything that you need is also said here.
#
# A language model writes one token at a time, and each new token attends to all tokens before it. Their keys and
# values have been computed once already, and they do not change. So they are kept: that is the KV cache. In this
# notebook you write one. You store new tokens, attend with one query and with chunks of queries, count the bytes, and
# build the ring that a model with a sliding window uses.
#
# <!-- how it works -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

from manyheads import reference
from manyheads.grading import check

# %% [markdown]
# **Shapes** are written with these names throughout. Heads always stand behind the batch and in front of the tokens:
#
# | name | meaning |
# |---|---|
# | `batch` | sequences handled at once |
# | `heads` | query heads |
# | `kv_heads` | heads that have keys and values; in parts 2, 3 and 6 as many as query heads, and called `heads` |
# | `seq` | tokens in each sequence |
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
#
# **Dtypes.** Inputs come in float32 and in float64, all arrays of one call alike; return what came in.
# `np.zeros(shape)` and division by `np.sqrt(...)` of a whole number make float64. Use `np.zeros(shape, x.dtype)` and
# `head_dim**0.5`.

# %% [markdown]
# ## 1 · Behind the tokens that are there
#
# *10 minutes. You need: slices, and assigning to a slice.*
#
# Making an array longer by one token means copying it, for each token again. A cache is therefore made once, with room
# for the longest text that is expected: a *buffer* of `capacity` slots. Beside it stands how many slots are filled. The
# slots behind those are free, and may hold anything. Keys have such a buffer and values have another one; this function
# serves both. The sequences of a batch need not be equally long, so there is a length for each.
#
# By hand: two sequences, one head of width 1, four slots. Sequence 0 has two filled slots, `[10, 20, 0, 0]`, and
# sequence 1 has one, `[50, 0, 0, 0]`. Each gets one new token. Sequence 0 goes on in slot 2: 30 makes
# `[10, 20, 30, 0]`. Sequence 1 goes on in slot 1: 60 makes `[50, 60, 0, 0]`.
#
# <!-- contract: append-to-cache -->
#
# Return a new array in which only the slots of the new tokens differ. Here `lengths` does not count the new tokens.


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
# *20 minutes. You need: `@`, `swapaxes`; part 1 read, and the short account of attention above.*
#
# To write one more token, a model needs one result: that of the newest token. Its key and its value have been stored,
# and are the last of the filled slots, so that here `lengths` counts the newest token too. Its query attends to every
# filled slot. Earlier queries have done their work, and nobody needs them again. This is called *decoding*.
#
# By hand: three slots, two filled, `head_dim` 4. The query is `[1, 1, 1, 1]`. Key 0 is all 0, and key 1 has four times
# the number ln(3) / 2. The sums of products are 0 and 2 · ln(3). Divided by the square root of 4, the scores are 0 and
# ln(3). e to the power of these is 1 and 3, so the weights are 1/4 and 3/4. With the values 10 and 20 the result is
# 17.5. The free slot holds zeros. Taken for a token, it would have a score of 0 as well, and the weights would be 1/5,
# 3/5 and 1/5.
#
# <!-- contract: decode-step -->
#
# There is one query for each sequence and head, so that the third axis has the size 1, and keeps it. What is in the
# free slots must make no difference, whatever it is: zeros, numbers that an earlier sequence left there, or NaN. Loop
# over the sequences, or see part 3 for masks.


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
# *25 minutes. You need: `np.where`, `np.concatenate`; part 2 read.*
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
# when a chunk is computed, the chunks after it do not exist yet. A check puts NaN into the last chunk's keys and
# values, and looks at the tokens before it. And hold the scores of one chunk at a time. In a check with a long prompt,
# your function may hold, beside its arguments, 40 times what the scores of the largest chunk take in the dtype of the
# input. A few arrays of that size are fine, in float64 too. The scores of all pairs of tokens would take 140 times as
# much as the largest chunk's.


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
# The size is also a matter of time. For each new token, every number of the cache is read from memory once, and each
# query head that uses it does one multiplication and one addition with it.
#
# By hand: one layer, four query heads, two key/value heads of width 8, ten tokens, one sequence, 2 bytes for each
# number. One token leaves 2 keys and 2 values of 8 numbers each: 32 numbers, 64 bytes. Ten tokens leave 640 bytes.
#
# <!-- contract: kv-cache-bytes -->
#
# One of the checks is a model that you may have used: Llama-3-70B has 80 layers, 64 query heads and 8 key/value heads
# of width 128. At 32,768 tokens and 2 bytes a number its cache takes 10 GiB, that is 10 · 2³⁰ bytes. Counts can be
# larger than a float holds exactly; whole numbers in Python have no limit.


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
# the slot of the oldest one. After the last slot comes slot 0 again: a *ring*.
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
# far, those that have been overwritten too but not the new ones, so it can be many times `window`. Slots that no new
# token takes keep what they held.


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
# *20 minutes. You need: indexing with an array; parts 2 and 5 read.*
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
# `length` counts the newest token. Free slots hold numbers that mean nothing, of any size (never NaN here).


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
# *15 minutes. You need: parts 2 to 4 read. 4 points, given by a person.*
#
# A model has 40 layers and 40 query heads of width 128, and keeps its cache in 2 bytes a number. In at most 200 words:
#
# (a) With a cache, the newest token gets what it would get if the whole text were computed again, up to rounding.
# Which property of causal attention makes that so, layer after layer (1 point)?
#
# (b) A colleague's mask lets query `i` of a chunk see keys 0 to `i`, whatever the number of keys. All tests with the
# whole prompt in one chunk pass. What does the model see when it decodes one token at a time, and why did the tests
# not show it (1 point)?
#
# (c) How many GiB does the cache of one text of 100,000 tokens take if each query head has its own key/value head,
# and how many with 8 key/value heads (1 point)?
#
# (d) How often is each number of the cache read from memory for one new token, and how much arithmetic is done with
# it, in each of the two models of (c)? Say why decoding is limited by the memory's speed rather than by the
# arithmetic (1 point).

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
# (c) A token leaves 40 · 2 · 40 · 128 · 2 = 819,200 bytes, so 100,000 tokens take 81,920,000,000 bytes: 76.3 GiB. With
# 8 key/value heads it is a fifth: 15.3 GiB.
#
# (d) Each number is read once in both, and goes into one multiplication and one addition for each query head that uses
# it: one head without sharing, five heads with 8 key/value heads. That is about one operation for each byte, or five.
# A processor can do many more operations in the time in which it reads a byte, so it waits for the memory.
#
# **Rubric (4 points).**
#
# - 1 point: a token's keys and values, in every layer, do not depend on later tokens (not only "they are stored").
# - 1 point: each decoded token sees the first key only; with as many queries as keys both masks agree.
# - 1 point: 76.3 GiB and 15.3 GiB (or 76 and 15). Half a point if one is right, or if both are off by one and the
#   same factor, as 81.9 and 16.4 are, which are billions of bytes.
# - 1 point: read once, used for one multiplication and addition a query head, hence too little arithmetic for each
#   byte. Half a point for "everything must be read for each token" alone.
# ### END SOLUTION
