# %% [markdown]
# # 06 · Latents: one small vector for all heads
#
# **Time:** about 150 minutes, in eight parts of 10 to 30 minutes and a written question.
# **You need:** NumPy `reshape`, `@` and broadcasting; what attention with several heads and a causal mask computes.
# Nothing that is graded needs torch; the last, optional experiment does. No GPU.
# **Beside it:** chapter 06 of the book, *Latents*. Everything that you need is also said here.
#
# A model that writes text keeps something of every earlier token, and reads all of it for each new one. Keeping keys
# and values for fewer heads makes this *cache* smaller, but then heads have to share them. DeepSeek-V2 (2024) went
# another way: keep one small vector for each token, the *latent*, from which the keys and values of all heads can be
# made again. Better still, they need not be made at all, as you will see in part 5. This is multi-head latent
# attention, MLA. In this notebook you build it piece by piece, up to a step of decoding, and then ask how small the
# latent may be.
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
# | `heads`, `n_heads` | heads |
# | `q_len`, `k_len` | queries, the tokens that ask; keys, the tokens that are asked |
# | `seq` | tokens, where it does not matter which of the two they are |
# | `past` | tokens that are in the cache |
# | `d_model` | numbers for each token between the layers |
# | `latent_rank` | numbers in one latent |
# | `head_dim` | numbers in the *content part* of one query or key: the part that knows no position |
# | `rope_head_dim` | numbers in the *rotary part* of one query or key: the part that is turned by the position; even |
# | `v_head_dim` | numbers in one value |
#
# An array with heads is `(batch, heads, length, dim)`. A query or key is `head_dim + rope_head_dim` wide, the content
# part first. Weights act from the right, `x @ w`, and in the columns of a weight matrix the heads stand side by side:
# head `h` owns columns `h * head_dim` to `(h + 1) * head_dim - 1`. Counting starts at 0.

# %% [markdown]
# ## 1 · Root mean square
#
# *10 minutes. You need: `mean` along an axis.*
#
# A latent is *normed* before anything else is made of it, so that its size is always about the same. RMSNorm (Zhang
# and Sennrich 2019) divides each vector by the root of the mean of its squares, and then multiplies number by number
# with a weight that was learned:
#
# $$y = \frac{x}{\sqrt{\mathrm{mean}(x^2) + \epsilon}} \cdot w$$
#
# The mean is over the last axis: each token by itself. The small number `eps` ($\epsilon$) is added to the mean, inside
# the root. It keeps a vector of zeros from dividing by 0, and matters for small vectors only. Nothing is taken away
# from $x$ first; that would be LayerNorm.
#
# By hand: the vector `[1, 7]` has squares 1 and 49, their mean is 25, the root 5. With the weight `[1, 10]` it becomes
# `[0.2, 14]`. A vector of zeros stays zeros.
#
# <!-- contract: rms-norm -->


# %% nbgrader={"solution": true}
def rms_norm(x, weight, eps):
    """Divide each vector by its root mean square, and weigh its numbers; returns (batch, seq, width)."""
    ### BEGIN SOLUTION
    square = (x * x).mean(axis=-1, keepdims=True)
    return x / np.sqrt(square + eps) * weight
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("rms-norm", rms_norm, aspect="values")

# %% nbgrader={"grade": true}
check("rms-norm", rms_norm, aspect="eps")

# %% nbgrader={"grade": true}
check("rms-norm", rms_norm, aspect="float32")

# %% [markdown]
# ## 2 · Turning by a position
#
# *20 minutes. You need: slices with a step, sine and cosine.*
#
# Attention by itself does not know where a token stands. Rotary embedding (Su and others 2021) tells it by turning
# queries and keys. The `dim` numbers of a vector are taken in pairs, and each pair is a point in a plane. At position
# $p$, pair $i$ is turned by the angle
#
# $$\theta = p \cdot 10000^{-2i/\mathrm{dim}} \quad \text{(in radians)}, \qquad
# (a, b) \to (a \cos\theta - b \sin\theta,\; a \sin\theta + b \cos\theta),$$
#
# with $i = 0, 1, \dots, \mathrm{dim}/2 - 1$. Pair 0 turns by 1 radian for each position, the later ones more slowly.
# The product of a turned query and a turned key then depends on how far apart the two stand, not on where.
#
# Two ways of pairing are in use, and a model works with its own only:
#
# - `"interleaved"`: neighbours, numbers $2i$ and $2i + 1$ (RoFormer, DeepSeek);
# - `"halves"`: one of the first half with one of the second, numbers $i$ and $i + \mathrm{dim}/2$ (GPT-NeoX, and
#   Llama in the library *transformers*).
#
# In both, every number goes back to the place where it came from. `positions` says where each token stands, for each
# sequence; the numbers need not begin at 0, and may have gaps.
#
# By hand: `[1, 0, 1, 0]` at position 1. The pairs turn by 1 radian and by 1/100. Interleaved, both pairs are (1, 0)
# and become (cos 1, sin 1) = (0.5403, 0.8415) and (cos 0.01, sin 0.01) = (1, 0.01), rounded. With halves, the pairs are
# (1, 1), the numbers 0 and 2, and (0, 0). The first becomes (cos 1 - sin 1, sin 1 + cos 1) = (-0.3012, 1.3818), and
# these are numbers 0 and 2 again.
#
# <!-- contract: apply-rotary -->


# %% nbgrader={"solution": true}
def apply_rotary(x, positions, pairing):
    """Turn each pair of numbers by an angle that grows with the position; returns (batch, heads, seq, dim)."""
    ### BEGIN SOLUTION
    dim = x.shape[-1]
    frequencies = 10_000.0 ** (-np.arange(0, dim, 2) / dim)
    angles = positions[:, None, :, None] * frequencies  # (batch, 1, seq, dim / 2)
    if pairing == "interleaved":
        first, second = slice(0, None, 2), slice(1, None, 2)
    else:
        first, second = slice(0, dim // 2), slice(dim // 2, None)
    a, b = x[..., first], x[..., second]
    turned = np.empty_like(x)  # has the input's dtype, and keeps it when float64 is written into it
    turned[..., first] = a * np.cos(angles) - b * np.sin(angles)
    turned[..., second] = a * np.sin(angles) + b * np.cos(angles)
    return turned
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("apply-rotary", apply_rotary, aspect="interleaved")

# %% nbgrader={"grade": true}
check("apply-rotary", apply_rotary, aspect="halves")

# %% nbgrader={"grade": true}
check("apply-rotary", apply_rotary, aspect="float32")

# %% [markdown]
# ## 3 · One latent, one rotary key
#
# *10 minutes. You need: the introduction read.*
#
# Now the compression. One matrix, `w_down`, takes each token from `d_model` to `latent_rank + rope_head_dim` numbers.
# The first `latent_rank` of them are the latent, the rest is the *rotary key*. All heads share both.
#
# The latent is normed, once, with RMSNorm: divided by the root of the mean of its squares plus `1e-6`, then multiplied
# by the weight `norm`. The rotary key is not normed. It is also not turned yet: return it as it comes out of the
# product. Whoever puts it into a cache knows its position, and turns it then.
#
# By hand: the token `[1, 2]`, a `w_down` with the rows `[1, 7, 3, 0]` and `[0, 0, 0, 2]`, and `rope_head_dim` 2. The
# product is `[1, 7, 3, 4]`: the latent is `[1, 7]`, the key `[3, 4]`. The mean of 1 and 49 is 25, the root 5; with the
# weight `[1, 10]` the latent becomes `[0.2, 14]` (the 1e-6 does not show). The key stays `[3, 4]`.
#
# <!-- contract: compress-to-latent -->


# %% nbgrader={"solution": true}
def compress_to_latent(x, w_down, norm, rope_head_dim):
    """Make a normed latent and a rotary key of each token; returns the two."""
    ### BEGIN SOLUTION
    latent_rank = len(norm)
    down = x @ w_down
    latent = reference.rms_norm(down[..., :latent_rank], norm)
    rotary_key = down[..., latent_rank:]
    return latent, rotary_key
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("compress-to-latent", compress_to_latent, aspect="values")

# %% nbgrader={"grade": true}
check("compress-to-latent", compress_to_latent, aspect="small latents")

# %% nbgrader={"grade": true}
check("compress-to-latent", compress_to_latent, aspect="float32")

# %% [markdown]
# ## 4 · Keys and values from a latent
#
# *25 minutes. You need: the shapes above; `@` on arrays with four axes.*
#
# The plain way to attend: make the keys and values again. For each head,
#
# - the content part of a key is its latent times the head's columns of `w_uk`;
# - a value is the latent times the head's columns of `w_uv`;
# - the rotary part of a key is the rotary key, the same for all heads.
#
# A query has both parts, content first. So a score is the product of the content parts plus the product of the rotary
# parts, all of it divided by the square root of `head_dim + rope_head_dim`. The weights are the softmax of the scores
# over the keys, and the result is the sum of the values, each times its weight.
#
# This attention is *causal*: a query sees no key after its own position. The queries are the newest tokens, so the
# last query sees every key, the one before it every key but the last, and so on, whether or not `q_len` and `k_len`
# are the same. Where `q_len` is larger, the first queries see no key at all, and their result is 0. What a query may
# not see gets a score of minus infinity before the softmax.
#
# By hand: one head, one query, two latents of a single number, 1 and 3. `w_uk` is `[1, 0]`, so the content parts of the
# keys are `[1, 0]` and `[3, 0]`; the rotary keys are `[0, 0]` and `[1, 0]`. `w_uv` is `[10]`: the values are 10 and 30.
# The query is `[log(3) / 2, 0, log 3, 0]`. The products are log(3) / 2 and 3 log(3) / 2 + log 3 = 5 log(3) / 2. Both
# are divided by the root of 2 + 2, which is 2: the scores differ by log 3. So the second weight is three times the
# first, 3/4 and 1/4, and the result is 10 / 4 + 30 · 3 / 4 = 25.
#
# <!-- contract: latent-attention -->
#
# In NumPy 2 `np.sqrt` of a whole number is a float64, which makes float32 arrays float64; `width ** 0.5` does not.


# %% nbgrader={"solution": true}
def latent_attention(q, latent, rotary_key, w_uk, w_uv):
    """Make keys and values from latents, and attend causally; returns (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    heads, q_len, width = q.shape[1:]
    k = reference.split_heads(latent @ w_uk, heads)
    v = reference.split_heads(latent @ w_uv, heads)
    head_dim = k.shape[-1]
    scores = q[..., :head_dim] @ k.swapaxes(-1, -2)
    scores = scores + q[..., head_dim:] @ rotary_key[:, None].swapaxes(-1, -2)  # one rotary key for all heads
    scores = scores / width**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("latent-attention", latent_attention, aspect="values")

# %% nbgrader={"grade": true}
check("latent-attention", latent_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("latent-attention", latent_attention, aspect="float32")

# %% [markdown]
# ## 5 · Without keys and values
#
# *30 minutes. You need: part 4 read.*
#
# Part 4 makes a key and a value for every head and every token in the cache, only to use them once. There is a way
# round it. Call the latent of a token $c$, and one head's columns of `w_uk` the matrix $W$, with `latent_rank` rows and
# `head_dim` columns. The content part of the score is $q \cdot (c W)$, and brackets may be moved:
#
# $$q \cdot (c\, W) = (q\, W^\top) \cdot c$$
#
# So multiply each head's query by its $W^\top$. It is `latent_rank` wide then, and meets the latents themselves; keys
# are never made. This is called *absorbing* $W$ into the query. The same works behind the softmax: the weights times
# the values, which are latents times the head's columns of `w_uv`, are the weights times the latents, and then times
# those columns. The rotary part is as it was, and so is everything else: the mask, the softmax, the empty rows. The
# scores are the same numbers as in part 4, so their scale is the same too, the root of `head_dim + rope_head_dim`,
# although the longer queries are wider.
#
# This part looks at what your function *holds*, too. At its peak, not counting its arguments, it may hold a fifth of
# the bytes that the keys (their content parts) and values of all heads would take. This is measured with 16 heads and
# some four hundred keys. There is room for a few arrays of the size of the scores, and for a copy of the latents and
# of the weights; there is none for latents that are copied for every head. The other aspects do not measure it. (A
# loop that makes keys and values of one head at a time would stay under the limit too. It would make them anew for
# each token, which is the work that this part saves.)
#
# By hand, with the numbers of part 4: $W$ is `[1, 0]`, so the content part of the query, `[log(3) / 2, 0]`, becomes the
# single number log(3) / 2. It meets the latents 1 and 3, which gives log(3) / 2 and 3 log(3) / 2, as before. With the
# rotary parts, and divided by 2, the weights are 1/4 and 3/4. They mix the latents to 1 / 4 + 3 · 3 / 4 = 2.5, and
# `w_uv` makes 25 of that.
#
# <!-- contract: absorbed-latent-attention -->


# %% nbgrader={"solution": true}
def absorbed_latent_attention(q, latent, rotary_key, w_uk, w_uv):
    """Attend to the latents themselves, causally; returns (batch, heads, q_len, v_head_dim)."""
    ### BEGIN SOLUTION
    heads, q_len, width = q.shape[1:]
    latent_rank = latent.shape[-1]
    # One matrix for each head: (heads, head_dim, latent_rank) and (heads, latent_rank, v_head_dim).
    to_latent = w_uk.reshape(latent_rank, heads, -1).transpose(1, 2, 0)
    to_value = w_uv.reshape(latent_rank, heads, -1).transpose(1, 0, 2)
    head_dim = to_latent.shape[1]
    content = q[..., :head_dim] @ to_latent  # (batch, heads, q_len, latent_rank)
    scores = content @ latent[:, None].swapaxes(-1, -2)
    scores = scores + q[..., head_dim:] @ rotary_key[:, None].swapaxes(-1, -2)
    scores = np.where(reference.causal_mask(q_len, scores.shape[-1]), scores / width**0.5, -np.inf)
    mixed = reference.softmax(scores) @ latent[:, None]
    return mixed @ to_value
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("absorbed-latent-attention", absorbed_latent_attention, aspect="values")

# %% nbgrader={"grade": true}
check("absorbed-latent-attention", absorbed_latent_attention, aspect="empty rows")

# %% nbgrader={"grade": true}
check("absorbed-latent-attention", absorbed_latent_attention, aspect="memory")

# %% nbgrader={"grade": true}
check("absorbed-latent-attention", absorbed_latent_attention, aspect="float32")

# %% [markdown]
# ## 6 · A decode step
#
# *20 minutes. You need: parts 3 to 5 read.*
#
# Now one step of writing: each sequence gets one new token. The cache holds, for the `past` tokens before it, the
# latents, *normed already*, and the rotary keys, *turned already*. They stand at positions 0 to `past - 1`, so the new
# token has position `past`: count before you append. In this order:
#
# 1. The new token's product with `w_down` has been made for you: `down`, the latent first, then the rotary key. Norm
#    the latent, once, as in part 3: RMSNorm with the weight `norm` and eps `1e-6`. Turn the rotary key by position
#    `past`, with the pairing "interleaved" and base 10,000, as in part 2.
# 2. Append both to the caches, behind what is there.
# 3. Turn the rotary part of the query, the last `rope_head_dim` numbers, by position `past` in the same way. The
#    content part is not turned.
# 4. Attend to all `past + 1` tokens, the new one included, as in part 4 or as in part 5. There is no mask: the newest
#    token sees all. The scale is the root of `head_dim + rope_head_dim`.
#
# Return the result and both caches, each one token longer. What came from the caches goes back as it was: nothing in
# them is normed or turned a second time. For the very first token the caches are empty, and `past` is 0.
#
# By hand: one head; the cache has one token with the latent `[-1]` and the rotary key `[1, 0]`, so the new token is at
# position 1. `down` is `[7, 1, 0]`. Its latent is `[7]`: over its root mean square, 7, it is 1, and with the weight 5
# it is 5. Its rotary key `[1, 0]`, turned by 1 radian, is `[0.5403, 0.8415]`. So the latents in the cache become -1
# and 5, and the rotary keys `[1, 0]` and `[0.5403, 0.8415]`. The query is `[log(3) / 3, 0]` with a rotary part of
# zeros, which stays zeros. `w_uk` is `[1, 0]`: the products are -log(3) / 3 and 5 log(3) / 3, and divided by the root
# of 4 they differ by log 3. The weights are 1/4 and 3/4, `w_uv` is 10, the values are -10 and 50, and the result is
# -2.5 + 37.5 = 35.
#
# <!-- contract: latent-decode-step -->


# %% nbgrader={"solution": true}
def latent_decode_step(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    """One new token for each sequence; returns (batch, heads, 1, v_head_dim) and the two longer caches."""
    ### BEGIN SOLUTION
    _, past, latent_rank = latent_cache.shape
    heads, _, width = q.shape[1:]
    new_latent = reference.rms_norm(down[..., :latent_rank], norm)
    new_key = reference.apply_rotary(down[:, None, :, latent_rank:], [past])[:, 0]  # as if of one head
    latent_cache = np.concatenate([latent_cache, new_latent], axis=1)
    key_cache = np.concatenate([key_cache, new_key], axis=1)

    k = reference.split_heads(latent_cache @ w_uk, heads)
    v = reference.split_heads(latent_cache @ w_uv, heads)
    head_dim = k.shape[-1]
    turned = reference.apply_rotary(q[..., head_dim:], [past])
    scores = q[..., :head_dim] @ k.swapaxes(-1, -2) + turned @ key_cache[:, None].swapaxes(-1, -2)
    return reference.softmax(scores / width**0.5) @ v, latent_cache, key_cache
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("latent-decode-step", latent_decode_step, aspect="a step")

# %% nbgrader={"grade": true}
check("latent-decode-step", latent_decode_step, aspect="first token")

# %% nbgrader={"grade": true}
check("latent-decode-step", latent_decode_step, aspect="float32")

# %% [markdown]
# ## 7 · What the cache weighs
#
# *10 minutes. You need: the shapes above; multiplication.*
#
# Count the bytes of three caches for one sequence. Each keeps something for every token in every layer:
#
# - the *latent* cache: one latent and one rotary key, for all heads together;
# - the cache of an *MHA* (multi-head attention) with the same number of heads: for each head a key and a value, both
#   `head_dim` wide, without a rotary part of their own;
# - the *expanded* cache, if one kept what the latents stand for: for each head a whole key, `head_dim + rope_head_dim`
#   wide, and a value, `v_head_dim` wide.
#
# By hand: two layers, three heads, `head_dim` 4, `v_head_dim` 5, `latent_rank` 6, `rope_head_dim` 2, ten tokens, two
# bytes for each number. A token in a layer has 6 + 2 = 8 numbers in the latent cache, 2 · 3 · 4 = 24 as MHA, and
# 3 · (4 + 2 + 5) = 33 expanded. Times 2 · 10 · 2 = 40 that is 320, 960 and 1320 bytes.
#
# <!-- contract: latent-cache-bytes -->
#
# When you are done, try `latent_cache_bytes(60, 128, 128, 128, 512, 64, 1, 2)`, the sizes of DeepSeek-V2 and one token.
# The latent cache has 69,120 bytes, 56.9 times fewer than the MHA and 71.1 times fewer than expanded. DeepSeek-V3 has
# one layer more: 70,272 bytes. How many times smaller a cache becomes depends on the heads: DeepSeek-V2-Lite has the
# same latents with 16 heads, `latent_cache_bytes(27, 16, 128, 128, 512, 64, 1, 2)`. Its 31,104 bytes are 7.1 and 8.9
# times fewer.


# %% nbgrader={"solution": true}
def latent_cache_bytes(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    """Bytes of the latent cache, of MHA's and of the expanded one; three whole numbers."""
    ### BEGIN SOLUTION
    latent = latent_rank + rope_head_dim
    mha = 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    each = n_layers * tokens * bytes_per_element
    return latent * each, mha * each, expanded * each
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("latent-cache-bytes", latent_cache_bytes, aspect="two bytes")

# %% nbgrader={"grade": true}
check("latent-cache-bytes", latent_cache_bytes, aspect="other widths")

# %% nbgrader={"grade": true}
check("latent-cache-bytes", latent_cache_bytes, aspect="a long context")

# %% [markdown]
# ## 8 · How small the latent may be
#
# *15 minutes. You need: part 7 read; comparisons on arrays.*
#
# A small latent saves memory, and a latent that is too small costs quality. Say that you want a cache *strictly under
# one eighth* of that of an MHA with the same `n_heads` and `head_dim`, and a validation loss *within 1 bit* of the
# MHA's. You have trained models with several ranks, and measured.
#
# Find two numbers. `most` is the largest whole rank whose cache, for one token and layer, has fewer numbers than an
# eighth of MHA's:
#
# $$r + \mathrm{rope\_head\_dim} < \frac{2 \cdot \mathrm{n\_heads} \cdot \mathrm{head\_dim}}{8}$$
#
# If not even rank 1 is small enough, `most` is 0. `rank` is the smallest of the candidates in `ranks` that is at most
# `most` *and* whose loss is within 1 bit of MHA's; a loss below MHA's is within, too. If there is none, `rank` is -1.
#
# The losses are in *nats*: they come from the natural logarithm. One bit is $\ln 2 = 0.693$ nats. So "within 1 bit"
# means that the loss is at most $\ln 2$, `np.log(2)`, larger than `mha_loss`. Measured losses are noisy, and need not
# fall with every step of the rank.
#
# By hand: four heads of 16, so `d_model` is 64, and no rotary key. MHA keeps 128 numbers, an eighth is 16, and `most`
# is 15. The candidates 4, 8, 12 and 16 have the losses 2.8, 2.6, 2.3 and 2.1, and MHA has 2.0. Rank 4 is 0.8 nats off,
# which is more than a bit; rank 8 is 0.6 off, which is less. So `rank` is 8. With a rotary key of 4 numbers, `most` is
# 11; and if rank 8 had the loss 2.8 as well, there would be no rank that will do: -1.
#
# <!-- contract: latent-rank -->


# %% nbgrader={"solution": true}
def latent_rank(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    """The largest rank with a cache under an eighth of MHA's, and the smallest candidate that will do."""
    ### BEGIN SOLUTION
    # 8 * (r + rope_head_dim) < 2 * n_heads * head_dim, in whole numbers
    most = (n_heads * head_dim - 1) // 4 - rope_head_dim
    most = max(most, 0)
    within = losses - mha_loss <= np.log(2)  # 1 bit in nats
    good = ranks[(ranks <= most) & within]
    rank = int(good[0]) if len(good) else -1
    return most, rank
    ### END SOLUTION


# %% nbgrader={"grade": true}
check("latent-rank", latent_rank, aspect="values")

# %% nbgrader={"grade": true}
check("latent-rank", latent_rank, aspect="at the limit")

# %% nbgrader={"grade": true}
check("latent-rank", latent_rank, aspect="none")

# %% [markdown]
# ### Optional: measure it
#
# The next cell is not graded. With torch it trains seven small models on a copying task, one MHA with four heads of
# 16 and six with latents of different rank, without a rotary key, and asks your function about their losses. It takes
# about half a minute. Without torch it says so, and does nothing.
#
# Look at where the losses fall. A rank of 2 or 4 has to press what four heads need into very few numbers. From some
# rank on, the loss hardly changes, long before the latent has as many numbers as the keys and values that it stands
# for.

# %%
from manyheads import studies

if studies.wanted():
    study = studies.latent_rank()
    for tried, loss in zip(study.ranks, study.losses, strict=True):
        print(f"rank {tried:2}: loss {loss:.3f} nats")
    print(f"MHA:     loss {study.mha_loss:.3f} nats")
    print("most, rank:", latent_rank(4, 16, 0, study.ranks, study.losses, study.mha_loss))

# %% [markdown]
# ## 9 · In your own words
#
# *10 minutes. You need: parts 2 to 7 read. 4 points, given by a person.*
#
# A colleague finds the extra rotary key clumsy, and proposes a simpler MLA. There is no rotary key. The cache holds
# latents only. For each head the key is made from the latent, and then *the whole key* is turned by its position, and
# the whole query by its own, as most models do. "It gives sensible attention," the colleague says, "and then we absorb
# `w_uk` as in part 5." Write the turn by position $p$ as a matrix, so that a turned vector is $x R_p$. For row vectors
# a score is then $(q R_i) \cdot (c\, W R_j)$, for a query at position $i$ and a latent $c$ at position $j$. In at most
# 200 words:
#
# - (a) Move the brackets as in part 5. What stands between $q$ and $c$, and why can it not be multiplied into the query
#   once for all keys (2 points)?
# - (b) What would the colleague's model have to do for each new token instead, although its cache is small (1 point)?
# - (c) MLA's rotary key could also be one for each head. Why is it shared? Give DeepSeek-V2's numbers, 128 heads, a
#   latent of 512 and a rotary key of 64, for one token and layer (1 point).

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 4, "grade_id": "written-rotary-key"}
# ### BEGIN SOLUTION
# **An answer.** (a) Moving the brackets gives $(q\, R_i R_j^\top W^\top) \cdot c$. Between query and latent stands
# $R_i R_j^\top$, a turn by $i - j$, and then $W^\top$. The turn depends on the distance, so it is another matrix for
# each key, and it does not commute with $W^\top$: it cannot be moved to the other side of it, where the cache could
# hold it. So there is no single vector that the query could become: it would be another one for every key. In MLA the
# content part is not turned, so that $q W^\top$ is the same for all keys, and positions are in a part of their own
# which is never made from the latent.
#
# (b) It would have to make and turn the content keys of all heads, for all tokens in the cache, again for each new
# token (or form $q R_i R_j^\top W^\top$ anew for each key, which is no less work). Or it keeps them, and then the cache
# is as large as MHA's keys.
#
# (c) Since it is cached for each token. Shared, an entry has 512 + 64 = 576 numbers. With one for each head it would
# have 512 + 128 · 64 = 8704, fifteen times as many.
#
# **Rubric (4 points).**
#
# - 1 point: $R_i R_j^\top$ (or "the rotation") stands between $q$ and $W^\top$ and depends on the distance $i - j$, or
#   on the key's position.
# - 1 point: so the product with $W^\top$ differs from key to key and no one absorbed query serves all keys; or: it does
#   not commute with $W$, so that it cannot be cached with the latent. The content part must stay unturned.
# - 1 point: all keys (of all heads and cached tokens) must be made and turned again for each new token, or be kept.
#   Half of it for "it is slower" with "keys have to be made".
# - 1 point: it is kept for each token, so one for each head would be most of the cache: 576 numbers against 8704. Half
#   of it without the numbers.
# ### END SOLUTION
