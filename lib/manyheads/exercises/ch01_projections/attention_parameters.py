"""attention-parameters: counting the weights of an attention layer."""

import numpy as np

from manyheads import AttentionConfig, costs
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return costs.parameters(AttentionConfig(d_model, n_heads, n_kv_heads, head_dim, n_layers=n_layers))


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _the_habit(rng):
    n_heads, head_dim = rng.permutation([5, 6, 7, 9, 10])[:2]  # not 3: 12 d_model^2 is then 4 d_model^2 n_heads
    return [
        _case("a K/V head for every query head, one layer", n_heads * head_dim, n_heads, n_heads, head_dim, 1),
        _case("the same width cut into other heads", n_heads * head_dim, head_dim, head_dim, n_heads, 1),
        # Tells "no W_O" from "K or V forgotten", and these from "K and V forgotten".
        _case("one K/V head", n_heads * head_dim, n_heads, 1, head_dim, 1, probe=True),
    ]


def _shared_heads(rng):
    n_kv_heads, group, head_dim = rng.permutation([3, 4, 5, 7])[:3]  # no group of 2: no W_O is then no K, V
    n_heads = n_kv_heads * group
    width = n_heads * head_dim
    return [
        _case("fewer K/V heads than query heads", width, n_heads, n_kv_heads, head_dim, 1),
        # Tells "4 d_model^2" from "K and V as wide as Q".
        _case("fewer K/V heads, free width", width + 1, n_heads, n_kv_heads, head_dim, 1, probe=True),
    ]


def _free_width(rng):
    n_heads, head_dim, extra = rng.permutation([4, 5, 7, 9])[:3]
    d_model = n_heads * (head_dim + 1) + extra  # so far off that d_model // n_heads is not head_dim either
    return [
        _case("d_model larger than n_heads * head_dim", d_model, n_heads, n_heads, head_dim, 1),
        # A second size, so that no wrong formula is right by chance.
        _case("d_model smaller than n_heads * head_dim", head_dim + 1, n_heads, n_heads, head_dim + 2, 1),
        # Not even a formula for each of the two ways in which a model leaves the usual case.
        _case("head_dim that is not d_model / n_heads, and shared heads", d_model, 3 * n_heads, n_heads, head_dim, 1),
    ]


def _layers(rng):
    n_heads, head_dim, n_layers = rng.permutation([4, 5, 7, 9])[:3]
    # Odd factors, so that neither 32 bits nor a float32 can hold the count.
    large_dim, large_layers = rng.permutation(np.arange(91, 131, 2))[:2]
    width, *large = 45 * large_dim, 45, 15, large_dim, large_layers
    return [
        _case("several layers", n_heads * head_dim, n_heads, n_heads, head_dim, n_layers),
        _case("a large model, with more weights than 32 bits or a float32 can count", width, *large),
        # Tells "4 d_model^2" from "K and V as wide as Q", and from "W_K and W_V as d_model by d_model".
        _case("a large model, free width", width + 1, *large, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _columns_of_each_matrix(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    columns = np.array([n_heads, n_kv_heads, n_kv_heads, n_heads], dtype=np.int64) * head_dim
    return n_layers * int((d_model * columns).sum())


def _factored(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return 2 * n_layers * d_model * head_dim * (n_heads + n_kv_heads)


def _head_by_head(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    total = 0
    for _ in range(n_layers):
        for _ in range(n_heads):
            total += 2 * d_model * head_dim
        for _ in range(n_kv_heads):
            total += 2 * d_model * head_dim
    return total


# -- known mistakes ------------------------------------------------------------------------------------


def _no_output_projection(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * d_model * head_dim * (n_heads + 2 * n_kv_heads)


def _k_or_v_forgotten(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * d_model * head_dim * (2 * n_heads + n_kv_heads)


def _k_and_v_forgotten(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 2 * d_model * head_dim * n_heads


def _four_d_squared(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 4 * d_model * d_model


def _kv_as_wide_as_q(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 4 * d_model * n_heads * head_dim


def _kv_d_model_squared(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * (2 * d_model * n_heads * head_dim + 2 * d_model * d_model)


def _d_model_for_the_width(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * (2 * d_model * d_model + 2 * d_model * n_kv_heads * head_dim)


def _output_d_model_squared(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * (d_model * head_dim * (n_heads + 2 * n_kv_heads) + d_model * d_model)


def _head_dim_from_d_model(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    head_dim = d_model // n_heads
    return 2 * n_layers * d_model * head_dim * (n_heads + n_kv_heads)


def _one_layer(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return 2 * d_model * head_dim * (n_heads + n_kv_heads)


def _times_heads(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 4 * d_model * d_model * n_heads


def _with_biases(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    weights = 2 * d_model * head_dim * (n_heads + n_kv_heads)
    return n_layers * (weights + head_dim * (n_heads + 2 * n_kv_heads) + d_model)


def _with_biases_of_q_k_v(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    weights = 2 * d_model * head_dim * (n_heads + n_kv_heads)
    return n_layers * (weights + head_dim * (n_heads + 2 * n_kv_heads))


def _count_as_float(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return 2.0 * n_layers * d_model * head_dim * (n_heads + n_kv_heads)


_PARAMETERS = (
    Parameter("d_model", "whole number: width of the model"),
    Parameter("n_heads", "whole number: query heads"),
    Parameter("n_kv_heads", "whole number: key/value heads"),
    Parameter("head_dim", "whole number: width of one head"),
    Parameter("n_layers", "whole number: layers, all of the same size"),
)

EXERCISE = Exercise(
    name="attention-parameters",
    title="Counting the weights",
    chapter="01-projections",
    version=1,
    parameters=_PARAMETERS,
    returns=(Output("result", None, "int"),),
    reference=_reference,
    tolerance=EXACT,
    aspects=(
        Aspect("the habit", 1, "n_heads * head_dim is d_model, a K/V head for every query head, one layer", _the_habit),
        Aspect("shared heads", 1, "fewer K/V heads than query heads", _shared_heads),
        Aspect("free width", 1, "head_dim chosen freely", _free_width),
        Aspect("layers", 1, "several layers, and a large model", _layers),
    ),
    alternatives={
        "columns of each matrix": _columns_of_each_matrix,
        "factored": _factored,
        "head by head": _head_by_head,
    },
    example=""">>> attention_parameters(4, 2, 2, 2, 1)
64
>>> attention_parameters(4, 2, 1, 2, 1)
48
>>> attention_parameters(4, 2, 1, 3, 2)
144""",
    hints=(
        "Write down the two sides of each of the four matrices. Which of them depend on n_kv_heads?",
        "The heads side by side are n_heads * head_dim wide, whatever d_model is: head_dim is given, so nothing has to "
        "be divided.",
        "Count one layer first. Every layer has four such matrices of its own.",
    ),
    mistakes=(
        Mistake(
            "no-output-projection",
            _no_output_projection,
            "One of W_Q and W_O is missing: most often W_O, which takes the heads, laid side by side, back to d_model. "
            "The two have the same number of weights, and both count.",
            "Counting the weights",
        ),
        Mistake(
            "k-or-v-forgotten",
            _k_or_v_forgotten,
            "One of W_K and W_V is missing. Keys and values have a matrix each, of the same size.",
            "Counting the weights",
        ),
        Mistake(
            "k-and-v-forgotten",
            _k_and_v_forgotten,
            "W_K and W_V are missing. Keys and values have a matrix each, and both count.",
            "Counting the weights",
        ),
        Mistake(
            "four-d-squared",
            _four_d_squared,
            "4 d_model^2 holds only where head_dim = d_model / n_heads and every query head has its own K/V head. "
            "Count each matrix by its own two sides.",
            "Counting the weights",
            loses=("shared heads", "free width", "layers"),
        ),
        Mistake(
            "kv-as-wide-as-q",
            _kv_as_wide_as_q,
            "You counted W_K and W_V as wide as W_Q. They have n_kv_heads * head_dim columns.",
            "Counting the weights",
            loses=("shared heads", "free width", "layers"),
        ),
        Mistake(
            "kv-d-model-squared",
            _kv_d_model_squared,
            "You counted W_K and W_V as d_model by d_model. They have n_kv_heads * head_dim columns.",
            "Counting the weights",
            loses=("shared heads", "free width", "layers"),
        ),
        Mistake(
            "d-model-for-the-width",
            _d_model_for_the_width,
            "You counted W_Q and W_O as d_model by d_model. The heads together are n_heads * head_dim wide, which "
            "need not be d_model.",
            "Counting the weights",
            loses=("free width",),
        ),
        Mistake(
            "output-d-model-squared",
            _output_d_model_squared,
            "You counted W_Q or W_O as d_model by d_model. The side of the heads is n_heads * head_dim in both: the "
            "columns of W_Q, and the rows of W_O.",
            "Counting the weights",
            loses=("free width",),
        ),
        Mistake(
            "head-dim-from-d-model",
            _head_dim_from_d_model,
            "You replaced head_dim by d_model / n_heads. It is given, and need not be that.",
            "Counting the weights",
            loses=("free width",),
        ),
        Mistake(
            "one-layer",
            _one_layer,
            "That is one layer. Multiply by n_layers.",
            "Counting the weights",
            loses=("layers",),
        ),
        Mistake(
            "times-heads",
            _times_heads,
            "You multiplied by n_heads on top of d_model^2. The heads share d_model between them: each has "
            "head_dim columns, not d_model.",
            "Counting the weights",
        ),
        Mistake(
            "with-biases",
            _with_biases,
            "You counted biases. This layer has none: count the four matrices only.",
            "Counting the weights",
        ),
        Mistake(
            "with-biases-of-q-k-v",
            _with_biases_of_q_k_v,
            "You counted biases of the queries, keys and values. This layer has none: count the four matrices only.",
            "Counting the weights",
        ),
        Mistake(
            "count-as-float",
            _count_as_float,
            "Your number is right, but it is a float. A count is an int: keep it one at every step, since a float is "
            "exact only up to 2^53.",
            "Counting the weights",
        ),
    ),
)
