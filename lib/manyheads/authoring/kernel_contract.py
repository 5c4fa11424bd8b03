"""What a notebook says of a kernel that is to be written: its head, its parameters, how it is launched."""

from manyheads.exercises import Exercise

#: In the place of what is allowed in NumPy, where a notebook's text says <!-- how kernels work -->.
WHAT_KERNELS_MAY_USE = """\
**What is allowed.** What is graded is the source of your kernel, and nothing else of the notebook: it is built and
launched by the check, in a process of its own, with limits on time and memory. It may use what its language offers, and
no other files or modules. NumPy and torch are for your own trials. Each part stands alone, and gives what it needs of
earlier ones. The first check of a kernel takes some seconds, because it is built in several ways."""


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
