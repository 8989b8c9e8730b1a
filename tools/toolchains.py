"""Toolchains by name, on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING

from akgen.knowledge.chip import DEFAULT_CHIP, chips
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import Toolchain, ToolchainName

if TYPE_CHECKING:
    from akgen.tools.cann.environment import CannSettings
    from akgen.tools.twin.settings import TwinSettings
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
    from akgen.tools.cann.toolchain import CannToolchain

    def sandbox() -> Path:
        return twin.runtime.sandbox

    found = cann_settings(settings, chip_name or DEFAULT_CHIP)
    return CannToolchain(found, twin.read_spec, sandbox, settings.npu_builds)


def cann_settings(settings: Settings, chip_name: str) -> "CannSettings":
    """Return what CANN's tools need to know. Raises InputError for devices or checks that there are not."""
    from akgen.tools.cann.device_check import checks_named
    from akgen.tools.cann.environment import CannSettings

    named = str(settings.device) if settings.npu_devices is None else settings.npu_devices
    words = [w.strip() for w in named.split(",") if w.strip()]
    if not words or not all(w.isdigit() for w in words):
        raise InputError(
            f"{settings.npu_devices!r} names no devices.", "Give AKGEN_NPU_DEVICES as numbers, such as 0,1."
        )
    return CannSettings(
        home=settings.cann_home,
        devices=tuple(dict.fromkeys(int(w) for w in words)),
        soc=chip_name,
        path=settings.path,
        library_path=settings.library_path,
        cache=settings.cache.absolute(),
        nodes=settings.npu_nodes,
        driver=settings.npu_driver,
        checks=checks_named(settings.npu_checks),
        confined=settings.npu_confined,
    )


def twin_settings(settings: Settings) -> "TwinSettings":
    """Return what the twin of programs that users run on it must be told.

    Raises InputError for constants of the user's that cannot be used.
    """
    from akgen.tools.twin.settings import TwinSettings, read_fitted

    fitted = read_fitted(settings.timing, settings.chip) if settings.timing is not None else None
    return TwinSettings(
        cache=settings.cache,
        chip=settings.chip,
        compiler=settings.compiler,
        path=settings.path,
        fitted=fitted,
    )


def make_twin(
    settings: Settings, chip_name: str | None = None, *, strict: bool = False, timed_only: bool = False
) -> "TwinToolchain":
    """Return the twin, not yet prepared; it can do a little more than the interface that both toolchains fill.

    With `timed_only`, products of matrices are timed and not computed.

    Raises InputError for a chip that is not known, and for constants of the user's that cannot be used.
    """
    target = chip_name or DEFAULT_CHIP
    if target not in chips():
        raise InputError(f"There is no chip named {target!r}.", f"Known are {', '.join(chips())}.")
    # Imported only when a toolchain is asked for: they bring compilers and process handling.
    from akgen.tools.model_new.toolchain import ModelTwin
    from akgen.tools.twin.settings import TwinSettings, read_fitted

    return ModelTwin(
        TwinSettings(
            cache=settings.cache.absolute(),
            chip=target,
            compiler=settings.compiler,
            path=settings.path,
            cache_limit_bytes=settings.cache_limit_bytes,
            seccomp_only=settings.seccomp_only,
            strict=strict,
            timed_only=timed_only,
            fitted=read_fitted(settings.timing, target) if settings.timing is not None else None,
        )
    )
