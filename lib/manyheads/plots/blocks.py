"""Projections, layouts and heads as blocks of cells."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from manyheads._colours import HEAD_COLOURS, head_colour
from manyheads.plots.pictures import INK, canvas, styled

QKV_COLOURS = {"q": "#0072b2", "k": "#e69f00", "v": "#009e73"}
WRONG = "#d55e00"


@styled
def blocks(ax: Axes, at: tuple[float, float], colours: np.ndarray, labels: np.ndarray | None = None) -> None:
    """Draw a matrix as unit cells.

    Parameters
    ----------
    ax : Axes
    at : (x, y)
        The upper left corner; y grows downwards.
    colours : array (rows, columns) of str
    labels : array (rows, columns) of str, optional
    """
    for row, column in np.ndindex(colours.shape):
        corner = (at[0] + column, at[1] + row)
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=str(colours[row, column]), alpha=0.45, edgecolor="none"))
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=INK, linewidth=0.7))
        if labels is not None:
            _write(ax, corner[0] + 0.5, corner[1] + 0.52, labels[row, column], 11)


def _write(ax: Axes, x: float, y: float, text, size: float, ha: str = "center", va: str = "center") -> None:
    ax.text(x, y, str(text), ha=ha, va=va, fontsize=size, color=INK)


@styled
def per_head_and_fused(x: np.ndarray, w: np.ndarray) -> Figure:
    """X times each head's matrix, above X times all of them side by side.

    Parameters
    ----------
    x : array (seq, d_model)
    w : array (n_heads, d_model, head_dim)
    """
    (seq, d_model), (n_heads, _, head_dim) = x.shape, w.shape
    left = d_model + 2.0  # of the weights
    right = left + n_heads * (head_dim + 1) + 1.0  # of the heads
    step = d_model + 3.6
    made, ax = canvas(right + n_heads * (head_dim + 1) - 0.4, 2 * step + 0.2)
    rows = (
        ("a matrix for each head", 1.0, "d_model × head_dim, each"),
        ("one matrix", 0.0, "d_model × n_heads · head_dim"),
    )
    for row, (title, gap, sides) in enumerate(rows):
        top = row * step + 2.1
        middle = top + (d_model - seq) / 2
        products = f"{n_heads} products" if gap else "1 product"
        _write(ax, 0.05, top - 1.55, f"{title}: {products}", 13.5, ha="left")
        blocks(ax, (0.05, middle), np.full((seq, d_model), "#999999"))
        _write(ax, d_model / 2, middle - 0.4, "X", 12)
        _write(ax, d_model / 2, middle + seq + 0.45, "tokens × d_model", 10.5)
        _write(ax, d_model + 1.0, middle + seq / 2, "@", 14)
        _write(ax, right - 1.0, middle + seq / 2, "=", 14)
        for head in range(n_heads):
            here = head * (head_dim + gap)
            for at, base, height in ((left, top, d_model), (right, middle, seq)):
                blocks(ax, (at + here, base), np.full((height, head_dim), head_colour(head)))
                _write(ax, at + here + head_dim / 2, base - 0.4, f"head {head}", 10.5)
        _write(ax, left + (n_heads * (head_dim + gap) - gap) / 2, top + d_model + 0.45, sides, 10.5)
    return made


@styled
def where_numbers_went(product: np.ndarray, panels: dict[str, np.ndarray | None]) -> Figure:
    """One sequence's product (tokens by width), and what ways of splitting it make of each head.

    Parameters
    ----------
    product : array (seq, n_heads, head_dim)
        Its elements must all be different: a number is followed by its value.
    panels : dict of str to array (n_heads, seq, head_dim)
        By title; None draws the product itself. A cell has the colour of the head that its number belongs to and the
        digit of its token; it has a frame and a dark corner where it stands in another head or at another token.
    """
    seq, n_heads, head_dim = product.shape
    owner = {float(product[i]): i for i in np.ndindex(product.shape)}
    gaps = [0.0 if result is None else 0.7 for result in panels.values()]
    widths = [n_heads * (head_dim + gap) - gap for gap in gaps]
    made, ax = canvas(2.2 + sum(widths) + 1.4 * (len(panels) - 1), seq + 2.3)
    for token in range(seq):
        _write(ax, 1.95, 2.5 + token, f"token {token}", 10.5, ha="right")
    left = 2.1
    for (title, result), gap, width in zip(panels.items(), gaps, widths, strict=True):
        heads = np.moveaxis(product, 1, 0) if result is None else result
        _write(ax, left + width / 2, 0.5, title, 13)
        for head in range(n_heads):
            here = left + head * (head_dim + gap)
            cells = {(row, j): owner[float(heads[head, row, j])] for row, j in np.ndindex(seq, head_dim)}
            colours, tokens = np.empty((seq, head_dim), object), np.empty((seq, head_dim), object)
            for cell, (token, true_head, _) in cells.items():
                colours[cell], tokens[cell] = head_colour(true_head), token
            blocks(ax, (here, 2.0), colours, tokens)
            _write(ax, here + head_dim / 2, 1.55, f"head {head}", 10.5)
            for (row, j), origin in cells.items():
                if origin != (row, head, j):
                    _mark(ax, here + j, 2.0 + row)
        left += width + 1.4
    return made


def _mark(ax: Axes, x: float, y: float) -> None:
    """Mark a unit cell as out of place, without hiding its colour."""
    ax.add_patch(Rectangle((x + 0.06, y + 0.06), 0.88, 0.88, fill=False, edgecolor=WRONG, linewidth=1.8))
    ax.add_patch(Polygon([(x + 0.6, y + 0.06), (x + 0.94, y + 0.06), (x + 0.94, y + 0.4)], color=WRONG, linewidth=0))


@styled
def fused_layouts(orders: dict[str, list[str]]) -> Figure:
    """Strips of blocks, one for each layout.

    Parameters
    ----------
    orders : dict of str to list of str
        By layout, the blocks from left to right: "q0", "k0", "v0", …
    """
    made, ax = canvas(3.0 + max(map(len, orders.values())), 1.35 * len(orders), unit=0.55)
    for row, (layout, order) in enumerate(orders.items()):
        _write(ax, 2.7, 1.35 * row + 0.65, layout, 13, ha="right")
        colours = np.array([[QKV_COLOURS[block[0]] for block in order]])
        blocks(ax, (2.9, 1.35 * row + 0.15), colours, np.array([order]))
    return made


@styled
def bars(values: dict[str, float], unit: str, form: str = "{:.3g}") -> Figure:
    """Horizontal bars with their values written beside them.

    Parameters
    ----------
    values : dict of str to float
        By label, from top to bottom.
    unit : str
        Of the values, for the axis.
    form : str
        How a value is written.
    """
    made = Figure(figsize=(7.5, 0.75 + 0.45 * len(values)), layout="constrained")
    ax = made.add_subplot()
    places = np.arange(len(values))
    ax.barh(places, list(values.values()), color=HEAD_COLOURS[0], height=0.6)
    for place, value in zip(places, values.values(), strict=True):
        _write(ax, value + 0.01 * max(values.values()), float(place), form.format(value), 11, ha="left")
    ax.set_yticks(places, list(values))
    ax.invert_yaxis()
    ax.set_xlim(0, 1.18 * max(values.values()))
    ax.set_xlabel(unit)
    ax.spines[["top", "right"]].set_visible(False)
    return made
