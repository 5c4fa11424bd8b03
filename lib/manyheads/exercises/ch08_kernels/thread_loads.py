"""thread-loads: which element each thread of a block reads, turn by turn, to copy a tile."""

import numpy as np

from manyheads.exercises.ch08_kernels.thread_loads_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(first_row, tile_rows, dim, row_stride, rows, threads):
    elements = tile_rows * dim
    turns = len(range(0, elements, threads))
    offsets = np.full((turns, threads), -1, np.int64)
    for e in range(elements):
        row = first_row + e // dim
        if row < rows:
            offsets[e // threads, e % threads] = row * row_stride + e % dim
    return offsets


def _case(about, *numbers, probe=False):
    names = ("first_row", "tile_rows", "dim", "row_stride", "rows", "threads")
    return Case(about, dict(zip(names, map(int, numbers), strict=True)), probe)


#: Rows of a tile, numbers in a row, threads: so that each turn is full, and no two numbers, turns included, are alike.
_FULL = ((6, 8, 16), (4, 10, 8), (9, 8, 12), (6, 7, 14), (5, 12, 10))


def _whole(rng):
    tile_rows, dim, threads = _FULL[int(rng.integers(len(_FULL)))]
    first = int(rng.integers(2, 5)) * tile_rows
    stride = dim * int(rng.integers(3, 6)) + 1
    return [
        _case("a tile that the turns fill", first, tile_rows, dim, stride, first + 3 * tile_rows, threads),
        _case("more threads than a row has elements", 14, 7, 6, 19, 40, 21),
        _case("fewer threads than a row has elements", 10, 5, 12, 30, 41, 4),
        _case("the first tile", 0, 6, 9, stride + 30, 60, 18),
        # What happens at the edges.
        _case("a last turn that is not full", 9, 3, 11, 26, 50, 8, probe=True),
        _case("the last tile, with rows that do not exist", 24, 6, 8, 27, 28, 16, probe=True),
    ]


def _last_turn(rng):
    tile_rows, dim, threads = ((5, 7, 8), (7, 9, 16), (3, 11, 8), (6, 11, 16))[int(rng.integers(4))]
    first = int(rng.integers(1, 5)) * tile_rows
    stride = dim * int(rng.integers(2, 6)) + 2
    return [
        _case("a last turn that is not full", first, tile_rows, dim, stride, first + 4 * tile_rows, threads),
        _case("a last turn with one element", 6, 3, 7, 17, 30, 10),
        _case("the last tile, with rows that do not exist", 24, 6, 8, 27, 28, 16, probe=True),
    ]


def _edge(rng):
    tile_rows, dim, threads = ((6, 8, 16), (9, 8, 12), (6, 7, 14), (5, 12, 10))[int(rng.integers(4))]
    first = int(rng.integers(2, 5)) * tile_rows
    stride = dim * int(rng.integers(3, 6)) + 1
    return [
        _case("rows that do not exist", first, tile_rows, dim, stride, first + 2, threads),
        _case("one row that does not exist", first, tile_rows, dim, stride, first + tile_rows - 1, threads),
        _case("a matrix with fewer rows than the tile", 2, 9, 8, 21, 5, 12),
        _case("rows and numbers that end inside one turn", 15, 5, 6, 11, 18, 10),
        _case("more threads than the tile has elements", 8, 4, 5, 13, 10, 32),
        _case("a last turn that is not full", 9, 3, 11, 26, 50, 8, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _as_a_thread_does_it(first_row, tile_rows, dim, row_stride, rows, threads):
    reads = []
    for t in range(threads):
        own = []
        for start in range(0, tile_rows * dim, threads):
            row, column = divmod(start + t, dim)
            inside = row < tile_rows and first_row + row < rows
            own.append((first_row + row) * row_stride + column if inside else -1)
        reads.append(own)
    return np.array(reads).T


def _tile_of_offsets_padded(first_row, tile_rows, dim, row_stride, rows, threads):
    exist = min(tile_rows, rows - first_row)
    offsets = np.add.outer(np.arange(first_row, first_row + exist) * row_stride, np.arange(dim)).ravel()
    turns = (tile_rows * dim + threads - 1) // threads
    reads = np.full(turns * threads, -1)
    reads[: offsets.size] = offsets
    return reads.reshape(turns, threads)


def _offsets_written_by_row(first_row, tile_rows, dim, row_stride, rows, threads):
    reads = [-1] * (-(-tile_rows * dim // threads) * threads)
    for r in range(tile_rows):
        if r + first_row < rows:
            begin = (r + first_row) * row_stride
            reads[r * dim : (r + 1) * dim] = range(begin, begin + dim)
    return np.array(reads).reshape(-1, threads)


def _gathered_from_a_numbered_matrix(first_row, tile_rows, dim, row_stride, rows, threads):
    matrix = np.arange(rows * row_stride).reshape(rows, row_stride)
    row = np.arange(first_row, first_row + tile_rows)
    tile = np.take(matrix, row, axis=0, mode="clip")[:, :dim]
    tile[row >= rows] = -1
    rest = -tile.size % threads
    return np.append(tile.ravel(), [-1] * rest).astype(int).reshape(-1, threads)


EXERCISE = Exercise(
    name="thread-loads",
    title="Many threads copy a tile",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("first_row", "whole number: the row of the matrix at which the tile begins"),
        Parameter("tile_rows", "whole number: rows of the tile"),
        Parameter("dim", "whole number: numbers in a row of the tile"),
        Parameter("row_stride", "whole number: elements from one row of the matrix to the next, at least dim"),
        Parameter("rows", "whole number: rows of the matrix; more than first_row"),
        Parameter("threads", "whole number: threads of the block"),
    ),
    returns=(
        Output(
            "result",
            ("turn", "thread"),
            "int",
            about="an array (turns, threads) of whole numbers: the offset in the matrix that a thread reads in a turn, "
            "or -1 where it reads nothing",
        ),
    ),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> thread_loads(first_row=2, tile_rows=2, dim=3, row_stride=10, rows=9, threads=4).tolist()
[[20, 21, 22, 30], [31, 32, -1, -1]]
>>> thread_loads(first_row=2, tile_rows=2, dim=3, row_stride=10, rows=3, threads=4).tolist()
[[20, 21, 22, -1], [-1, -1, -1, -1]]
""",
    hints=(
        "Number the elements of the tile row by row, from 0. Which number has the element that thread t takes in turn "
        "s? In turn 0 it is t.",
        "From the number of an element, `divmod` gives its row and its column in the tile. Only then do first_row and "
        "row_stride come in.",
        "There are two reasons for a -1, and each needs a question of its own: is it still an element of the tile, and "
        "does this row of the matrix exist?",
    ),
    aspects=(
        Aspect("whole turns", 2, "turns in which every thread has an element", _whole),
        Aspect("last turn", 1, "a last turn in which some threads have none", _last_turn),
        Aspect("edge", 1, "rows that the matrix does not have", _edge),
    ),
    alternatives={
        "as a thread does it": _as_a_thread_does_it,
        "tile of offsets, padded": _tile_of_offsets_padded,
        "offsets written by row": _offsets_written_by_row,
        "gathered from a numbered matrix": _gathered_from_a_numbered_matrix,
    },
    mistakes=MISTAKES,
)
