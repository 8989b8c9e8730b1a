"""What of CANN, driver and NPU a machine has: each with what is needed and what to do. Starts no kernel.

Which torch_npu fits which CANN, torch and Python: vendor page "Ascend Extension for PyTorch", its table.
"""

import csv
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.cann.environment import CannSettings, cann_version
from akgen.tools.cann.preflight_device import driver_rows, node_row
from akgen.tools.cann.preflight_software import (
    Prerequisite,
    cann_rows,
    cmake_row,
    compiler_row,
    folder_rows,
    numbers,
    program_row,
    project_row,
    python_row,
    version_row,
)
from akgen.tools.core.settings import package_version

_PROGRAMS = {  # of the toolkit; those that a run cannot do without
    "opc": False,
    "op_build": False,
    "bisheng": False,
    "msprof": True,
    "mssanitizer": False,
}
_TABLE = Path(__file__).with_name("torch_versions.csv")


def inspect(settings: CannSettings) -> tuple[Prerequisite, ...]:
    """Look for what --toolchain cann cannot do without, starting no program."""
    home = settings.home
    usable = home is not None and home.is_dir()
    return (
        Prerequisite(
            name="CANN toolkit",
            found=usable,
            detail=str(home) if usable else "ASCEND_HOME_PATH is not set or no folder",
            remedy=None if usable else "Install the CANN toolkit and source its set_env.sh.",
            needed="8.0 or later",
            group="CANN",
        ),
        *((version_row(home),) if home is not None and usable else ()),
        project_row(settings),
        program_row(settings, "msprof", optional=False),
        *((program_row(settings, "mssanitizer", optional=False),) if settings.checks else ()),
        cmake_row(settings),
        node_row(settings),
        *torch_rows(None),
    )


def missing(settings: CannSettings) -> tuple[Prerequisite, ...]:
    return tuple(f for f in inspect(settings) if not f.found and not f.optional)


def preflight(settings: CannSettings) -> Iterator[Prerequisite]:
    """Look at everything, programs' versions included, in the order in which a run needs it."""
    yield from driver_rows(settings)
    home = settings.home if settings.home and settings.home.is_dir() else None
    yield inspect(settings)[0]
    if home is not None:
        yield from cann_rows(settings, home)
    yield project_row(settings)
    for name, needed in _PROGRAMS.items():
        asked = name == "mssanitizer" and bool(settings.checks)
        yield program_row(settings, name, optional=not needed and not asked)
    yield cmake_row(settings, ask=True)
    yield compiler_row(settings)
    yield python_row()
    yield python_abi_row(cann_version(home) if home else None)
    yield from torch_rows(cann_version(home) if home else None)
    yield from folder_rows(settings)


def verdict(found: tuple[Prerequisite, ...], *, ran: bool) -> list[str]:
    """Sum up in at most ten lines: one a group, then what to do first. `ran`: the known-good kernel passed."""
    lines: list[str] = []
    for group in dict.fromkeys(f.group for f in found):
        rows = [f for f in found if f.group == group]
        bad = [f for f in rows if not f.found and not f.optional]
        doubts = [f.name for f in rows if not f.found and f.optional]
        state = "no: " + ", ".join(f.name for f in bad) if bad else "ok"
        lines.append(f"{group}: {state}" + (f" (without {', '.join(doubts)})" if doubts else ""))
    if ran:
        return [*lines[:9], "this machine can judge kernels with --toolchain cann"]
    first = next((f for f in found if not f.found and not f.optional), found[-1])
    return [*lines[:9], f"first: {first.name}: {first.detail}. {first.remedy or ''}".strip()]


def torch_rows(cann: str | None) -> Iterator[Prerequisite]:
    """Hold torch, torch_npu, Python and CANN against the table. Judging needs none of torch_npu."""
    torch, npu = package_version("torch"), package_version("torch_npu")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if npu is None:
        yield Prerequisite(
            name="torch_npu",
            found=False,
            detail="not installed; only PyTorch bindings and training on NPUs need it",
            remedy=f"pip install torch_npu=={fitting(cann, torch, python) or 'VERSION'}",
            group="torch",
            optional=True,
        )
        return
    wrong = torch_mismatch(cann, torch, npu, python)
    yield Prerequisite(
        name="torch_npu",
        found=wrong is None,
        detail=f"torch_npu {npu}, torch {torch or 'none'}, Python {python}" + (f": {wrong}" if wrong else ""),
        remedy=f"pip install torch_npu=={fitting(cann, torch, python) or 'VERSION'}; see docs/npu.md"
        if wrong
        else None,
        needed="a row of torch_versions.csv",
        group="torch",
        optional=True,
    )


def python_abi_row(cann: str | None) -> Prerequisite:
    """Hold this Python's ABI against those that the table has for a CANN: its compiler's modules are built for them."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    ranges = sorted({r["python"] for r in torch_table() if cann is not None and _same(r["cann"], cann)})
    fits = not ranges or any(_within(python, one) for one in ranges)
    return Prerequisite(
        name="Python ABI",
        found=fits,
        detail=f"{sys.implementation.cache_tag} on {platform.machine()}",
        remedy=None if fits else f"Make AKGen's environment with Python {' or '.join(ranges)}.",
        needed=f"Python {' or '.join(ranges)} for CANN {cann}" if ranges else "one that your CANN names",
        group="Python",
        optional=True,  # the kernel at the end decides
    )


def torch_mismatch(cann: str | None, torch: str | None, npu: str, python: str) -> str | None:
    """Say what does not fit; None if all does, or the table is too old to tell."""
    plain = (torch or "").partition("+")[0]
    rows = [r for r in torch_table() if r["torch_npu"] == npu]
    if plain != _release(npu):
        return f"it is for torch {_release(npu)}"
    if not rows:
        return None
    if cann is not None and not any(_same(r["cann"], cann) for r in rows):
        return f"it is for CANN {' or '.join(r['cann'] for r in rows)}, not {cann}"
    if not any(_within(python, r["python"]) for r in rows):
        return f"it is for Python {rows[0]['python']}"
    return None


def fitting(cann: str | None, torch: str | None, python: str) -> str | None:
    """Return the torch_npu that fits, if the table has one."""
    plain = (torch or "").partition("+")[0]
    for row in torch_table():
        if (
            cann is not None
            and _same(row["cann"], cann)
            and row["torch"] == plain
            and _within(python, row["python"])
        ):
            return row["torch_npu"]
    return None


def torch_table() -> list[dict[str, str]]:
    with _TABLE.open() as file:
        return list(csv.DictReader(file))


def _release(npu: str) -> str:
    return re.split(r"\.?(?:post|rc|dev)", npu)[0]


def _same(row: str, cann: str) -> bool:
    a, b = row.lower(), cann.lower().partition(".beta")[0].partition(".alpha")[0]
    return a == b or b.startswith(a + ".")


def _within(python: str, wanted: str) -> bool:
    low, _, high = wanted.partition("-")
    return numbers(low) <= numbers(python) <= numbers(high or low)
