"""Proving the graders of a course: here, in the browser's Python, and through nbgrader."""

import dataclasses
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

from manyheads.authoring import in_pyodide, nbgrader_proof, verified
from manyheads.authoring.course import Course
from manyheads.authoring.source import source_notebook
from manyheads.exercises import NAMES, get
from manyheads.grading.verify import SEEDS, Proof, prove

Told = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Tier:
    """How much is tried."""

    seeds: range
    page_seeds: int  #: in Pyodide, where everything takes longer


QUICK, FULL = Tier(SEEDS[:3], 1), Tier(SEEDS, 2)


def here(course: Course, names: list[str], tier: Tier, jobs: int, told: Told) -> list[Proof]:
    """The proof of every exercise, in this order; what has not changed since is not tried again."""
    solutions = model_answers(course, names)
    found: dict[str, Proof] = {}
    for name in names:
        for deep_enough in dict.fromkeys((FULL, tier)):
            kept = verified.read(verified.record(course, name, [name], deep_enough, solutions[name]))
            if kept:
                found[name] = Proof(**kept)
    missing = [name for name in names if name not in found]
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(_prove, name, solutions[name], tier.seeds): name for name in missing}
        for future in as_completed(running):
            name = running[future]
            found[name] = proof = future.result()
            if not proof.misses:
                path = verified.record(course, name, [name], tier, solutions[name])
                verified.keep(path, dataclasses.asdict(proof))
            told(len(found), len(names), name)
    return [found[name] for name in names]


def in_the_page(course: Course, names: list[str], tier: Tier) -> tuple[str, list[str]]:
    """(what it ran on, misses) of the exercises that a page can run, in Pyodide under Node."""
    path = verified.record(course, "pyodide", names, tier, notebooks=True)
    kept = verified.read(path)
    if kept:
        return kept, []
    place, misses = in_pyodide.differences(course, names, tier.page_seeds)
    if not misses:
        verified.keep(path, place)
    return place, misses


def through_nbgrader(course: Course, assignment: str, jobs: int, told: Told) -> list[str]:
    """The misses of an assignment's notebooks, graded by nbgrader: solution, starter, the k-th mistakes together."""
    names = [name for name in NAMES if NAMES[name] == assignment]
    source = sorted((course.solutions / assignment).glob("*.py"))
    texts = [one.read_text("utf-8") for one in source]
    path = verified.record(course, f"nbgrader-{assignment}", names, *texts, notebooks=True)
    if verified.read(path) is not None:
        return []
    misses = nbgrader_proof.prove(course, assignment, jobs, told)
    if not misses:
        verified.keep(path, True)
    return misses


def content(course: Course) -> str:
    """Changes with anything that the proof of the whole course depends on."""
    sources = [path.read_text("utf-8") for path in sorted(course.solutions.glob("*/*.py"))]
    return verified.content(list(NAMES), *sources)


def model_answers(course: Course, names: list[str]) -> dict[str, str | None]:
    """The answers of solutions/ by exercise, as a student would have written them; None where there is none."""
    answers: dict[str, str] = {}
    for assignment in dict.fromkeys(NAMES[name] for name in names):
        for path in (course.solutions / assignment).glob("*.py"):
            for cell in source_notebook(path).cells:
                if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
                    answers[cell.id] = re.sub(r"(?m)^ *### (BEGIN|END) SOLUTION\n?", "", cell.source)
    return {name: answers.get(name) for name in names}


def _prove(name: str, solution: str | None, seeds: range) -> Proof:
    try:
        found = prove(get(name), solution, seeds)
        for earlier in get(name).earlier:  # notebooks that were released with it are still graded by it
            found.misses += [f"version {earlier.version}: {miss}" for miss in prove(earlier, None, seeds).misses]
        return found
    except Exception as error:  # a defect of one definition must not hide what the others show
        return Proof(name, misses=[f"its definition does not hold together: {type(error).__name__}: {error}"])
