"""What each of `wrong_calls` is told, on both paths. ``{array}`` stands for the path's word for its arrays."""

TOLD = {
    "k longer than v": (ValueError, "k_len of k is 5, but k_len of v is 4; they must be equal"),
    "another batch": (ValueError, "batch of q is 3, but batch of k is 2; they must be equal"),
    "another batch of v": (ValueError, "batch of k is 2, but batch of v is 3; they must be equal"),
    "another head_dim": (ValueError, "head_dim of q is 4, but head_dim of k is 3; they must be equal"),
    "other heads of v": (ValueError, "heads of k is 2, but heads of v is 3; they must be equal"),
    "heads that do not divide": (ValueError, "5 heads of q are not divisible by 2 heads of k"),
    "no K/V head": (ValueError, "kv_heads must be at least 1, got 0"),
    "heads not split": (ValueError, "q must be (batch, heads, q_len, head_dim), got shape (2, 3, 24)"),
    "k of three axes": (ValueError, "k must be (batch, kv_heads, k_len, head_dim), got shape (2, 5, 4)"),
    "a list": (TypeError, "q must be {array}, got list"),
    "integers": (TypeError, "q must be floating point, got int64"),
    "another dtype of k": (TypeError, "q is float32, but k is float64; give both the same dtype"),
    "another dtype of v": (TypeError, "k is float32, but v is float64; give both the same dtype"),
    "head_dim 0": (ValueError, "head_dim must be at least 1, got 0"),
    "an integer mask": (
        TypeError,
        "mask must be boolean, True where a query may attend, got int64; numbers that are added to the scores "
        "go to bias=",
    ),
    "a float mask": (
        TypeError,
        "mask must be boolean, True where a query may attend, got float32; numbers that are added to the "
        "scores go to bias=",
    ),
    "a list as mask": (TypeError, "mask must be {array}, got list"),
    "a boolean bias": (TypeError, "bias must be floating point, got bool; a boolean goes to mask="),
    "an integer bias": (TypeError, "bias must be floating point, got int64; convert it to a float dtype"),
    "a mask of one axis": (
        ValueError,
        "mask must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (5,)",
    ),
    "a mask of three axes": (
        ValueError,
        "mask must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (2, 3, 5); give the missing axis: mask[:, None] for heads, mask[None] for "
        "the batch",
    ),
    "a mask of another length": (
        ValueError,
        "mask must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (3, 4)",
    ),
    "padding as (batch, k_len)": (
        ValueError,
        "mask must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (2, 5); padding comes as (batch, 1, 1, k_len), which padding_mask makes",
    ),
    "a mask for K/V heads": (
        ValueError,
        "mask must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (2, 2, 3, 5)",
    ),
    "a bias of three axes": (
        ValueError,
        "bias must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (6, 3, 5); give the missing axis: bias[:, None] for heads, bias[None] for "
        "the batch",
    ),
    "a bias of another length": (
        ValueError,
        "bias must be (q_len, k_len) = (3, 5), or four axes that broadcast to (batch, heads, q_len, k_len) = "
        "(2, 6, 3, 5); got shape (1, 6, 3, 6)",
    ),
    "causal as a number": (TypeError, "causal must be True or False, got 1"),
    "a window without causal": (
        ValueError,
        "window=4 alone does not say which side it means; give causal=True (4 keys, itself included) or a "
        "pair (left, right)",
    ),
    "a window of 0": (
        ValueError,
        "window must be at least 1, got 0: it counts the token itself; leave it out for none",
    ),
    "half a window": (TypeError, "window must be a whole number, got 2.5"),
    "a window that is True": (TypeError, "window must be a whole number, got True"),
    "a window of three sides": (ValueError, "a window with two sides is a pair (left, right), got (1, 2, 3)"),
    "a negative side": (ValueError, "window's left must be at least 0, got -1"),
    "scale nan": (ValueError, "scale must be finite, got nan"),
    "scale as text": (TypeError, "scale must be a number, got 'x'"),
    "softcap 0": (ValueError, "softcap must be greater than 0, got 0; leave it out for none"),
    "softcap infinite": (ValueError, "softcap must be finite, got inf; leave it out for none"),
    "an unknown stage": (
        ValueError,
        "stage must be one of 'scaled', 'capped', 'masked', 'weights', got 'weight'; did you mean 'weights'?",
    ),
    "block of one number": (TypeError, "block must be a pair (queries, keys), got 5"),
    "block of no queries": (ValueError, "block's queries must be at least 1, got 0"),
    "a gradient of another shape": (ValueError, "d_out must have the output's shape (2, 6, 3, 7), got (2, 6, 3, 4)"),
    "a gradient of another dtype": (TypeError, "q is float32, but d_out is float64; give both the same dtype"),
    "softmax of integers": (TypeError, "scores must be floating point, got int64"),
    "softmax_backward of two shapes": (ValueError, "weights have shape (3,), but d_weights (4,); they must be equal"),
    "nothing to merge": (ValueError, "there is no part to merge; give pairs (out, lse)"),
    "parts that do not fit": (
        ValueError,
        "part 1 has out (2, 6, 3, 4) and lse (2, 6, 4); with part 0's out (2, 6, 3, 4) they must be (2, 6, 3, "
        "4) and (2, 6, 3)",
    ),
    "a negative length": (ValueError, "q_len must be at least 0, got -1"),
    "padding without k_len": (ValueError, "k_len is missing: with lengths, padding_mask(lengths, k_len) needs it"),
    "padding of floats": (
        TypeError,
        "lengths must be integers (batch,) or boolean flags (batch, k_len), got float32 of shape (2,)",
    ),
    "padding longer than the row": (ValueError, "lengths must be from 0 to k_len=4, got [1, 5]"),
    "a layout of integers": (TypeError, "layout must be boolean, got int64"),
    "blocks of 0": (ValueError, "block must be at least 1, got 0"),
    "masks that do not fit": (ValueError, "these masks do not fit together: (2, 3), (2, 4)"),
    "a float among masks": (TypeError, "a mask must be boolean, True where a query may attend, got float32"),
    "polarity of numbers": (TypeError, "mask must be boolean, got float32"),
    "ALiBi as a mask": (ValueError, "bias holds -0.0625, so it is more than a mask; give it to bias="),
    "a neighbour less than none": (ValueError, "left must be at least -1, got -2"),
    "heads that do not tile": (ValueError, "heads=6 is not divisible by n_kv_heads=4"),
    "rotary of an odd width": (ValueError, "dim must be even, for rotary turns pairs of elements; got 7"),
    "rotary at other positions": (
        ValueError,
        "positions must be (seq,) = (3,) or (batch, seq) = (2, 3), got shape (2,)",
    ),
    "rotary between tokens": (TypeError, "positions must be integers, got {float}"),
    "an unknown pairing": (
        ValueError,
        "pairing must be one of 'interleaved', 'halves', got 'half'; did you mean 'halves'?",
    ),
    "another width of the norm": (ValueError, "width of x is 12, but width of weight is 11; they must be equal"),
    "heads that do not pool": (ValueError, "n_heads=6 is not divisible by n_kv_heads=4"),
    "q and k of two widths": (
        ValueError,
        "k has shape (2, 2, 3, 5), but q (2, 6, 3, 4); batch, seq and head_dim must be equal",
    ),
    "w_o for other heads": (ValueError, "n_heads * v_head_dim of x is 24, but rows of w_o is 20; they must be equal"),
    "d_model of w_q": (ValueError, "d_model of x is 12, but rows of w_q is 11; they must be equal"),
    "d_model of w_v": (ValueError, "d_model of x is 12, but rows of w_v is 11; they must be equal"),
    "columns of w_q": (ValueError, "25 columns of w_q are not divisible by n_heads=6"),
    "columns of w_k": (ValueError, "head_dim of w_q is 4, but head_dim of w_k is 5; they must be equal"),
    "rows of w_o": (ValueError, "n_heads * v_head_dim of w_v is 42, but rows of w_o is 40; they must be equal"),
    "heads of gqa": (ValueError, "n_heads=6 is not divisible by n_kv_heads=4"),
    "x of two axes": (ValueError, "x must be (batch, q_len, d_model), got shape (3, 12)"),
    "x of another dtype": (TypeError, "x is float64, but w_q is float32; give both the same dtype"),
    "an unknown option": (TypeError, "unknown option 'masks'; did you mean 'mask'?"),
    "a bias too wide": (ValueError, "columns of w_q is 24, but width of b_q is 25; they must be equal"),
    "context of another batch": (ValueError, "batch of x is 2, but batch of context is 3; they must be equal"),
    "rotary across sequences": (ValueError, "rotary needs queries and keys of one sequence; with context leave it out"),
    "lengths without a cache": (
        ValueError,
        "lengths go with a cache; without one, give mask=padding_mask(lengths, k_len)",
    ),
    "a latent cache for gqa": (
        TypeError,
        "cache must be a KVCache ({module}.cache), got LatentCache ({module}.{latent_cache})",
    ),
    "a window that the cache has not": (
        ValueError,
        "window=3, but the cache has window=None; a cache's window is set where it is made",
    ),
    "a cache that is not causal": (
        ValueError,
        "a cache is read causally: leave causal out, or give causal=True",
    ),
    "rows of w_up": (ValueError, "latent_rank of norm is 5, but rows of w_up is 6; they must be equal"),
    "columns of w_up": (
        ValueError,
        "w_up must have n_heads * (head_dim + v_head_dim) = 3 * (4 + 5) = 27 columns, got 30; a head of w_q "
        "less w_down's 2 rotary columns is head_dim, a head of w_o v_head_dim",
    ),
    "w_down narrower than its latent": (ValueError, "w_down has 4 columns, fewer than latent_rank=5 of norm"),
    "columns of MLA's w_q": (ValueError, "20 columns of w_q are not divisible by n_heads=3"),
    "a rotary part with context": (
        ValueError,
        "with context there is no rotary part: w_down must have latent_rank=5 columns, got 7",
    ),
    "no capacity": (
        ValueError,
        "give capacity, the tokens that the cache can hold, or window, the tokens that it keeps",
    ),
    "a capacity of 0": (ValueError, "capacity must be at least 1, got 0"),
    "capacity and window": (ValueError, "capacity is 5, but window is 3; they must be equal"),
    "a cache overrun": (
        ValueError,
        "the cache holds 4 tokens a sequence; sequence 0 has 0, and 5 more do not fit: make the cache with "
        "capacity=5 or more",
    ),
    "a cache of another batch": (ValueError, "batch of k is 3, but the cache's is 2; they must be equal"),
    "a cache of other heads": (ValueError, "kv_heads of k is 3, but the cache's is 2; they must be equal"),
    "a cache of another dtype": (TypeError, "the cache is float32, but k is float64; give both the same dtype"),
    "fewer values than keys": (ValueError, "length of k is 2, but length of v is 1; they must be equal"),
    "lengths for another batch": (ValueError, "lengths must be 2 whole numbers, one for each sequence, got [1]"),
    "lengths over the chunk": (ValueError, "lengths must be from 0 to the 2 tokens given, got [1, 3]"),
}
