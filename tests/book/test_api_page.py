"""The library's page: everything public is on it, nothing else is, and no markup is left unrendered."""

import ast
import html.parser
import importlib
import pkgutil
import re
from pathlib import Path

import manyheads
import pytest

PACKAGES = ["manyheads.reference", "manyheads.torch_path", "manyheads.costs", "manyheads.models",
            "manyheads.probes", "manyheads.studies", "manyheads.kernels.triton", "manyheads.kernels.cuda",
            "manyheads.kernels.emulate", "manyheads.kernels.aot", "manyheads.kernels.launching"]  # fmt: skip

#: What has no end tag.
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Page(html.parser.HTMLParser):
    """The article: its anchors, the targets of its links, and its text outside code."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.prose = [], set(), []
        self._open, self._in_article = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self._in_article = self._in_article or tag == "article"
        if self._in_article and values.get("id"):
            self.ids.append(values["id"])
        if self._in_article and tag == "a":
            self.links.add(values.get("href", ""))
        if tag not in VOID:
            self._open.append("code" if "sig" in (values.get("class") or "").split() else tag)

    def handle_endtag(self, tag):
        if self._open and tag not in VOID:
            self._open.pop()
        self._in_article = self._in_article and tag != "article"

    def handle_data(self, data):
        if self._in_article and not {"pre", "code", "script", "style"} & set(self._open):
            self.prose.append(data)


def public(name: str) -> set[str]:
    """The names of `__all__`, or, without one, those that a module's source defines."""
    module = importlib.import_module(name)
    return set(getattr(module, "__all__", [n for n in defined(module) if not n.startswith("_")]))


def defined(module) -> set[str]:
    """Names defined or assigned at the top of a module."""
    body = ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [t for node in body if isinstance(node, ast.Assign | ast.AnnAssign) for t in _targets(node)]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}


def _targets(node):
    return node.targets if isinstance(node, ast.Assign) else [node.target]


@pytest.fixture(scope="module")
def text(site):
    return (site / "api.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_has_its_anchor_and_nothing_else_has(page, package):
    anchors = [i.removeprefix(f"{package}.") for i in page.ids if i.startswith(f"{package}.")]
    assert {anchor.partition(".")[0] for anchor in anchors} == public(package)
    assert len(anchors) == len(set(anchors))


def test_so_have_the_names_of_the_library_itself(page):
    own = {name for name in manyheads.__all__ if f"manyheads.{name}" not in PACKAGES}
    assert own
    assert {f"manyheads.{name}" for name in own} <= set(page.ids)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_has_its_place(course, package):
    """A module that no section names is shown all the same, at the package's end: give it its place."""
    source = (course.root / "book" / "api.md").read_text(encoding="utf-8")
    found = importlib.import_module(package)
    for info in pkgutil.walk_packages(getattr(found, "__path__", []), f"{package}."):
        module = importlib.import_module(info.name)
        if "._" not in info.name and not hasattr(module, "__path__") and defined(module) & public(package):
            assert f'"{info.name.removeprefix("manyheads.")}"' in source, info.name


def test_no_markup_is_left(page):
    prose = "".join(page.prose)
    assert len(prose) > 20_000
    for left in ("`", ">>>", r":\w+( \w+)?:\s", r"\*\*\w+\*\*", r"^-{3,}", r"^\.\. ", "Alias for field"):
        found = re.search(f".*{left}.*", prose, re.M)
        assert not found, found


def test_every_example_is_code(text):
    after = re.findall(r'<p class="rubric">Examples</p>\s*<div class="([\w-]+)', text)
    assert len(after) > 80
    assert set(after) == {"doctest"}
    assert text.count('<p class="rubric">Examples</p>') == len(after)


def test_names_in_docstrings_are_links(page):
    for name in ("reference.split_heads", "reference.KVCache.append", "torch_path.flip_mask", "costs.attended_pairs"):
        assert f"#manyheads.{name}" in page.links
