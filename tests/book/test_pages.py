"""The built pages: every link has its target, nothing comes from another host."""

import html.parser
import re

import pytest
from manyheads.exercises import NAMES, get
from manyheads.grading.book_links import anchor


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.resources, self.images = set(), [], [], []
        text = path.read_text(encoding="utf-8")
        self.headings = {re.sub(r"<a .*?</a>|<[^>]+>", "", h) for h in re.findall(r"<h2>(.*?)</h2>", text, re.S)}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.ids.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.resources.append(values["src"])
        if tag == "link" and values.get("rel") != "canonical":
            self.resources.append(values.get("href", ""))
        if tag == "img" or (tag == "svg" and values.get("role") == "img"):
            self.images.append(values.get("alt") or values.get("aria-label"))


@pytest.fixture(scope="module")
def pages(site):
    return {path.name: Page(path) for path in sorted(site.glob("*.html"))}


def test_the_pages_of_the_contents_are_there(pages, course):
    wanted = set(re.findall(r"book/([\w-]+)", (course.root / "_toc.yml").read_text()))
    assert {f"{name}.html" for name in wanted} <= set(pages)


def test_every_known_mistake_links_to_a_section_that_exists(pages):
    for name in NAMES:
        exercise = get(name)
        for mistake in exercise.mistakes:
            page = pages[f"{exercise.chapter}.html"]
            assert anchor(mistake.section) in page.ids, (name, mistake.name, mistake.section)
            assert mistake.section in page.headings, (name, mistake.name, mistake.section)


def test_every_link_has_its_target(pages, site):
    for name, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"\w+:", target):
                continue
            path = site / target if target else site / name
            assert path.exists(), (name, link)
            if anchor and path.name in pages and path.parent.resolve() == site.resolve():
                assert anchor in pages[path.name].ids, (name, link)


def test_nothing_is_loaded_from_another_host(pages, site):
    for name, page in pages.items():
        assert page.resources
        for resource in page.resources:
            assert not re.match(r"(https?:)?//", resource), (name, resource)
        text = (site / name).read_text(encoding="utf-8")
        assert not re.search(r"unpkg|jsdelivr|cdnjs|googleapis|mybinder", text), name


def test_every_figure_says_what_it_shows(pages):
    images = [(name, text) for name, page in pages.items() for text in page.images]
    assert len(images) >= 8
    assert all(text and len(text) > 20 for _, text in images), images


def test_the_figures_in_the_prose_are_right(site):
    """Numbers of the chapter, found in the page as a reader sees them."""
    text = re.sub(r"<[^>]+>", "", (site / "01-projections.html").read_text(encoding="utf-8"))
    for number in ("2,359,296", "28,311,552", "98,698,752", "124,439,808", "23.6%", "28.7%", "22.8%"):
        assert number in text, number
    assert len(re.findall(r"\n(?:16|512|2048)\n+\d+\.\d+\n", text)) == 3  # measured: what they are is the machine's


def test_pages_are_light(site):
    """Over the wire, compressed, without MathJax, which is fetched once: at most half of the budget of 1 MB."""
    import gzip

    for path in site.glob("*.html"):
        assert len(gzip.compress(path.read_bytes())) < 500_000
