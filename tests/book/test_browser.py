"""The built book in a real browser, from files, with all other hosts blocked."""

import pytest
from manyheads.authoring import offline_check

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=offline_check.browser(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_has_an_error_asks_elsewhere_or_scrolls_sideways(site, width):
    assert offline_check.problems(site.parent, width) == []


def test_the_check_itself_finds_what_it_is_for(tmp_path):
    (tmp_path / "bad.html").write_text(
        "<!doctype html><link rel=icon href=data:,><div style='width: 3000px'>wide</div>"
        "<script>console.error('told'); nothing.here</script><script src=gone.js></script>"
        "<img src='https://192.0.2.1/x.png'>"
    )
    found = "\n".join(offline_check.problems(tmp_path))
    for expected in ("px wide in a window of 1280 px", "console error: told", "script error", "asks for https://192.0.2.1",
                     "could not load", "gone.js"):  # fmt: skip
        assert expected in found, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_formulas_are_set_and_figures_take_the_pages_colour(site, chromium, scheme):
    page = chromium.new_page(color_scheme=scheme)
    page.goto((site / "01-projections.html").as_uri())
    page.wait_for_selector("mjx-container svg")
    assert page.locator("mjx-container").count() > 10
    assert page.locator("mjx-merror, .MathJax_Error").count() == 0
    colours = page.evaluate(
        """() => {
            const text = getComputedStyle(document.querySelector('.bd-article p')).color;
            const ink = [...document.querySelectorAll('.mh-figure svg text')].map(t => getComputedStyle(t).fill);
            const back = [...document.querySelectorAll('.mh-figure, .mh-report')]
                .map(f => getComputedStyle(f.parentElement).backgroundColor);
            return [text, [...new Set(ink)], [...new Set(back)]];
        }"""
    )
    text, ink, back = colours
    assert ink == [text]
    assert back == ["rgba(0, 0, 0, 0)"]
    page.close()


def test_an_answer_opens_by_keyboard(site, chromium):
    page = chromium.new_page()
    page.goto((site / "01-projections.html").as_uri())
    summary = page.locator("details.sd-dropdown summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.sd-dropdown[open]").count() == 1
    page.close()


def test_search_finds_a_word_without_a_server(site, chromium):
    page = chromium.new_page()
    page.goto((site.parent / "search.html").as_uri() + "?q=split_qkv")
    page.wait_for_selector("#search-results li")
    assert "Projections" in page.locator("#search-results").inner_text()
    page.close()


def test_the_class_summary_reads_in_light_and_dark_and_on_a_phone(tmp_path, chromium):
    from manyheads.grading import summary

    from ..grading.test_tally_and_summary import CLASS

    (tmp_path / "summary.html").write_text(summary.page(CLASS, tmp_path / "feedback", tmp_path), encoding="utf-8")
    for scheme in ("light", "dark"):
        page = chromium.new_page(color_scheme=scheme, viewport={"width": 360, "height": 800})
        errors = []
        page.on("console", lambda message, errors=errors: errors.append(message.text))
        page.goto((tmp_path / "summary.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert errors == []
        page.close()
