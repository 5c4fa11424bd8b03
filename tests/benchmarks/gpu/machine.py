"""What the numbers were measured on."""

import datetime
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def description(dry_run: bool) -> dict[str, Any]:
    """For the head of the JSON file. What cannot be told is null."""
    import torch

    gpu = not dry_run and torch.cuda.is_available()
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "device": torch.cuda.get_device_name(0) if gpu else "no GPU",
        "capability": "sm_{}{}".format(*torch.cuda.get_device_capability(0)) if gpu else None,
        "driver": _said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader") if gpu else None,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": _version("triton"),
        "commit": _commit(),
    }


def _commit() -> str | None:
    """With a + if files were changed since."""
    commit = _said("git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD")
    changed = _said("git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no")
    return commit and commit + ("+" if changed else "")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _said(*command: str) -> str | None:
    """The first line that a program prints; None where it is missing or fails."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 and done.stdout.strip() else None
