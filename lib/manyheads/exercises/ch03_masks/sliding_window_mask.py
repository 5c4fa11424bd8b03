"""sliding-window-mask: each query sees its own position and the few before it."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(rng, about, probe=False, **ranges):
    return Case(about, sizes.draw(rng, **ranges), probe)


def _values(rng):
    n = int(rng.integers(8, 11))
    return [
        _case(rng, "fewer queries than keys", q_len=(5, 7), k_len=(9, 12), window=(3, 4)),
        Case("as many queries as keys", {"q_len": n, "k_len": n, "window": int(rng.integers(3, 5))}),
        _case(rng, "a window of 1", q_len=(3, 4), k_len=(6, 7), window=(1, 1)),
        _case(rng, "a window longer than the sequence", q_len=(3, 4), k_len=(6, 7), window=(9, 12)),
    ]


def _empty_rows(rng):
    return [
        _case(rng, "more queries than keys", q_len=(10, 12), k_len=(7, 8), window=(3, 4)),
        _case(rng, "many more queries than keys", q_len=(13, 15), k_len=(5, 6), window=(3, 4)),
        # Tells "top left" from "never a negative offset".
        _case(rng, "fewer queries than keys", probe=True, q_len=(5, 7), k_len=(9, 12), window=(3, 4)),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _two_triangles(q_len, k_len, window):
    seen = np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    too_far = np.tri(q_len, k_len, k_len - q_len - window, dtype=bool)
    return seen & ~too_far


def _rows(q_len, k_len, window):
    mask = np.empty((q_len, k_len), bool)
    for i in range(q_len):
        position = k_len - q_len + i
        for j in range(k_len):
            mask[i, j] = position - window < j <= position
    return mask


def _element_by_element(q_len, k_len, window):
    near = range(window)
    return np.array([[i + k_len - q_len - j in near for j in range(k_len)] for i in range(q_len)])


def _diagonals(q_len, k_len, window):
    mask = np.zeros((q_len, k_len), bool)
    for back in range(window):
        mask |= np.eye(q_len, k_len, k_len - q_len - back, dtype=bool)
    return mask


def _corner_of_a_square(q_len, k_len, window):
    n = q_len + k_len
    square = np.tril(np.ones((n, n), bool)) & np.triu(np.ones((n, n), bool), 1 - window)
    return square[-q_len:, -k_len:]


# -- known mistakes ------------------------------------------------------------------------------------


def _one_too_many(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return (back >= 0) & (back <= window)


def _one_too_few(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return (back >= 0) & (back < window - 1)


def _itself_left_out(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return (back > 0) & (back <= window)


def _two_sided(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return np.abs(back) < window


def _centred(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return np.abs(back) <= window // 2


def _looks_ahead(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return back < window


def _window_ignored(q_len, k_len, window):
    return np.arange(k_len) <= np.arange(q_len)[:, None] + (k_len - q_len)


def _top_left(q_len, k_len, window):
    back = np.arange(q_len)[:, None] - np.arange(k_len)
    return (back >= 0) & (back < window)


def _offset_clipped(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + max(k_len - q_len, 0) - np.arange(k_len)
    return (back >= 0) & (back < window)


def _window_top_left(q_len, k_len, window):
    query, key = np.arange(q_len)[:, None], np.arange(k_len)
    return (key <= query + (k_len - q_len)) & (query - key < window)


def _slices_from_the_end(q_len, k_len, window):
    mask = np.zeros((q_len, k_len), bool)
    for i in range(q_len):
        position = i + k_len - q_len
        mask[i, position - window + 1 : position + 1] = True
    return mask


def _chunks(q_len, k_len, window):
    query, key = np.arange(q_len)[:, None] + (k_len - q_len), np.arange(k_len)
    return (key <= query) & (key // window == query // window)


def _either_condition(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return (back >= 0) | (back < window)


def _inverted(q_len, k_len, window):
    back = np.arange(q_len)[:, None] + (k_len - q_len) - np.arange(k_len)
    return (back < 0) | (back >= window)


EXERCISE = Exercise(
    name="sliding-window-mask",
    title="A window: only the latest keys",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("q_len", "whole number: queries; they are the last tokens, as in part 1"),
        Parameter("k_len", "whole number: keys"),
        Parameter("window", "whole number, at least 1: keys that a query sees, its own position included"),
    ),
    returns=(Output("mask", ("q_len", "k_len"), "bool"),),
    reference=reference.sliding_window_mask,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "as many queries as keys, or fewer; narrow and wide windows", _values),
        Aspect("empty rows", 1, "more queries than keys", _empty_rows),
    ),
    example=(
        ">>> sliding_window_mask(3, 4, 2)\n"
        "array([[ True,  True, False, False],\n"
        "       [False,  True,  True, False],\n"
        "       [False, False,  True,  True]])"
    ),
    hints=(
        "Two conditions have to hold at once: the key is not after the query, and it is not too far back.",
        "Make an array of distances, of shape (q_len, k_len): how many positions the key lies behind the query. Which "
        "distances does a window of 1 allow, and which a window of 2?",
        "Join boolean arrays with &, each comparison in its own brackets.",
    ),
    alternatives={
        "two triangles": _two_triangles,
        "row by row": _rows,
        "element by element": _element_by_element,
        "diagonal by diagonal": _diagonals,
        "the corner of a square": _corner_of_a_square,
    },
    mistakes=(
        Mistake(
            "one-too-many",
            _one_too_many,
            "Your windows have one key too many. You counted neighbours; a window of W has W keys here, and the token "
            "itself is one of them. Some libraries do count neighbours.",
            "Windows and blocks",
        ),
        Mistake(
            "one-too-few",
            _one_too_few,
            "Your windows have one key too few. A window of 1 is the token itself, a window of 2 adds the one before.",
            "Windows and blocks",
        ),
        Mistake(
            "itself-left-out",
            _itself_left_out,
            "Your windows end one key too early: they leave out the query's own position, and have one more at the far "
            "end. The token itself is one of the W keys, and the last.",
            "Windows and blocks",
        ),
        Mistake(
            "two-sided",
            _two_sided,
            "Your window reaches forward as well as back. It is causal here: a query sees no key after its own "
            "position.",
            "Windows and blocks",
        ),
        Mistake(
            "centred",
            _centred,
            "You put the query in the middle of its window. In a causal window the query's own position is the last.",
            "Windows and blocks",
        ),
        Mistake(
            "looks-ahead",
            _looks_ahead,
            "You limited how far back a query looks, and not how far ahead: it sees the whole future. Both conditions "
            "have to hold.",
            "Windows and blocks",
        ),
        Mistake(
            "window-ignored",
            _window_ignored,
            "This is the causal mask, and the window has no effect: your queries see everything before them. If you "
            "joined two comparisons with &, each needs brackets of its own, because & binds closer than < does.",
            "Windows and blocks",
        ),
        Mistake(
            "top-left",
            _top_left,
            "Your mask begins at the top left. The queries are the last tokens: query i stands at position "
            "i + k_len - q_len, and the window ends there.",
            "Two corners",
        ),
        Mistake(
            "offset-clipped",
            _offset_clipped,
            "With more queries than keys you begin at the top left. The last query is still the one at the last key, "
            "so the first queries stand before all keys and see none.",
            "Two corners",
            loses=("empty rows",),
        ),
        Mistake(
            "window-top-left",
            _window_top_left,
            "No query looks ahead, which is right, but the far end of your windows is counted from the top left. "
            "Measure how far back a key lies from where the query stands among the keys, not from its row.",
            "Two corners",
        ),
        Mistake(
            "slices-from-the-end",
            _slices_from_the_end,
            "Rows whose window begins before the first key, or lies there altogether, are wrong. A negative number in "
            "a slice counts from the end, so such a window is empty or lands at the end of the row.",
            "Windows and blocks",
        ),
        Mistake(
            "chunks",
            _chunks,
            "You cut the sequence into chunks, and a query sees the keys of its own chunk only. A window slides: it "
            "is as long for the first token of a chunk as for the last.",
            "Windows and blocks",
        ),
        Mistake(
            "either-condition",
            _either_condition,
            'Everything is allowed in your mask. Of "not after the query" and "not too far back" every key fulfils '
            "one; both have to hold at once.",
            "Windows and blocks",
        ),
        Mistake(
            "inverted",
            _inverted,
            "Your mask is True where a query must not look. In this course True means: may attend.",
            "Who may attend",
        ),
    ),
)
