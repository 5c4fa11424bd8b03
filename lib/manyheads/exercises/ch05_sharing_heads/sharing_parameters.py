"""sharing-parameters: what an attention layer weighs with all, some or one of its K/V heads."""

import numpy as np

from manyheads import AttentionConfig, costs
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(d_model, n_heads, n_kv_heads):
    return tuple(costs.parameters(AttentionConfig(d_model, n_heads, kept)) for kept in (n_heads, n_kv_heads, 1))


def _case(about, d_model, n_heads, n_kv_heads):
    return Case(about, {"d_model": int(d_model), "n_heads": int(n_heads), "n_kv_heads": int(n_kv_heads)})


def _one_layer(rng):
    n_kv_heads, group, head_dim = rng.permutation([2, 3, 4, 5, 7])[:3]
    n_heads = n_kv_heads * group
    return [
        _case("groups of several heads", n_heads * head_dim, n_heads, n_kv_heads),
        _case("a K/V head for every query head", 5 * head_dim, 5, 5),
        _case("a single K/V head", n_heads * head_dim, n_heads, 1),
    ]


def _a_large_model(rng):
    head_dim = int(rng.choice([160, 176, 192]))
    return [_case("a layer with more weights than 32 bits count", 160 * head_dim, 160, 8)]


# -- right answers by other techniques -----------------------------------------------------------------


def _matrix_by_matrix(d_model, n_heads, n_kv_heads):
    head_dim, counts = d_model // n_heads, []
    for kept in (n_heads, n_kv_heads, 1):
        weights = {"Q": d_model**2, "K": d_model * kept * head_dim, "V": kept * head_dim * d_model}
        weights["O"] = weights["Q"]
        counts.append(sum(weights.values()))
    return tuple(counts)


def _formulas(d_model, n_heads, n_kv_heads):
    square = d_model**2
    return 4 * square, 2 * square + 2 * square * n_kv_heads // n_heads, 2 * square + 2 * square // n_heads


def _what_is_dropped(d_model, n_heads, n_kv_heads):
    one_head = 2 * d_model * (d_model // n_heads)
    full = 4 * d_model * d_model
    return full, full - (n_heads - n_kv_heads) * one_head, full - (n_heads - 1) * one_head


def _sizes_of_arrays(d_model, n_heads, n_kv_heads):
    row = np.broadcast_to(np.int8(), (d_model, n_heads, d_model // n_heads))
    q_and_o = 2 * row.size
    return q_and_o + 2 * row.size, q_and_o + 2 * row[:, :n_kv_heads].size, q_and_o + 2 * row[:, :1].size


def _int64_array(d_model, n_heads, n_kv_heads):
    kept = np.array([n_heads, n_kv_heads, 1], dtype=np.int64)
    mha, gqa, mqa = 2 * d_model * (d_model // n_heads) * (n_heads + kept)
    return mha, gqa, mqa


# -- known mistakes ------------------------------------------------------------------------------------


def _only_keys_shared(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(3 * d_model**2 + d_model * kept * head_dim for kept in (n_heads, n_kv_heads, 1))


def _three_shrink(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(d_model**2 + 3 * d_model * kept * head_dim for kept in (n_heads, n_kv_heads, 1))


def _all_shrink(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(4 * d_model * kept * head_dim for kept in (n_heads, n_kv_heads, 1))


def _group_for_kv_heads(d_model, n_heads, n_kv_heads):
    return tuple(2 * d_model**2 + 2 * d_model**2 // kept for kept in (n_heads, n_kv_heads, 1))


def _group_in_gqa_only(d_model, n_heads, n_kv_heads):
    head_dim, group = d_model // n_heads, n_heads // n_kv_heads
    return tuple(2 * d_model**2 + 2 * d_model * kept * head_dim for kept in (n_heads, group, 1))


def _one_of_q_and_o(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(d_model**2 + 2 * d_model * kept * head_dim for kept in (n_heads, n_kv_heads, 1))


def _one_matrix_for_k_and_v(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(2 * d_model**2 + d_model * kept * head_dim for kept in (n_heads, n_kv_heads, 1))


def _heads_as_wide_as_d_model(d_model, n_heads, n_kv_heads):
    return tuple(2 * d_model**2 + 2 * d_model * kept * d_model for kept in (n_heads, n_kv_heads, 1))


def _in_the_other_order(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(2 * d_model**2 + 2 * d_model * kept * head_dim for kept in (1, n_kv_heads, n_heads))


def _with_biases(d_model, n_heads, n_kv_heads):
    head_dim = d_model // n_heads
    return tuple(2 * (d_model + 1) * (d_model + kept * head_dim) for kept in (n_heads, n_kv_heads, 1))


def _thirty_two_bits(d_model, n_heads, n_kv_heads):
    kept = np.array([n_heads, n_kv_heads, 1], dtype=np.int32)
    mha, gqa, mqa = 2 * d_model * (d_model // n_heads) * (n_heads + kept)
    return mha, gqa, mqa


def _true_division(d_model, n_heads, n_kv_heads):
    return tuple(2 * d_model**2 + 2 * d_model**2 * kept / n_heads for kept in (n_heads, n_kv_heads, 1))


EXERCISE = Exercise(
    name="sharing-parameters",
    title="Fewer weights",
    chapter="05-sharing-heads",
    version=1,
    parameters=(
        Parameter("d_model", "whole number: width of the model, a multiple of n_heads"),
        Parameter("n_heads", "whole number: query heads, each d_model // n_heads wide"),
        Parameter("n_kv_heads", "whole number: key/value heads of the grouped layer; divides n_heads"),
    ),
    returns=(Output("mha", None, "int"), Output("gqa", None, "int"), Output("mqa", None, "int")),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> sharing_parameters(8, 4, 2)
(256, 192, 160)
""",
    hints=(
        "Write down the two sides of each of the four matrices W_Q, W_K, W_V and W_O, in d_model, n_heads, n_kv_heads "
        "and head_dim.",
        "Two of the four have as many columns as the keys and values are wide. The other two do not know that keys "
        "and values are shared.",
        "MHA and MQA are the same count with another number of K/V heads. One loop over three numbers does it.",
    ),
    aspects=(
        Aspect("one layer", 2, "all, some and one of the K/V heads", _one_layer),
        Aspect("a large model", 1, "more weights than 32 bits count", _a_large_model),
    ),
    alternatives={
        "matrix by matrix": _matrix_by_matrix,
        "formulas": _formulas,
        "what is dropped": _what_is_dropped,
        "sizes of arrays": _sizes_of_arrays,
        "an array of 64 bits": _int64_array,
    },
    mistakes=(
        Mistake(
            "only-keys-shared",
            _only_keys_shared,
            "Only one of W_K and W_V became smaller in your count. A shared head has a key and a value, so both "
            "shrink to n_kv_heads * head_dim columns.",
            "Fewer weights",
        ),
        Mistake(
            "three-shrink",
            _three_shrink,
            "You let W_Q or W_O shrink as well. The number of query heads stays, so W_Q keeps n_heads * head_dim "
            "columns and W_O as many rows.",
            "Fewer weights",
        ),
        Mistake(
            "all-shrink",
            _all_shrink,
            "You let all four matrices shrink. Queries and outputs are not shared: W_Q and W_O stay d_model by "
            "d_model, and only W_K and W_V become narrower.",
            "Fewer weights",
        ),
        Mistake(
            "group-for-kv-heads",
            _group_for_kv_heads,
            "Your K/V width is d_model / n_kv_heads, which is the group's size times head_dim. n_kv_heads counts the "
            "K/V heads themselves: more of them make W_K and W_V wider.",
            "Fewer weights",
        ),
        Mistake(
            "group-in-gqa-only",
            _group_in_gqa_only,
            "Your count for n_kv_heads is that of n_heads // n_kv_heads K/V heads. This is how many query heads share "
            "one; the K/V heads themselves are n_kv_heads.",
            "Fewer weights",
        ),
        Mistake(
            "one-of-q-and-o",
            _one_of_q_and_o,
            "One of W_Q and W_O is missing. W_Q makes the queries from d_model numbers, and W_O takes the results of "
            "all query heads, laid side by side, back to d_model. Here each is d_model by d_model.",
            "Fewer weights",
        ),
        Mistake(
            "one-matrix-for-k-and-v",
            _one_matrix_for_k_and_v,
            "You counted one matrix for keys and values together. They share a head's number, not its weights: there "
            "is a W_K and a W_V, of the same size.",
            "Fewer weights",
        ),
        Mistake(
            "heads-as-wide-as-d-model",
            _heads_as_wide_as_d_model,
            "You counted each K/V head as d_model wide. A head is head_dim = d_model // n_heads wide.",
            "Fewer weights",
        ),
        Mistake(
            "in-the-other-order",
            _in_the_other_order,
            "The three counts are right and stand in the other order. Return MHA first, then n_kv_heads, then MQA.",
            "Fewer weights",
        ),
        Mistake(
            "with-biases",
            _with_biases,
            "You counted biases. This layer has none: count the four matrices only.",
            "Fewer weights",
        ),
        Mistake(
            "thirty-two-bits",
            _thirty_two_bits,
            "The count went beyond what 32 bits hold and wrapped around, without an error. Use Python's own integers, "
            "which have no limit, or dtype=np.int64.",
            "What goes wrong and does not crash",
            loses=("a large model",),
        ),
        Mistake(
            "true-division",
            _true_division,
            "A count is a whole number, and / makes a float. Use //, where it divides.",
            "What goes wrong and does not crash",
        ),
    ),
)
