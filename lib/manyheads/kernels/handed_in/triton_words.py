"""What a handed-in Triton kernel may name: everything else is told to its writer before anything runs.

What is not in these lists leads out of the kernel (files, other modules, assembly), is wrong without a GPU
(bfloat16), or has no place in one function with pointers and blocks (atomics, autotuning).
"""

#: Of `tl`: memory, shapes, sums and elementwise mathematics.
LANGUAGE = frozenset(
    "abs add advance arange argmax argmin assume broadcast broadcast_to cast cat cdiv ceil clamp const constexpr cos "  # noqa: SIM905
    "cumprod cumsum debug_barrier div_rn dot erf exp exp2 expand_dims fdiv flip float16 float32 float64 floor fma full "
    "gather histogram int1 int16 int32 int64 int8 interleave join load log log2 make_block_ptr math max max_constancy "
    "max_contiguous maximum min minimum mul multiple_of num_programs permute program_id range ravel reshape rsqrt "
    "sigmoid sin split sqrt sqrt_rn squeeze static_assert static_range store sub sum swizzle2d topk trans "
    "uint16 uint32 uint64 uint8 umulhi unsqueeze view where xor_sum zeros zeros_like".split()
)

#: Of `tl.math`.
MATHEMATICS = frozenset("abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn".split())  # noqa: SIM905

#: Of `triton`, inside a kernel.
HELPERS = frozenset({"cdiv", "next_power_of_2"})

#: Of any value.
METHODS = frozenset(
    "T abs advance argmax argmin broadcast_to cast ceil cos cumprod cumsum dtype element_ty erf exp exp2 expand_dims "  # noqa: SIM905
    "flip floor gather log log2 logical_and logical_or max min ndim numel permute ravel reshape rsqrt shape sigmoid "
    "sin split sqrt sqrt_rn sum to trans type view xor_sum".split()
)

#: Python's own functions that a kernel has too.
BUILTINS = frozenset({"range", "min", "max", "abs", "float", "int", "bool", "len"})

#: Python's functions and statements that people try, with what stands for them in a kernel.
INSTEAD = {
    "print": "A kernel that is checked prints nothing.",
    "sum": "Write `tl.sum(block, axis)`.",
    "round": "Write `tl.floor(x + 0.5)`.",
    "pow": "Write a product, or `tl.exp2`.",
    "np": "NumPy does not exist inside a kernel: `tl` has `tl.exp`, `tl.max`, `tl.where` and the like.",
    "numpy": "NumPy does not exist inside a kernel: `tl` has `tl.exp`, `tl.max`, `tl.where` and the like.",
    "torch": "torch does not exist inside a kernel: `tl` has `tl.exp`, `tl.max`, `tl.where` and the like.",
    "math": "Python's math does not exist inside a kernel: `tl` has `tl.exp`, `tl.log`, `tl.sqrt` and the like.",
}

#: Why something of `tl` that exists is refused.
REFUSED = {
    "bfloat16": "bfloat16 is computed wrongly without a GPU; use tl.float32 or tl.float16.",
    "inline_asm_elementwise": "A kernel here has no inline assembly.",
    "device_print": "A kernel that is checked prints nothing.",
    "static_print": "A kernel that is checked prints nothing.",
    "softmax": "`tl.softmax` is not for kernels here: write it with tl.max, tl.exp and tl.sum.",
    "tensor": "`tl.tensor` is made by tl.load, tl.full, tl.zeros and the like, not called.",
}

#: Names that the interpreter needs for itself.
RESERVED = frozenset({"interpreter_semantic", "tl", "triton"})
