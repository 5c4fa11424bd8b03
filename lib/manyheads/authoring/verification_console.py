"""What `manyheads verify` shows: a line for each exercise, the sums, and every miss."""

from rich import box
from rich.table import Table

from manyheads.authoring import verification, verified
from manyheads.authoring.console import aside, out, progress
from manyheads.authoring.course import Course
from manyheads.exercises import NAMES, UnknownName, get
from manyheads.exercises.registry import CHAPTERS
from manyheads.grading.verify import Proof
from manyheads.grading.verify.proof import SEEDS_OF_A_KERNEL


def verify(course: Course, asked: list[str], jobs: int, *, quick: bool = False, if_changed: bool = False) -> int:
    """Prove the graders of some exercises or assignments; 1 if anything did not go as it must.

    The whole proof leaves its record in solutions/proved.json; `if_changed` skips it where that still holds.
    """
    names = chosen(asked)
    content = verification.content(course)  # before: what is edited meanwhile is not proved
    if if_changed and (verified.read(verified.whole(course)) or {}).get("content") == content:
        out.print("Nothing has changed since all graders were proved.", style="green")
        return 0
    tier = verification.QUICK if quick else verification.FULL
    with progress("proving the graders") as told:
        proofs = verification.here(course, names, tier, jobs, told)
    out.print(_table(proofs))
    out.print(_notes(tier))
    misses = [f"{proof.exercise}: {miss}" for proof in proofs for miss in proof.misses]
    if not quick:
        misses += _in_the_page(course, names, tier)
        misses += _through_nbgrader(course, names, jobs)
    for miss in misses:
        out.print(f"MISS {miss}", style="red", soft_wrap=True, markup=False)
    if names == list(NAMES) and not (misses or quick):
        tried = {proof.exercise: _tried(proof) for proof in proofs}
        verified.keep(verified.whole(course), {"content": content, "exercises": tried})
    said = f"{len(misses)} miss{'es' * (len(misses) != 1)}" if misses else "no miss"
    out.print(f"{len(proofs)} exercises: {said}.", style="red" if misses else "green")
    return 1 if misses else 0


def chosen(asked: list[str]) -> list[str]:
    """The exercises that these names of exercises and assignments stand for."""
    for one in asked:
        if one not in NAMES and one not in CHAPTERS:
            raise UnknownName("exercise or assignment", one, [*NAMES, *CHAPTERS])
    return [name for name in NAMES if not asked or name in asked or NAMES[name] in asked]


def _in_the_page(course: Course, names: list[str], tier: verification.Tier) -> list[str]:
    names = [name for name in names if "page" in get(name).runs_in]
    if not names:
        return []
    with aside.status("the same answers in Pyodide under Node"):
        place, misses = verification.in_the_page(course, names, tier)
    same = "differ there" if misses else "the same verdicts and diagnoses"
    out.print(f"In Pyodide ({place}): {len(names)} exercises, {same}.", soft_wrap=True)
    return misses


def _through_nbgrader(course: Course, names: list[str], jobs: int) -> list[str]:
    found: list[str] = []
    assignments = [chapter for chapter in CHAPTERS if any(NAMES[name] == chapter for name in names)]
    for assignment in assignments:
        with progress(f"{assignment} through nbgrader") as told:
            found += verification.through_nbgrader(course, assignment, jobs, told)
    if not found:
        out.print(f"Through nbgrader ({', '.join(assignments)}): the solution full marks, the starter 0, "
                  "the k-th mistakes of all exercises together what they must lose.", soft_wrap=True)  # fmt: skip
    return found


def _table(proofs: list[Proof]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("exercise", no_wrap=True)
    for heading in ("right", "wrong", "spoilt", "mutants", "same", "far", "near", "miss"):
        table.add_column(heading, justify="right", no_wrap=True)
    for p in proofs:
        table.add_row(
            p.exercise, str(p.right), f"{p.mistakes}{f'+{p.misformed}' if p.misformed else ''}", str(p.spoiled),
            str(p.mutants), str(len(p.equivalent)), _distance(p.nearest_right), _distance(p.nearest_wrong),
            str(len(p.misses)), style="red" if p.misses else None,
        )  # fmt: skip
    table.add_section()
    sums = (sum(getattr(p, field) for p in proofs) for field in ("right", "mistakes", "spoiled", "mutants"))
    same = sum(len(p.equivalent) for p in proofs)
    table.add_row("in all", *map(str, sums), str(same), "", "", str(sum(len(p.misses) for p in proofs)), style="bold")
    return table


def _tried(proof: Proof) -> dict[str, int]:
    return {
        "right": proof.right,
        "mistakes": proof.mistakes,
        "spoiled": proof.spoiled,
        "mutants": proof.mutants,
        "equivalent": len(proof.equivalent),
    }


def _notes(tier: verification.Tier) -> str:
    kernels = min(SEEDS_OF_A_KERNEL, len(tier.seeds))
    return (
        f"Over {len(tier.seeds)} seeds, {kernels} for a kernel. right: right answers, all accepted. wrong: known "
        "mistakes, each refused by its own name (+ those of another shape or dtype). spoilt: right answers spoilt by "
        "accident, refused. mutants: right answers changed in one place; same: those that do the same, accepted, each "
        "with its reason. far, near: the largest error of a right answer and the smallest of a mistake, in "
        "tolerances; - where nothing may differ."
    )


def _distance(units: float | None) -> str:
    """In two digits; a dash where nothing is allowed to differ."""
    if units is None:
        return "-"
    return f"{units:.2g}" if 0.01 <= units < 1000 else f"{units:.1e}".replace("e+0", "e").replace("e-0", "e-")
