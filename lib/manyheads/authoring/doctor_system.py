"""Which system this is, and how one installs things there."""

import platform
from dataclasses import dataclass
from pathlib import Path

ELSEWHERE = "use WSL or Colab"
_INSTALL = {"apt": "sudo apt-get install", "dnf": "sudo dnf install", "brew": "brew install"}
_PACKAGES = {
    "python": {"apt": "python3 python3-venv", "dnf": "python3", "brew": "python@3.12"},
    "compiler": {"apt": "g++", "dnf": "gcc-c++ libasan libubsan libtsan"},
    "make": {"apt": "make", "dnf": "make", "brew": "make"},
    "chromium": {"apt": "chromium", "dnf": "chromium", "brew": "--cask chromium"},
}
_OTHERWISE = {
    ("python", "windows"): "winget install Python.Python.3.12",
    ("compiler", "brew"): "xcode-select --install",
    ("chromium", "windows"): "winget install Hibbiki.Chromium",
}


@dataclass(frozen=True)
class System:
    """`manager` is "apt", "dnf", "brew", "windows", or empty for a Linux that is none of these."""

    manager: str

    def install(self, what: str) -> str:
        """The one command.

        Examples
        --------
        >>> System("apt").install("compiler"), System("windows").install("compiler")
        ('sudo apt-get install g++', 'use WSL or Colab')
        """
        if (what, self.manager) in _OTHERWISE:
            return _OTHERWISE[what, self.manager]
        if self.manager == "windows":
            return ELSEWHERE
        package = _PACKAGES[what].get(self.manager)
        return f"{_INSTALL[self.manager]} {package}" if package else f"install {_PACKAGES[what]['apt'].split()[0]}"

    def pip_on_linux(self, extra: str) -> str:
        """For what pip has for Linux alone."""
        return ELSEWHERE if self.manager in ("brew", "windows") else f'pip install "manyheads[{extra}]"'


def this_system(release: Path = Path("/etc/os-release")) -> System:
    """By the system's name; a Linux by its ``/etc/os-release``."""
    name = platform.system()
    if name in ("Darwin", "Windows"):
        return System({"Darwin": "brew", "Windows": "windows"}[name])
    try:
        lines = release.read_text(encoding="utf-8").lower().splitlines()
    except OSError:
        return System("")
    names = " ".join(line.split("=", 1)[1].strip('"') for line in lines if line.startswith(("id=", "id_like="))).split()
    if {"debian", "ubuntu"} & set(names):
        return System("apt")
    return System("dnf" if {"fedora", "rhel", "centos"} & set(names) else "")
