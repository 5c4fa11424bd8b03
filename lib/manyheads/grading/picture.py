"""A small map of where an answer is wrong: two axes of the array, each cell the share of wrong elements in it."""

import html
from dataclasses import dataclass

import numpy as np

from manyheads.grading import wording
from manyheads.grading.compare import Problem

_MOST_CELLS = 24
_HEADS = ("n_heads", "n_kv_heads", "heads", "kv_heads")


@dataclass(frozen=True)
class ErrorMap:
    """The share of wrong elements by row and column, from 0 to 1."""

    share: np.ndarray  #: (rows, columns)
    rows: str  #: what a row is: "head"
    columns: str
    step: tuple[int, int]  #: elements of the axis in one row, one column

    def describe(self) -> str:
        """The picture in one sentence."""
        wrong_rows = np.flatnonzero(self.share.any(axis=1))
        wrong_columns = np.flatnonzero(self.share.any(axis=0))
        if self.share.all():
            return "Every cell is wrong, at least in part."
        if self.share.any(axis=1).all() and self.share.any(axis=0).all():
            return (
                f"{(self.share > 0).mean():.0%} of the cells are wrong; no {self.rows} and no {self.columns} is right."
            )
        return (
            f"Wrong in {_which(wrong_rows, self.share.shape[0], self.rows)} and "
            f"{_which(wrong_columns, self.share.shape[1], self.columns)}."
        )

    @property
    def scale(self) -> str:
        """What a cell stands for, where it is more than one row and column."""
        rows, columns = self.step
        return "" if (rows, columns) == (1, 1) else f"A cell is {rows} {self.rows} by {columns} {self.columns}. "


def error_map(problem: Problem) -> ErrorMap | None:
    """The map of a problem's wrong elements, or None where there is nothing to draw.

    Heads against tokens where the array has both, else the last two axes; the other axes are averaged over.
    """
    wrong, axes = problem.wrong, problem.output.axes
    if wrong is None or axes is None or wrong.ndim < 2:
        return None
    alone = tuple(i for i, axis in enumerate(axes) if axis == "1" and wrong.shape[i] == 1)
    wrong, names = wrong.squeeze(alone), [axis for i, axis in enumerate(axes) if i not in alone]
    if wrong.ndim < 2:
        return None
    heads = next((i for i, axis in enumerate(names) if axis in _HEADS), None)
    tokens = next((i for i, axis in enumerate(names) if axis in ("seq", "q_len")), None)
    if heads is not None and tokens is not None and "k_len" not in names:
        kept = (heads, tokens)
    else:
        kept = (wrong.ndim - 2, wrong.ndim - 1)
    others = tuple(i for i in range(wrong.ndim) if i not in kept)
    share = wrong.mean(axis=others, dtype=float) if others else wrong.astype(float)
    if kept[0] > kept[1]:
        share = share.T
    steps = tuple(-(-size // _MOST_CELLS) for size in share.shape)
    told = [name for i, name in enumerate(wording.one_of(problem.output)) if i not in alone]
    return ErrorMap(_coarser(share, steps), told[kept[0]], told[kept[1]], steps)


def as_text(picture: ErrorMap) -> str:
    """The map in characters: ``·`` right, ``▒`` partly wrong, ``█`` wrong."""
    label = f"{picture.rows} "
    width = len(f"{label}{(len(picture.share) - 1) * picture.step[0]}") + 1
    lines = [" " * width + f"{picture.columns} 0 to {picture.share.shape[1] * picture.step[1] - 1} →"]
    for row, shares in enumerate(picture.share):
        marks = " ".join("█" if s == 1 else "▒" if s > 0 else "·" for s in shares)
        lines.append(f"{label}{row * picture.step[0]}".ljust(width) + marks)
    return "\n".join([*lines, f"{picture.scale}· right   ▒ partly wrong   █ wrong"])


def as_html(picture: ErrorMap) -> str:
    """The map as a table that needs no style sheet and reads in light and in dark."""
    head = "".join(
        f'<th scope="col" style="{_HEAD}">{column * picture.step[1]}</th>' for column in range(picture.share.shape[1])
    )
    body = "".join(
        f'<tr><th scope="row" style="{_HEAD};text-align:right">{html.escape(picture.rows)} '
        f"{row * picture.step[0]}</th>" + "".join(_cell(share) for share in shares) + "</tr>"
        for row, shares in enumerate(picture.share)
    )
    return (
        f'<table style="border-collapse:separate;border-spacing:2px;margin:.6em 0;width:auto;background:none" '
        f'aria-label="{html.escape(picture.describe())}">'
        f'<tr><th style="{_HEAD}">{html.escape(picture.columns)}</th>{head}</tr>{body}</table>'
        f'<div style="font-size:85%;opacity:.8">{html.escape(picture.describe())} '
        f"{html.escape(picture.scale)}· right, ~ partly wrong, × wrong.</div>"
    )


_HEAD = "font-weight:normal;font-size:80%;padding:0 .3em;border:0;background:none"


def _cell(share: float) -> str:
    # The mark says what the colour says, for those who see no colour.
    mark = "×" if share == 1 else "~" if share > 0 else "·"
    frame = (
        "border:1px solid rgba(128,128,128,.45);min-width:1.5em;height:1.5em;text-align:center;padding:0;color:inherit"
    )
    return f'<td style="{frame};background:rgba(213,94,0,{0.55 * share:.2f})" title="{share:.0%} wrong">{mark}</td>'


def _coarser(share: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    for axis, step in enumerate(steps):
        if step > 1:
            starts = np.arange(0, share.shape[axis], step)
            sizes = np.diff(np.append(starts, share.shape[axis]))
            shape = [1, 1]
            shape[axis] = -1
            share = np.add.reduceat(share, starts, axis=axis) / sizes.reshape(shape)
    return share


def _which(indices: np.ndarray, size: int, name: str) -> str:
    if len(indices) == size:
        return f"every {name}"
    if len(indices) == size - 1 and indices[0] == 1:
        return f"every {name} but {name} 0"
    shown = ", ".join(map(str, indices[:6])) + (" …" if len(indices) > 6 else "")
    return f"{name} {shown}"
