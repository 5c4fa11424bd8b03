"""Attention maps as small multiples: a row for each module, a panel for each head."""

import hashlib
import html
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from manyheads import _attention_maps as _maps
from manyheads._colours import head_colour
from manyheads.plots.pictures import INK, Picture, show, styled

#: Up to so many tokens, each of up to so many characters, stand beside the maps; beyond, positions do.
_MOST_TOKENS, _LONGEST_TOKEN = 12, 7

#: Said here too: a notebook does not have the book's style sheet.
_WRAPPED = "display:flex;flex-wrap:wrap;justify-content:flex-start;gap:.6rem .5rem"

_HOW_TO_READ = (
    "Rows are queries, columns are keys. The stronger the colour, the larger the weight "
    "(as its square root, so that small weights can be seen)."
)


class MapPicture(Picture):
    """Panels in rows, each row with its module's name above; a row wraps on a narrow page."""

    def __init__(self, rows: dict[str, Picture], title: str, caption: str):
        pictures = list(rows.values())
        super().__init__(
            [svg for picture in pictures for svg in picture.svgs],
            [width for picture in pictures for width in picture.widths],
            " ".join(picture.alt for picture in pictures),
            caption,
        )
        self.rows, self.title = rows, title

    def _repr_html_(self) -> str:
        title = f'<p class="mh-maps-title"><strong>{html.escape(self.title)}</strong></p>' if self.title else ""
        rows = "".join(
            f'<p class="mh-maps-name">{html.escape(name)}</p>'
            f'<div class="mh-panels" style="{_WRAPPED}">{_panels(row)}</div>'
            for name, row in self.rows.items()
        )
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>"
        return f'<figure class="mh-figure mh-maps" style="text-align:left">{title}{rows}{caption}</figure>'


def _panels(row: Picture) -> str:
    return "".join(
        f'<div class="mh-panel" style="flex:0 1 {width:.0f}px">{svg}</div>'
        for svg, width in zip(row.svgs, row.widths, strict=True)
    )


def attention_maps(
    maps: Any, tokens: Any = None, names: Sequence[str] | None = None, title: str = "", batch: int = 0
) -> Picture:
    """Every head's attention map of one sequence, as small multiples.

    Parameters
    ----------
    maps : dict of str to array (batch, heads, q_len, k_len), or array
        As `manyheads.probes.attention_maps` gives them, or one array: (layers, batch, heads, q_len, k_len),
        (layers, heads, q_len, k_len) or (heads, q_len, k_len).
    tokens : sequence, optional
        Of one sequence, or of each sequence of the batch. Up to 12 short ones stand beside the maps.
    names : sequence of str, optional
        Of the rows, in place of the maps' own.
    title : str
    batch : int
        Which sequence.

    Raises
    ------
    ValueError
        If the maps are no weights, or `tokens`, `names` or `batch` do not fit them.
    """
    found = _maps.by_module(maps, names)
    texts = _maps.texts(tokens, found)
    sequences = next(iter(found.values())).shape[0]
    if not 0 <= batch < sequences:
        raise ValueError(f"batch={batch} is not a sequence of these maps; they have {sequences}, counted from 0")
    chosen = None if texts is None else texts[batch]
    same = hashlib.sha256(repr((title, chosen, batch)).encode())
    for name, weights in found.items():
        same.update(name.encode() + weights[batch].tobytes())
    # Two figures of a page must have ids of their own, the same from run to run.
    prefix = f"maps-{same.hexdigest()[:10]}"
    rows = {}
    for place, (name, weights) in enumerate(found.items()):
        causal = _maps.is_causal(weights)
        figures = [_panel(one, head, chosen, causal) for head, one in enumerate(weights[batch])]
        alts = [
            f"{name}, head {head}: the largest mean weight is on {_maps.in_words(one)}."
            for head, one in enumerate(weights[batch])
        ]
        rows[name] = show(figures, alts, f"{prefix}-{place}")
    hatched = any(_maps.is_causal(weights) for weights in found.values())
    caption = _HOW_TO_READ + (" Hatched: the future, which the causal mask forbids." if hatched else "")
    return MapPicture(rows, title, caption)


@styled
def _panel(weights: np.ndarray, head: int, tokens: list[str] | None, causal: bool) -> Figure:
    """One head's map."""
    q_len, k_len = weights.shape
    labelled = tokens is not None and k_len <= _MOST_TOKENS and max(map(len, tokens)) <= _LONGEST_TOKEN
    room = 0.1 + 0.075 * max(map(len, tokens)) if labelled and tokens else 0.28  # inches, for labels left and below
    side = max(1.15, 0.155 * k_len if labelled else 0.0)
    height = side * float(np.clip(q_len / k_len, 0.35, 1.6))
    width, tall = room + side + 0.12, room + height + 0.27
    made = Figure(figsize=(width, tall))
    ax = made.add_axes((room / width, room / tall, side / width, height / tall))
    coloured = np.empty((q_len, k_len, 4))
    coloured[..., :3] = to_rgb(head_colour(head))
    coloured[..., 3] = np.sqrt(np.clip(weights, 0, 1))  # see-through, so that it stands on light and on dark
    ax.imshow(coloured, interpolation="none", aspect="auto", extent=(0, k_len, q_len, 0))
    if causal:
        _hatch_the_future(ax, q_len, k_len)
    _mark_head(made, head, room, room + height + 0.07)
    _label(ax, q_len, k_len, tokens if labelled else None)
    ax.tick_params(length=0, pad=3)
    ax.spines[:].set_linewidth(0.7)
    return made


def _mark_head(made: Figure, head: int, left: float, top: float) -> None:
    """The head's number, behind a square in its full colour; places in inches."""
    inches = made.dpi_scale_trans
    made.add_artist(Rectangle((left, top), 0.12, 0.12, color=head_colour(head), linewidth=0, transform=inches))
    made.text(left + 0.19, top, f"head {head}", fontsize=11, color=INK, va="bottom", transform=inches)


def _hatch_the_future(ax: Axes, q_len: int, k_len: int) -> None:
    """The staircase above the diagonal that ends in the lower right corner."""
    corners = [(k_len, 0)]
    for query in range(q_len):
        first = min(max(query + k_len - q_len + 1, 0), k_len)
        corners += [(first, query), (first, query + 1)]
    ax.add_patch(Polygon(corners, fill=False, hatch="////", edgecolor=INK, alpha=0.35, linewidth=0))


def _label(ax: Axes, q_len: int, k_len: int, tokens: list[str] | None) -> None:
    """Tokens, or the first and the last position."""
    if tokens is None:
        ax.set_xticks([0.5, k_len - 0.5] if k_len > 1 else [0.5], ["0", str(k_len - 1)][: min(k_len, 2)], fontsize=9.5)
        ax.set_yticks([0.5, q_len - 0.5] if q_len > 1 else [0.5], ["0", str(q_len - 1)][: min(q_len, 2)], fontsize=9.5)
        return
    ax.set_xticks(np.arange(k_len) + 0.5, tokens, fontsize=9, rotation=90)
    ax.set_yticks(np.arange(q_len) + 0.5, tokens[k_len - q_len :], fontsize=9)
