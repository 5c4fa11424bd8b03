"""attention-parameters: counting the weights of an attention layer."""

import numpy as np

from manyheads import AttentionConfig, costs
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return costs.parameters(AttentionConfig(d_model, n_heads, n_kv_heads, head_dim, n_layers=n_layers))


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _the_habit(rng):
    n_heads, head_dim = rng.permutation([3, 5, 6, 7, 10])[:2]
    return [
        _case("a K/V head for every query head, one layer", n_heads * head_dim, n_heads, n_heads, head_dim, 1),
        _case("the same width cut into other heads", n_heads * head_dim, head_dim, head_dim, n_heads, 1),
        # Tells "no W_O" from "K or V forgotten".
        _case("one K/V head", n_heads * head_dim, n_heads, 1, head_dim, 1, probe=True),
    ]


def _shared_heads(rng):
    n_kv_heads, group, head_dim = rng.permutation([2, 3, 4, 5])[:3]
    n_heads = n_kv_heads * group
    width = n_heads * head_dim
    return [
        _case("fewer K/V heads than query heads", width, n_heads, n_kv_heads, head_dim, 1),
        # Tells "4 d_model^2" from "K and V as wide as Q".
        _case("fewer K/V heads, free width", width + 1, n_heads, n_kv_heads, head_dim, 1, probe=True),
    ]


def _free_width(rng):
    n_heads, head_dim, extra = rng.permutation([3, 4, 5, 7])[:3]
    d_model = n_heads * (head_dim + 1) + extra  # so far off that d_model // n_heads is not head_dim either
    return [
        _case("d_model larger than n_heads * head_dim", d_model, n_heads, n_heads, head_dim, 1),
        # A second size, so that no wrong formula is right by chance.
        _case("d_model smaller than n_heads * head_dim", head_dim + 1, n_heads, n_heads, head_dim + 2, 1),
        _case("head_dim that is not d_model / n_heads, shared", d_model, n_heads, 1, head_dim, 1, probe=True),
    ]


def _layers(rng):
    n_heads, head_dim, n_layers = rng.permutation([3, 4, 5, 7])[:3]
    return [
        _case("several layers", n_heads * head_dim, n_heads, n_heads, head_dim, n_layers),
        _case("a large model, with more weights than 32 bits count", 8192, 64, 8, 128, 80),
        _case("a large model, free width", 8192, 64, 8, 96, 80, probe=True),
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


def _four_d_squared(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 4 * d_model * d_model


def _kv_as_wide_as_q(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return n_layers * 4 * d_model * n_heads * head_dim


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


def _true_division(d_model, n_heads, n_kv_heads, head_dim, n_layers):
    return 2 * n_layers * d_model * head_dim * n_heads * (1 + n_kv_heads / n_heads)


_PARAMETERS = (
    Parameter("d_model", "whole number: width of the residual stream"),
    Parameter("n_heads", "whole number: query heads"),
    Parameter("n_kv_heads", "whole number: key/value heads"),
    Parameter("head_dim", "whole number: width of one head"),
    Parameter("n_layers", "whole number"),
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
        Aspect("the habit", 1, "head_dim = d_model / n_heads, one layer", _the_habit),
        Aspect("shared heads", 1, "fewer K/V heads than query heads", _shared_heads),
        Aspect("free width", 1, "head_dim chosen freely", _free_width),
        Aspect("layers", 1, "several layers, and a large model", _layers),
    ),
    alternatives={"columns of each matrix": _columns_of_each_matrix, "factored": _factored, "head by head": _head_by_head},
    example=""">>> attention_parameters(4, 2, 2, 2, 1)
64
>>> attention_parameters(4, 2, 1, 2, 1)
48""",
    hints=(
        "Write down the two sides of each of the four matrices. Which of them depend on n_kv_heads?",
        "W_O goes the other way from W_Q: from all heads, side by side, to d_model.",
    ),
    mistakes=(
        Mistake(
            "no-output-projection",
            _no_output_projection,
            "W_O is missing. After the heads are laid side by side, W_O (n_heads * head_dim, d_model) mixes them; "
            "its weights count.",
            "Counting the weights",
        ),
        Mistake(
            "k-or-v-forgotten",
            _k_or_v_forgotten,
            "One of W_K and W_V is missing. Keys and values have a matrix each, of the same size.",
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
            loses=("shared heads", "layers"),
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
            "You counted W_O as d_model by d_model. Its rows are what the heads give, n_heads * head_dim of them.",
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
            "true-division",
            _true_division,
            "A count is a whole number, and / makes a float. Use //, or leave the division out.",
            "Counting the weights",
        ),
    ),
)
