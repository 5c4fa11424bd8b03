"""What a public name says about itself: its arguments, its result, a formula with its source, an example that runs."""

import doctest
import importlib
import inspect
import io
import pkgutil
import re
from contextlib import redirect_stdout

import manyheads
import pytest

PACKAGES = ["manyheads", "manyheads.reference", "manyheads.torch_path", "manyheads.costs", "manyheads.models",
            "manyheads.probes", "manyheads.studies"]  # fmt: skip

#: Looking something up has no formula; the source is in what is found.
LOOK_UPS = {"manyheads.models.get", "manyheads.models.published"}

#: Counted, or so by definition: there is nobody to cite.
WITHOUT_SOURCE = {
    "manyheads.costs.pairs.attended_pairs",
    "manyheads.costs.pairs.used_fraction",
    "manyheads.reference.mask_conversions.bias_to_mask",
    "manyheads.reference.masks.combine_masks",
}

MODULES = ["manyheads", *(module.name for module in pkgutil.walk_packages(manyheads.__path__, "manyheads."))]


def public(package) -> list[str]:
    """The names of `__all__`, or, without one, what a module defines itself."""
    own = [n for n, x in vars(package).items() if getattr(x, "__module__", None) == package.__name__ and n[0] != "_"]
    return getattr(package, "__all__", own)


def described() -> dict[str, object]:
    """Every public function and class, once, under the name of the module that defines it."""
    found = [getattr(package, name) for package in map(importlib.import_module, PACKAGES) for name in public(package)]
    return {f"{x.__module__}.{x.__name__}": x for x in found if inspect.isclass(x) or inspect.isroutine(x)}


THINGS = described()
FUNCTIONS = {name: x for name, x in THINGS.items() if not inspect.isclass(x)}


def each(things):
    return pytest.mark.parametrize("thing", [pytest.param(x, id=name.partition(".")[2]) for name, x in things.items()])


def sections(x) -> dict[str, str]:
    """A docstring's sections by name; of a class its own docstring, not an inherited one."""
    text = inspect.cleandoc(x.__doc__ or "")
    _, *parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def named(section: str) -> set[str]:
    """The arguments that a Parameters section describes: ``q, k : array``, ``**options``."""
    lines = [line.partition(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip(" *") for line in lines for name in line.split(",")}


def arguments(x) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(x).parameters)


def test_there_is_something_to_look_at():
    assert len(FUNCTIONS) > 60
    assert len(MODULES) > 60


@each(THINGS)
def test_it_says_what_it_is(thing):
    text = inspect.cleandoc(thing.__doc__ or "")
    assert text, "no docstring"
    assert re.match(r".+[.?]\n(\n|$)", text + "\n"), "the first line is a sentence of its own"


@each(THINGS)
def test_every_argument_is_described_and_no_other(thing):
    wanted = arguments(thing)
    if not wanted:
        return
    assert "Parameters" in sections(thing)
    told = named(sections(thing)["Parameters"])
    beyond = told - set(wanted)
    # What ``**options`` takes may be described by name, in its place.
    passed_on = {name for name, p in wanted.items() if p.kind is p.VAR_KEYWORD}
    assert set(wanted) - told - (passed_on if beyond else set()) == set(), "not described"
    assert not beyond or passed_on, f"described, but not in the signature: {beyond}"


@each(THINGS)
def test_every_argument_is_annotated(thing):
    bare = [n for n, p in arguments(thing).items() if p.annotation is p.empty and p.kind is not p.VAR_KEYWORD]
    assert bare == []


@each(FUNCTIONS)
def test_it_says_what_it_returns(thing):
    assert sections(thing).get("Returns", "").strip()


@each({name: x for name, x in FUNCTIONS.items() if name not in LOOK_UPS})
def test_it_gives_a_formula_and_its_source(thing):
    """Or names a function that does."""
    notes = sections(thing).get("Notes", "")
    if re.search(r"(?<!`)`\w[\w.]*`(?!`)", notes):
        return
    assert "``" in notes, "no formula in Notes"
    if f"{thing.__module__}.{thing.__name__}" not in WITHOUT_SOURCE:
        assert re.search(r"\b(19|20)\d\d\b|Source: ", notes), "no source in Notes"


def test_the_exceptions_are_functions_that_exist():
    assert set(FUNCTIONS) >= LOOK_UPS | WITHOUT_SOURCE


@each(THINGS)
def test_it_has_an_example(thing):
    assert ">>> " in sections(thing).get("Examples", "")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name):
    """Each gives what stands under it."""
    told = io.StringIO()
    with redirect_stdout(told):
        failed = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed
    assert failed == 0, told.getvalue()
