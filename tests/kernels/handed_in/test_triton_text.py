"""The words of a handed-in Triton kernel: what is let through, and what is said of the rest."""

import pytest
from manyheads.kernels.handed_in.triton_text import check_parameters, read_kernel
from manyheads.kernels.launching import KernelError, Launch

KERNEL = """@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
"""
LAUNCH = Launch("copy", (1,), arguments={"x": 0, "out": 0, "n": 3}, constants={"BLOCK": 4})


def _finding(source):
    with pytest.raises(KernelError) as caught:
        check_parameters(read_kernel(source), LAUNCH)
    return caught.value.finding


def test_is_an_indented_kernel_read_with_its_own_lines():
    read = read_kernel("".join("    " + line for line in KERNEL.splitlines(keepends=True)))
    assert read.parameters == ("x", "out", "n", "BLOCK")
    assert read.constants == ("BLOCK",)
    assert read.line(3) == "i = tl.arange(0, BLOCK)"
    check_parameters(read, LAUNCH)


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("import os", "not allowed", "import"),
        ("y = np.exp(i)", "not allowed", "NumPy does not exist inside a kernel"),
        ("y = open('x')", "not allowed", "open"),
        ("y = getattr(tl, 'core')", "not allowed", "getattr"),
        ("y = i.__class__", "not allowed", "leads out"),
        ("y = ().__class__", "not allowed", "leads out"),
        ("y = i.handle", "does not compile", "no `.handle`"),
        ("y = tl.core.sys", "does not compile", "no `.sys`"),
        ("y = tl.core", "not allowed", "tl.core"),
        ("y = triton.language", "not allowed", "Write `tl`"),
        ("y = triton.runtime.driver", "does not compile", "no `.driver`"),
        ("y = tl.inline_asm_elementwise('', '', [], tl.int32, True, 1)", "not allowed", "assembly"),
        ("y = i.to(tl.bfloat16)", "not allowed", "bfloat16"),
        ("tl.atomic_add(out, 1)", "not allowed", "atomic_add"),
        ("y = tl.softmax(i)", "not allowed", "write it with"),
        ("y = tl.expo(i)", "does not compile", "did you mean `tl.exp`"),
        ("y = m + 1", "does not compile", "`m` is neither a parameter"),
        ("y = [k for k in i]", "does not compile", "comprehension"),
        ("y = f'{i}'", "does not compile", "f-string"),
        ("y = (lambda: i)()", "does not compile", "lambda"),
        ("return i", "does not compile", "returns nothing"),
        ("raise ValueError", "not allowed", "raise"),
        ("interpreter_semantic = 1", "not allowed", "another name"),
        ("tl = 1", "not allowed", "another name"),
        ("print(i)", "not allowed", "prints nothing"),
        ("copy(x, out, n, 4)", "not allowed", "call itself"),
        ("while n > 0:\n        break", "does not compile", "`break`"),
        ("y = a = 1", "does not compile", "two lines"),
        ("def inner(): pass", "does not compile", "a function inside"),
        ("y = (", "does not compile", "Python says"),
    ],
)
def test_is_it_told_what_does_not_belong_into_a_kernel(statement, kind, words):
    finding = _finding(KERNEL.replace("    i = ", f"    {statement}\n    i = "))
    assert finding.kind == kind
    assert words in finding.message
    assert finding.line is not None and 2 < finding.line < 6


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("import triton\n" + KERNEL, "not allowed", "no imports"),
        (KERNEL + KERNEL, "not allowed", "got 2 statements"),
        ("", "not allowed", "got 0 statements"),
        (KERNEL.replace("@triton.jit\n", ""), "not allowed", "@triton.jit"),
        (KERNEL.replace("@triton.jit", "@triton.autotune([], [])"), "not allowed", "@triton.jit"),
        (KERNEL.replace("n, B", "*n, B"), "does not compile", "plain names"),
        (KERNEL.replace("tl.constexpr", "open('x')"), "not allowed", "tl.constexpr"),
        (KERNEL.replace("copy", "move"), "wrong parameters", "launches `copy`"),
        (KERNEL.replace("x, out", "out, x"), "wrong parameters", "expected (x, out, n, BLOCK)"),
        (KERNEL.replace(": tl.constexpr", ""), "wrong parameters", "BLOCK; got: "),
        ("-" * 5000 + "x", "does not compile", ""),
    ],
)
def test_is_a_source_of_the_wrong_form_told_so(source, kind, words):
    finding = _finding(source)
    assert finding.kind == kind
    assert words in finding.message


@pytest.mark.parametrize(
    "statement",
    [
        "a, b = tl.program_id(0), tl.num_programs(1)",
        "n += triton.cdiv(n, BLOCK)",
        "for k in tl.range(0, 3):\n        i = i + k",
        "if BLOCK > 2 and not n == 4:\n        i += 1\n    elif n > 3:\n        i -= 1\n    else:\n        i *= 1",
        "y = tl.where(i[None, :] < n, float('-inf'), -1.0e30).to(out.dtype.element_ty)",
        "y = tl.max(i, axis=0, keep_dims=True) if n > 3 else min(n, 4)",
        "'''A docstring, or a note.'''",
    ],
)
def test_is_what_kernels_are_made_of_let_through(statement):
    check_parameters(
        read_kernel(KERNEL.replace("    i = ", f"    i = tl.arange(0, BLOCK)\n    {statement}\n    i = ")), LAUNCH
    )
