"""causal-mask: no query sees what comes after it, and the last query sees every key."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(rng, about, probe=False, **ranges):
    s = sizes.draw(rng, **ranges)
    return Case(about, {"q_len": s["q_len"], "k_len": s["k_len"]}, probe)


def _values(rng):
    n = int(rng.integers(4, 8))
    return [
        _case(rng, "fewer queries than keys", q_len=(3, 5), k_len=(7, 10)),
        Case("as many queries as keys", {"q_len": n, "k_len": n}),
        _case(rng, "a single query, as in decoding", q_len=(1, 1), k_len=(4, 9)),
    ]


def _empty_rows(rng):
    return [
        _case(rng, "more queries than keys", q_len=(9, 11), k_len=(3, 4)),
        # Tells "top left" from "never a negative offset".
        _case(rng, "fewer queries than keys", probe=True, q_len=(3, 5), k_len=(7, 10)),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _tri(q_len, k_len):
    return np.tri(q_len, k_len, k_len - q_len, dtype=bool)


def _rows(q_len, k_len):
    mask = np.zeros((q_len, k_len), bool)
    for i in range(q_len):
        for j in range(k_len - q_len + i + 1):
            mask[i, j] = True
    return mask


def _element_by_element(q_len, k_len):
    return np.array([[k_len - j >= q_len - i for j in range(k_len)] for i in range(q_len)])


def _corner_of_a_square(q_len, k_len):
    n = q_len + k_len
    square = np.tril(np.ones((n, n), bool))
    return square[-q_len:, -k_len:]


def _outer(q_len, k_len):
    return np.greater_equal.outer(np.arange(k_len - q_len, k_len), np.arange(k_len))


# -- known mistakes ------------------------------------------------------------------------------------


def _top_left(q_len, k_len):
    return np.arange(k_len) <= np.arange(q_len)[:, None]


def _offset_clipped(q_len, k_len):
    return np.arange(k_len) <= np.arange(q_len)[:, None] + max(k_len - q_len, 0)


def _offset_reversed(q_len, k_len):
    return np.arange(k_len) <= np.arange(q_len)[:, None] + (q_len - k_len)


def _inverted(q_len, k_len):
    return np.arange(k_len) > np.arange(q_len)[:, None] + (k_len - q_len)


def _itself_excluded(q_len, k_len):
    return np.arange(k_len) < np.arange(q_len)[:, None] + (k_len - q_len)


def _one_too_many(q_len, k_len):
    return np.arange(k_len) <= np.arange(q_len)[:, None] + (k_len - q_len) + 1


def _transposed(q_len, k_len):
    return np.tri(k_len, q_len, q_len - k_len, dtype=bool).T


def _upper_triangle(q_len, k_len):
    return np.triu(np.ones((q_len, k_len), bool))


def _floats(q_len, k_len):
    return np.tri(q_len, k_len, k_len - q_len)


EXERCISE = Exercise(
    name="causal-mask",
    title="Causal: nobody looks ahead",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("q_len", "whole number: queries; they are the last tokens of the sequence"),
        Parameter("k_len", "whole number: keys; it may be larger than q_len, smaller, or equal"),
    ),
    returns=(Output("mask", ("q_len", "k_len"), "bool"),),
    reference=reference.causal_mask,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "as many queries as keys, or fewer", _values),
        Aspect("empty rows", 1, "more queries than keys: the first ones see nothing", _empty_rows),
    ),
    example=">>> causal_mask(2, 4)\narray([[ True,  True,  True, False],\n       [ True,  True,  True,  True]])",
    hints=(
        "Write down the last row first: it sees every key. Each row above sees one key less.",
        "At which position in the sequence does query i stand, if query q_len - 1 stands at position k_len - 1? "
        "Compare the positions of the keys with that.",
        "A column of query positions, of shape (q_len, 1), and a row of key positions, of shape (k_len,), give a "
        "(q_len, k_len) array when they are compared.",
    ),
    alternatives={
        "np.tri": _tri,
        "row by row": _rows,
        "element by element": _element_by_element,
        "the corner of a square": _corner_of_a_square,
        "an outer comparison": _outer,
    },
    mistakes=(
        Mistake(
            "top-left",
            _top_left,
            "Your mask begins at the top left: query i sees keys 0 to i. With as many queries as keys that is right. "
            "Otherwise the queries are the last tokens, so it is the last query that must see every key.",
            "Two corners",
        ),
        Mistake(
            "offset-clipped",
            _offset_clipped,
            "With more queries than keys you begin at the top left again. The last query is still the one that sees "
            "every key, so the first queries stand before all keys and see none.",
            "Two corners",
            loses=("empty rows",),
        ),
        Mistake(
            "offset-reversed",
            _offset_reversed,
            "You shifted the diagonal to the wrong side. Query i stands at position i + k_len - q_len, not at "
            "i + q_len - k_len: try it with the last query.",
            "Two corners",
        ),
        Mistake(
            "inverted",
            _inverted,
            "Your mask is True where a query must not look. In this course True means: may attend. Some libraries "
            "mean the opposite.",
            "Who may attend",
        ),
        Mistake(
            "itself-excluded",
            _itself_excluded,
            "Your queries do not see their own position. A token may attend to itself and to all before it; without "
            "itself the first token would see nothing.",
            "Who may attend",
        ),
        Mistake(
            "one-too-many",
            _one_too_many,
            "Each of your queries sees one key too many: the next token. In training that is the very token which it "
            "has to predict. The last key that a query sees is its own.",
            "Who may attend",
        ),
        Mistake(
            "transposed",
            _transposed,
            "Your queries see themselves and what comes after them: rows and columns are exchanged, or the comparison "
            "is turned round. A row belongs to a query, a column to a key, and a query sees the keys up to its own "
            "position.",
            "Who may attend",
        ),
        Mistake(
            "upper-triangle",
            _upper_triangle,
            "You kept the upper triangle, in which a query sees the keys after it. Causal is the lower one, and its "
            "diagonal ends in the bottom right corner.",
            "Who may attend",
        ),
        Mistake(
            "floats",
            _floats,
            "The ones are in the right places, but a mask holds booleans. np.tri, np.ones and np.zeros make floats "
            "unless they are told a dtype.",
            "What goes wrong and does not crash",
        ),
    ),
)
