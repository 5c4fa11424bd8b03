"""The known mistakes of most-needed-head."""

import numpy as np

from manyheads.exercises.ch09_learning.most_needed_head_increase import INCREASE
from manyheads.exercises.definition import Mistake


def _smallest_loss(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    least, layer, head = min(found)
    return layer, head, least - loss(-1, -1)


def _difference_reversed(loss, n_layers, n_heads):
    whole = loss(-1, -1)
    found = [(whole - loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    fall, layer, head = max(found)
    return layer, head, fall


def _largest_change(loss, n_layers, n_heads):
    whole = loss(-1, -1)
    found = [(loss(layer, head) - whole, layer, head) for layer in range(n_layers) for head in range(n_heads)]
    change, layer, head = max(found, key=lambda one: abs(one[0]))
    return layer, head, change


def _size_of_the_change(loss, n_layers, n_heads):
    whole = loss(-1, -1)
    found = [(abs(loss(layer, head) - whole), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    change, layer, head = max(found)
    return layer, head, change


def _head_before_layer(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return head, layer, most - loss(-1, -1)


def _increase_first(loss, n_layers, n_heads):
    whole = loss(-1, -1)
    return max((loss(layer, head) - whole, layer, head) for layer in range(n_layers) for head in range(n_heads))


def _last_layer_only(loss, n_layers, n_heads):
    losses = [loss(n_layers - 1, head) for head in range(n_heads)]
    head = int(np.argmax(losses))
    return n_layers - 1, head, losses[head] - loss(-1, -1)


def _first_layer_only(loss, n_layers, n_heads):
    losses = [loss(0, head) for head in range(n_heads)]
    head = int(np.argmax(losses))
    return 0, head, losses[head] - loss(-1, -1)


def _divided_by_the_layers(loss, n_layers, n_heads):
    losses = [loss(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    number = int(np.argmax(losses))
    return number // n_layers, number % n_layers, losses[number] - loss(-1, -1)


def _number_not_taken_apart(loss, n_layers, n_heads):
    losses = [loss(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    number = int(np.argmax(losses))
    return 0, number, losses[number] - loss(-1, -1)


def _counted_from_one(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    most, layer, head = max(found)
    return layer + 1, head + 1, most - loss(-1, -1)


def _layer_on_average(loss, n_layers, n_heads):
    losses = np.array([[loss(layer, head) for head in range(n_heads)] for layer in range(n_layers)])
    layer, head = int(losses.mean(axis=1).argmax()), int(losses.mean(axis=0).argmax())
    return layer, head, float(losses[layer, head]) - loss(-1, -1)


def _starts_from_zero(loss, n_layers, n_heads):
    whole, best = loss(-1, -1), (0, 0, 0.0)
    for layer in range(n_layers):
        for head in range(n_heads):
            increase = loss(layer, head) - whole
            if increase > best[2]:
                best = layer, head, increase
    return best


def _starts_from_the_whole_model(loss, n_layers, n_heads):
    whole, best = loss(-1, -1), (-1, -1, 0.0)
    for layer in range(n_layers):
        for head in range(n_heads):
            increase = loss(layer, head) - whole
            if increase > best[2]:
                best = layer, head, increase
    return best


def _baseline_each_time(loss, n_layers, n_heads):
    best = (0, 0, -np.inf)
    for layer in range(n_layers):
        for head in range(n_heads):
            increase = loss(layer, head) - loss(-1, -1)
            if increase > best[2]:
                best = layer, head, increase
    return best


_NEEDED = "The most needed head"

MISTAKES = (
    *INCREASE,
    Mistake(
        "smallest-loss",
        _smallest_loss,
        "You found the head that the model misses least: the smallest loss. The most needed head is the one without "
        "which the loss is largest.",
        _NEEDED,
    ),
    Mistake(
        "difference-reversed",
        _difference_reversed,
        "You looked for the largest fall of the loss: the difference is the wrong way round. The increase is the loss "
        "without the head minus the loss of the whole model.",
        _NEEDED,
    ),
    Mistake(
        "largest-change",
        _largest_change,
        "You compared the sizes of the changes. An ablation that lowers the loss much shows a head that does harm: "
        "compare the increases with their signs.",
        _NEEDED,
    ),
    Mistake(
        "size-of-the-change",
        _size_of_the_change,
        "You took the absolute value of every change, so that a head which does harm looks needed. Leave the signs.",
        _NEEDED,
    ),
    Mistake(
        "head-before-layer",
        _head_before_layer,
        "You returned the head before the layer. The order is layer, head, increase.",
        _NEEDED,
    ),
    Mistake(
        "increase-first",
        _increase_first,
        "You returned the increase first. The order is layer, head, increase.",
        _NEEDED,
    ),
    Mistake(
        "last-layer-only",
        _last_layer_only,
        "Only the heads of the last layer count with you; perhaps your search begins anew in each layer. Go through "
        "the heads of all layers, and keep the largest loss of all.",
        _NEEDED,
        loses=("values", "every ablation helps", "calls"),
    ),
    Mistake(
        "first-layer-only",
        _first_layer_only,
        "Only the heads of the first layer count with you; perhaps a return stands inside the outer loop. Go through "
        "the heads of all layers.",
        _NEEDED,
    ),
    Mistake(
        "divided-by-the-layers",
        _divided_by_the_layers,
        "You took a running number apart with n_layers. Each layer has n_heads of the numbers: the layer is number // "
        "n_heads and the head number % n_heads.",
        _NEEDED,
    ),
    Mistake(
        "number-not-taken-apart",
        _number_not_taken_apart,
        "Your head is a running number over all layers. The layer is number // n_heads and the head number % n_heads.",
        _NEEDED,
    ),
    Mistake(
        "counted-from-1",
        _counted_from_one,
        "Your layer and head are one too large. Both are counted from 0, as in the calls of loss.",
        _NEEDED,
    ),
    Mistake(
        "layer-on-average",
        _layer_on_average,
        "You looked for the layer and the head on average, each by itself. It is one head in one layer: the largest "
        "of all losses.",
        _NEEDED,
    ),
    Mistake(
        "starts-from-0",
        _starts_from_zero,
        "Where every increase is negative, you found none: your search starts from an increase of 0. Start from minus "
        "infinity, or from the first head.",
        _NEEDED,
        loses=("every ablation helps",),
    ),
    Mistake(
        "starts-from-the-whole-model",
        _starts_from_the_whole_model,
        "Where every increase is negative, you return -1 and -1, which is no head: your search starts from the whole "
        "model, whose increase is 0. Only the heads compete; the largest of their increases counts.",
        _NEEDED,
        loses=("every ablation helps",),
    ),
    Mistake(
        "asked-again",
        _baseline_each_time,
        "Your answer is right, but you asked for the same loss more than once: the whole model's in every turn, or "
        "that of the head that you found. Each is a run of the model: ask once and keep it.",
        _NEEDED,
        loses=("calls",),
    ),
)
