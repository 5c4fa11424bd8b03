"""Kernels as answers: how their source is got, how findings are told, and that mistakes are named by them."""

from importlib import import_module

import numpy as np
import pytest
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle, kernel_source
from manyheads.grading import report
from manyheads.grading.judge import judge, run_case, run_cases
from manyheads.grading.kernels import call
from manyheads.grading.outcome import Outcome
from manyheads.kernels.launching import Finding, Launch, NotHere, Out

#: Each thread hands its element to its neighbour, through shared memory.
SHIFT = kernel_source("""
    extern "C" __global__ void shift(const float* x, float* out, int n) {
        __shared__ float tile[64];
        int t = threadIdx.x;
        if (t < n) tile[t] = x[t];
        __syncthreads();
        if (t < n) out[t] = tile[(t + 1) % n];
    }
    """)
NO_BARRIER = SHIFT.changed(("    __syncthreads();\n", ""))
TOO_FAR = SHIFT.changed(("if (t < n) out[t]", "out[t]"))


def case(way="up", n=37, probe=False):
    x = np.arange(n, dtype=np.float32)
    launch = Launch("shift", (1,), (64,), {"x": x, "out": Out((n,)), "n": n})
    return Case(f"{n} elements, {way}", {"x": x}, probe, launch=launch, way=way)


def aspect(*ways):
    return Aspect("values", 2, "numbers", lambda rng: [case(way) for way in ways])


def exercise(*ways):
    return Exercise(
        name="shift",
        title="Shift",
        chapter="08-kernels",
        version=1,
        parameters=(Parameter("x", "float array (n,)"),),
        returns=(Output("out", ("n",)),),
        reference=Oracle(lambda x: np.roll(x, -1)),
        aspects=(aspect(*ways),),
        mistakes=(
            Mistake("no-barrier", NO_BARRIER, "You read what a neighbour may not have written.", "Tiles"),
            Mistake("no-bound", TOO_FAR, "You store past the end of the row.", "Tiles"),
        ),
        alternatives={},
        kernel=KernelForm("cuda", "head", "launch"),
    )


def judged(answer, *ways):
    made = exercise(*ways)
    cases = [case(way) for way in ways]
    return judge(made, made.aspects[0], cases, [run_case(answer, one) for one in cases])


def test_a_function_that_returns_the_source_is_an_answer():
    outcome = call(lambda: SHIFT.text, case())
    np.testing.assert_array_equal(outcome.value.array, np.roll(np.arange(37, dtype=np.float32), -1))
    assert judged(lambda: SHIFT.text, "up", "shuffled", "races", "memory").right


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: None, "your function returned nothing, not the kernel's source as text"),
        (lambda: 3, "a value of type int"),
        (lambda x: "", "takes (x), but the exercise calls it with ()"),
    ],
)
def test_what_is_no_source_is_told(answer, said):
    assert said in call(answer, case()).message


def test_the_starter_is_unwritten():
    def starter():
        raise NotImplementedError

    assert judged(starter, "up").unwritten


def test_a_missing_barrier_is_named_by_the_race_with_the_students_line():
    verdict = judged(lambda: NO_BARRIER.text, "races")
    assert verdict.mistake.name == "no-barrier"
    text = " ".join(report.as_text(verdict).split())
    assert "Data race. Line 4 writes element 1 of tile, which another thread reads in line 5;" in text
    assert "Your line 5: if (t < n) out[t] = tile[(t + 1) % n];" in text


def test_a_store_past_the_end_is_named_with_the_students_line():
    verdict = judged(lambda: TOO_FAR.text, "memory")
    assert verdict.mistake.name == "no-bound"
    assert "Your line 6: out[t] = tile[(t + 1) % n];" in report.as_text(verdict)


def test_another_place_outside_the_array_is_another_mistake():
    far_off = SHIFT.changed(("out[t] =", "out[t + 40] ="))
    verdict = judged(far_off, "memory")
    assert (verdict.first.outcome.exception, verdict.mistake) == ("out of bounds", None)


def test_source_that_does_not_compile_is_no_known_mistake_and_shows_its_line():
    verdict = judged(lambda: SHIFT.text.replace("int t = threadIdx.x;", "int t = threadIdx.x"), "up")
    assert verdict.mistake is None and not verdict.right
    text = " ".join(report.as_text(verdict).split())
    assert "Does not compile. Expected ',' or ';' before 'if'. Your line 4: if (t < n)" in text


ENDLESS = Finding("endless", "The launch did not end within 20 seconds, and was here then.", 3)


def test_after_a_launch_that_does_not_end_no_other_is_tried(monkeypatch):
    tried = []

    def endless_upwards(answer, one):
        tried.append(one.way)
        found = None if one.way == "down" else ENDLESS
        return Outcome(exception="endless", finding=found) if found else run_case(answer, one)

    monkeypatch.setattr(import_module("manyheads.grading.judge"), "run_case", endless_upwards)
    ways = ("down", "up", "races", "memory")
    cases = [case("up", probe=True), *(case(way) for way in ways)]
    outcomes = run_cases(lambda: SHIFT.text, cases)
    assert tried == ["up", "down", "up"]  # a probe does not decide
    made = exercise(*ways)
    verdict = judge(made, made.aspects[0], cases, outcomes)
    text = " ".join(report.as_text(verdict).split())
    assert "Endless. The launch did not end within 20 seconds, and was here then." in text
    assert "1 of 4 kinds of input failed; 2 more were not tried." in text
    assert verdict.earned == 0 and verdict.mistake is None


def test_a_mistake_that_does_not_end_is_named_by_the_cases_that_were_tried(monkeypatch):
    def endless(answer, one):
        return Outcome(exception="endless", finding=ENDLESS) if answer is NO_BARRIER else run_case(answer, one)

    monkeypatch.setattr(import_module("manyheads.grading.judge"), "run_case", endless)
    made = exercise("up", "down")
    cases = [case("up"), case("down")]
    verdict = judge(made, made.aspects[0], cases, run_cases(NO_BARRIER, cases), run=endless)
    assert verdict.mistake.name == "no-barrier"


def test_the_registers_are_a_note():
    verdict = judged(lambda: SHIFT.text, "sm_80")
    assert verdict.right and "Compiled for sm_80, it takes" in verdict.notes[0]


def test_a_machine_that_cannot_check_says_so(monkeypatch):
    checking = import_module("manyheads.grading.check")
    monkeypatch.setattr(checking.versions, "contract", lambda name, version: exercise("up"))
    monkeypatch.setattr(checking, "run_cases", lambda *_: (_ for _ in ()).throw(NotHere("install g++")))
    with pytest.raises(checking.CheckFailed, match="cannot be checked on this machine: install g\\+\\+"):
        checking.check("shift", lambda: SHIFT.text)
