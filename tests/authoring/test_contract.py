"""The contract as students read it."""

import dataclasses

import pytest
from manyheads.authoring import contract
from manyheads.exercises import NAMES, Output, get


def test_several_results_are_told_in_order():
    text = contract.contract(get("split-qkv"))
    heads = "(batch, {}, seq, head_dim) of the input's dtype"
    q, kv = heads.format("n_heads"), heads.format("n_kv_heads")
    assert f"- returns `q`, an array {q}, `k`, an array {kv} and `v`, an array {kv}, in this order" in text


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (Output("mask", ("q_len", "k_len"), "bool"), "a boolean array (q_len, k_len)"),
        (Output("place", ("k_len",), "int"), "an array of whole numbers (k_len,)"),
        (Output("share", None, "float"), "a number (`float`)"),
        (Output("count", None, "int"), "a whole number (`int`)"),
        (Output("mask", ("q_len", "k_len"), "bool", about="what you like"), "what you like"),
    ],
)
def test_what_is_returned(output, said):
    exercise = dataclasses.replace(get("pack-heads"), returns=(output,))
    assert f"- returns {said}\n" in contract.contract(exercise)


def test_what_is_given_has_its_signature_and_its_promise():
    text = contract.contract(get("split-qkv"))
    assert (
        "**Given:**\n\n- `reference.split_heads(x, n_heads)`: from (batch, seq, n_heads * head_dim) to (batch" in text
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_points_and_the_way_to_a_hint_are_told(name):
    exercise = get(name)
    text = contract.contract(exercise)
    assert f"**{exercise.points} points:** *{exercise.aspects[0].name}* {exercise.aspects[0].points} (" in text
    call = f'check("{name}", {exercise.function_name}, hint=1)'
    assert f"Stuck? In a cell of your own, `{call}` to `hint={len(exercise.hints)}` costs nothing." in text


def test_arguments_that_need_their_name_are_told_so():
    said = "- `reference.apply_rotary(x, positions=None, *, base=10000.0, pairing='interleaved')`: turns"
    assert contract._given("apply_rotary").startswith(said)
