"""`check`, as a student meets it: in a script, and in a notebook."""

import re

import numpy as np
import pytest
from manyheads import reference
from manyheads.exercises import NAMES, get
from manyheads.grading import CheckFailed, check, report, seeds


def said(capsys, *arguments, **options):
    with pytest.raises(CheckFailed) as caught:
        check(*arguments, **options)
    return capsys.readouterr().out, str(caught.value)


@pytest.mark.parametrize("inputs", ["visible", "hidden"])
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_passes_silently_but_for_its_points(name, inputs, capsys):
    assert check(name, get(name).reference, inputs=inputs) is None
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(get(name).aspects)
    assert all(line.startswith("✓") for line in lines)


@pytest.mark.parametrize("answer", [reference.pack_heads, lambda w: w, lambda w: 1 / 0])
def test_a_hint_is_all_that_is_shown_whatever_is_written(answer, capsys):
    assert check("pack-heads", answer, "values", hint=2) is None
    out = capsys.readouterr().out
    assert out.startswith("Hint 2 of 2\n  A row of the result belongs to one of the d_model inputs")
    assert "✓" not in out and "✗" not in out


def test_a_hint_does_not_put_a_grader_off(capsys):
    assert "not right yet" in said(capsys, "pack-heads", lambda w: w, inputs="hidden", hint=1)[1]
    check("pack-heads", reference.pack_heads, "values", inputs="hidden", hint=2)
    assert capsys.readouterr().out.endswith("✓ pack-heads, values: right, 2 of 2 points\n")


@pytest.mark.parametrize("name", NAMES)
def test_hints_lead_from_far_to_near_without_repeating_themselves(name):
    hints = get(name).hints
    assert 2 <= len(hints) <= 5 and len(set(hints)) == len(hints)
    assert all(40 < len(hint) < 400 and hint[-1] in ".?" for hint in hints)


@pytest.mark.parametrize("hint", [0, 3, -1, True, "1", 1.0])
def test_a_hint_that_does_not_exist(hint, capsys):
    assert said(capsys, "pack-heads", len, hint=hint)[1] == f"hint must be a whole number from 1 to 2, got {hint!r}"


def test_one_aspect_only(capsys):
    check("fused-projection", reference.fused_projection, "float32")
    assert capsys.readouterr().out == "✓ fused-projection, float32: right, 1 of 1 point\n"


def test_a_mistake_is_called_by_its_name_with_a_place_to_read_and_a_picture(capsys):
    def fused_projection(x, w, n_heads):
        y = x @ w
        return y.reshape(y.shape[0], n_heads, y.shape[1], -1)

    out, message = said(capsys, "fused-projection", fused_projection, aspect="values")
    assert message == "fused-projection, values: not right yet, 0 of 3 points"
    assert "You reshaped straight to (batch, n_heads, seq, head_dim)" in out
    assert 'Read chapter 01, "Reshape, then transpose"' in out
    assert re.search(r"head 1 [█·▒ ]+\n", out)
    assert "· right   ▒ partly wrong   █ wrong" in out


def test_a_wrong_answer_that_nobody_thought_of_gets_place_size_and_pattern(capsys):
    out, _ = said(capsys, "fused-projection", lambda x, w, n: 3 * reference.fused_projection(x, w, n), "values")
    out = " ".join(out.split())
    assert "the first at sequence 0, head 0, token 0, dim 0" in out
    assert "Every element is 3 times what it should be." in out


def test_counts_are_told_with_the_call_that_can_be_tried_by_hand(capsys):
    out, _ = said(capsys, "attention-parameters", lambda *n: 7, "the habit")
    shown = re.search(r"(attention_parameters\(.*?\)) gave 7; expected ([\d,]+)", " ".join(out.split()))
    assert shown
    names = {"attention_parameters": get("attention-parameters").reference}
    assert eval(shown[1], names) == int(shown[2].replace(",", ""))


def test_the_starter_is_not_called_wrong(capsys):
    def starter(x, w):
        raise NotImplementedError()

    out, message = said(capsys, "per-head-projections", starter)
    assert "not written yet" in message and "raised" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fused-projektion", len), "no exercise is called 'fused-projektion'; did you mean 'fused-projection'?"),
        (("pack-heads", len, "value"), "no aspect of pack-heads is called 'value'; did you mean 'values'?"),
        (
            ("pack-heads", np.zeros(3)),
            "check needs your function itself, got ndarray; write check('pack-heads', pack_heads), without calling it",
        ),
        ((len, "pack-heads"), 'check needs the exercise\'s name first: check("exercise-name", your_function)'),
        ((None, len), 'check needs the exercise\'s name first: check("exercise-name", your_function)'),
    ],
)
def test_wrong_calls_of_check(arguments, message, capsys):
    assert said(capsys, *arguments)[1] == message


def test_an_unknown_kind_of_inputs(capsys):
    assert said(capsys, "pack-heads", len, inputs="secret")[1] == "inputs must be 'visible' or 'hidden', got 'secret'"


def test_an_interrupt_is_told_without_a_traceback_of_ours(capsys):
    def loops(w):
        raise KeyboardInterrupt

    assert "interrupted while your function was running" in said(capsys, "pack-heads", loops)[1]


def test_what_a_function_does_on_the_side_costs_nothing_and_is_told(capsys):
    def pack_heads(w):
        print("working")
        result = np.concatenate(list(w), axis=1)
        w[:] = 0
        return result

    check("pack-heads", pack_heads)
    out = " ".join(capsys.readouterr().out.split())
    assert "Your function changed its argument w in place" in out
    assert "costs no points: Your function printed: working" in out


def test_visible_inputs_are_the_same_for_everyone_and_hidden_ones_follow_the_course(monkeypatch):
    exercise = get("pack-heads")
    aspect = exercise.aspects[0]

    def drawn(inputs):
        return seeds.generator(exercise, aspect, inputs).integers(1 << 60)

    visible, hidden = drawn("visible"), drawn("hidden")
    assert visible != hidden
    monkeypatch.setenv(seeds.COURSE_SEED, "another")
    assert drawn("visible") == visible
    assert drawn("hidden") != hidden


def test_in_a_notebook_it_shows_html_and_leaves_a_record_and_no_traceback_of_ours():
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    try:
        with capture_output() as captured:
            shell.run_cell(
                "from manyheads.grading import check\n"
                "check('pack-heads', lambda w: w.reshape(w.shape[1], -1), aspect='values')"
            )
        (shown,) = captured.outputs
        assert "You reshaped without moving the head axis" in shown.data["text/html"]
        assert shown.metadata["manyheads"] == {
            "exercise": "pack-heads", "version": 1, "aspect": "values", "inputs": "visible", "right": False,
            "mistake": "bare-reshape", "unwritten": False,
        }  # fmt: skip
        assert "CheckFailed: pack-heads, values: not right yet, 0 of 2 points" in captured.stdout
        assert "Traceback" not in captured.stdout and "_verdicts" not in captured.stdout
    finally:
        InteractiveShell.clear_instance()


def test_html_from_a_students_hand_is_text(monkeypatch):
    from manyheads.grading.judge import judge
    from manyheads.grading.run import call

    def evil(w):
        print("<script>alert(1)</script>")
        raise ValueError("<img src=x onerror=alert(1)>")

    exercise = get("pack-heads")
    aspect = exercise.aspects[0]
    cases = aspect.cases(np.random.default_rng(0))
    page = report.as_html(judge(exercise, aspect, cases, [call(evil, case.inputs) for case in cases]))
    assert "<script" not in page and "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_check_inside_the_answer_is_told_and_ends(capsys):
    def pack_heads(w):
        result = np.concatenate(list(w), axis=1)
        check("pack-heads", pack_heads)
        return result

    out, _ = said(capsys, "pack-heads", pack_heads, "values")
    assert "check was called from inside the function that it checks; is it indented too far?" in " ".join(out.split())
    check("pack-heads", reference.pack_heads)  # and the next check works


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_knows_no_tick(encoding):
    import os
    import subprocess
    import sys

    code = (
        "from manyheads import reference\nfrom manyheads.grading import check\n"
        "check('pack-heads', reference.pack_heads)\nprint('done')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"right, 2 of 2 points" in done.stdout and b"done" in done.stdout


def test_numbers_too_long_to_write_out(capsys):
    out, _ = said(capsys, "attention-parameters", lambda *n: 10**6000, "the habit")
    assert "a number of about 6000 digits" in " ".join(out.split())


def test_values_that_overflow_in_the_comparison(capsys):
    old = np.seterr(all="raise")
    try:
        out, _ = said(capsys, "pack-heads", lambda w: reference.pack_heads(w) * 1e307, "values")
    finally:
        np.seterr(**old)
    assert "not right yet" in out


@pytest.mark.parametrize("aspect", [np.zeros(2), 3, ["values"]])
def test_an_aspect_that_is_no_name(aspect, capsys):
    assert said(capsys, "pack-heads", len, aspect)[1].startswith("aspect must be the name of an aspect, got ")
