"""The known mistakes of softmax-backward."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _diagonal_only(weights, grad):
    return weights * (1 - weights) * grad


def _weights_times_grad(weights, grad):
    return weights * grad


def _grad_itself(weights, grad):
    return grad.copy()


def _plain_sum(weights, grad):
    return weights * (grad - grad.sum(axis=-1, keepdims=True))


def _plain_mean(weights, grad):
    return weights * (grad - grad.mean(axis=-1, keepdims=True))


def _mean_of_products(weights, grad):
    return weights * (grad - (weights * grad).mean(axis=-1, keepdims=True))


def _sign_exchanged(weights, grad):
    return weights * ((weights * grad).sum(axis=-1, keepdims=True) - grad)


def _added(weights, grad):
    return weights * (grad + (weights * grad).sum(axis=-1, keepdims=True))


def _not_weighed(weights, grad):
    return grad - (weights * grad).sum(axis=-1, keepdims=True)


def _sum_not_weighed(weights, grad):
    return weights * grad - (weights * grad).sum(axis=-1, keepdims=True)


def _grad_not_weighed(weights, grad):
    return grad - weights * (weights * grad).sum(axis=-1, keepdims=True)


def _of_log_softmax(weights, grad):
    return grad - weights * grad.sum(axis=-1, keepdims=True)


def _softmax_again(weights, grad):
    again = np.exp(weights - weights.max(axis=-1, keepdims=True))
    again /= again.sum(axis=-1, keepdims=True)
    return again * (grad - (again * grad).sum(axis=-1, keepdims=True))


def _summed_over_queries(weights, grad):
    return weights * (grad - (weights * grad).sum(axis=-2, keepdims=True))


def _summed_over_everything(weights, grad):
    return weights * (grad - (weights * grad).sum())


def _summed_over_heads(weights, grad):
    return weights * (grad - (weights * grad).sum(axis=1, keepdims=True))


def _jacobian_with_eye(weights, grad):
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ grad[..., None])[..., 0]


def _divided_by_the_rows_sum(weights, grad):
    with np.errstate(all="ignore"):
        average = (weights * grad).sum(axis=-1, keepdims=True) / weights.sum(axis=-1, keepdims=True)
        return weights * (grad - average)


_SOFTMAX, _WRONG = "Back through a softmax", "What goes wrong and does not crash"

MISTAKES = (
    Mistake(
        "diagonal-only",
        _diagonal_only,
        "You have p (1 - p) times the gradient: the effect of a score on its own weight alone. The other weights of "
        "the row shrink when it grows, by p_i p_j each, and their gradients count too.",
        _SOFTMAX,
    ),
    Mistake(
        "weights-times-grad",
        _weights_times_grad,
        "You have weights times grad, as if no weight depended on another score. The weights of a row sum to 1, so "
        "one can only grow at the others' cost: take the row's average gradient away from grad first.",
        _SOFTMAX,
    ),
    Mistake(
        "grad-itself",
        _grad_itself,
        "You returned grad as it came in. It is the gradient by the weights; the softmax lies between them and the "
        "scores.",
        _SOFTMAX,
    ),
    Mistake(
        "plain-sum",
        _plain_sum,
        "You take the plain sum of grad away. What counts is the average of the row, in which each key's grad counts "
        "as much as its weight: the sum of weights times grad.",
        _SOFTMAX,
    ),
    Mistake(
        "plain-mean",
        _plain_mean,
        "You take the plain mean of grad away. The average that counts is one by weight: the sum of weights times "
        "grad.",
        _SOFTMAX,
    ),
    Mistake(
        "mean-of-products",
        _mean_of_products,
        "You take the mean of weights times grad away, so it is divided by the number of keys. The weights sum to 1 "
        "already: the sum of the products is the average.",
        _SOFTMAX,
    ),
    Mistake(
        "sign-exchanged",
        _sign_exchanged,
        "Every sign is wrong: you take grad away from the row's average. A score whose weight has a larger grad than "
        "the average has a positive gradient.",
        _SOFTMAX,
    ),
    Mistake(
        "added",
        _added,
        "You add the row's average where it is taken away: when a score grows, the other weights of its row shrink.",
        _SOFTMAX,
    ),
    Mistake(
        "not-weighed",
        _not_weighed,
        "You have the difference between grad and the row's average. It still has to be multiplied by the weight: a "
        "key with a weight near 0 hardly answers to its score.",
        _SOFTMAX,
    ),
    Mistake(
        "sum-not-weighed",
        _sum_not_weighed,
        "You multiply grad by the weights, but not what you take away. Both are multiplied: "
        "the weight stands in front of the whole difference.",
        _SOFTMAX,
    ),
    Mistake(
        "grad-not-weighed",
        _grad_not_weighed,
        "You multiply the row's average by the weights, but not grad itself. Both are multiplied: the weight stands "
        "in front of the whole difference.",
        _SOFTMAX,
    ),
    Mistake(
        "of-log-softmax",
        _of_log_softmax,
        "That is the gradient through the logarithm of a softmax, as it stands in losses. Here grad belongs to the "
        "weights themselves.",
        _SOFTMAX,
    ),
    Mistake(
        "softmax-again",
        _softmax_again,
        "You apply a softmax to the weights. They are what the softmax gave; use them as they are.",
        _SOFTMAX,
    ),
    Mistake(
        "summed-over-queries",
        _summed_over_queries,
        "Your average runs over the queries, the axis before the last. The weights of one query belong together: sum "
        "along the last axis.",
        _SOFTMAX,
    ),
    Mistake(
        "summed-over-everything",
        _summed_over_everything,
        "You take away one sum over the whole array. Each row has its own: sum along the last axis, with "
        "keepdims=True.",
        _SOFTMAX,
    ),
    Mistake(
        "summed-over-heads",
        _summed_over_heads,
        "Your average runs over axis 1, the heads. Each head has its own weights, which sum to 1 over the keys: sum "
        "along the last axis.",
        _SOFTMAX,
    ),
    Mistake(
        "divided-by-the-rows-sum",
        _divided_by_the_rows_sum,
        "A row of weights that are all 0 gives NaN, from 0 divided by 0. The weights sum to 1 or are all 0, so there "
        "is nothing to divide by.",
        "Rows that have seen nothing",
        loses=("empty rows",),
    ),
    Mistake(
        "jacobian-with-eye",
        _jacobian_with_eye,
        "Your result is float64. np.eye, np.zeros and np.ones make float64 arrays unless you give them a dtype, and "
        "what is multiplied with them becomes float64.",
        _WRONG,
        loses=("float32",),
    ),
)
