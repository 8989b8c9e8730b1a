"""Toolchains by name, on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from akgen.knowledge.chip import DEFAULT_CHIP, chips
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.toolchain import Toolchain

if TYPE_CHECKING:
    from akgen.tools.twin.toolchain import TwinToolchain

ToolchainName = Literal["twin", "cann"]


class Machine(Frozen):
    """What a toolchain must be told of this machine. The command line fills it from the environment."""

    cache: Path  # holds what is built once: the twin's runtime, compiled hosts and kernels
    path: str = "/usr/local/bin:/usr/bin:/bin"  # where compilers are looked for
    compiler: str | None = None
    cann_home: Path | None = None
    cache_limit_bytes: int | None = (
        5 << 30
    )  # what is used least recently goes beyond that; None: nothing goes


def make_toolchain(name: ToolchainName, machine: Machine, chip_name: str | None = None) -> Toolchain:
    """Return a toolchain, not yet prepared.

    Raises InputError for a chip that is not known.
    """
    twin = make_twin(machine, chip_name)
    if name == "twin":
        return twin
    from akgen.tools.cann.environment import CannSettings
    from akgen.tools.cann.toolchain import CannToolchain

    soc = chip_name or DEFAULT_CHIP
    return CannToolchain(CannSettings(home=machine.cann_home, soc=soc), twin.read_spec)


def make_twin(machine: Machine, chip_name: str | None = None) -> "TwinToolchain":
    """Return the twin, not yet prepared; it can do a little more than the interface that both toolchains fill.

    Raises InputError for a chip that is not known.
    """
    target = chip_name or DEFAULT_CHIP
    if target not in chips():
        raise InputError(f"There is no chip named {target!r}.", f"Known are {', '.join(chips())}.")
    # Imported only when a toolchain is asked for: they bring compilers and process handling.
    from akgen.tools.twin.settings import TwinSettings
    from akgen.tools.twin.toolchain import TwinToolchain

    return TwinToolchain(
        TwinSettings(
            cache=machine.cache,
            chip=target,
            compiler=machine.compiler,
            path=machine.path,
            cache_limit_bytes=machine.cache_limit_bytes,
        )
    )
