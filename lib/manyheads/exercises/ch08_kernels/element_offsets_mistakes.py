"""The known mistakes of element-offsets."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _right(layout, part, b, h, i, d, seq, heads, head_dim):
    part, b, h, i, d = (np.asarray(index, dtype=np.int64) for index in (part, b, h, i, d))
    row = {
        "tokens first": (b * seq + i) * heads + h,
        "heads first": (b * heads + h) * seq + i,
        "packed": ((b * seq + i) * 3 + part) * heads + h,
    }[layout]
    return row * head_dim + d


def _layouts_exchanged(layout, part, b, h, i, d, seq, heads, head_dim):
    other = {"tokens first": "heads first", "heads first": "tokens first"}.get(layout, layout)
    return _right(other, part, b, h, i, d, seq, heads, head_dim)


def _always_tokens_first(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right("tokens first", part, b, h, i, d, seq, heads, head_dim)


def _always_heads_first(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right("heads first", part, b, h, i, d, seq, heads, head_dim)


def _heads_left_out_of_a_sequence(layout, part, b, h, i, d, seq, heads, head_dim):
    whole = _right(layout, part, b * 0, h, i, d, seq, heads, head_dim)
    return whole + b.astype(np.int64) * (seq * head_dim * (3 if layout == "packed" else 1))


def _sequence_left_out(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part, b * 0, h, i, d, seq, heads, head_dim)


def _tokens_side_by_side(layout, part, b, h, i, d, seq, heads, head_dim):
    if layout != "tokens first":
        return _right(layout, part, b, h, i, d, seq, heads, head_dim)
    return (b.astype(np.int64) * seq * heads + h + i) * head_dim + d


def _brackets_missing(layout, part, b, h, i, d, seq, heads, head_dim):
    part, b, h, i, d = (index.astype(np.int64) for index in (part, b, h, i, d))
    if layout == "tokens first":
        return b * seq + i * heads + h * head_dim + d
    if layout == "heads first":
        return b * heads + h * seq + i * head_dim + d
    return b * seq + i * 3 + part * heads + h * head_dim + d


def _head_and_token_exchanged(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part, b, i, h, d, seq, heads, head_dim)


def _number_left_out(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part, b, h, i, d * 0, seq, heads, head_dim)


def _head_dim_left_out(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part, b, h, i, d * 0, seq, heads, 1) + d


def _part_in_every_layout(layout, part, b, h, i, d, seq, heads, head_dim):
    right = _right(layout, part, b, h, i, d, seq, heads, head_dim)
    return right if layout == "packed" else right + part * (heads * head_dim)


def _parts_of_a_sequence(layout, part, b, h, i, d, seq, heads, head_dim):
    if layout != "packed":
        return _right(layout, part, b, h, i, d, seq, heads, head_dim)
    return (((b.astype(np.int64) * 3 + part) * seq + i) * heads + h) * head_dim + d


def _parts_of_a_head(layout, part, b, h, i, d, seq, heads, head_dim):
    if layout != "packed":
        return _right(layout, part, b, h, i, d, seq, heads, head_dim)
    return (((b.astype(np.int64) * seq + i) * heads + h) * 3 + part) * head_dim + d


def _queries_only(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part * 0, b, h, i, d, seq, heads, head_dim)


def _rows_of_one_part(layout, part, b, h, i, d, seq, heads, head_dim):
    if layout != "packed":
        return _right(layout, part, b, h, i, d, seq, heads, head_dim)
    return ((b.astype(np.int64) * seq + i + part) * heads + h) * head_dim + d


def _sequences_of_one_part(layout, part, b, h, i, d, seq, heads, head_dim):
    one_part = heads * head_dim if layout == "packed" else 0
    return _right(layout, part, b, h, i, d, seq, heads, head_dim) - b.astype(np.int64) * (2 * seq * one_part)


def _parts_one_vector_apart(layout, part, b, h, i, d, seq, heads, head_dim):
    too_far = (heads - 1) * head_dim if layout == "packed" else 0
    return _right(layout, part, b, h, i, d, seq, heads, head_dim) - part.astype(np.int64) * too_far


def _bytes(layout, part, b, h, i, d, seq, heads, head_dim):
    return 4 * _right(layout, part, b, h, i, d, seq, heads, head_dim)


def _counted_from_one(layout, part, b, h, i, d, seq, heads, head_dim):
    return 1 + _right(layout, part, b, h, i, d, seq, heads, head_dim)


def _32_bits(layout, part, b, h, i, d, seq, heads, head_dim):
    return _right(layout, part, b, h, i, d, seq, heads, head_dim).astype(np.int32)


_SECTION = "Where an element lives"

MISTAKES = (
    Mistake(
        "layouts-exchanged",
        _layouts_exchanged,
        "Your two layouts have changed places. Tokens first is [batch, seq, heads, head_dim]: from one token to the "
        "next it is heads * head_dim elements.",
        _SECTION,
        loses=("tokens first", "heads first", "large"),
    ),
    Mistake(
        "always-tokens-first",
        _always_tokens_first,
        "You count as if tokens came first, whatever the layout says. Heads first and packed have other strides, so "
        "look at layout.",
        _SECTION,
        loses=("heads first", "packed"),
    ),
    Mistake(
        "always-heads-first",
        _always_heads_first,
        "You count as if heads came first, whatever the layout says. In the other two layouts the heads of a token "
        "lie side by side.",
        _SECTION,
        loses=("tokens first", "packed", "large"),
    ),
    Mistake(
        "heads-left-out-of-a-sequence",
        _heads_left_out_of_a_sequence,
        "Your stride from sequence to sequence leaves out the heads. It is the number of all elements of a sequence, "
        "those of every head.",
        _SECTION,
    ),
    Mistake(
        "sequence-left-out",
        _sequence_left_out,
        "Your offsets are those of sequence 0. Add b times the number of elements of a whole sequence.",
        _SECTION,
    ),
    Mistake(
        "tokens-side-by-side",
        _tokens_side_by_side,
        "With tokens first, you step head_dim elements from one token to the next. Between them lie all the heads of "
        "the token: the step is heads * head_dim.",
        _SECTION,
        loses=("tokens first", "large"),
    ),
    Mistake(
        "brackets-missing",
        _brackets_missing,
        "You multiply each index by the size of the next axis only. One step along an axis passes over everything to "
        "its right, so multiply by all those sizes: a bracket may be missing.",
        _SECTION,
    ),
    Mistake(
        "head-and-token-exchanged",
        _head_and_token_exchanged,
        "Your head and your token have changed places. The token i goes with the axis of size seq, and the head h with "
        "that of size heads.",
        _SECTION,
    ),
    Mistake(
        "number-left-out",
        _number_left_out,
        "Each of your offsets is that of the first number of a vector. Add d.",
        _SECTION,
    ),
    Mistake(
        "head-dim-left-out",
        _head_dim_left_out,
        "You count vectors and add d to their number. Each vector has head_dim elements: multiply by that before you "
        "add d.",
        _SECTION,
    ),
    Mistake(
        "part-in-every-layout",
        _part_in_every_layout,
        "You add part times heads * head_dim in every layout. Only packed memory holds all three parts; in the others "
        "each has memory of its own, which starts at 0.",
        _SECTION,
        loses=("tokens first", "heads first", "large"),
    ),
    Mistake(
        "parts-of-a-sequence",
        _parts_of_a_sequence,
        "In packed memory, you put all queries of a sequence before all of its keys. The three parts stand together "
        "in the row of each token: the order is sequence, token, part, head, number.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "parts-of-a-head",
        _parts_of_a_head,
        "In packed memory, you put query, key and value of a head side by side. Some models do that; here all heads' "
        "queries come first in a row, then all keys, then all values.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "queries-only",
        _queries_only,
        "In packed memory, your offsets are those of the queries. Keys begin heads * head_dim elements farther on in "
        "the row, and values twice as many.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "rows-of-one-part",
        _rows_of_one_part,
        "In packed memory, you step heads * head_dim elements from token to token, so rows overlap. A row holds three "
        "parts: the step is three times that.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "sequences-of-one-part",
        _sequences_of_one_part,
        "In packed memory, your step from sequence to sequence leaves out two of the three parts. A sequence has seq "
        "rows of 3 * heads * head_dim elements.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "parts-one-vector-apart",
        _parts_one_vector_apart,
        "In packed memory, you step head_dim elements from a query to its key. The queries of all heads come before "
        "the keys: the step is heads * head_dim.",
        _SECTION,
        loses=("packed",),
    ),
    Mistake(
        "bytes",
        _bytes,
        "Your offsets are four times too large: they count bytes of float32. Asked are elements, as a pointer to "
        "floats counts.",
        _SECTION,
    ),
    Mistake(
        "counted-from-one",
        _counted_from_one,
        "Your offsets are one too large. The first element has offset 0.",
        _SECTION,
    ),
    Mistake(
        "32-bits",
        _32_bits,
        "Your offsets went round: they passed 2**31 in 32-bit integers. Make the indices 64 bits before you multiply, "
        "as kernels have to for large tensors.",
        _SECTION,
        loses=("large",),
    ),
)
