"""Figures on a page: as inline SVG that follows light and dark, with what they say in words."""

import functools
import html
import io
import re
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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

    def __init__(self, svgs: list[str], widths: list[float], alt: str, caption: str = "", smallest: float = 0.45):
        self.svgs, self.widths, self.alt, self.caption, self.smallest = svgs, widths, alt, caption, smallest

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        # Side by side, all at one scale, down to a part of their size; then below each other.
        style = "flex:{0:.0f} 1 {1:.0f}px;max-width:{0:.0f}px"
        panels = "".join(
            f'<div class="mh-panel" style="{style.format(width, self.smallest * width)}" tabindex="0">{svg}</div>'
            for svg, width in zip(self.svgs, self.widths, strict=True)
        )
        return f'<figure class="mh-figure"><div class="mh-panels">{panels}</div>{caption}</figure>'

    def __repr__(self) -> str:
        return f"<Picture: {self.alt}>"


def styled(draw):
    """Draw in the course's style: texts take their colour when they are made."""

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        with mpl.rc_context(_STYLE):
            return draw(*args, **kwargs)

    return drawn


@styled
def canvas(width: float, height: float, unit: float = 0.46) -> tuple[Figure, Axes]:
    """A figure for blocks: `width` by `height` units of `unit` inches, y downwards, no frame."""
    made = Figure(figsize=(unit * width, unit * height))
    ax = made.add_axes((0, 0, 1, 1))
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.axis("off")
    return made, ax


def show(
    of: Figure | list[Figure], alt: str | list[str], name: str, caption: str = "", smallest: float = 0.45
) -> Picture:
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
    smallest : float
        The part of their size down to which several figures shrink to stand side by side.
    """
    figures = [of] if isinstance(of, Figure) else of
    alts = [alt] if isinstance(alt, str) else alt
    svgs = [_svg(f, a, f"{name}-{i}") for i, (f, a) in enumerate(zip(figures, alts, strict=True))]
    widths = [96 * float(f.get_size_inches()[0]) for f in figures]
    return Picture(svgs, widths, " ".join(alts), caption, smallest)


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
