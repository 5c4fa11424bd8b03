"""The C++ compiler of this machine."""

import functools
import os
import shutil
import subprocess
import sys

from manyheads.kernels.launching import NotHere

#: Overrides the choice.
VARIABLE = "MANYHEADS_CXX"


def compiler() -> str:
    """The path of the C++ compiler that kernels are built with: g++, else clang++.

    The environment variable ``MANYHEADS_CXX`` overrides the choice.

    Returns
    -------
    str

    Raises
    ------
    NotHere
        If there is none; the message says what to install.

    Examples
    --------
    >>> missing() is not None or "++" in compiler()
    True
    """
    why = missing()
    if why is not None:
        raise NotHere(why)
    return _found() or ""


def missing() -> str | None:
    """Why kernels cannot be run on this machine's CPU, with what to do about it; None where they can.

    Returns
    -------
    str or None

    Examples
    --------
    >>> missing() is None or "install" in missing()
    True
    """
    if sys.platform == "win32":
        return (
            "Running CUDA C++ on the CPU needs Linux or macOS; on Windows use WSL (wsl --install, then in it "
            "sudo apt install g++), or open the notebook in Colab."
        )
    if _found():
        return None
    asked = os.environ.get(VARIABLE)
    if asked:
        return f"{VARIABLE}={asked} is no program on this machine; install it, or unset {VARIABLE}."
    return (
        "Running CUDA C++ on the CPU needs a C++ compiler, g++ or clang++, and there is none on the PATH. To install "
        "one: on Debian and Ubuntu sudo apt install g++, on Fedora sudo dnf install gcc-c++, on macOS "
        "xcode-select --install. On a machine where you cannot, open the notebook in Colab, which has one."
    )


def _found() -> str | None:
    asked = os.environ.get(VARIABLE)
    if asked:
        return shutil.which(asked)
    return shutil.which("g++") or shutil.which("clang++")


@functools.cache
def version(path: str, changed: float) -> str:
    """What the compiler says of itself; `changed` is the program's time, so that an update is noticed."""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    return done.stdout.partition("\n")[0]
