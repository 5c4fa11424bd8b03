"""The known mistakes of central-difference."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _forward(f, x, step):
    out, here = np.zeros_like(x), f(x)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] += step
        out[place] = (f(moved) - here) / step
    return out


def _backward(f, x, step):
    out, here = np.zeros_like(x), f(x)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] -= step
        out[place] = (here - f(moved)) / step
    return out


def _forward_over_two_steps(f, x, step):
    out, here = np.zeros_like(x), f(x)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] += step
        out[place] = (f(moved) - here) / (2 * step)
    return out


def _divided_by_one_step(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - f(down)) / step
    return out


def _divided_by_two(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - f(down)) / 2
    return out


def _over_two_times_step(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - f(down)) / 2 * step
    return out


def _half_a_step(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step / 2
        down[place] -= step / 2
        out[place] = (f(up) - f(down)) / step
    return out


def _half_a_step_over_two(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step / 2
        down[place] -= step / 2
        out[place] = (f(up) - f(down)) / (2 * step)
    return out


def _sign_exchanged(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(down) - f(up)) / (2 * step)
    return out


def _never_put_back(f, x, step):
    out, x = np.zeros_like(x), x.copy()
    for place in np.ndindex(x.shape):
        x[place] += step
        up = f(x)
        x[place] -= 2 * step
        out[place] = (up - f(x)) / (2 * step)
    return out


def _one_array_two_names(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up = down = x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - f(down)) / (2 * step)
    return out


def _all_at_once(f, x, step):
    return np.full_like(x, (f(x + step) - f(x - step)) / (2 * step))


def _whole_rows(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape[:-1]):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - f(down)) / (2 * step)
    return out


def _relative_step(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        h = step * abs(x[place])
        up[place] += h
        down[place] -= h
        out[place] = (f(up) - f(down)) / (2 * h)
    return out


def _four_points(f, x, step):
    out = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        values = []
        for times in (-2, -1, 1, 2):
            moved = x.copy()
            moved[place] += times * step
            values.append(f(moved))
        a, b, c, d = values
        out[place] = (a - 8 * b + 8 * c - d) / (12 * step)
    return out


def _second_derivative(f, x, step):
    out, here = np.zeros_like(x), f(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        out[place] = (f(up) - 2 * here + f(down)) / step**2
    return out


def _a_flat_copy_moved(f, x, step):
    flat, out = x.reshape(-1), np.zeros(x.size)
    for n in range(x.size):
        here = flat[n]
        flat[n] = here + step
        up = f(x)
        flat[n] = here - step
        out[n] = (up - f(x)) / (2 * step)
        flat[n] = here
    return out.reshape(x.shape)


_DIFFERENCE = "A gradient without calculus"

MISTAKES = (
    Mistake(
        "forward",
        _forward,
        "That is the forward difference: from x to one step above it. It is off by something of the size of the step. "
        "Go one step up and one step down, so that the errors of the two sides cancel.",
        _DIFFERENCE,
    ),
    Mistake(
        "backward",
        _backward,
        "That is the backward difference: from one step below x to x. Go one step up as well, so that the errors of "
        "the two sides cancel.",
        _DIFFERENCE,
    ),
    Mistake(
        "forward-over-two-steps",
        _forward_over_two_steps,
        "You have about half the slope: f one step up, less f at x, over two steps. Take f one step down in the place "
        "of f at x. (If you move x in place: back by one step only leads to x; the lower point lies two steps down.)",
        _DIFFERENCE,
    ),
    Mistake(
        "divided-by-one-step",
        _divided_by_one_step,
        "Your gradient is twice what it should be: between one step up and one step down lie two steps. Divide by "
        "2 * step.",
        _DIFFERENCE,
    ),
    Mistake(
        "divided-by-two",
        _divided_by_two,
        "You divide by 2, not by the distance between the two points, which is 2 * step.",
        _DIFFERENCE,
    ),
    Mistake(
        "over-two-times-step",
        _over_two_times_step,
        "Your difference is divided by 2 and then multiplied by the step: / 2 * step is worked out from left to right. "
        "Write / (2 * step).",
        _DIFFERENCE,
    ),
    Mistake(
        "half-a-step",
        _half_a_step,
        "You go half a step up and half a step down. That is a central difference too, but for half the step: the "
        "points that are asked for are x + step and x - step.",
        _DIFFERENCE,
    ),
    Mistake(
        "half-a-step-over-two",
        _half_a_step_over_two,
        "You go half a step to each side, and divide by two whole steps. Go a whole step up and a whole step down.",
        _DIFFERENCE,
    ),
    Mistake(
        "sign-exchanged",
        _sign_exchanged,
        "Every sign is wrong: you take the upper value away from the lower one. It is f one step up, less f one step "
        "down.",
        _DIFFERENCE,
    ),
    Mistake(
        "never-put-back",
        _never_put_back,
        "Elements stay moved: after its turn each is one step below where it was, and all later ones are computed "
        "there. Put it back, or work on a fresh copy of x for each element.",
        _DIFFERENCE,
    ),
    Mistake(
        "one-array-two-names",
        _one_array_two_names,
        "Every slope is 0, as if f were asked for the same point twice. After up = down = x.copy() one array has two "
        "names, and the step up and the step down cancel. (Or what you move is not what f gets, or nothing is written "
        "into the result.)",
        "What goes wrong and does not crash",
    ),
    Mistake(
        "all-at-once",
        _all_at_once,
        "You move all elements together, so every place holds the sum of the whole gradient. Move one element, and "
        "leave the others where they are.",
        _DIFFERENCE,
    ),
    Mistake(
        "whole-rows",
        _whole_rows,
        "You move a whole row of x at once, so its places hold the sum of its gradients. Go on to single elements, "
        "as np.ndindex(x.shape) does.",
        _DIFFERENCE,
    ),
    Mistake(
        "relative-step",
        _relative_step,
        "Your step is multiplied by the element itself. Here every element moves by the same step.",
        _DIFFERENCE,
    ),
    Mistake(
        "four-points",
        _four_points,
        "You take four points for each element. That comes nearer to the true gradient, but what is asked for is the "
        "difference of two: one step up, one step down.",
        _DIFFERENCE,
    ),
    Mistake(
        "second-derivative",
        _second_derivative,
        "That is the second derivative: how fast the slope itself changes. The first is the difference of f one step "
        "up and one step down, over two steps; f(x) has no part in it.",
        _DIFFERENCE,
    ),
    Mistake(
        "a-flat-copy-moved",
        _a_flat_copy_moved,
        "Where the rows of x are not next to each other in memory your gradient is 0: reshape(-1) and ravel() are a "
        "copy there, and moving its elements does not move x. Give the moved array itself to f.",
        "What goes wrong and does not crash",
        loses=("other shapes",),
    ),
)
