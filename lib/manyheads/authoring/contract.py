"""An exercise's contract as a student reads it, in plain Markdown; all of it from the definition."""

from manyheads import reference
from manyheads.exercises import Exercise, Output

_NUMBERS = {"int": "a whole number (`int`)", "float": "a number (`float`)"}


def contract(exercise: Exercise) -> str:
    """What to write, what goes in and comes out, what is given, an example, the points and the hints."""
    points = [f"*{a.name}* {a.points} ({a.about})" for a in exercise.aspects]
    lines = [
        f"**Write** `{exercise.signature}`.",
        "",
        *(f"- `{p.name}`: {p.about}" for p in exercise.parameters),
        f"- returns {_returned(exercise.returns)}",
    ]
    if exercise.given:
        lines += ["", "**Given:** " + "; ".join(map(_given, exercise.given)) + "."]
    if exercise.example:
        lines += ["", "For example:", "", "```python", exercise.example.strip(), "```"]
    lines += ["", f"**{exercise.points} points:** {'; '.join(points)}."]
    if exercise.hints:
        call = f"check({exercise.name!r}, {exercise.function_name}, hint=1)".replace("'", '"')
        many = f"to `hint={len(exercise.hints)}` " if len(exercise.hints) > 1 else ""
        lines[-1] += f" Stuck? `{call}` {many}costs nothing."
    return "\n".join(lines)


def _returned(outputs: tuple[Output, ...]) -> str:
    if len(outputs) == 1:
        return _one(outputs[0], named=False)
    told = [_one(output, named=True) for output in outputs]
    return f"{', '.join(told[:-1])} and {told[-1]}, in this order"


def _one(output: Output, named: bool) -> str:
    name = f"`{output.name}`, " if named else ""
    if output.axes is None:
        return name + _NUMBERS[output.holds]
    shape = f"({', '.join(output.axes)}{',' * (len(output.axes) == 1)})"
    return {
        "like the input": f"{name}an array {shape} of the input's dtype",
        "bool": f"{name}a boolean array {shape}",
        "int": f"{name}an array of whole numbers {shape}",
        "float": f"{name}a float array {shape}",
    }[output.holds]


def _given(name: str) -> str:
    """``reference.split_heads`` and the first line of what it says of itself."""
    function = getattr(reference, name)
    first = (function.__doc__ or "").strip().splitlines()[0].rstrip(".")
    return f"`reference.{name}`, {first[:1].lower()}{first[1:]}"
