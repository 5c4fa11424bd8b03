"""Defects to plant in the grading and the probes.

Each would accept a wrong answer, refuse a right one, call it by a wrong name, or show a head as what it is not.
"""

from .defects import Defect, Edit

#: The tests that are about a file, where they are not those of its own name.
_TESTS = {
    "judge.py": ("test_asking.py", "test_memory.py", "verify/test_proof.py"),
    "seeds.py": ("test_check.py",),
    "verify/examples.py": ("verify/test_proof.py",),
    "verify/trial.py": ("verify/test_spoiled.py", "verify/test_proof.py"),
}


def _in(file: str, kind: str, old: str, new: str) -> Defect:
    folder, _, name = file.rpartition("/")
    tests = _TESTS.get(file, (f"{folder}/test_{name}" if folder else f"test_{name}",))
    return Defect(kind, "graders", [Edit(f"grading/{file}", old, new)], tuple(f"tests/grading/{t}" for t in tests))


def _of_probes(file: str, kind: str, old: str, new: str) -> Defect:
    return Defect(kind, "probes", [Edit(f"probes/{file}", old, new)])


GRADER_DEFECTS = [
    _in("compare.py", "a tolerance a hundred times too loose", "<= relative * scale", "<= 100 * relative * scale"),
    _in("compare.py", "any shape of the same size accepted", "have.shape != want.shape:", "have.size != want.size:"),
    _in("compare.py", "any width of float accepted", "and one.itemsize == other.itemsize", ""),
    _in("compare.py", "NaN taken for right", "(_nan(expected) & _nan(got))", "_nan(got)"),
    _in("judge.py", "a mistake named after one case", "if all(_alike(run(", "if any(_alike(run("),
    _in("judge.py", "a limit of memory not looked at", "outcome.peak_bytes > case.most_bytes", "False"),
    _in("asking.py", "what is asked without need let pass", "if not needed[arguments]:", "if False:"),
    _in("asking.py", "what is asked twice let pass", "made[arguments] != needed[arguments]", "False"),
    _in("judge.py", "mistakes not told apart by what they ask", ".kinds != asking(case, expected, other).kinds",
        ".kinds is None"),
    _in("versions.py", "the check cell wins over the grader", "graded.get(name, stated)", "stated"),
    _in("verify/margin.py", "a number in the place of infinity not far", "far |= not np.array_equal(want[~finite]",
        "far |= False and np.array_equal(want[~finite]"),
    _in("unset.py", "np.empty as zeros", "array.fill(np.nan)", "array.fill(0)"),
    _in("verify/proof.py", "near mistakes let pass", "if error < WRONG_BEYOND:", "if error < 0:"),
    _in("verify/proof.py", "mutants that pass on one seed let pass", "for aspects in by_seed(drawn):",
        "for aspects in [drawn]:"),
    _in("verify/proof.py", "wrong names let pass", "elif loses and verdict.mistake is not mistake:", "elif False:"),
    _in("verify/trial.py", "spoiled answers not judged",
        "if problem(self.exercise.returns, expected, value, self.exercise.tolerance):", "if True:"),
    _in("verify/examples.py", "examples not run", "if said else []", "if False else []"),
    _of_probes("scores.py", "the next token for the one before", "np.diagonal(weights, -1,", "np.diagonal(weights, 1,"),
    _of_probes("scores.py", "the first query counted", "weights[:, :, 1:, 0]", "weights[:, :, :, 0]"),
    _of_probes("_torchs.py", "K/V heads tiled", "key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)",
               "key.repeat(1, query.shape[-3] // key.shape[-3], 1, 1)"),
    _of_probes("_torchs.py", "a mask the other way round", "masked_fill(~attn_mask,", "masked_fill(attn_mask,"),
    _in("seeds.py", "hidden inputs that are the same in every course", 'if inputs == "hidden"', "if False"),
]  # fmt: skip
