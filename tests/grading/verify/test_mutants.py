"""Mutants: every kind of change is made, each is a program of its own, and each tells what it changed."""

import ast

import pytest
from manyheads.grading.verify.mutants import mutants


def changes(body: str, parameters: str = "x") -> set[str]:
    """What becomes of the one line of a function."""
    source = f'def f({parameters}):\n    """Text."""\n    {body}\n'
    return {mutant.change.split("  =>  ")[1] for mutant in mutants(source, "test")}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("return x + 1", {"return x - 1", "return x + 2", "return x + 0"}),
        ("return x // 2", {"return x * 2", "return x % 2", "return x // 3", "return x // 1"}),
        ("return x - x[0]", {"return x + x[0]", "return x[0] - x", "return x - x[1]", "return x - x[-1]"}),
        ("return x[-1]", {"return x[0]", "return x[-2]"}),
        ("return x < 3", {"return x <= 3", "return x > 3", "return x < 4", "return x < 2"}),
        ("return ~x", {"return x"}),
        ("return x and not x[0]", {"return x or not x[0]", "return x and x[0]", "return x and (not x[1])",
                                   "return x and (not x[-1])"}),
        ("return x * -1e9", {"return x / -1000000000.0", "return x * 1000000000.0"}),
        ("return x.max(axis=True)", {"return x.min(axis=True)", "return x.sum(axis=True)", "return x.max(axis=False)",
                                     "return x.max()"}),
        ("return x.reshape(-1, 4)", {"return x.reshape(0, 4)", "return x.reshape(4, -1)", "return x.reshape(-1, 5)",
                                     "return x.reshape(-1, 3)"}),
        ("return x.swapaxes(1, 2)", {"return x", "return x.swapaxes(2, 2)", "return x.swapaxes(0, 2)",
                                     "return x.swapaxes(1, 3)", "return x.swapaxes(1, 1)"}),
        ("return x[:2]", {"return x[:]", "return x[:3]", "return x[:1]"}),
        ("return np.einsum('ab->ab', x)", {"return np.einsum('ab->ba', x)", "return np.einsum(x, 'ab->ab')"}),
        ("x[0] += 2", {"pass", "x[0] -= 2", "x[0] += 3", "x[0] += 1", "x[1] += 2", "x[-1] += 2"}),
        ("return 1 if x else 0", {"return 1 if not x else 0", "return 2 if x else 0", "return 0 if x else 0",
                                  "return 1 if x else 1", "return 1 if x else -1"}),
    ],
)  # fmt: skip
def test_every_kind_of_change_is_made(line, wanted):
    assert changes(line) == wanted


def test_a_bound_is_moved_by_one():
    assert {"return x[:n + 1]", "return x[:n - 1]", "return x[:]"} <= changes("return x[:n]", "x, n")


def test_parameters_are_read_in_each_others_place():
    assert {"return q @ v", "return k @ k", "return k @ q"} <= changes("return q @ k", "q, k, v")


SOURCE = """def f(x, n):
    out = np.zeros((n, 2))
    for i in range(n):
        out[i] = x[i, :2] * 2.0
    return out
"""


def test_mutants_are_programs_that_differ_from_the_answer_and_from_each_other():
    made = mutants(SOURCE, "loops")
    texts = [ast.unparse(ast.parse(mutant.source)) for mutant in made]
    assert len(made) >= 15
    assert len({*texts, ast.unparse(ast.parse(SOURCE))}) == len(made) + 1
    assert len({mutant.name for mutant in made}) == len(made)
    assert all(callable(mutant.function("f")) for mutant in made)
    assert "loops: out[i] = x[i, :2] * 2.0  =>  out[i] = x[i, :2] / 2.0" in {mutant.name for mutant in made}


def test_the_names_do_not_change_with_the_docstring():
    documented = SOURCE.replace(":\n", ':\n    """What it is."""\n', 1)
    assert [m.name for m in mutants(documented, "loops")] == [m.name for m in mutants(SOURCE, "loops")]
