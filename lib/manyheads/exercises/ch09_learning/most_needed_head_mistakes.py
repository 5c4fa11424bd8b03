"""The known mistakes of most-needed-head."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _smallest_loss(loss, n_layers, n_heads):
    found = [(loss(layer, head), layer, head) for layer in range(n_layers) for head in range(n_heads)]
    least, layer, head = min(found)
    return layer, head, least - loss(-1, -1)


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
    Mistake(
        "smallest-loss",
        _smallest_loss,
        "You found the head that the model misses least: the smallest loss. The most needed head is the one without "
        "which the loss is largest.",
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
    Mistake(
        "last-layer-only",
        _last_layer_only,
        "You tried the heads of the last layer only. Every layer has heads: go through all of them.",
        _NEEDED,
        loses=("values", "every ablation helps", "calls"),
    ),
    Mistake(
        "first-layer-only",
        _first_layer_only,
        "You tried the heads of the first layer only. Every layer has heads: go through all of them.",
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
        "asked-again",
        _baseline_each_time,
        "Your answer is right, but you asked for the same loss more than once: the whole model's in every turn, or "
        "that of the head that you found. Each is a run of the model: ask once and keep it.",
        _NEEDED,
        loses=("calls",),
    ),
)
