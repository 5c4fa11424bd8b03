"""How `manyheads doctor` shows what it found: a table with rich, plain lines without it, or JSON."""

import json
import sys
from typing import TextIO

from manyheads.authoring.doctor import Finding, as_data, examine, status, verdict


def doctor(as_json: bool = False) -> int:
    """Look, and say it; the exit status is `status`'s."""
    if not as_json and sys.stderr.isatty():
        print("Looking; torch takes some seconds …", file=sys.stderr)
    findings = examine()
    if as_json:
        print(json.dumps(as_data(findings), indent=1))
        return status(findings)
    try:
        _table(findings)
    except ImportError:  # rich is one of the things that may be missing
        plain(findings)
    print(verdict(findings))
    return status(findings)


def plain(findings: list[Finding], file: TextIO | None = None) -> None:
    """Without rich: the same words, a paragraph for each."""
    part = ""
    for finding in findings:
        if finding.part != part:
            part = finding.part
            print(f"\nFor {part}", file=file)
        print(f"  {_mark(finding):4} {finding.name}: {finding.found}", file=file)
        if not finding.works:
            print(f"       for {finding.needed_for}", file=file)
            print(f"       {finding.remedy}", file=file)
    print(file=file)


def _table(findings: list[Finding]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in ("", "what", "here", "needed for", "to mend it"):
        table.add_column(column, overflow="fold")
    for part in dict.fromkeys(finding.part for finding in findings):
        table.add_section()
        table.add_row("", Text(f"For {part}", style="bold"))
        for f in (finding for finding in findings if finding.part == part):
            style = "green" if f.works else "red" if f.needed else "yellow"
            cells = (f.name, f.found, f.needed_for, f.remedy)
            table.add_row(Text(_mark(f), style=style), *(Text(cell) for cell in cells))
    Console(highlight=False).print(table)


def _mark(finding: Finding) -> str:
    return "ok" if finding.works else "no" if finding.needed else "-"
