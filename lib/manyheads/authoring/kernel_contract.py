"""What a notebook says of a kernel that is to be written: its head, its parameters, how it is launched."""

from manyheads.exercises import Exercise


def kernel_lines(exercise: Exercise) -> list[str]:
    """The part of a contract that differs from a function's: what to write, and what the kernel gets."""
    form = exercise.kernel
    assert form is not None
    name = exercise.function_name
    if form.language == "cuda":
        first = f"**Write** `{name}()`. It returns this kernel, CUDA C++ as text:"
    else:
        first = f"**Write** the Triton kernel `{name}`:"
    fills = " and ".join(f"`{output.name}`" for output in exercise.returns)
    return [
        first,
        "",
        f"```{'cuda' if form.language == 'cuda' else 'python'}",
        form.head.strip(),
        "```",
        "",
        *(f"- `{p.name}`: {p.about}" for p in exercise.parameters),
        "",
        f"It fills {fills}. **Launch:** {form.launch}",
    ]
