"""Opening the built book as a reader without a network would, and listing whatever does not work."""

import shutil
from pathlib import Path

from manyheads.authoring.course import CourseError

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def browser() -> str | None:
    """The system's Chromium, or None."""
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def problems(site: Path, width: int = 1280) -> list[str]:
    """One line for every console error, request elsewhere, and page that is wider than the window.

    Parameters
    ----------
    site : Path
        The folder with the built pages; they are opened from there, as files.
    width : int
        Of the window, in pixels.
    """
    executable = browser()
    if executable is None:
        raise CourseError(f"no browser was found ({', '.join(_BROWSERS)}); install Chromium, or leave the check out")
    from playwright.sync_api import sync_playwright

    found: list[str] = []
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root; the pages are ours.
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for path in sorted(site.rglob("*.html")):
            if "_static" in path.parts:
                continue
            page = chromium.new_page(viewport={"width": width, "height": 900})
            name = path.relative_to(site).as_posix()
            _listen(page, name, found)
            page.goto(path.as_uri())
            page.wait_for_load_state("networkidle")
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"{name}: {wide} px wide in a window of {width} px")
            page.close()
        chromium.close()
    return found


def _listen(page, name: str, found: list[str]) -> None:
    def route(request):
        if request.request.url.startswith(("file:", "data:", "blob:")):
            request.continue_()
        else:
            found.append(f"{name}: asks for {request.request.url}")
            request.abort()

    page.route("**/*", route)
    page.on("console", lambda m: found.append(f"{name}: console {m.type}: {m.text}") if m.type == "error" else None)
    page.on("pageerror", lambda error: found.append(f"{name}: script error: {error}"))
    page.on("requestfailed", lambda request: found.append(f"{name}: could not load {request.url}"))
