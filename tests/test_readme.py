"""What the README shows is what the library makes."""

import re

from manyheads.authoring import readme

from .helpers import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_the_librarys():
    assert (ROOT / "book" / "assets" / "many-heads.svg").read_bytes() == readme.picture(), (
        "renew it with: python -m manyheads.authoring.readme"
    )
    assert "book/assets/many-heads.svg" in TEXT


def test_the_report_is_what_check_says():
    assert readme.report_on_bare_reshape() in TEXT, "renew it with: python -m manyheads.authoring.readme"


def test_the_tree_names_files_that_exist():
    tree = re.search(r"```text\nbook/.*?```", TEXT, re.S)[0]
    folder = {0: ""}
    for line in tree.splitlines()[1:-1]:
        indent = len(line) - len(line.lstrip())
        names = [word for word in re.split(r"\s{3,}", line.strip())[0].split() if "." in word or word.endswith("/")]
        for name in names:
            assert (ROOT / folder[indent] / name).exists(), name
        if names and names[0].endswith("/"):
            folder[indent + 2] = folder[indent] + names[0]


def test_the_commands_exist():
    for command in re.findall(r"manyheads (\w+)", " ".join(re.findall(r"```sh\n(.*?)```", TEXT, re.S))):
        assert command in ("build", "release", "verify", "grade")
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make (\w+)`", TEXT):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_example_runs_and_prints_what_it_says(capsys):
    code = re.search(r"```python\n(.*?)```", TEXT, re.S)[1]
    names: dict = {}
    exec(code, names)
    assert names["out"].shape == (2, 8, 5, 64)
    said = re.search(r"print\(.*#\s*(.*)$", code, re.M)[1]
    assert capsys.readouterr().out.strip() == said
