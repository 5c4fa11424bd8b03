"""All heads of a model with their scores, and the table of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from manyheads._shapes import AnyArray, Float, Int
from manyheads.probes.scores import first_token_score, induction_score, previous_token_score


@dataclass(frozen=True)
class HeadScores:
    """One head and its scores, each from 0 to 1.

    Parameters
    ----------
    module : str
        The name of its module, as in `attention_maps`.
    head : int
    previous_token, first_token : float
    induction : float, optional
        None where no tokens were given.

    Examples
    --------
    >>> HeadScores("layers.0", 1, 0.9, 0.05).induction is None
    True
    """

    module: str
    head: int
    previous_token: float
    first_token: float
    induction: float | None = None


def head_scores(
    maps: Mapping[str, Float[AnyArray, "batch heads seq seq"]], tokens: Int[AnyArray, "batch seq"] | None = None
) -> list[HeadScores]:
    """Score every head of every map.

    Parameters
    ----------
    maps : dict of str to float array (batch, heads, seq, seq)
        What `attention_maps` gives, or a part of it.
    tokens : int array or tensor (batch, seq), optional
        What the model read; without them there is no induction score.

    Returns
    -------
    list of HeadScores
        In the order of `maps`, head by head.

    Raises
    ------
    TypeError, ValueError
        As the scores do, with the name of the module. Cross-attention has other keys than queries: leave it out.

    Notes
    -----
    The scores are `previous_token_score`, `first_token_score` and `induction_score`.

    Examples
    --------
    >>> import numpy as np
    >>> for row in head_scores({"attention": np.eye(3, k=-1)[None, None]}):
    ...     print(row.module, row.head, row.previous_token, row.first_token)
    attention 0 1.0 0.5
    """
    rows = []
    for module, weights in maps.items():
        try:
            previous, first = previous_token_score(weights), first_token_score(weights)
            matched = [None] * len(first) if tokens is None else induction_score(weights, tokens).tolist()
        except (TypeError, ValueError) as wrong:
            raise type(wrong)(f"maps[{module!r}]: {wrong}") from None
        for head, scores in enumerate(zip(previous.tolist(), first.tolist(), matched, strict=True)):
            rows.append(HeadScores(module, head, *scores))
    return rows


def table(scores: Iterable[HeadScores]) -> str:
    """The scores as a text, a line for each head.

    Parameters
    ----------
    scores : iterable of HeadScores

    Returns
    -------
    str

    Notes
    -----
    The columns are the fields of `HeadScores`.

    Examples
    --------
    >>> print(table([HeadScores("layers.0", 0, 0.91, 0.02, 0.0), HeadScores("layers.1", 0, 0.06, 0.1, 0.97)]))
    module    head  previous token  first token  induction
    layers.0     0            0.91         0.02       0.00
    layers.1     0            0.06         0.10       0.97
    """
    rows = list(scores)
    width = max([6, *(len(row.module) for row in rows)])
    lines = [f"{'module':{width}}  {'head':>4}  previous token  first token  induction"]
    for row in rows:
        induction = "" if row.induction is None else f"{row.induction:9.2f}"
        line = f"{row.module:{width}}  {row.head:4}  {row.previous_token:14.2f}  {row.first_token:11.2f}  {induction}"
        lines.append(line.rstrip())
    return "\n".join(lines)
