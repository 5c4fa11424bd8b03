"""The known mistakes of head-view-strides."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _views(row, starts, head_steps, seq):
    """Strides and starts of three views with rows of one width."""
    return np.array([[seq * row, step, row, 1] for step in head_steps], np.int64), np.array(starts, np.int64)


def _starts(heads, kv_heads, head_dim):
    return [0, heads * head_dim, (heads + kv_heads) * head_dim]


def _rows_of_queries(seq, heads, kv_heads, head_dim):
    return _views(heads * head_dim, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)


def _rows_without_values(seq, heads, kv_heads, head_dim):
    return _views((heads + kv_heads) * head_dim, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)


def _rows_of_each_part(seq, heads, kv_heads, head_dim):
    rows = [heads * head_dim, kv_heads * head_dim, kv_heads * head_dim]
    strides = [[seq * row, head_dim, row, 1] for row in rows]
    return np.array(strides, np.int64), np.array(_starts(heads, kv_heads, head_dim), np.int64)


def _three_times_the_heads(seq, heads, kv_heads, head_dim):
    return _views(3 * heads * head_dim, _starts(heads, heads, head_dim), [head_dim] * 3, seq)


def _values_after_twice_the_queries(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    return _views(row, _starts(heads, heads, head_dim), [head_dim] * 3, seq)


def _contiguous_heads(seq, heads, kv_heads, head_dim):
    strides = [[n * seq * head_dim, seq * head_dim, head_dim, 1] for n in (heads, kv_heads, kv_heads)]
    return np.array(strides, np.int64), np.array(_starts(heads, kv_heads, head_dim), np.int64)


def _order_of_the_memory(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    strides = [[seq * row, row, head_dim, 1]] * 3
    return np.array(strides, np.int64), np.array(_starts(heads, kv_heads, head_dim), np.int64)


def _starts_in_heads(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    return _views(row, _starts(heads, kv_heads, 1), [head_dim] * 3, seq)


def _starts_behind_whole_parts(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    return _views(row, _starts(heads, kv_heads, seq * head_dim), [head_dim] * 3, seq)


def _keys_after_kv_heads(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    return _views(row, _starts(kv_heads, kv_heads, head_dim), [head_dim] * 3, seq)


def _all_start_at_0(seq, heads, kv_heads, head_dim):
    return _views((heads + 2 * kv_heads) * head_dim, [0, 0, 0], [head_dim] * 3, seq)


def _values_at_the_keys(seq, heads, kv_heads, head_dim):
    row, keys = (heads + 2 * kv_heads) * head_dim, heads * head_dim
    return _views(row, [0, keys, keys], [head_dim] * 3, seq)


def _values_before_keys(seq, heads, kv_heads, head_dim):
    row, (q, k, v) = (heads + 2 * kv_heads) * head_dim, _starts(heads, kv_heads, head_dim)
    return _views(row, [q, v, k], [head_dim] * 3, seq)


def _parts_of_a_head(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    return _views(row, [0, head_dim, 2 * head_dim], [3 * head_dim] * 3, seq)


def _steps_of_a_group(seq, heads, kv_heads, head_dim):
    row, group = (heads + 2 * kv_heads) * head_dim, heads // kv_heads
    return _views(row, _starts(heads, kv_heads, head_dim), [head_dim, group * head_dim, group * head_dim], seq)


def _sequences_of_each_part(seq, heads, kv_heads, head_dim):
    strides, starts = _views((heads + 2 * kv_heads) * head_dim, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)
    strides[:, 0] = [seq * n * head_dim for n in (heads, kv_heads, kv_heads)]
    return strides, starts


def _sequence_is_a_row(seq, heads, kv_heads, head_dim):
    strides, starts = _views((heads + 2 * kv_heads) * head_dim, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)
    strides[:, 0] //= seq
    return strides, starts


def _bytes(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    strides, starts = _views(row, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)
    return 4 * strides, 4 * starts


def _32_bits(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    strides, starts = _views(row, _starts(heads, kv_heads, head_dim), [head_dim] * 3, seq)
    return strides.astype(np.int32), starts


_SECTION = "Where an element lives"
_UNEQUAL = ("shared heads", "large")

MISTAKES = (
    Mistake(
        "rows-of-queries",
        _rows_of_queries,
        "You step heads * head_dim elements from token to token, the width of the queries. The row of a token holds "
        "its keys and values too, so the next token is farther on.",
        _SECTION,
    ),
    Mistake(
        "rows-without-values",
        _rows_without_values,
        "Your row has queries and one more part. Keys and values both stand in it: heads + 2 * kv_heads vectors.",
        _SECTION,
    ),
    Mistake(
        "rows-of-each-part",
        _rows_of_each_part,
        "You give each view rows as wide as its own part. Nothing has moved: the next token of any view is a whole "
        "packed row farther on.",
        _SECTION,
    ),
    Mistake(
        "three-times-the-heads",
        _three_times_the_heads,
        "You count as many K/V heads as query heads. With fewer of them a row is (heads + 2 * kv_heads) * head_dim "
        "wide.",
        _SECTION,
        loses=_UNEQUAL,
    ),
    Mistake(
        "values-after-twice-the-queries",
        _values_after_twice_the_queries,
        "Your values start at 2 * heads * head_dim. The keys before them are of kv_heads heads only.",
        _SECTION,
        loses=_UNEQUAL,
    ),
    Mistake(
        "contiguous-heads",
        _contiguous_heads,
        "Those are the strides of copies with their heads one after the other. A view leaves the elements where they "
        "are, token after token.",
        _SECTION,
    ),
    Mistake(
        "order-of-the-memory",
        _order_of_the_memory,
        "Your strides are in the order batch, seq, head, dim, as the memory has them. The views have the axes batch, "
        "head, seq, dim: two strides change places.",
        _SECTION,
    ),
    Mistake(
        "starts-in-heads",
        _starts_in_heads,
        "Your starts count heads. Each head has head_dim elements, so multiply by that.",
        _SECTION,
    ),
    Mistake(
        "starts-behind-whole-parts",
        _starts_behind_whole_parts,
        "Your keys start behind the queries of all tokens. The three parts stand together in the row of each token, so "
        "the first key comes behind the queries of the first token.",
        _SECTION,
    ),
    Mistake(
        "keys-after-kv-heads",
        _keys_after_kv_heads,
        "Your keys start behind kv_heads queries. A row begins with the queries of all heads: count heads vectors.",
        _SECTION,
        loses=_UNEQUAL,
    ),
    Mistake(
        "all-start-at-0",
        _all_start_at_0,
        "All your views start at 0, so all three read the queries. Strides are alike in the three views; their starts "
        "tell them apart.",
        _SECTION,
    ),
    Mistake(
        "values-at-the-keys",
        _values_at_the_keys,
        "Your values start where the keys do. They come behind them, kv_heads * head_dim elements farther on.",
        _SECTION,
    ),
    Mistake(
        "values-before-keys",
        _values_before_keys,
        "Your keys and values have changed places. The order in a row is queries, keys, values.",
        _SECTION,
    ),
    Mistake(
        "parts-of-a-head",
        _parts_of_a_head,
        "You take query, key and value of a head to be side by side. Here all queries of a row come first, so the "
        "next head of a view is head_dim elements farther on.",
        _SECTION,
    ),
    Mistake(
        "steps-of-a-group",
        _steps_of_a_group,
        "From one K/V head to the next you step over a whole group of vectors. K/V heads lie side by side, each is "
        "stored once: the step is head_dim.",
        _SECTION,
        loses=_UNEQUAL,
    ),
    Mistake(
        "sequences-of-each-part",
        _sequences_of_each_part,
        "From sequence to sequence you step seq rows as wide as the view's own part. The rows between are whole: the "
        "step is seq times the stride of a token.",
        _SECTION,
    ),
    Mistake(
        "sequence-is-a-row",
        _sequence_is_a_row,
        "You step a single row from one sequence to the next. A sequence has seq rows.",
        _SECTION,
    ),
    Mistake(
        "bytes",
        _bytes,
        "Your numbers are four times too large: they count bytes of float32. Asked are elements.",
        _SECTION,
    ),
    Mistake(
        "32-bits",
        _32_bits,
        "A stride of yours went round: it passed 2**31 in 32-bit integers. Multiply Python's own integers, and make "
        "the array with dtype=np.int64.",
        _SECTION,
        loses=("large",),
    ),
)
