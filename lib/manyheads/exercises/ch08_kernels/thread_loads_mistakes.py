"""The known mistakes of thread-loads."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _turns(tile_rows, dim, threads):
    return -(-tile_rows * dim // threads)


def _numbered(tile_rows, dim, threads):
    """The number of the element that each thread takes in each turn."""
    return np.arange(_turns(tile_rows, dim, threads) * threads, dtype=np.int64).reshape(-1, threads)


def _read(element, first_row, tile_rows, dim, row_stride, rows):
    row, column = np.divmod(element, dim)
    inside = (row < tile_rows) & (first_row + row < rows)
    return np.where(inside, (first_row + row) * row_stride + column, -1)


def _run_of_elements(first_row, tile_rows, dim, row_stride, rows, threads):
    turns = _turns(tile_rows, dim, threads)
    element = np.arange(threads) * turns + np.arange(turns)[:, None]
    return _read(element, first_row, tile_rows, dim, row_stride, rows)


def _down_the_columns(first_row, tile_rows, dim, row_stride, rows, threads):
    column, row = np.divmod(_numbered(tile_rows, dim, threads), tile_rows)
    inside = (column < dim) & (first_row + row < rows)
    return np.where(inside, (first_row + row) * row_stride + column, -1)


def _row_and_column_exchanged(first_row, tile_rows, dim, row_stride, rows, threads):
    element = _numbered(tile_rows, dim, threads)
    column, row = np.divmod(element, dim)
    inside = (element < tile_rows * dim) & (first_row + row < rows)
    return np.where(inside, (first_row + row) * row_stride + column, -1)


def _rows_without_gaps(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, dim, rows)


def _offset_of_the_number(first_row, tile_rows, dim, row_stride, rows, threads):
    element = _numbered(tile_rows, dim, threads)
    inside = _read(element, first_row, tile_rows, dim, row_stride, rows) >= 0
    return np.where(inside, first_row * row_stride + element, -1)


def _tile_at_the_top(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), 0, tile_rows, dim, row_stride, rows - first_row)


def _first_row_without_stride(first_row, tile_rows, dim, row_stride, rows, threads):
    right = _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows)
    return np.where(right < 0, -1, right - first_row * (row_stride - 1))


def _steps_of_a_row(first_row, tile_rows, dim, row_stride, rows, threads):
    element = np.arange(_turns(tile_rows, dim, threads))[:, None] * dim + np.arange(threads)
    return _read(element, first_row, tile_rows, dim, row_stride, rows)


def _edge_not_checked(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, first_row + tile_rows)


def _last_row_again(first_row, tile_rows, dim, row_stride, rows, threads):
    row, column = np.divmod(_numbered(tile_rows, dim, threads), dim)
    return np.where(row < tile_rows, np.minimum(first_row + row, rows - 1) * row_stride + column, -1)


def _one_row_too_many(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows + 1)


def _last_row_lost(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows - 1)


def _edge_of_the_tile_row(first_row, tile_rows, dim, row_stride, rows, threads):
    row, column = np.divmod(_numbered(tile_rows, dim, threads), dim)
    return np.where((row < tile_rows) & (row < rows), (first_row + row) * row_stride + column, -1)


def _past_the_tile(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, rows, dim, row_stride, rows)


def _one_element_too_many(first_row, tile_rows, dim, row_stride, rows, threads):
    element = _numbered(tile_rows, dim, threads)
    right = _read(element, first_row, tile_rows + 1, dim, row_stride, rows)
    return np.where(element <= tile_rows * dim, right, -1)


def _nothing_checked(first_row, tile_rows, dim, row_stride, rows, threads):
    row, column = np.divmod(_numbered(tile_rows, dim, threads), dim)
    return (first_row + row) * row_stride + column


def _zero_for_nothing(first_row, tile_rows, dim, row_stride, rows, threads):
    return np.maximum(_read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows), 0)


def _last_turn_lost(first_row, tile_rows, dim, row_stride, rows, threads):
    right = _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows)
    return right[: tile_rows * dim // threads]


def _a_turn_too_many(first_row, tile_rows, dim, row_stride, rows, threads):
    element = np.arange((tile_rows * dim // threads + 1) * threads, dtype=np.int64).reshape(-1, threads)
    return _read(element, first_row, tile_rows, dim, row_stride, rows)


def _turns_of_existing_rows(first_row, tile_rows, dim, row_stride, rows, threads):
    right = _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows)
    return right[: _turns(min(tile_rows, rows - first_row), dim, threads)]


def _threads_first(first_row, tile_rows, dim, row_stride, rows, threads):
    return _read(_numbered(tile_rows, dim, threads), first_row, tile_rows, dim, row_stride, rows).T


_THREADS, _MEMORY = "Grids, blocks and threads", "Where an element lives"

MISTAKES = (
    Mistake(
        "run-of-elements",
        _run_of_elements,
        "Each of your threads reads a run of elements of its own, so in one turn the threads read far apart. Let "
        "thread t take the elements t, t + threads and so on: neighbours then read neighbours.",
        _THREADS,
    ),
    Mistake(
        "down-the-columns",
        _down_the_columns,
        "Your elements are numbered down the columns, so neighbouring threads read a whole row apart. Number them "
        "along the rows: row e // dim, column e % dim.",
        _THREADS,
    ),
    Mistake(
        "row-and-column-exchanged",
        _row_and_column_exchanged,
        "Your row and your column have changed places. Elements are numbered row by row, dim of them in each: the row "
        "is e // dim, and the column e % dim.",
        _THREADS,
    ),
    Mistake(
        "rows-without-gaps",
        _rows_without_gaps,
        "You step dim elements from row to row. The matrix has other things between the rows of the tile: the step is "
        "row_stride.",
        _MEMORY,
    ),
    Mistake(
        "offset-of-the-number",
        _offset_of_the_number,
        "You add the number of an element to the start of the tile, as if the tile's rows were one run. Take it apart "
        "into row and column, and step row_stride from row to row.",
        _MEMORY,
    ),
    Mistake(
        "tile-at-the-top",
        _tile_at_the_top,
        "You read the first rows of the matrix. The tile begins at first_row.",
        _THREADS,
    ),
    Mistake(
        "first-row-without-stride",
        _first_row_without_stride,
        "You add first_row to the offset as it is. It counts rows: multiply it by row_stride too.",
        _MEMORY,
    ),
    Mistake(
        "steps-of-a-row",
        _steps_of_a_row,
        "From one turn to the next you step dim elements. In one turn the block reads one element for each thread, so "
        "the step is threads.",
        _THREADS,
    ),
    Mistake(
        "edge-not-checked",
        _edge_not_checked,
        "You read rows that the matrix does not have. Where first_row + row is not below rows, it is -1.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "last-row-again",
        _last_row_again,
        "For a row that does not exist you read the last one again. Such a key would be counted twice: it is -1, and "
        "nothing is read.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "one-row-too-many",
        _one_row_too_many,
        "You read one row past the end. Rows count from 0, so the last is rows - 1: the test is < and not <=.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "last-row-lost",
        _last_row_lost,
        "You do not read the last row of the matrix. Rows count from 0, so rows - 1 exists: the test is < rows.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "edge-of-the-tile-row",
        _edge_of_the_tile_row,
        "You compare the row inside the tile with rows. rows counts those of the matrix: compare first_row + row.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "past-the-tile",
        _past_the_tile,
        "In the last turn you read on into rows behind the tile. A thread whose element is tile_rows * dim or more has "
        "nothing to read: -1.",
        _THREADS,
        loses=("last turn",),
    ),
    Mistake(
        "one-element-too-many",
        _one_element_too_many,
        "In the last turn you read one element past the tile. Its elements are numbered from 0, so number "
        "tile_rows * dim is not one of them: the test is < and not <=.",
        _THREADS,
        loses=("last turn",),
    ),
    Mistake(
        "nothing-checked",
        _nothing_checked,
        "You never give -1, so threads read past the tile and past the matrix. Ask both whether the tile has such an "
        "element and whether its row exists.",
        _THREADS,
        loses=("last turn", "edge"),
    ),
    Mistake(
        "zero-for-nothing",
        _zero_for_nothing,
        "Where a thread reads nothing you give 0, which is the offset of the first element. It is -1.",
        _THREADS,
        loses=("last turn", "edge"),
    ),
    Mistake(
        "last-turn-lost",
        _last_turn_lost,
        "The last turn is missing, so some elements are never copied. Round the number of turns up.",
        _THREADS,
        loses=("last turn", "edge"),
    ),
    Mistake(
        "a-turn-too-many",
        _a_turn_too_many,
        "Where the threads fill every turn you have one more, in which nobody reads. One more than // gives is right "
        "only if there is a remainder: round up instead.",
        _THREADS,
        loses=("whole turns", "edge"),
    ),
    Mistake(
        "turns-of-existing-rows",
        _turns_of_existing_rows,
        "You count turns for the rows that exist. Every block takes as many turns as the whole tile needs, and in some "
        "of them its threads read nothing.",
        _THREADS,
        loses=("edge",),
    ),
    Mistake(
        "threads-first",
        _threads_first,
        "Your array is (threads, turns). A row of it is one turn: (turns, threads).",
        _THREADS,
    ),
)
