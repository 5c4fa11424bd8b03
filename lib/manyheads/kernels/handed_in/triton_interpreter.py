"""One launch in Triton's own interpreter, with NumPy arrays where it expects tensors.

Used only in the worker process. Triton's interpreter is no public interface: `_private` lists all that is relied on,
and a test pins it. It works with Triton 3.6 and 3.7.
"""

import ast
import copy
import sys
from itertools import product
from types import SimpleNamespace

import numpy as np

from manyheads.kernels.handed_in.triton_memory import Memory, Told
from manyheads.kernels.handed_in.triton_text import KernelText

FILE = "<the kernel>"  # what the kernel's lines are called in a traceback


def _private() -> SimpleNamespace:
    """What is used of Triton's interpreter; AttributeError if a version lacks some of it."""
    import triton
    import triton.language as tl
    from triton.runtime import interpreter

    builder = interpreter.interpreter_builder
    for method in (
        "create_masked_load", "create_masked_store", "create_dot", "set_grid_dim", "set_grid_idx", "codegen_fns",
    ):  # fmt: skip
        getattr(builder, method)
    return SimpleNamespace(
        triton=triton,
        tl=tl,
        builder=builder,
        semantic=interpreter.interpreter_semantic,
        handle=interpreter.TensorHandle,
        rewriter=interpreter.ASTTransformer,
        patch=interpreter._patch_lang,
        numpy_dtype=interpreter._get_np_dtype,
        module=interpreter,
    )


class Interpreter:
    """Triton's interpreter, patched once: every load and store goes to the memory of the launch."""

    def __init__(self):
        self.private = _private()
        self.memory = Memory({}, set())
        builder, handle = self.private.builder, self.private.handle
        numpy_dtype = self.private.numpy_dtype

        def load(pointers, mask, other, *_, **__):
            element = pointers.get_element_ty()
            filler = None if other is None else _data(other)
            return handle(self.memory.load(pointers.data, _data(mask), filler, numpy_dtype(element)), element)

        def store(pointers, value, mask, *_, **__):
            self.memory.store(pointers.data, _data(value), _data(mask))

        def smallest_dot(left, right):
            if left.scalar.primitive_bitwidth != right.scalar.primitive_bitwidth:
                raise Told(f"tl.dot multiplies blocks of one dtype; got {left.scalar} and {right.scalar}")
            return (1, 1, 16)

        exact_dot = builder.create_dot

        def dot(left, right, *more):
            if more[1].name == "TF32":  # without input_precision a GPU rounds what it multiplies; so does this
                left, right = (handle(_tf32(one.data), one.dtype) for one in (left, right))
            return exact_dot(left, right, *more)

        # Triton patches its language anew in each call of tl.sum and the like, some milliseconds every time, and takes
        # the kernel's patches back after each launch. This process interprets and does nothing else: once is enough.
        private = self.private
        for language in (private.tl, private.tl.core):
            private.patch(SimpleNamespace(__globals__={"language": language}))
        private.tl.tensor.__bool__ = _one_number
        private.module._patch_lang = lambda function: None

        builder.create_masked_load = load
        builder.create_masked_store = store
        builder.create_dot = dot
        builder.codegen_fns["min_dot_size"] = smallest_dot  # as for NVIDIA GPUs; the interpreter takes any size

    def run(self, kernel: KernelText, arguments: dict, written: set[str], constants: dict, grid: tuple) -> None:
        """Run every program of the grid, one after the other. What the kernel raises is left as it is."""
        private = self.private
        function = self._function(kernel)
        arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
        self.memory = Memory(arrays, written)
        values = {
            name: self._pointer(name, value) if name in arrays else self._number(value)
            for name, value in arguments.items()
        }
        dims = (*grid, 1, 1)[:3]
        private.builder.set_grid_dim(*dims)
        with np.errstate(all="ignore"):
            for index in product(*map(range, dims)):
                private.builder.set_grid_idx(*index)
                function(**values, **constants)

    def _function(self, kernel: KernelText):
        """The kernel as a Python function, rewritten as the interpreter does it, without a decorator."""
        function = copy.deepcopy(kernel.function)
        function.decorator_list = []
        for argument in function.args.args:
            argument.annotation = None
        tree = ast.Module([self.private.rewriter().visit(function)], [])
        private = self.private
        names = {
            "tl": private.tl,
            "triton": private.triton,
            "interpreter_semantic": private.semantic,
            "__builtins__": {"range": _whole_range, "abs": abs, "float": float, "int": int, "bool": bool, "len": len}
            | {"min": self._of_two(min, "minimum"), "max": self._of_two(max, "maximum")},
        }
        exec(compile(ast.fix_missing_locations(tree), FILE, "exec"), names)
        return names[function.name]

    def _of_two(self, plain, elementwise: str):
        """Python's `min` or `max` as Triton's compiler takes it: of blocks, element by element."""
        tl = self.private.tl

        def chosen(*values):
            if len(values) == 1:
                name = plain.__name__
                raise Told(f"`{name}` chooses between two values; along a block's axis it is tl.{name}(block, axis)")
            block = any(isinstance(value, tl.tensor) for value in values)
            return getattr(tl, elementwise)(*values) if block else plain(*values)

        return chosen

    def _pointer(self, name: str, array: np.ndarray):
        tl = self.private.tl
        names = {"bool": "int1"}
        element = getattr(tl, names.get(array.dtype.name, array.dtype.name))
        kind = tl.pointer_type(element)
        return tl.tensor(self.private.handle(np.array([self.memory.address(name)], np.uint64), kind), kind)

    def _number(self, value: int | float):
        """A number as a GPU gets it: a float32, or a whole number of 32 bits, or of 64 if it needs them."""
        tl = self.private.tl
        if isinstance(value, float):
            kind, array = tl.float32, np.array([value], np.float32)
        elif -(2**31) <= value < 2**31:
            kind, array = tl.int32, np.array([value], np.int32)
        else:
            kind, array = tl.int64, np.array([value], np.int64)
        return tl.tensor(self.private.handle(array, kind), kind)


def _data(value) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else value.data


def _tf32(block: np.ndarray) -> np.ndarray:
    """float32 with the 10 bits of TF32's fraction, rounded as a GPU does; other dtypes as they are."""
    if block.dtype != np.float32:
        return block
    bits = np.ascontiguousarray(block).view(np.uint32)
    return np.where(np.isfinite(block), ((bits + 0x1000) & 0xFFFFE000).view(np.float32), block)


def _whole_range(*bounds):
    """Python's range; of Triton's whole numbers too, but of nothing with a decimal point."""
    if any(isinstance(bound, float) for bound in bounds):
        raise Told("range counts whole numbers; got one with a decimal point: divide with //")
    return range(*(bound.__index__() for bound in bounds))


def _one_number(value) -> bool:
    data = value.handle.data
    # Triton's own code asks too whether it was given a block at all: only the kernel's lines are meant.
    if data.size != 1 and sys._getframe(1).f_code.co_filename == FILE:
        raise Told(
            f"`if`, `and`, `or`, `while` and a chain a < b < c need one number, got a block of shape "
            f"{list(data.shape)}: use tl.where, or & and | with brackets around each comparison"
        )
    return bool(data) if data.size == 1 else True
