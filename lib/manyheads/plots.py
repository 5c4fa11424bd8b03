"""Figures of the course: arrays in, Axes out. `show` puts a figure into a page so that it follows light and dark.

Heads keep their colours through the whole course, and so do Q, K and V. Both palettes are safe for the
colour-blind (heads: Paul Tol's "bright"; Q, K, V: Okabe and Ito), and nothing is said by colour alone.
"""

import functools
import html
import io
import re
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

HEAD_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
QKV_COLOURS = {"q": "#0072b2", "k": "#e69f00", "v": "#009e73"}
WRONG = "#d55e00"

#: Drawn in this colour, text and lines take the colour of the page's text.
INK = "#010203"

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


class Picture:
    """Figures as inline SVG, each with a text for those who do not see it; notebooks and the book show them."""

    def __init__(self, svgs: list[str], widths: list[float], alt: str, caption: str = ""):
        self.svgs, self.widths, self.alt, self.caption = svgs, widths, alt, caption

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        # Side by side, all at one scale, down to about half their size; then below each other.
        style = "flex:{0:.0f} 1 {1:.0f}px;max-width:{0:.0f}px"
        panels = "".join(
            f'<div class="mh-panel" style="{style.format(width, 0.45 * width)}" tabindex="0">{svg}</div>'
            for svg, width in zip(self.svgs, self.widths, strict=True)
        )
        return f'<figure class="mh-figure"><div class="mh-panels">{panels}</div>{caption}</figure>'

    def __repr__(self) -> str:
        return f"<Picture: {self.alt}>"


def _styled(draw):
    """Draw in the course's style: texts take their colour when they are made."""

    @functools.wraps(draw)
    def styled(*args, **kwargs):
        with mpl.rc_context(_STYLE):
            return draw(*args, **kwargs)

    return styled


@_styled
def canvas(width: float, height: float, unit: float = 0.46) -> tuple[Figure, Axes]:
    """A figure for blocks: `width` by `height` units of `unit` inches, y downwards, no frame."""
    made = Figure(figsize=(unit * width, unit * height))
    ax = made.add_axes((0, 0, 1, 1))
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.axis("off")
    return made, ax


def show(of: Figure | list[Figure], alt: str | list[str], name: str, caption: str = "") -> Picture:
    """A figure as a `Picture`, or several that stand side by side and below each other on a narrow page.

    Parameters
    ----------
    of : Figure, or list of them
    alt : str, or list of them
        What each figure says, in words.
    name : str
        Its name on the page: keeps the ids inside two figures apart, and the file the same from run to run.
    caption : str
        A line below, for all.
    """
    figures = [of] if isinstance(of, Figure) else of
    alts = [alt] if isinstance(alt, str) else alt
    svgs = [_svg(f, a, f"{name}-{i}") for i, (f, a) in enumerate(zip(figures, alts, strict=True))]
    widths = [96 * float(f.get_size_inches()[0]) for f in figures]
    return Picture(svgs, widths, " ".join(alts), caption)


def _svg(of: Figure, alt: str, name: str) -> str:
    file = io.StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        of.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = svg.replace(INK, "currentColor")
    size = re.search(r'width="([\d.]+)pt" height="[\d.]+pt"', svg)
    assert size is not None  # matplotlib writes both
    # Below half its size its letters could not be read: then it scrolls in its frame.
    style = f"width:100%;min-width:{0.45 * float(size[1]) * 4 / 3:.0f}px"
    svg = svg.replace(size[0], f'role="img" aria-label="{html.escape(alt)}" style="{style}"', 1)
    prefix = re.sub(r"\W+", "-", name)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)


def head_colour(head: int) -> str:
    """The colour of a head; from the eighth on they come again."""
    return HEAD_COLOURS[head % len(HEAD_COLOURS)]


@_styled
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


@_styled
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


@_styled
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


@_styled
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


@_styled
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
