"""A definition's answers, as a student would have written them."""

import numpy as np
import pytest
from manyheads import reference
from manyheads.exercises import NAMES, get
from manyheads.exercises.kernel import kernel_source
from manyheads.exercises.source import source_as
from manyheads.grading.compare import equal
from manyheads.grading.run import call

ANSWERS = [
    (name, answer)
    for name in NAMES
    if not get(name).kernel
    for answer in [*get(name).alternatives.values(), *(mistake.answer for mistake in get(name).mistakes)]
]


@pytest.mark.parametrize(("name", "answer"), ANSWERS, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_it_stands_on_its_own_and_gives_the_same(name, answer):
    exercise = get(name)
    written: dict = {"np": np, "reference": reference}
    exec(source_as(answer, exercise.function_name), written)
    inputs = exercise.aspects[0].cases(np.random.default_rng(0))[0].inputs
    ours, theirs = call(answer, inputs), call(written[exercise.function_name], inputs)
    assert ours.exception == theirs.exception
    assert ours.value is theirs.value is None or equal(ours.value, theirs.value, tolerance={})


def _inner(x):
    return x + 1


def _outer(x):
    return [_inner(each) for each in x]


def _mine(x):
    return sum(_outer(x)) + _inner(0)


def test_what_an_answer_calls_of_its_module_comes_with_it_once():
    text = source_as(_mine, "asked")
    assert [line for line in text.splitlines() if line.startswith("def")] == [
        "def _inner(x):",
        "def _outer(x):",
        "def asked(x):",
    ]
    written: dict = {}
    exec(text, written)
    assert written["asked"]([1, 2]) == 6


def test_a_cuda_kernel_is_what_a_function_returns_and_a_triton_kernel_a_function():
    text = 'extern "C" __global__ void f(int n) {\n    printf("%d\\n", n);\n}\n'
    written: dict = {}
    exec(source_as(kernel_source(text), "my_kernel"), written)
    assert written["my_kernel"]().lstrip("\n") == text
    jit = "@triton.jit\ndef f(x_ptr):\n    pass\n"
    assert source_as(kernel_source(jit), "f") == jit.rstrip("\n")
