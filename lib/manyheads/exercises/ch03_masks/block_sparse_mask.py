"""block-sparse-mask: whole blocks of queries see whole blocks of keys."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _layout(rng, q_blocks, k_blocks):
    """No two neighbouring rows or columns are the same, so that what is repeated, and along which axis, shows."""
    while True:
        layout = rng.random((q_blocks, k_blocks)) < 0.5
        rows, columns = (layout[1:] != layout[:-1]).any(1), (layout[:, 1:] != layout[:, :-1]).any(0)
        if rows.all() and columns.all() and layout[0, 0] != layout[0, 1] and layout[0, 0] != layout[1, 0]:
            return layout


def _values(rng):
    s = sizes.draw(rng, q_blocks=(2, 3), k_blocks=(4, 6), block=(3, 5))
    n = int(rng.integers(3, 5))
    return [
        Case("more keys than queries", {"layout": _layout(rng, s["q_blocks"], s["k_blocks"]), "block": s["block"]}),
        Case("as many queries as keys", {"layout": _layout(rng, n, n), "block": 2}),
        Case("blocks of a single token", {"layout": _layout(rng, 2, 3), "block": 1}),
    ]


def _empty_rows(rng):
    s = sizes.draw(rng, q_blocks=(4, 6), k_blocks=(3, 3), block=(4, 5))
    layout = np.concatenate([_layout(rng, s["q_blocks"] - 2, 3), np.zeros((2, 3), bool)])
    layout[-1, int(rng.integers(3))] = True
    return [Case("more queries than keys, and some see nothing", {"layout": layout, "block": s["block"]})]


# -- right answers by other techniques -----------------------------------------------------------------


def _kron(layout, block):
    return np.kron(layout, np.ones((block, block), bool))


def _looked_up(layout, block):
    q_blocks, k_blocks = layout.shape
    query = np.arange(q_blocks * block) // block
    key = np.arange(k_blocks * block) // block
    return layout[query[:, None], key]


def _element_by_element(layout, block):
    q_blocks, k_blocks = layout.shape
    mask = np.empty((q_blocks * block, k_blocks * block), bool)
    for i, j, row, column in np.ndindex(q_blocks, k_blocks, block, block):
        mask[i * block + row, j * block + column] = layout[i, j]
    return mask


def _broadcast(layout, block):
    q_blocks, k_blocks = layout.shape
    four = np.broadcast_to(layout[:, None, :, None], (q_blocks, block, k_blocks, block))
    return four.reshape(q_blocks * block, k_blocks * block)


def _np_block(layout, block):
    return np.block([[np.full((block, block), allowed) for allowed in row] for row in layout])


# -- known mistakes ------------------------------------------------------------------------------------


def _tiled(layout, block):
    return np.tile(layout, (block, block))


def _keys_tiled(layout, block):
    return np.tile(layout.repeat(block, axis=0), (1, block))


def _queries_tiled(layout, block):
    return np.tile(layout.repeat(block, axis=1), (block, 1))


def _reshaped(layout, block):
    q_blocks, k_blocks = layout.shape
    return np.repeat(layout.ravel(), block * block).reshape(q_blocks * block, k_blocks * block)


def _inverted(layout, block):
    return ~layout.repeat(block, axis=0).repeat(block, axis=1)


def _diagonal_only(layout, block):
    return np.kron(layout, np.eye(block, dtype=bool))


def _causal_inside(layout, block):
    return np.kron(layout, np.tri(block, dtype=bool))


def _corner_only(layout, block):
    mask = np.zeros((layout.shape[0] * block, layout.shape[1] * block), bool)
    mask[::block, ::block] = layout
    return mask


def _transposed(layout, block):
    return layout.T.repeat(block, axis=0).repeat(block, axis=1)


def _floats(layout, block):
    return np.kron(layout, np.ones((block, block)))


EXERCISE = Exercise(
    name="block-sparse-mask",
    title="Blocks: from a layout to a mask",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("layout", "boolean array (q_blocks, k_blocks): which block of queries sees which block of keys"),
        Parameter("block", "whole number, at least 1: tokens in a block"),
    ),
    returns=(
        Output(
            "mask",
            ("q_len", "k_len"),
            "bool",
            about="a boolean array (q_len, k_len), where q_len = q_blocks * block and k_len = k_blocks * block",
        ),
    ),
    reference=reference.block_sparse_mask,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "more keys than queries, as many, and blocks of 1", _values),
        Aspect("empty rows", 1, "more queries than keys, some of which see nothing: no special case", _empty_rows),
    ),
    example=(
        ">>> block_sparse_mask(np.array([[True, False, True]]), 2)\n"
        "array([[ True,  True, False, False,  True,  True],\n"
        "       [ True,  True, False, False,  True,  True]])"
    ),
    hints=(
        "Entry (i, j) of the layout fills a square of the mask. Which rows of the mask belong to row i of the layout?",
        "Every row has to appear block times before the next row comes, and the same holds for the columns.",
        "np.repeat and np.tile both make an array longer. One writes a a b b, the other a b a b. Look at their axis.",
    ),
    alternatives={
        "np.kron": _kron,
        "looked up by block": _looked_up,
        "element by element": _element_by_element,
        "broadcast and reshape": _broadcast,
        "np.block": _np_block,
    },
    mistakes=(
        Mistake(
            "tiled",
            _tiled,
            "You laid copies of the whole layout side by side (a b a b). Each entry has to become a square of its own "
            "(a a b b), so repeat the entries instead.",
            "Windows and blocks",
        ),
        Mistake(
            "keys-tiled",
            _keys_tiled,
            "The queries are right. Along the keys you laid copies of the layout side by side (a b a b), where each "
            "entry has to be repeated (a a b b).",
            "Windows and blocks",
        ),
        Mistake(
            "queries-tiled",
            _queries_tiled,
            "The keys are right. Along the queries you laid copies of the layout below each other (a b a b), where "
            "each entry has to be repeated (a a b b).",
            "Windows and blocks",
        ),
        Mistake(
            "reshaped",
            _reshaped,
            "You repeated each entry block * block times and reshaped. A reshape fills row after row, so an entry "
            "becomes a strip and not a square. Repeat along one axis, then along the other.",
            "Windows and blocks",
        ),
        Mistake(
            "inverted",
            _inverted,
            "Your mask is True where the layout is False. In both, True means: may attend.",
            "Who may attend",
        ),
        Mistake(
            "diagonal-only",
            _diagonal_only,
            "Inside an allowed block only the diagonal is True. The whole block is allowed: every query in it sees "
            "every key in it.",
            "Windows and blocks",
        ),
        Mistake(
            "causal-inside",
            _causal_inside,
            "Inside an allowed block you kept the lower triangle. The whole block is allowed; if it shall be causal "
            "as well, that is another mask, to be combined with this one.",
            "Windows and blocks",
        ),
        Mistake(
            "corner-only",
            _corner_only,
            "Only the first element of each block is set. The whole block is allowed: every query in it sees every "
            "key in it.",
            "Windows and blocks",
        ),
        Mistake(
            "transposed",
            _transposed,
            "You exchanged queries and keys. Row i of the layout belongs to the queries of block i, column j to its "
            "keys. With a square layout the shape does not tell.",
            "Windows and blocks",
        ),
        Mistake(
            "floats",
            _floats,
            "The ones are in the right places, but a mask holds booleans. np.ones makes floats unless it is told a "
            "dtype.",
            "What goes wrong and does not crash",
        ),
    ),
)
