"""Defects to plant in the grading: each would accept a wrong answer, refuse a right one, or call it by a wrong name."""

from .defects import Defect, Edit


def _in(file: str, kind: str, old: str, new: str) -> Defect:
    return Defect(kind, "graders", [Edit(f"grading/{file}", old, new)])


GRADER_DEFECTS = [
    _in("compare.py", "a tolerance a hundred times too loose", "<= relative * scale", "<= 100 * relative * scale"),
    _in("compare.py", "any shape of the same size accepted", "have.shape != want.shape:", "have.size != want.size:"),
    _in("compare.py", "any width of float accepted", "and one.itemsize == other.itemsize", ""),
    _in("compare.py", "NaN taken for right", "(_nan(expected) & _nan(got))", "_nan(got)"),
    _in("judge.py", "a mistake named after one case", "if all(alike):", "if any(alike):"),
    _in("judge.py", "a limit of memory not looked at", "outcome.peak_bytes > case.most_bytes", "False"),
    _in("unset.py", "np.empty as zeros", "array.fill(np.nan)", "array.fill(0)"),
    _in("verify/proof.py", "near mistakes let pass", "if error < WRONG_BEYOND:", "if error < 0:"),
    _in("verify/proof.py", "mutants that pass on one seed let pass", "for aspects in by_seed(drawn):",
        "for aspects in [drawn]:"),
    _in("verify/proof.py", "wrong names let pass", "elif loses and verdict.mistake is not mistake:", "elif False:"),
    _in("verify/trial.py", "spoiled answers not judged",
        "if problem(self.exercise.returns, expected, value, self.exercise.tolerance):", "if True:"),
    _in("verify/examples.py", "examples not run", "if said else []", "if False else []"),
    _in("seeds.py", "hidden inputs that are the same in every course", 'if inputs == "hidden"', "if False"),
]  # fmt: skip
