"""Attention maps to walk over: all heads small, one large, in a notebook and in the built book."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from manyheads import _attention_maps as _maps
from manyheads._colours import HEAD_COLOURS

_FOLDER = Path(__file__).parent

#: More numbers than these (4 MB) make a page heavy; nobody looks at them all.
MOST_NUMBERS = 2_000_000

#: Weights are kept as whole thousandths.
THOUSANDTHS = 1000


class AttentionMaps(anywidget.AnyWidget):
    """A grid of small maps, one for each head; the chosen one stands below, large, and its weights can be read.

    Parameters
    ----------
    maps : dict of str to array (batch, heads, q_len, k_len), or array
        As `manyheads.probes.attention_maps` gives them, or one array: (layers, batch, heads, q_len, k_len),
        (layers, heads, q_len, k_len) or (heads, q_len, k_len).
    tokens : sequence, optional
        Of one sequence, or of each sequence of the batch; needed for the induction score.
    names : sequence of str, optional
        Of the layers, in place of the maps' own.

    Raises
    ------
    ValueError
        If the maps are no weights, do not fit the tokens or names, or hold more than two million numbers.
    """

    # A widget is one module: what can be tried without a page stands in a file of its own.
    _esm = "\n".join(
        (_FOLDER / f"{name}.js").read_text("utf-8") for name in ("attention_maps_numbers", "attention_maps")
    )
    _css = (_FOLDER / "attention_maps.css").read_text("utf-8")

    #: One for each module: its name, its [heads, q_len, k_len], and whether it attends under a causal mask.
    layers = traitlets.List(traitlets.Dict()).tag(sync=True)
    #: Thousandths as little-endian uint16, layer after layer, each (batch, heads, q_len, k_len).
    weights = traitlets.Bytes().tag(sync=True)
    sequences = traitlets.Int(1).tag(sync=True)
    #: By sequence; empty without tokens.
    tokens = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    colours = traitlets.List(traitlets.Unicode(), default_value=list(HEAD_COLOURS)).tag(sync=True)
    #: What is chosen, as numbers from 0.
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    sequence = traitlets.Int(0).tag(sync=True)

    def __init__(self, maps: Any, tokens: Any = None, names: Sequence[str] | None = None):
        found = _maps.by_module(maps, names)
        texts = _maps.texts(tokens, found)
        numbers = sum(weights.size for weights in found.values())
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"these maps hold {numbers:,} numbers, and a page stays quick up to {MOST_NUMBERS:,}: choose fewer "
                "sequences, heads or layers, such as weights[:1] of each module, or shorter sequences"
            )
        super().__init__(
            layers=[
                {"name": name, "shape": list(weights.shape[1:]), "causal": _maps.is_causal(weights)}
                for name, weights in found.items()
            ],
            weights=b"".join(_thousandths(weights) for weights in found.values()),
            sequences=next(iter(found.values())).shape[0],
            tokens=texts or [],
        )

    def __repr__(self) -> str:
        return f"<AttentionMaps: {', '.join(layer['name'] for layer in self.layers)}>"

    @traitlets.validate("layer", "head", "sequence")
    def _within(self, proposal: dict) -> int:
        """What is chosen must exist."""
        name, value = proposal["trait"].name, proposal["value"]
        layers = self.layers or [{"shape": [1]}]
        layer = min(self.layer, len(layers) - 1)
        most = {"layer": len(layers), "head": layers[layer]["shape"][0], "sequence": self.sequences}[name]
        if not 0 <= value < most:
            raise traitlets.TraitError(f"{name}={value} does not exist; there are {most}, counted from 0")
        return value


def _thousandths(weights: np.ndarray) -> bytes:
    return np.rint(np.clip(weights, 0, 1) * THOUSANDTHS).astype("<u2").tobytes()
