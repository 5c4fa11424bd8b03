"""Where a notebook finds the book."""

from manyheads.grading import book_links


def test_the_setting_decides(monkeypatch):
    monkeypatch.setenv(book_links.BOOK_URL, "https://example.org/course/")
    assert (
        book_links.link("01-projections", "The fused view")
        == "https://example.org/course/book/01-projections.html#the-fused-view"
    )


def test_a_book_built_in_the_course_is_found_from_a_notebooks_folder(monkeypatch, tmp_path):
    monkeypatch.delenv(book_links.BOOK_URL, raising=False)
    notebook = tmp_path / "exercises" / "01-projections"
    notebook.mkdir(parents=True)
    monkeypatch.chdir(notebook)
    assert book_links.link("01-projections", "The fused view") is None
    pages = tmp_path / "_build" / "html" / "book"
    pages.mkdir(parents=True)
    (pages / "01-projections.html").touch()
    expected = "../../_build/html/book/01-projections.html#the-fused-view"
    assert book_links.link("01-projections", "The fused view") == expected


def test_without_a_book_the_place_is_told_in_words():
    assert book_links.place("01-projections", "The fused view") == 'chapter 01, "The fused view"'
