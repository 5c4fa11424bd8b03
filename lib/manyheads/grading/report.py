"""What a student reads about an answer: as text, and as HTML where a notebook can show it."""

import html
import textwrap

from manyheads.exercises import Aspect, Exercise
from manyheads.grading import book_links, picture
from manyheads.grading.judge import Finding, Verdict
from manyheads.grading.outcome import WRONG_CALL


def headline(verdict: Verdict) -> str:
    """``fused-projection, values: right, 3 of 3 points``."""
    points = f"{verdict.earned} of {verdict.aspect.points} point{'s' * (verdict.aspect.points != 1)}"
    state = "right" if verdict.right else "not written yet" if verdict.unwritten else "not right yet"
    return f"{verdict.exercise.name}, {verdict.aspect.name}: {state}, {points}"


def hint_as_text(exercise: Exercise, number: int) -> str:
    """One hint, with how many there are."""
    return f"Hint {number} of {len(exercise.hints)}\n{_wrapped(exercise.hints[number - 1])}"


def hint_as_html(exercise: Exercise, number: int) -> str:
    """One hint as HTML that needs no style sheet."""
    title = f"<b>Hint {number} of {len(exercise.hints)}.</b>"
    return f'<div style="{_FRAME.format("#0072b2")}">{title} {html.escape(exercise.hints[number - 1])}</div>'


def not_asked(exercise: Exercise, later: Aspect) -> tuple[str, str, dict]:
    """What `check` shows of an aspect that came after the notebook was released: text, HTML, metadata."""
    points = f"{later.points} of {later.points} point{'s' * (later.points != 1)}"
    text = f"{exercise.name}, {later.name}: came after version {exercise.version}, {points}"
    return f"✓ {text}", f'<div style="{_FRAME.format("#009e73")}"><b>✓ {html.escape(text)}</b></div>', {}


def as_text(verdict: Verdict, links: bool = True) -> str:
    """The report of one aspect in plain text, with or without the address of what to read."""
    lines = [f"{'✓' if verdict.right else '✗'} {headline(verdict)}"]
    first = verdict.first
    if first is not None and not verdict.unwritten:
        lines += [_wrapped(line) for line in _explanation(verdict, first)]
        if verdict.mistake:
            lines.append(_wrapped(f"Read {_reading(verdict, address=links)}."))
        drawn = _picture(first)
        if drawn:
            lines += ["", *("    " + line for line in picture.as_text(drawn).splitlines())]
    lines += [_wrapped(f"Note, which costs no points: {note}") for note in verdict.notes]
    return "\n".join(lines)


def as_html(verdict: Verdict) -> str:
    """The report of one aspect as HTML that needs no style sheet and reads in light and in dark."""
    colour = "#009e73" if verdict.right else "#d55e00"
    parts = [f"<b>{'✓' if verdict.right else '✗'} {html.escape(headline(verdict))}</b>"]
    first = verdict.first
    if first is not None and not verdict.unwritten:
        lines = _explanation(verdict, first)
        if verdict.mistake:
            strong, *lines = lines
            parts.append(f"<div><b>{html.escape(strong)}</b></div>")
        parts += [f"<div>{html.escape(line)}</div>" for line in lines]
        if verdict.mistake:
            address = book_links.link(verdict.exercise.chapter, verdict.mistake.section)
            reading = html.escape(_reading(verdict, address=False))
            if address:
                reading = f'<a href="{html.escape(address)}" target="_blank">{reading}</a>'
            parts.append(f"<div>Read {reading}.</div>")
        drawn = _picture(first)
        if drawn:
            parts.append(picture.as_html(drawn))
    parts += [f"<div><i>Note, which costs no points: {html.escape(note)}</i></div>" for note in verdict.notes]
    return f'<div class="mh-report" style="{_FRAME.format(colour)}">{"".join(parts)}</div>'


_FRAME = "border-left:4px solid {};padding:.2em .8em;margin:.3em 0;line-height:1.5"


def as_record(verdict: Verdict, inputs: str) -> dict:
    """The verdict as plain data, for the class summary. Kept in the output's metadata."""
    return {
        "exercise": verdict.exercise.name,
        "version": verdict.exercise.version,
        "aspect": verdict.aspect.name,
        "inputs": inputs,
        "right": verdict.right,
        "mistake": verdict.mistake.name if verdict.mistake else None,
        "unwritten": verdict.unwritten,
    }


def _wrapped(line: str) -> str:
    return textwrap.fill(
        line, 100, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _explanation(verdict: Verdict, first: Finding) -> list[str]:
    lines = [verdict.mistake.sentence] if verdict.mistake else []
    if first.outcome is not None:
        outcome = first.outcome
        where = f", {outcome.line}" if outcome.line else ""
        raised = f"{outcome.exception}: {outcome.message}" if outcome.message else f"{outcome.exception}"
        if outcome.finding is not None:
            lines.append(f"Kind of input: {first.case.about}. {_of_a_kernel(outcome.finding)}")
        elif outcome.exception == WRONG_CALL:
            lines.append(f"{outcome.message[:1].upper()}{outcome.message[1:]}.")
        else:
            lines.append(f"Kind of input: {first.case.about}. Your function raised {raised}{where}.")
    elif first.problem is not None:
        called, message = _called(verdict, first), first.problem.message
        if not called and first.problem.output.name not in message.split(":")[0]:
            message = f"{message[:1].upper()}{message[1:]}"
        message = f"{called}{message}"
        lines.append(f"Kind of input: {first.case.about}. {message}.")
        if first.problem.pattern and not verdict.mistake:
            lines.append(f"{first.problem.pattern}.")
    left_out = sum(finding.left_out for finding in verdict.counted)
    wrong = sum(not finding.right for finding in verdict.counted) - left_out
    if len(verdict.counted) > 1:
        told = f"; {left_out} more {'was' if left_out == 1 else 'were'} not tried" if left_out else ""
        lines.append(f"{wrong} of {len(verdict.counted)} kinds of input failed{told}.")
    return lines


def _of_a_kernel(finding) -> str:
    """``Data race. Line 4 writes what … Your line 6: out[t] = tile[t];``."""
    message = finding.message[:1].upper() + finding.message[1:]
    where = f" Your {finding.where}" if finding.where else ""
    return f"{finding.kind[:1].upper()}{finding.kind[1:]}. {message}{'.' * (message[-1:] not in '.!?')}{where}"


def _called(verdict: Verdict, finding: Finding) -> str:
    """The call, where it can be written out and tried by hand."""
    inputs = finding.case.inputs
    if not all(isinstance(value, (int, str)) for value in inputs.values()):
        return ""
    arguments = ", ".join(f"{name}={value!r}" for name, value in inputs.items())
    problem = finding.problem
    number = problem is not None and problem.output.axes is None and not problem.message.startswith("returned")
    gave = " gave " if number else ": "
    return f"{verdict.exercise.function_name}({arguments}){gave}"


def _reading(verdict: Verdict, address: bool = True) -> str:
    assert verdict.mistake is not None
    chapter, section = verdict.exercise.chapter, verdict.mistake.section
    where = book_links.place(chapter, section)
    found = book_links.link(chapter, section) if address else None
    return f"{where} ({found})" if found else where


def _picture(finding: Finding):
    drawn = picture.error_map(finding.problem) if finding.problem else None
    return None if drawn is None or drawn.share.min() == 1 else drawn  # all wrong: the message says so
