"""Small tools of the chapters."""

import ast
import time
from inspect import isfunction

from manyheads import reference
from manyheads.authoring.listing import listing
from manyheads.authoring.timing import in_turns, interleaved


def test_a_listing_is_the_code_without_its_docstring():
    shown = listing(reference.split_heads)
    assert shown.place == "manyheads.reference.heads.split_heads"
    function = ast.parse(shown.text).body[0]
    assert ast.get_docstring(function) is None
    assert shown.text.endswith("return x.reshape(batch, seq, n_heads, head_dim).swapaxes(1, 2)")
    assert "split_heads" in shown._repr_html_() and "Parameters" not in shown._repr_html_()


def test_a_listing_fits_the_page():
    functions = [getattr(reference, name) for name in reference.__all__ if isfunction(getattr(reference, name))]
    assert len(functions) > 30
    for function in functions:
        assert max(map(len, listing(function).text.splitlines())) <= 88, function.__name__


def test_rivals_run_in_turns_and_the_first_round_does_not_count():
    calls = []

    def slow_at_first(name):
        if calls.count(name) == 0:
            time.sleep(0.05)
        calls.append(name)

    times = interleaved({"a": lambda: slow_at_first("a"), "b": lambda: slow_at_first("b")}, rounds=3)
    assert calls == ["a", "b"] * 4
    assert max(times.values()) < 0.05


def test_every_counted_time_is_given_and_the_best_is_the_least_of_them():
    naps = iter([0.0, 0.03, 0.001, 0.02] * 2)
    times = in_turns({"naps": lambda: time.sleep(next(naps))}, rounds=3)
    assert len(times["naps"]) == 3
    assert times["naps"][0] >= 0.03 and times["naps"][2] >= 0.02
    best = interleaved({"naps": lambda: time.sleep(next(naps))}, rounds=3)
    assert 0.001 <= best["naps"] < 0.02


def test_the_rest_before_a_turn_is_not_counted():
    start = time.perf_counter()
    times = in_turns({"a": lambda: None, "b": lambda: None}, rounds=2, pause=0.02)
    assert time.perf_counter() - start >= 6 * 0.02
    assert min(times["a"] + times["b"]) < 0.02
