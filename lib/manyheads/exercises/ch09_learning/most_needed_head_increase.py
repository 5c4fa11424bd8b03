"""Known mistakes of most-needed-head: the right head, and another number than the increase."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _loss_itself(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, most


def _decrease(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, loss(-1, -1) - most


def _relative(loss, n_layers, n_heads):
    whole = loss(-1, -1)
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, (most - whole) / whole


def _quotient(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, most / loss(-1, -1)


def _over_the_mean(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, most - float(np.mean([one[0] for one in found]))


def _over_the_smallest(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, most - min(found)[0]


def _over_head_zero(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer, head, most - found[0][0]


_NEEDED = "The most needed head"

INCREASE = (
    Mistake(
        "loss-itself",
        _loss_itself,
        "Your last number is the loss without the head. Take the loss of the whole model away from it.",
        _NEEDED,
    ),
    Mistake(
        "decrease",
        _decrease,
        "Your last number has the wrong sign. It is the loss without the head minus the loss of the whole model.",
        _NEEDED,
    ),
    Mistake(
        "relative-increase",
        _relative,
        "You divided the increase by the loss of the whole model. It is the difference itself that is asked for, in "
        "nats.",
        _NEEDED,
    ),
    Mistake(
        "quotient",
        _quotient,
        "You divided the two losses. It is their difference that is asked for, in nats.",
        _NEEDED,
    ),
    Mistake(
        "over-the-mean",
        _over_the_mean,
        "You measured the increase from the mean of all ablated losses. Measure it from the whole model: loss(-1, -1).",
        _NEEDED,
    ),
    Mistake(
        "over-the-smallest",
        _over_the_smallest,
        "You measured the increase from the smallest of the ablated losses. Measure it from the whole model: "
        "loss(-1, -1).",
        _NEEDED,
    ),
    Mistake(
        "over-head-0",
        _over_head_zero,
        "You measured the increase from the model without head 0 of layer 0. The whole model is loss(-1, -1).",
        _NEEDED,
    ),
)
