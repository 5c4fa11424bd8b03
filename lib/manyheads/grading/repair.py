"""Mending what editors and students do to a notebook's structure, so that nothing earned is lost in silence."""

import copy
import re
from collections.abc import Collection

from manyheads.grading.execute import FLAG


def repair(notebook, released, came_later: Collection[str] = ()) -> list[str]:
    """Give a handed-in notebook back what nbgrader needs; what was done, in plain words.

    - Cells that lost their nbgrader metadata get it back, found by cell id, by their text, by the function that they
      define, or (a written answer) by the question before them.
    - Cells that are gone are put back as they were released.
    - Of two cells with one grade id the first counts; the other becomes an ordinary cell.
    - `came_later` names cells that its release did not have: they are put in without a word.
    - Tags that would keep a cell from being run, and flags of our own, are removed.
    """
    notebook.metadata.pop(FLAG, None)
    wanted = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in released.cells if "nbgrader" in cell.metadata}
    flags, present = [], {}
    for cell in notebook.cells:
        cell.metadata.pop("tags", None)
        said = cell.metadata.get("nbgrader")
        name = said.get("grade_id") if isinstance(said, dict) else None
        if name in wanted and name not in present and cell.cell_type == wanted[name].cell_type:
            present[name] = cell
        elif "nbgrader" in cell.metadata:
            del cell.metadata["nbgrader"]
            if name in present:
                flags.append(f"two cells had the id {name}; the first counts")
    restored, put_back = [], []
    for name, original in wanted.items():
        if name in present:
            continue
        cell = _lost(notebook, original, _text_before(released, original))
        if cell is not None:
            restored.append(name)
        else:
            cell = copy.deepcopy(original)
            notebook.cells.insert(_place(notebook, list(wanted), name, present), cell)
            if original.metadata["nbgrader"]["grade"] and name not in came_later:
                put_back.append(name)
        cell.metadata["nbgrader"] = copy.deepcopy(original.metadata["nbgrader"])
        present[name] = cell
    if restored:
        flags.append(f"{len(restored)} cells had lost their nbgrader metadata, which was restored")
    if put_back:
        flags.append(f"missing cells were put back: {', '.join(put_back)}")
    _make_ids_unique(notebook)
    return flags


def _text_before(notebook, cell) -> str | None:
    """The text of the cell before this one."""
    index = next(i for i, one in enumerate(notebook.cells) if one is cell)
    return notebook.cells[index - 1].source.strip() if index else None


def _lost(notebook, original, question: str | None):
    """The cell without metadata that must be `original`, or None."""
    free = [c for c in notebook.cells if "nbgrader" not in c.metadata and c.cell_type == original.cell_type]
    defined = re.search(r"^def (\w+)\(", original.source, re.M)
    for is_it in (
        lambda cell: cell.get("id") == original.id,
        lambda cell: cell.source.strip() == original.source.strip(),
        lambda cell: defined and re.search(rf"^def {defined[1]}\(", cell.source, re.M),
        lambda cell: original.cell_type == "markdown" and _text_before(notebook, cell) == question,
    ):
        found = [cell for cell in free if is_it(cell)]
        if len(found) == 1:
            return found[0]
    return None


def _place(notebook, order: list[str], name: str, present: dict) -> int:
    """Right behind the nearest earlier cell that is there."""
    for earlier in reversed(order[: order.index(name)]):
        if earlier in present:
            return next(i for i, cell in enumerate(notebook.cells) if cell is present[earlier]) + 1
    return 0


def _make_ids_unique(notebook) -> None:
    seen: set[str] = set()
    for index, cell in enumerate(notebook.cells):
        if cell.get("id") in seen or "id" not in cell:
            cell["id"] = f"own-{index:03}"
        seen.add(cell["id"])
