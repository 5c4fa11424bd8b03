"""What the commands show in a terminal: progress, tables, and where to look."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from manyheads.authoring import class_run, gradable, kit, verification
from manyheads.authoring import release as releasing
from manyheads.authoring.course import Course
from manyheads.grading import batch, submissions, tally

out = Console(highlight=False)
aside = Console(stderr=True, highlight=False)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on stderr; yields what to call with (done, of, what was done last)."""
    columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeElapsedColumn(), TextColumn("{task.fields[last]}", style="dim")]  # fmt: skip
    with Progress(*columns, console=aside, transient=True) as bar:
        task = bar.add_task(title, total=None, last="")
        yield lambda done, of, what: bar.update(task, completed=done, total=of, last=what)


def release(course: Course, assignments: list[str]) -> int:
    """Write exercises/ and say what changed."""
    changed, kept = releasing.release(course, assignments)
    for name in changed:
        out.print(f"  {name}", style="bold")
    out.print(f"Released {len(assignments)} of {len(course.assignments())} assignments into {course.exercises}; "
              f"{len(changed) or 'no'} file{'s' * (len(changed) != 1)} changed.", soft_wrap=True)  # fmt: skip
    if kept:
        out.print(f"What was in the way is kept in {kept}", style="yellow", soft_wrap=True)
    return 0


def pack_kit(course: Course, assignments: list[str]) -> int:
    """Pack what students get, and say where it is."""
    with progress("packing the kit") as told:
        path = kit.build(course, assignments, told)
    with zipfile.ZipFile(path) as packed:
        count = sum(name.endswith(".ipynb") for name in packed.namelist())
    many = f"{count} notebook{'s' * (count != 1)}"
    out.print(f"The kit for students: {path} ({path.stat().st_size / 1000:.0f} kB, {many})", soft_wrap=True)
    return 0


def check_release(course: Course, assignments: list[str], jobs: int, files_only: bool) -> int:
    """Prove that exercises/ agrees with solutions/, and that nbgrader gives the marks that it must."""
    problems = [f"exercises/{name}: extra; delete it, or write its solution" for name in releasing.strays(course)]
    advice = "run `manyheads release`, and edit solutions/, never exercises/"
    for assignment in assignments:
        differ = releasing.differences(course, assignment)
        problems += [f"exercises/{assignment}/{file}: {how}" for file, how in differ.items()]
        problems += [advice] if differ and advice not in problems else []
    if not files_only:
        for assignment in assignments:
            with progress(f"proving {assignment} through nbgrader") as told:
                problems += verification.through_nbgrader(course, assignment, jobs, told)
    for problem in problems:
        out.print(problem, style="red", soft_wrap=True, markup=False)
    if not problems:
        proved = "" if files_only else "; nbgrader gives the solution full marks, the starter 0, every mistake its loss"
        out.print(f"exercises/ is what solutions/ give ({', '.join(assignments)}){proved}.", soft_wrap=True)
    return 1 if problems else 0


def grade(
    course: Course, submitted: Path | None, assignments: list[str], options: batch.Options, class_folder: str | None
) -> int:
    """Grade a class and show who got what."""
    class_run.folder_of(course, submitted, class_folder)  # refuse it before anything is said or done
    if submitted is None:
        aside.print("Grading the sample class: right answers, known mistakes, and a few accidents.")
        for name, reason in gradable.left_out(assignments).items():
            aside.print(f"left out: {name}: {reason}", style="yellow", soft_wrap=True, markup=False)
            assignments = [one for one in assignments if one != name]
    else:
        gradable.require(assignments)
        submissions.require_folder(submitted)
        aside.print("Warning: there is no sandbox yet. The notebooks run with your own rights on this machine; "
                    "grade only what you would run yourself.", style="yellow", soft_wrap=True)  # fmt: skip
        for line in submissions.left_out(submitted, course.assignments()):
            aside.print(f"left out: {line}", style="yellow", soft_wrap=True, markup=False)
    with progress("grading") as told:
        graded = class_run.grade(course, submitted, assignments, options, class_folder, told)
    for assignment in dict.fromkeys(result.assignment for result in graded.results):
        for table in _tables(assignment, [r for r in graded.results if r.assignment == assignment]):
            out.print(table)
    flagged = [result for result in graded.results if result.flags]
    out.print(f"The class has {len(graded.results)} submissions, {len(flagged)} to look at{':' if flagged else '.'}")
    for result in flagged:
        flags = "; ".join(result.flags)
        out.print(f"  {result.student}, {result.assignment}: {flags}", style="yellow", soft_wrap=True, markup=False)
    for title, path in [
        ("Summary of the class", graded.summary),
        ("Marks", graded.marks),
        ("Feedback", graded.feedback),
        ("Gradebook", graded.gradebook),
    ]:
        if path.exists():
            out.print(f"{title + ':':22}{path}", soft_wrap=True)
    return 0


#: As many exercises stand side by side in a terminal.
_MOST_COLUMNS = 8


def _tables(assignment: str, results) -> list[Table]:
    """One table; of an assignment with many exercises one for each of its notebooks."""
    tallies = tally.tally(assignment, results)
    if len(tallies) <= _MOST_COLUMNS:
        return [_table(assignment, results, tallies)]
    kinds = list(dict.fromkeys(_kind(t.exercise) for t in tallies))
    return [
        _table(f"{assignment}, {kind}", results, [t for t in tallies if _kind(t.exercise) == kind]) for kind in kinds
    ]


def _kind(exercise) -> str:
    return exercise.kernel.language if exercise.kernel else "functions"


def _table(title: str, results, tallies) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD)
    table.padding = (0, 1, 0, 0)  # so that five exercises fit a terminal of 80 columns
    table.pad_edge = table.show_edge = False
    table.add_column("student", no_wrap=True)
    table.add_column("checks", justify="right")
    for t in tallies:
        table.add_column(t.exercise.name.replace("-", " "), justify="right")
    for result in results:
        row = [(result.auto, result.most_auto), *(tally.points(result, t.exercise) for t in tallies)]
        cells = [Text(f"{earned:g}/{most:g}", _style(earned, most)) for earned, most in row]
        table.add_row(Text(result.student + (" *" if result.flags else "")), *cells)
    return table


def _style(earned: float, most: float) -> str:
    return "green" if earned == most else "red" if not earned else ""
