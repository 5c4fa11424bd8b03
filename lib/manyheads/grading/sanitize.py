"""No script of a student's runs in a feedback page: what they wrote and printed is cleaned before it is shown."""

import re

from nbconvert.preprocessors.sanitize import SanitizeHTML

_TAGS = set(
    "a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup "  # noqa: SIM905
    "table tbody td th thead tr ul".split()
)
_STYLES = set(
    "background background-color border border-collapse border-left border-spacing color font-size font-weight "  # noqa: SIM905
    "height line-height margin min-width opacity padding text-align width".split()
)
_RAW_HTML = re.compile(r"<[A-Za-z!/?]")


class SanitizeFeedback(SanitizeHTML):
    """nbconvert's sanitizer, with the tags and styles that our own reports use.

    It escapes ``<`` and ``&`` in Markdown, also where they stand in code; so it leaves cells without raw HTML alone.
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.enabled = True
        self.tags, self.styles = sorted(_TAGS), sorted(_STYLES)
        self.attributes = {"*": ["class", "style", "title", "aria-label", "scope"], "a": ["href"]}

    def preprocess_cell(self, cell, resources, cell_index):
        if cell.cell_type == "code" or _RAW_HTML.search(cell.source):
            return super().preprocess_cell(cell, resources, cell_index)
        return cell, resources
