"""What of CANN, driver and NPU a machine has: each with what is needed and what to do. Starts no kernel."""

from collections.abc import Iterator

from akgen.tools.cann.environment import CannSettings, cann_version
from akgen.tools.cann.preflight_device import driver_rows, node_row
from akgen.tools.cann.preflight_software import (
    cann_rows,
    cmake_row,
    compiler_row,
    folder_rows,
    program_row,
    project_row,
    python_row,
    version_row,
)
from akgen.tools.cann.prerequisite import Prerequisite
from akgen.tools.cann.torch_versions import python_abi_row, torch_rows

_PROGRAMS = {  # of the toolkit; those that a run cannot do without
    "opc": False,
    "op_build": False,
    "bisheng": False,
    "msprof": True,
    "mssanitizer": False,
}


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
