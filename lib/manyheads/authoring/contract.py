"""What a notebook says of every exercise, in plain Markdown: its contract, all of it from the definition."""

import inspect

from manyheads import reference
from manyheads.authoring.kernel_contract import WHAT_KERNELS_MAY_USE, kernel_lines
from manyheads.exercises import Exercise, Output

_NUMBERS = {"int": "a whole number (`int`)", "float": "a number (`float`)"}


def contract(exercise: Exercise) -> str:
    """What to write, what goes in and comes out, what is given, an example, the points and the hints."""
    points = [f"*{a.name}* {a.points} ({a.about})" for a in exercise.aspects]
    lines = kernel_lines(exercise) if exercise.kernel else _function_lines(exercise)
    if exercise.given:
        lines += ["", "**Given:**", "", *(f"{_given(name)}." for name in exercise.given)]
    if exercise.example:
        lines += ["", "For example:", "", "```python", exercise.example.strip(), "```"]
    lines += ["", f"**{exercise.points} points:** {'; '.join(points)}."]
    if exercise.hints:
        call = f"check({exercise.name!r}, {exercise.function_name}, hint=1)".replace("'", '"')
        many = f"to `hint={len(exercise.hints)}` " if len(exercise.hints) > 1 else ""
        lines[-1] += f" Stuck? In a cell of your own, `{call}` {many}costs nothing."
    return "\n".join(lines)


def _function_lines(exercise: Exercise) -> list[str]:
    return [
        f"**Write** `{exercise.signature}`.",
        "",
        *(f"- `{p.name}`: {p.about}" for p in exercise.parameters),
        f"- returns {_returned(exercise.returns)}",
    ]


_HOW = """\
**How it works.** Write your answer where it says `YOUR CODE HERE`, then run the cells with `check` below it. A
check tells you what is right, what is not, and, if it knows your mistake, which one it is. While something is wrong
it also raises, so that *Run All* stops there. Each part says how to ask for a hint. Hints cost nothing, and nor do
the notes below a report. You may add cells of your own, and check as often as you like; what counts is the notebook
as you hand it in. When you are graded, the same checks run again with other numbers.

"""

_ALLOWED_IN_NUMPY = """\
**What is allowed.** Anything in NumPy. Of the course's library, only what a part says is given: handing a call of
the library's own answer to `check` is not an answer. Each part stands alone, and gives what it needs of earlier
ones. Leave the arguments as they were: a check points it out where you do not, but takes no points for it."""

#: At the head of every notebook, where its text says <!-- how it works -->.
HOW_IT_WORKS = _HOW + _ALLOWED_IN_NUMPY

#: The same for notebooks in which kernels are written.
HOW_KERNELS_WORK = _HOW + WHAT_KERNELS_MAY_USE


def _returned(outputs: tuple[Output, ...]) -> str:
    if len(outputs) == 1:
        return _one(outputs[0], named=False)
    if all(output.axes is None and output.holds == "int" for output in outputs):
        names = [f"`{output.name}`" for output in outputs]
        return f"{len(outputs)} whole numbers (`int`): {', '.join(names[:-1])} and {names[-1]}, in this order"
    told = [_one(output, named=True) for output in outputs]
    return f"{', '.join(told[:-1])} and {told[-1]}, in this order"


def _one(output: Output, named: bool) -> str:
    name = f"`{output.name}`, " if named else ""
    if output.about:
        return name + output.about
    if output.axes is None:
        return name + _NUMBERS[output.holds]
    shape = f"({', '.join(output.axes)}{',' * (len(output.axes) == 1)})"
    return {
        "like the input": f"{name}an array {shape} of the input's dtype",
        "bool": f"{name}a boolean array {shape}",
        "int": f"{name}an array of whole numbers {shape}",
        "float": f"{name}a float array {shape}",
    }[output.holds]


#: What a given function promises, as far as an answer needs it.
_PROMISES = {
    "softmax": "turns scores into weights along an axis of an array of any rank. It keeps the dtype; a score of minus "
    "infinity gets weight 0, and a row of nothing else comes out as zeros",
    "causal_mask": "a boolean array (q_len, k_len), True where a query may attend to a key. The last query sees every "
    "key, the one before it all but the last, and so on",
    "padding_mask": "a boolean array (batch, 1, 1, k_len), True for the real tokens, `lengths[b]` of them",
    "split_heads": "from (batch, seq, n_heads * head_dim) to (batch, n_heads, seq, head_dim)",
    "combine_heads": "from (batch, n_heads, seq, head_dim) back to (batch, seq, n_heads * head_dim)",
    "rms_norm": "each vector of the last axis over its root mean square, then times `weight`; it keeps the dtype",
    "apply_rotary": "turns queries or keys (batch, heads, seq, dim) by their positions, whole numbers (seq,) or "
    "(batch, seq); it keeps the dtype",
}


def _given(name: str) -> str:
    """``reference.split_heads(x, n_heads)`` and what it promises."""
    called: list[str] = []
    for p in inspect.signature(getattr(reference, name)).parameters.values():
        if p.kind is p.KEYWORD_ONLY and "*" not in called:
            called.append("*")
        called.append(p.name if p.default is p.empty else f"{p.name}={p.default!r}")
    return f"- `reference.{name}({', '.join(called)})`: {_PROMISES[name]}"
