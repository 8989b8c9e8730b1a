"""One thing that a machine needs, and how versions of such things are read and compared."""

import re
from pathlib import Path

from akgen.tools.cann.environment import CannSettings
from akgen.tools.core.frozen import Frozen
from akgen.tools.process.program import run


class Prerequisite(Frozen):
    """One thing that was looked for."""

    name: str
    found: bool
    detail: str
    remedy: str | None = None
    needed: str | None = None  # what would do
    group: str = ""
    optional: bool = False  # a run works without it


def info_version(path: Path) -> str | None:
    """Return what a version.info says; None if there is none."""
    return next((value for key, value in version_fields(path) if key.lower() == "version"), None)


def version_fields(path: Path) -> list[tuple[str, str]]:
    """Read the lines `key=value` of a file that says versions."""
    lines = path.read_text(errors="replace").splitlines() if path.is_file() else []
    pairs = (line.partition("=") for line in lines if "=" in line)
    return [(key.strip(), value.strip().strip('"')) for key, _, value in pairs]


def program_version(argv: list[str], settings: CannSettings) -> str | None:
    """Return the first number that a program prints; None if it fails."""
    done = run(argv, cwd=Path("/"), timeout_s=20, env={"PATH": settings.path, "LANG": "C"})
    found = re.search(r"\d+(?:\.\d+)+|\b\d+\b", done.out) if done.ok else None
    return found[0] if found else None


def numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version, to compare by."""
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])
