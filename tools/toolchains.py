"""Toolchains by name, on this machine."""

from typing import TYPE_CHECKING

from akgen.knowledge.chip import DEFAULT_CHIP, chips
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import Toolchain, ToolchainName

if TYPE_CHECKING:
    from akgen.tools.twin.toolchain import TwinToolchain


def make_toolchain(
    name: ToolchainName, settings: Settings, chip_name: str | None = None, *, strict: bool = False
) -> Toolchain:
    """Return a toolchain, not yet prepared. `strict` makes errors of what devices tolerate; the twin's alone.

    Raises InputError for a chip that is not known.
    """
    twin = make_twin(settings, chip_name, strict=strict)
    if name == ToolchainName.TWIN:
        return twin
    from akgen.tools.cann.environment import CannSettings
    from akgen.tools.cann.toolchain import CannToolchain

    soc = chip_name or DEFAULT_CHIP
    return CannToolchain(
        CannSettings(home=settings.cann_home, soc=soc, device=settings.device), twin.read_spec
    )


def make_twin(
    settings: Settings, chip_name: str | None = None, *, strict: bool = False, timed_only: bool = False
) -> "TwinToolchain":
    """Return the twin, not yet prepared; it can do a little more than the interface that both toolchains fill.

    With `timed_only`, products of matrices are timed and not computed.

    Raises InputError for a chip that is not known.
    """
    target = chip_name or DEFAULT_CHIP
    if target not in chips():
        raise InputError(f"There is no chip named {target!r}.", f"Known are {', '.join(chips())}.")
    # Imported only when a toolchain is asked for: they bring compilers and process handling.
    from akgen.tools.launched.toolchain import LaunchingTwin
    from akgen.tools.twin.settings import TwinSettings

    return LaunchingTwin(
        TwinSettings(
            cache=settings.cache.absolute(),
            chip=target,
            compiler=settings.compiler,
            path=settings.path,
            cache_limit_bytes=settings.cache_limit_bytes,
            seccomp_only=settings.seccomp_only,
            strict=strict,
            timed_only=timed_only,
        )
    )
