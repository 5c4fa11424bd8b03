"""What heads do, as bars: their scores, and what a model loses without them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from manyheads._colours import head_colour
from manyheads.plots.pictures import INK, Picture, show, styled

_SCORES = {"previous_token": "previous token", "first_token": "first token", "induction": "induction"}


def head_scores(rows: Sequence[Any], name: str = "head-scores") -> Picture:
    """A panel for each score, a bar for each head.

    Parameters
    ----------
    rows : sequence of HeadScores
        As `manyheads.probes.head_scores` gives them; no panel for induction where none has it.
    name : str
        Of the figure, different from others on the page.
    """
    if not rows:
        raise ValueError("there is no head to show: rows is empty")
    heads = [(row.module, row.head) for row in rows]
    panels, alts = [], []
    for field, title in _SCORES.items():
        scores = [getattr(row, field) for row in rows]
        if None not in scores:
            panels.append(_bars(dict(zip(heads, scores, strict=True)), title, (0.0, 1.0)))
            alts.append(f"Score {title}: {_told(heads, scores, '{:.2f}')}.")
    return show(panels, alts, name, "Scores from 0 to 1: the mean weight on the token that the score is about.", 0.8)


def ablation(increases: Mapping[tuple[str, int], float], unit: str = "nats", name: str = "ablation") -> Picture:
    """A bar for each head: by how much the loss rises without it; to the left where it falls.

    Parameters
    ----------
    increases : dict of (module, head) to float
        As `manyheads.probes.ablation` gives them.
    unit : str
        Of the loss.
    name : str
        Of the figure, different from others on the page.
    """
    if not increases:
        raise ValueError("there is no head to show: increases is empty")
    values = {head: float(value) for head, value in increases.items()}
    low, high = min(0.0, *values.values()), max(0.0, *values.values())
    told = f"The loss rises, in {unit}, without {_told(list(values), list(values.values()), '{:+.2f}')}."
    made = _bars(values, f"rise of the loss without the head, in {unit}", (low, high), wide=True)
    return show(made, told, name)


@styled
def _bars(values: dict[tuple[str, int], float], title: str, limits: tuple[float, float], wide: bool = False) -> Figure:
    made = Figure(figsize=(4.2 if wide else 2.6, 0.85 + 0.32 * len(values)), layout="constrained")
    ax = made.add_subplot()
    low, high = limits
    room = 0.22 * ((high - low) or 1.0)  # for the numbers beside the bars
    for place, ((_, head), value) in enumerate(values.items()):
        ax.barh(place, value, height=0.62, color=head_colour(head), edgecolor=INK, linewidth=0.6)
        side = "left" if value >= 0 else "right"
        text = f"{value:.2f}" if low == 0 else f"{value:+.2f}"
        ax.text(value + np.copysign(0.04 * room, value), place, f" {text} ", va="center", color=INK, ha=side)
    ax.set_yticks(range(len(values)), [f"{module}, head {head}" for module, head in values])
    ax.invert_yaxis()
    ax.set_xlim(low - (room if low < 0 else 0), high + room)
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_title(title, fontsize=11, loc="left", wrap=True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    return made


def _told(heads: Sequence[tuple[str, int]], values: Sequence[float], form: str) -> str:
    return "; ".join(
        f"{module}, head {head}: {form.format(v)}" for (module, head), v in zip(heads, values, strict=True)
    )
