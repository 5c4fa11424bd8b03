"""Kernels as pictures: where a head's elements lie, the blocks of a launch, and the tiles that are skipped."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from manyheads._colours import head_colour
from manyheads.plots.pictures import INK, canvas, styled

#: How a tile is told from the others, beside its colour: its hatch.
_TILES = {
    "skipped": ("none", "////"),
    "masked inside": ("#ccbb44", "...."),
    "full": ("#4477aa", ""),
}


@styled
def memory_strip(offsets: np.ndarray, heads: int, chosen: int) -> Figure:
    """Memory as one line of elements: those of one head are filled, and the number in them says which token's.

    Parameters
    ----------
    offsets : int array (heads, seq, head_dim)
        Where each element lies.
    heads : int
    chosen : int
        The head whose elements are filled; the others' are pale.
    """
    owner = {int(offsets[place]): place for place in np.ndindex(offsets.shape)}
    size = max(owner) + 1
    made, ax = canvas(size + 0.2, 2.2, unit=0.34)
    for place in range(size):
        head, token = (owner[place][0], owner[place][1]) if place in owner else (None, None)
        mine = head == chosen
        colour = "none" if head is None else head_colour(head)
        ax.add_patch(Rectangle((0.1 + place, 0.9), 1, 1, facecolor=colour, alpha=0.75 if mine else 0.18, lw=0))
        ax.add_patch(Rectangle((0.1 + place, 0.9), 1, 1, fill=False, edgecolor=INK, linewidth=1.6 if mine else 0.5))
        if token is not None:
            _write(ax, 0.6 + place, 1.42, token, 11 if mine else 9)
        if place in owner and owner[place][2] == 0 and (head or 0) == chosen:
            _write(ax, 0.6 + place, 0.5, place, 9.5)
    return made


@styled
def launch_grid(programs: np.ndarray, kv_heads: int) -> Figure:
    """The blocks of a launch: a column for each tile of queries, a row for each (batch, head).

    Parameters
    ----------
    programs : int array (batch, heads, tiles, 2)
        The first query of each block, and how many it has.
    kv_heads : int
        Written beside each row: which K/V head its blocks read.
    """
    batch, heads, tiles, _ = programs.shape
    wide, high = 3.1, 1.15
    made, ax = canvas(5.2 + wide * tiles, 1.3 + high * (batch * heads) + 0.5 * (batch - 1), unit=0.42)
    for tile in range(tiles):
        _write(ax, 5.1 + wide * (tile + 0.5), 0.55, f"tile {tile}", 11)
    for b, h in np.ndindex(batch, heads):
        top = 1.1 + high * (b * heads + h) + 0.5 * b
        group = heads // kv_heads
        _write(ax, 4.9, top + 0.5, f"sequence {b}, head {h}: K/V {h // group}", 10, ha="right")
        for tile in range(tiles):
            first, count = map(int, programs[b, h, tile])
            box = (5.1 + wide * tile, top)
            ax.add_patch(Rectangle(box, wide - 0.12, high - 0.15, facecolor=head_colour(h), alpha=0.4, lw=0))
            ax.add_patch(Rectangle(box, wide - 0.12, high - 0.15, fill=False, edgecolor=INK, linewidth=0.7))
            _write(ax, box[0] + wide / 2 - 0.06, top + 0.52, f"{first} … {first + count - 1}", 10)
    return made


def tile_kinds(allowed: np.ndarray, block_q: int, block_k: int) -> np.ndarray:
    """What each tile of a mask is: "skipped" (no pair), "full" (every pair) or "masked inside".

    Parameters
    ----------
    allowed : bool array (q_len, k_len)
    block_q, block_k : int

    Returns
    -------
    array of str (query tiles, key tiles)

    Examples
    --------
    >>> tile_kinds(np.tril(np.ones((4, 4), bool)), 2, 2).tolist()
    [['masked inside', 'skipped'], ['full', 'masked inside']]
    """
    q_len, k_len = allowed.shape
    rows, columns = range(0, q_len, block_q), range(0, k_len, block_k)
    tiles = [[allowed[i : i + block_q, j : j + block_k] for j in columns] for i in rows]
    return np.array([["full" if t.all() else "masked inside" if t.any() else "skipped" for t in row] for row in tiles])


@styled
def skipped_tiles(allowed: np.ndarray, block_q: int, block_k: int) -> Figure:
    """A mask cut into tiles: those without an allowed pair are hatched, those that need no comparison are plain.

    Parameters
    ----------
    allowed : bool array (q_len, k_len)
    block_q, block_k : int
    """
    kinds = tile_kinds(allowed, block_q, block_k)
    q_len, k_len = allowed.shape
    unit = 9.0 / max(q_len, k_len)
    made, ax = canvas(k_len * unit + 2.0, q_len * unit + 3.3, unit=0.5)
    _write(ax, 1.4 + k_len * unit / 2, 0.35, f"keys, {block_k} a tile", 11)
    for (i, j), kind in np.ndenumerate(kinds):
        colour, hatch = _TILES[kind]
        height, width = min(block_q, q_len - i * block_q) * unit, min(block_k, k_len - j * block_k) * unit
        corner = (1.4 + j * block_k * unit, 0.8 + i * block_q * unit)
        box = {"xy": corner, "width": width, "height": height}
        ax.add_patch(Rectangle(**box, facecolor=colour, alpha=0.55, linewidth=0))
        ax.add_patch(Rectangle(**box, fill=False, hatch=hatch, edgecolor=INK, linewidth=0.6, alpha=0.7))
    for i in range(kinds.shape[0]):
        first = i * block_q
        _write(ax, 1.25, 0.8 + (first + min(block_q, q_len - first) / 2) * unit, first, 9.5, ha="right")
    ax.text(0.3, 0.8 + q_len * unit / 2, "first query", rotation=90, ha="center", va="center", fontsize=11, color=INK)
    _legend(ax, kinds, 1.4, 0.8 + q_len * unit + 0.5)
    return made


def _legend(ax: Axes, kinds: np.ndarray, left: float, top: float) -> None:
    for row, (kind, (colour, hatch)) in enumerate(_TILES.items()):
        box = {"xy": (left, top + 0.65 * row), "width": 0.9, "height": 0.5}
        ax.add_patch(Rectangle(**box, facecolor=colour, alpha=0.55, linewidth=0))
        ax.add_patch(Rectangle(**box, fill=False, hatch=hatch, edgecolor=INK, linewidth=0.6, alpha=0.7))
        _write(ax, left + 1.1, top + 0.65 * row + 0.27, f"{kind}: {int((kinds == kind).sum())}", 10.5, ha="left")


def _write(ax: Axes, x: float, y: float, text, size: float, ha: str = "center") -> None:
    ax.text(x, y, str(text), ha=ha, va="center", fontsize=size, color=INK)
