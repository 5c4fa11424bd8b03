"""A widget in a built page: alive without a kernel and with all other hosts blocked, from files and from a server."""

import re

import pytest
from manyheads.authoring import offline_check

from ..widgets.example import TOKENS, maps
from . import widget_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(course, tmp_path_factory):
    return widget_page.build(course, tmp_path_factory.mktemp("widget-course"))


@pytest.mark.parametrize("width", [1280, 360])
def test_the_offline_check_has_nothing_to_say(pages, width):
    """First: it starts a playwright of its own."""
    assert offline_check.problems(pages.parent, width) == []


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=offline_check.browser(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, request):
    """Open an address; at the end nothing may have gone wrong, and no other host may have been asked."""
    wrong, contexts = [], []

    def open_(address: str, width: int = 1280, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()

        def route(request):
            if re.match(r"file:|data:|blob:|http://127\.0\.0\.1:", request.request.url):
                request.continue_()
            else:
                wrong.append(f"asks for {request.request.url}")
                request.abort()

        page.route("**/*", route)
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        page.wait_for_selector(".mh-am-said")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(opened, pages):
    return opened((pages / "index.html").as_uri())


def said(page) -> str:
    return page.locator(".mh-am-said").inner_text()


def weight(layer: int, sequence: int, head: int, query: int, key: int) -> str:
    """As it is read out."""
    value = list(maps().values())[layer][sequence, head, query, key]
    tokens = TOKENS[sequence]
    place = f"query {query} ('{tokens[query]}') → key {key} ('{tokens[key]}')"
    return f"{place}: weight {value:.3f}" + (" (the future, masked)" if key > query else "")


def test_it_is_alive_from_a_server_too(opened, pages):
    with widget_page.served(pages.parent) as address:
        page = opened(f"{address}/book/index.html")
        assert page.locator(".mh-am-thumb").count() == 4 + 2
        page.locator(".mh-am-thumb").nth(5).click()
        assert page.locator(".mh-am-heading").inner_text() == "blocks.1, head 1"
        page.wait_for_selector("mjx-container svg")


def test_a_page_without_a_widget_loads_none_of_its_scripts(pages):
    with_widget, plain = ((pages / name).read_text(encoding="utf-8") for name in ("index.html", "plain.html"))
    for script in ("require.js", "widgets-local.js", "embed-amd.js"):
        assert script in with_widget and script not in plain


def test_the_licences_of_these_scripts_stand_beside_them(pages):
    folder = pages.parent / "_static" / "vendor" / "widgets"
    for name in ("anywidget.LICENSE", "embed-amd.LICENSE", "embed-amd.others.LICENSE", "require.js"):
        assert "MIT" in (text := (folder / name).read_text("utf-8")) or "Redistribution" in text, name


def test_heads_are_chosen_with_the_keyboard(page):
    page.locator(".mh-am-sequence select").focus()
    page.keyboard.press("Tab")
    heading = page.locator(".mh-am-heading")
    for key, expected in [
        ("ArrowRight", "blocks.0, head 1"),
        ("ArrowRight", "blocks.0, head 2"),
        ("ArrowDown", "blocks.1, head 1"),  # it has two heads only
        ("ArrowRight", "blocks.1, head 1"),
        ("ArrowLeft", "blocks.1, head 0"),
        ("ArrowUp", "blocks.0, head 0"),
    ]:
        page.keyboard.press(key)
        assert heading.inner_text() == expected
    chosen = page.locator('.mh-am-thumb[aria-checked="true"]')
    assert chosen.count() == 1 and chosen.get_attribute("aria-label") == "blocks.0, head 0"
    assert page.locator('.mh-am-thumb[tabindex="0"]').count() == 1


def test_the_arrow_keys_read_the_large_map_out(page):
    page.locator(".mh-am-thumb").nth(2).click()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "mh-am-large"
    page.keyboard.press("Home")
    assert said(page) == weight(0, 0, 2, 6, 0)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert said(page) == weight(0, 0, 2, 5, 1)
    page.keyboard.press("End")
    assert said(page) == weight(0, 0, 2, 5, 6)
    page.keyboard.press("ArrowRight")
    assert said(page) == weight(0, 0, 2, 5, 6), "the edge holds"
    assert page.locator(".mh-am-said").get_attribute("aria-live") == "polite"


def test_pointing_reads_out_and_another_sequence_has_other_weights(page):
    page.locator(".mh-am-sequence select").select_option("2")
    page.locator(".mh-am-thumb").nth(4).click()
    box = page.locator(".mh-am-large").bounding_box()
    for query, key in [(4, 2), (1, 5)]:
        page.mouse.move(box["x"] + (key + 0.5) * box["width"] / 7, box["y"] + (query + 0.5) * box["height"] / 7)
        assert said(page) == weight(1, 2, 0, query, key)
    assert "induction 0." in page.locator(".mh-am-scores").inner_text()
    page.locator(".mh-am-sequence select").select_option("1")
    assert said(page) == weight(1, 1, 0, 1, 5)
    assert "no token repeats" in page.locator(".mh-am-scores").inner_text()


def test_the_row_can_be_read_as_a_table(page):
    page.locator(".mh-am-table summary").focus()
    page.keyboard.press("Enter")
    cells = page.locator(".mh-am-table td").all_inner_texts()
    assert cells == [f"{value:.3f}" for value in maps()["blocks.0"][0, 0, 6]]
    assert page.locator(".mh-am-table tbody th").all_inner_texts()[1] == "1 ('cat')"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_it_takes_the_pages_colours_and_fits(opened, pages, scheme, width):
    page = opened((pages / "index.html").as_uri(), width, color_scheme=scheme)
    colours = page.evaluate(
        """() => {
            const text = getComputedStyle(document.querySelector('.bd-article p')).color;
            const widget = document.querySelector('.mh-am');
            const parts = ['.mh-am-said', '.mh-am-heading', '.mh-am-thumb', '.mh-am-side span', '.mh-am-table summary'];
            const own = [widget, ...parts.map(part => widget.querySelector(part))];
            const back = [];
            for (let e = widget; !e.matches('article'); e = e.parentElement) {
                back.push(getComputedStyle(e).backgroundColor);
            }
            return [text, [...new Set(own.map(e => getComputedStyle(e).color))], [...new Set(back)]];
        }"""
    )
    text, own, back = colours
    assert own == [text]
    assert back == ["rgba(0, 0, 0, 0)"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    large = page.locator(".mh-am-large").bounding_box()
    assert large["width"] >= 200 and large["x"] + large["width"] <= width


def test_it_is_drawn_again_when_the_page_changes_its_colours(page):
    """A hatched place: its lines have the colour of the text."""
    picture = """() => document.querySelector('.mh-am-large canvas').toDataURL()"""
    light = page.evaluate(picture)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(100)
    assert page.evaluate(picture) != light
