"""Attention maps as figures and widgets take them: by module, (batch, heads, q_len, k_len), with tokens as texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

#: By how much rounding may take a weight out of 0 to 1 (bfloat16 keeps 8 bits).
_ROUNDING = 0.01


def by_module(maps: Any, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Maps by name, each (batch, heads, q_len, k_len).

    Parameters
    ----------
    maps : dict of str to array, or array
        As a dict: (batch, heads, q_len, k_len) or (heads, q_len, k_len) each. As one array:
        (layers, batch, heads, q_len, k_len), (layers, heads, q_len, k_len) or (heads, q_len, k_len).
    names : sequence of str, optional
        Other names, in the order of the maps.

    Raises
    ------
    ValueError
        If there are no maps, or they are no weights, or their batches or the number of names differ.
    """
    if isinstance(maps, Mapping):
        found = {str(name): _with_batch(str(name), np.asarray(weights)) for name, weights in maps.items()}
    else:
        found = {f"layer {i}": layer for i, layer in enumerate(_layers(np.asarray(maps)))}
    if names is not None:
        if len(names) != len(found) or len(set(names)) != len(found):
            raise ValueError(f"names must be {len(found)} different names, one for each of the maps; got {list(names)}")
        found = dict(zip(map(str, names), found.values(), strict=True))
    if not found:
        raise ValueError("maps is empty: there is no attention map to show")
    for name, weights in found.items():
        _require_weights(name, weights)
    batches = {name: weights.shape[0] for name, weights in found.items()}
    if len(set(batches.values())) > 1:
        raise ValueError(f"maps must all be of the same batch; got sequences {batches}")
    return found


def _with_batch(name: str, weights: np.ndarray) -> np.ndarray:
    if weights.ndim not in (3, 4):
        raise ValueError(
            f"the map of {name!r} must be (batch, heads, q_len, k_len) or (heads, q_len, k_len); "
            f"got shape {weights.shape}"
        )
    return weights if weights.ndim == 4 else weights[None]


def _layers(weights: np.ndarray) -> np.ndarray:
    """One array as (layers, batch, heads, q_len, k_len)."""
    if weights.ndim == 5:
        return weights
    if weights.ndim == 4:
        return weights[:, None]
    if weights.ndim == 3:
        return weights[None, None]
    raise ValueError(
        "maps must be a dict of arrays, or one array (layers, batch, heads, q_len, k_len), "
        f"(layers, heads, q_len, k_len) or (heads, q_len, k_len); got shape {weights.shape}"
    )


def _require_weights(name: str, weights: np.ndarray) -> None:
    if 0 in weights.shape:
        raise ValueError(f"the map of {name!r} is empty: shape {weights.shape}")
    if weights.dtype.kind not in "fiub" or not np.isfinite(weights).all():
        raise ValueError(f"the map of {name!r} must hold finite numbers")
    least, most = float(weights.min()), float(weights.max())
    if least < -_ROUNDING or most > 1 + _ROUNDING:
        raise ValueError(
            f"the map of {name!r} must hold weights from 0 to 1; got {least:.3g} to {most:.3g} "
            "(scores become weights by the softmax)"
        )


def texts(tokens: Any, maps: Mapping[str, np.ndarray]) -> list[list[str]] | None:
    """The tokens of each sequence as texts: one list serves all sequences; None stays None.

    Raises
    ------
    ValueError
        If there are not as many sequences, or tokens in one, as the maps have.
    """
    if tokens is None:
        return None
    given = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    batch = next(iter(maps.values())).shape[0]
    rows = given if given and isinstance(given[0], list | tuple) else [given] * batch
    if len(rows) != batch:
        raise ValueError(f"tokens has {len(rows)} sequences, the maps have {batch}")
    for name, weights in maps.items():
        q_len, k_len = weights.shape[-2:]
        if q_len > k_len:
            raise ValueError(
                f"the map of {name!r} has more queries than keys ({q_len}, {k_len}): its queries are other tokens "
                "than its keys; leave tokens out"
            )
        for row in rows:
            if len(row) != k_len:
                raise ValueError(f"tokens has {len(row)} in a sequence, the map of {name!r} has {k_len} keys")
    return [[str(token) for token in row] for row in rows]


def forbidden(q_len: int, k_len: int) -> np.ndarray:
    """Where the causal mask forbids: (q_len, k_len), True above the diagonal that ends in the lower right corner."""
    return np.arange(k_len) > np.arange(q_len)[:, None] + (k_len - q_len)


def is_causal(weights: np.ndarray) -> bool:
    """Whether a module attends as under the causal mask: there is a future, and all of it has weight 0."""
    future = forbidden(*weights.shape[-2:])
    return bool(future.any() and not weights[..., future].any())


def in_words(weights: np.ndarray) -> str:
    """Where the largest mean weight of one map (q_len, k_len) lies: "the token before, 0.81 on average".

    Of the token itself, those before and after it, those at a fixed distance before it, and the first. Where none of
    them has a quarter of the weight, it says so.

    The mean is over the queries that have such a token; in a causal map, a query's own token is the last one that it
    may read.
    """
    q_len, k_len = weights.shape
    own = np.arange(q_len) + (k_len - q_len)
    queries = np.flatnonzero(own >= 1)
    if not queries.size or q_len > k_len:
        key = int(weights.mean(0).argmax())
        return f"key {key}, {float(weights[:, key].mean()):.2f} on average"
    followed = queries[own[queries] + 1 < k_len]
    places = {
        "the token before": weights[queries, own[queries] - 1],
        "the token itself": weights[queries, own[queries]],
        "the first token": weights[queries, 0],
        "the token after": weights[followed, own[followed] + 1],
    }
    for distance in range(2, k_len):
        far = np.flatnonzero(own >= distance)
        if 3 * far.size > q_len:  # a few queries would say nothing of the head
            places[f"the token {distance} before"] = weights[far, own[far] - distance]
    means = {place: float(found.mean()) for place, found in places.items() if found.size}
    most = max(means, key=lambda place: means[place])
    told = f"{most}, {means[most]:.2f} on average"
    return told if means[most] >= 0.25 else f"no fixed place: at most {told}"
