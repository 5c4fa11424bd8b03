"""The notation page as its tests read it."""

import re

import numpy as np
from manyheads import reference

from ..helpers import ROOT

PAGE = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```", PAGE, re.S | re.M)
PROSE = " ".join(re.sub(r"^```.*?^```", "", PAGE, flags=re.S | re.M).split())


def says(sentence: str) -> None:
    """The page says so, in these words. A test that begins with it fails when the page says something else."""
    assert " ".join(sentence.split()) in PROSE, f"the page no longer says: {sentence}"


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def tables(text: str) -> list[list[list[str]]]:
    """The tables in a text: rows of cells, the header first."""
    found = re.findall(r"^\|.*\|\n\|[-|]+\|\n(?:\|.*\|\n)+", text, re.M)
    lines = ([line for line in table.splitlines() if not re.fullmatch(r"[-|]+", line)] for table in found)
    return [[[cell.strip() for cell in line[1:-1].split("|")] for line in table] for table in lines]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def near(got, expected) -> bool:
    return np.shape(got) == np.shape(expected) and np.allclose(got, expected, atol=1e-6)


def neutral(q_len: int, k_len: int, dtype="float32"):
    """Scores of 0 and the identity as values: a row of the result is a row of weights."""
    return np.zeros((1, 1, q_len, 4), dtype), np.zeros((1, 1, k_len, 4), dtype), np.eye(k_len, dtype=dtype)[None, None]


def weights(q_len: int, k_len: int, **options) -> np.ndarray:
    return reference.attention(*neutral(q_len, k_len), **options)[0, 0]
