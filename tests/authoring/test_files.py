"""Writing: whole or not at all."""

import os

import pytest
from manyheads.authoring import files


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "marks.csv"
    files.write(path, b"old")

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_tree_becomes_exactly_the_files(tmp_path):
    files.replace_tree(tmp_path, {"a.txt": b"1", "sub/b.txt": b"2"})
    before = (tmp_path / "a.txt").stat().st_mtime_ns
    files.replace_tree(tmp_path, {"a.txt": b"1", "c.txt": b"3"})
    assert files.tree(tmp_path) == {"a.txt": b"1", "c.txt": b"3"}
    assert not (tmp_path / "sub").exists()
    assert (tmp_path / "a.txt").stat().st_mtime_ns == before  # unchanged files are not touched
