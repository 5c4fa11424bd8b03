"""most-needed-head: the head without which a model loses most, found by taking each away once."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch09_learning.most_needed_head_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.supply import Supply


def _reference(loss, n_layers, n_heads):
    baseline = loss(-1, -1)
    places = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    increase, (layer, head) = max((loss(*place) - baseline, place) for place in places)
    return layer, head, increase


def _supply(baseline, increases):
    """Answers as a model would: the loss with this head ablated."""
    n_layers, n_heads = increases.shape

    def answer(layer, head):
        if not (isinstance(layer, int) and isinstance(head, int)):
            kinds = f"{type(layer).__name__} and {type(head).__name__}"
            raise ValueError(f"loss takes one layer and one head at a time, whole numbers; got {kinds}")
        if (layer, head) == (-1, -1):
            return baseline
        if not (0 <= layer < n_layers and 0 <= head < n_heads):
            raise IndexError(f"there is no head {head} in a layer {layer}; there are {n_layers} layers of {n_heads}")
        return baseline + float(increases[layer, head])

    return Supply(answer)


def _case(rng, about, layer, harm=0.95, shift=0.0, asks=False, probe=False):
    """The most needed head is in `layer` ("inner", "first", "last"), whose other heads all do harm.

    Without it the loss rises by 0.65 + `shift`; without one that stands elsewhere it falls by `harm` - `shift`.
    """
    s = sizes.draw(rng, n_layers=(3, 4), n_heads=(6, 7))
    n_layers, n_heads = s["n_layers"], s["n_heads"]
    increases = rng.permutation(np.linspace(0.05, 0.4, n_layers * n_heads)).reshape(n_layers, n_heads)
    increases += rng.uniform(0, 0.005, increases.shape)
    inner = int(rng.integers(1, n_layers - 1)), n_heads - 2
    best = {"first": (0, 0), "inner": inner, "last": (n_layers - 1, n_heads - 1)}[layer]
    other = int(rng.choice([i for i in range(n_layers) if i != best[0]]))
    increases[best[0]] -= 0.5
    increases[other, int(rng.integers(1, n_heads))] = -harm - rng.uniform(0, 0.05)
    increases[best] = 0.65 + rng.uniform(0, 0.05)
    loss = _supply(float(rng.uniform(1.5, 2.5)), increases + shift)
    return Case(about, {"loss": loss, "n_layers": n_layers, "n_heads": n_heads}, probe, asks=asks)


def _little_harm(rng):
    """Tells the largest change from the smallest loss."""
    return _case(rng, "no ablation helps much", "inner", harm=0.55, probe=True)


def _values(rng):
    return [
        _case(rng, "the head is in an inner layer", "inner"),
        _case(rng, "the head is the last of all", "last"),
        _case(rng, "the head is the first of all", "first"),
        _little_harm(rng),
    ]


def _helping(rng):
    return [
        _case(rng, "the loss falls whichever head is taken away", "inner", shift=-0.8),
        _case(rng, "the loss falls whichever head is taken away, least for one in the last layer", "last", shift=-0.8),
        _little_harm(rng),
    ]


def _calls(rng):
    return [_case(rng, "what your function asks the model for", "last", asks=True), _little_harm(rng)]


# -- right answers by other techniques -----------------------------------------------------------------


def _flat_argmax(loss, n_layers, n_heads):
    losses = np.array([[loss(layer, head) for head in range(n_heads)] for layer in range(n_layers)])
    layer, head = np.unravel_index(losses.argmax(), losses.shape)
    return layer, head, losses.max() - loss(-1, -1)


def _sorted_list(loss, n_layers, n_heads):
    without = loss(-1, -1)
    found = sorted((without - loss(layer, head), layer, head) for layer, head in np.ndindex(n_layers, n_heads))
    decrease, layer, head = found[0]
    return layer, head, -decrease


def _layer_by_layer(loss, n_layers, n_heads):
    losses = [[loss(layer, head) for head in range(n_heads)] for layer in range(n_layers)]
    tops = [max(row) for row in losses]
    layer = tops.index(max(tops))
    return layer, losses[layer].index(max(tops)), max(tops) - loss(-1, -1)


def _by_dictionary(loss, n_layers, n_heads):
    losses = {place: loss(*place) for place in np.ndindex(n_layers, n_heads)}
    most = max(losses, key=lambda place: losses[place])
    return (*most, losses[most] - loss(-1, -1))


def _one_number_for_both(loss, n_layers, n_heads):
    losses = [loss(number // n_heads, number % n_heads) for number in range(n_layers * n_heads)]
    number = losses.index(max(losses))
    return number // n_heads, number % n_heads, losses[number] - loss(-1, -1)


EXERCISE = Exercise(
    name="most-needed-head",
    title="The most needed head",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter(
            "loss",
            "a function: loss(layer, head) is the loss of the model with this one head ablated, loss(-1, -1) that of "
            "the whole model",
        ),
        Parameter("n_layers", "whole number: layers, counted from 0"),
        Parameter("n_heads", "whole number: heads in each layer, counted from 0"),
    ),
    returns=(
        Output("layer", None, "int"),
        Output("head", None, "int"),
        Output("increase", None, "float", "the loss without this head minus the loss of the whole model (`float`)"),
    ),
    reference=_reference,
    tolerance={"float64": 1e-12},  # one difference of two losses
    example="""
>>> losses = {(-1, -1): 2.0, (0, 0): 2.25, (0, 1): 1.5, (1, 0): 2.0, (1, 1): 2.125}
>>> most_needed_head(lambda layer, head: losses[layer, head], 2, 2)
(0, 0, 0.25)
""",
    hints=(
        "The head whose loss is the largest of all is the one that the model misses most. The loss of the whole model "
        "is the same for all of them.",
        "Two loops, one in the other, ask for each head once. Keep the answers: asking again is what costs time, when "
        "each answer is a run of a model.",
        "What does your search start from? If it is an increase of 0, then nothing is found where every increase is "
        "negative.",
        "Ask for the whole model once, outside of the loops. The increase is a difference: with the head away minus "
        "with all heads.",
    ),
    aspects=(
        Aspect("values", 2, "the right layer and head, and by how much the loss rises", _values),
        Aspect("every ablation helps", 1, "all increases are negative: the largest still counts", _helping),
        Aspect("calls", 1, "each head is asked for once, and the whole model once", _calls),
    ),
    alternatives={
        "flat argmax": _flat_argmax,
        "sorted list": _sorted_list,
        "layer by layer": _layer_by_layer,
        "by dictionary": _by_dictionary,
        "one number for both": _one_number_for_both,
    },
    mistakes=MISTAKES,
)
