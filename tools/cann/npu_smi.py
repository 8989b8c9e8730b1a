"""What npu-smi says of the devices: health, temperature, memory in use, whose processes.

Source: vendor pages "npu-smi info" (the table of all devices, and of processes); each device has two lines, the second
with its bus, and memory as `used / total` in MB, of which the last is the on-package memory.
"""

import re
import shutil
from pathlib import Path

from akgen.tools.cann.environment import CannSettings
from akgen.tools.core.frozen import Frozen
from akgen.tools.process.program import run

_PLACES = "/usr/local/sbin:/usr/local/bin:/usr/local/Ascend/driver/tools"
TIMEOUT_S = 15.0  # it answers within a second; with a device that hangs it may not answer at all
_HEAD = re.compile(r"npu-smi\s+\S+\s+Version:\s*(\S+)")
_FIRST = re.compile(
    r"^\|\s*(?P<npu>\d+)\s+(?P<name>[\w-]*[A-Za-z][\w-]*|\d{3}\w*)\s*\|\s*(?P<health>[A-Za-z]+)\s*\|"
    r"\s*(?P<power>[\d.]+|-|NA)\s+(?P<temp>\d+|-|NA)"
)
_SECOND = re.compile(
    r"^\|\s*(?P<chip>\d+)(?:\s+\d+)?\s*\|\s*(?P<bus>[0-9A-Fa-f:.]+|NA)\s*\|(?P<rest>.*)\|\s*$"
)
_PAIR = re.compile(r"(\d+)\s*/\s*(\d+)")
_PROCESS = re.compile(r"^\|\s*(\d+)\s+(\d+)\s*\|\s*(\d+)\s*\|\s*(\S*)\s*\|\s*(\d+)\s*\|")


class NpuState(Frozen):
    """One device of the table, in its order: its place there is the number that the runtime gives it."""

    number: int
    name: str
    health: str
    temperature_c: int | None
    used_mb: int | None = None
    total_mb: int | None = None
    processes: tuple[str, ...] = ()  # "PID name"


class Npus(Frozen):
    driver: str | None
    devices: tuple[NpuState, ...]


def read_table(text: str) -> Npus:
    """Read what `npu-smi info` prints."""
    head = _HEAD.search(text)
    found: list[NpuState] = []
    card: dict[str, str] = {}
    processes: dict[tuple[int, int], list[str]] = {}
    places: list[tuple[int, int]] = []
    for line in text.splitlines():
        if (m := _PROCESS.match(line)) is not None:
            processes.setdefault((int(m[1]), int(m[2])), []).append(f"{m[3]} {m[4]}".strip())
        elif (m := _FIRST.match(line)) is not None:
            card = m.groupdict()
        elif card and (m := _SECOND.match(line)) is not None:
            memory = _PAIR.findall(m["rest"])
            used, total = memory[-1] if memory else (None, None)
            places.append((int(card["npu"]), int(m["chip"])))
            found.append(
                NpuState(
                    number=len(found),
                    name=card["name"],
                    health=card["health"],
                    temperature_c=int(card["temp"]) if card["temp"].isdigit() else None,
                    used_mb=int(used) if used else None,
                    total_mb=int(total) if total else None,
                )
            )
    devices = tuple(
        d.model_copy(update={"processes": tuple(processes.get(p, ()))})
        for d, p in zip(found, places, strict=True)
    )
    return Npus(driver=head[1] if head else None, devices=devices)


def program(settings: CannSettings) -> str | None:
    """Return where npu-smi lies: the driver's installer puts it outside of CANN."""
    return shutil.which("npu-smi", path=f"{settings.path}:{_PLACES}")


def ask(settings: CannSettings) -> Npus | None:
    """Run `npu-smi info`; None if it is not there, fails, or does not end."""
    found = program(settings)
    if found is None:
        return None
    driver = settings.driver_folder / "lib64"
    libraries = ":".join(
        [*(str(p) for p in (driver, driver / "common", driver / "driver")), settings.library_path]
    )
    env = {"PATH": settings.path, "LD_LIBRARY_PATH": libraries, "LANG": "C.UTF-8"}
    done = run([found, "info"], cwd=Path("/"), timeout_s=TIMEOUT_S, env=env)
    return read_table(done.out) if done.ok else None
