"""What the exercises of this chapter draw their inputs from: causal attention weights."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes


def weights(rng, dtype="float64", **ranges):
    """Causal weights (batch, heads, seq, seq) with rows that sum to 1; the sizes are all different."""
    s = sizes.draw(rng, **{"batch": (2, 4), "heads": (3, 6), "seq": (7, 10), **ranges})
    return causal_weights(rng, s["batch"], s["heads"], s["seq"], dtype)


def causal_weights(rng, batch, heads, seq, dtype="float64"):
    """As `weights`, of these sizes."""
    scores = 1.5 * sizes.normal(rng, batch, heads, seq, seq)
    allowed = np.tri(seq, dtype=bool)
    return reference.softmax(np.where(allowed, scores, -np.inf)).astype(dtype)


#: Means of some dozens of numbers that are not negative.
MEAN = {"float64": 1e-14, "float32": 5e-6}
