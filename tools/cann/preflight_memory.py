"""How much memory is free on each device, asked of the runtime itself: npu-smi sees a container's share otherwise."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.launcher import WORKER, Launcher
from akgen.tools.cann.preflight_device import FREE_DEVICE_MB
from akgen.tools.cann.prerequisite import Prerequisite
from akgen.tools.cann.probe import opened
from akgen.tools.cann.worker import FREE
from akgen.tools.core.untrusted import FileRefused, read_bytes

_MB = 1 << 20


def memory_rows(settings: CannSettings) -> Iterator[Prerequisite]:
    """Open each device in a process of its own, no candidate's code in it, and ask `aclrtGetMemInfo`."""
    launcher = Launcher(settings, Confinement(settings, None))
    for number in settings.devices:
        with tempfile.TemporaryDirectory(prefix="akgen-memory-") as work:
            folder = Path(work)
            wrong = opened(launcher, folder, number)
            free = _read(folder / WORKER / FREE) if wrong is None else None
        good = wrong is None and (free is None or free >= FREE_DEVICE_MB * _MB)
        said = f"{free // _MB} MB free" if free is not None else "the runtime does not say"
        yield Prerequisite(
            name=f"memory of device {number}",
            found=good,
            detail=f"it does not open: {wrong}" if wrong is not None else said,
            remedy=None
            if good
            else "End what uses the device (`npu-smi info`), or choose another with AKGEN_NPU_DEVICES.",
            needed=f"{FREE_DEVICE_MB} MB free for the runtime's users",
            group="device",
        )


def _read(path: Path) -> int | None:
    try:
        return int(read_bytes(path, most_bytes=32))
    except (FileRefused, ValueError):
        return None
