"""In the worker: one Triton kernel through Triton's compiler."""

import contextlib
import importlib
import io
import linecache
from dataclasses import asdict, replace
from typing import Any

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

from manyheads.kernels.aot import _triton_words
from manyheads.kernels.aot.resources import read_log

NAME = "<kernel>"


def run(job: dict, folder: str) -> dict:
    """Resources of the kernel, or what is wrong."""
    knobs.cache.dir = folder  # ours keeps the outcome; and a cached kernel would leave no log
    knobs.nvidia.dump_ptxas_log = True
    source = job.get("source")
    printed = io.StringIO()
    functions: dict = {}
    try:
        if source is None:
            functions = vars(importlib.import_module(job["module"]))
        else:
            functions = _functions(source)
        kernel = functions.get(job["kernel"])
        wrong = _wrong_parameters(kernel, job)
        if wrong or kernel is None:
            return {"finding": {"kind": "wrong parameters", "message": wrong}}
        with contextlib.redirect_stdout(printed):
            compiled = _compile(kernel, job)
    except Exception as error:
        kernels = [value for value in functions.values() if isinstance(value, JITFunction)]
        return {"finding": _triton_words.finding(error, source, kernels, f"{folder}/log")}
    # The log counts what is declared; Triton asks for its shared memory at the launch.
    (resources,) = read_log(printed.getvalue(), job["arch"]).values()
    return {"resources": asdict(replace(resources, shared_bytes=compiled.metadata.shared))}


def _functions(source: str) -> dict:
    # Triton reads a function's text through inspect, which asks linecache.
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    names = {"triton": triton, "tl": tl, "__name__": "kernel"}
    exec(compile(source, NAME, "exec"), names)
    return names


def _wrong_parameters(kernel, job: dict) -> str:
    name = job["kernel"]
    if not isinstance(kernel, JITFunction):
        return f"there is no @triton.jit function {name} in the source"
    given = {**job["signature"], **job["constants"]}
    lacking = [parameter for parameter in kernel.arg_names if parameter not in given]
    unknown = [parameter for parameter in given if parameter not in kernel.arg_names]
    told = []
    if lacking:
        told.append(f"{name} has parameters that the launch does not give: {', '.join(lacking)}")
    if unknown:
        told.append(f"the launch gives {', '.join(unknown)}, and {name} has no such parameter")
    return "; ".join(told)


def _compile(kernel: JITFunction, job: dict):
    constants: dict[tuple[int, ...], Any] = {}
    attributes: dict[tuple[int, ...], list] = {}
    types: dict[str, Any] = {}
    for place, name in enumerate(kernel.arg_names):
        if name in job["constants"]:
            types[name] = "constexpr"
            constants[(place,)] = _value(job["constants"][name])
        else:
            types[name] = _specialised(job["signature"][name], (place,), constants, attributes)
    return triton.compile(
        ASTSource(fn=kernel, signature=types, constexprs=constants, attrs=attributes),
        target=GPUTarget("cuda", int(job["arch"].removeprefix("sm_")), 32),
        options={"num_warps": job["num_warps"], "num_stages": job["num_stages"]},
    )


def _specialised(kind, path: tuple[int, ...], constants: dict, attributes: dict):
    """A parameter's type, as a launch would find it: multiples of 16 are marked, and 1 and None become constants."""
    if isinstance(kind, list):
        return tuple(_specialised(one, (*path, at), constants, attributes) for at, one in enumerate(kind))
    if not isinstance(kind, str):
        constants[path] = kind
        return "constexpr"
    name, _, multiple = kind.partition(":")
    if multiple == "16":
        attributes[path] = [["tt.divisibility", 16]]
    return name


def _value(value):
    return tl.dtype(value["dtype"]) if isinstance(value, dict) else value
