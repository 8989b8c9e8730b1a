"""What npu-smi says of the devices: health, temperature, clock, memory in use, whose processes.

Source: vendor pages "npu-smi info" (the table of all devices, and of processes); each device has two lines, the second
with its bus, and memory as `used / total` in MB, of which the last is the on-package memory. "Querying Common
Information About All Chips" (`npu-smi info -t common -i ID`): lines `name : value`, each chip's after its `Chip ID`,
and those of a controller that is no NPU after `Chip Name`.
"""

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from akgen.tools.cann.environment import CannSettings
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.profile import DeviceReadings
from akgen.tools.process.program import run

_PLACES = "/usr/local/sbin:/usr/local/bin:/usr/local/Ascend/driver/tools"
EVERY_S = 0.5  # between two questions while something is timed
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
    npu: int = 0  # what npu-smi calls it, and the chip on it
    chip: int = 0
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
                    npu=int(card["npu"]),
                    chip=int(m["chip"]),
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
    said = _say(settings, "info")
    return read_table(said) if said is not None else None


def _say(settings: CannSettings, *arguments: str) -> str | None:
    found = program(settings)
    if found is None:
        return None
    driver = settings.driver_folder / "lib64"
    libraries = ":".join(
        [*(str(p) for p in (driver, driver / "common", driver / "driver")), settings.library_path]
    )
    env = {"PATH": settings.path, "LD_LIBRARY_PATH": libraries, "LANG": "C.UTF-8"}
    done = run([found, *arguments], cwd=Path("/"), timeout_s=TIMEOUT_S, env=env)
    return done.out if done.ok else None


def read_common(text: str, chip: int) -> DeviceReadings | None:
    """Read what `npu-smi info -t common -i ID` prints of one chip; None if it is not there."""
    found: dict[str, str] = {}
    at: str | None = None
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "Chip ID":
            at = value
        elif key == "Chip Name":
            at = "no NPU"
        elif at is None or at == str(chip):  # some versions say no Chip ID of a card with one
            found.setdefault(key.replace(" ", "").lower(), value)
    state = DeviceReadings(
        clock_mhz=_number(found.get("aicorecurfreq(mhz)")),
        rated_clock_mhz=_number(found.get("aicorefreq(mhz)")),
        temperature_c=_number(found.get("temperature(c)")),
        power_w=_number(found.get("npureal-timepower(w)")),
    )
    return state if state != DeviceReadings() else None


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and re.fullmatch(r"\d{1,5}(\.\d+)?", text) else None


class DeviceWatch:
    """Asks for one device's clock and temperature until it is told to stop; a driver that is silent is no fault."""

    def __init__(self, settings: CannSettings, number: int) -> None:
        self._settings, self._number = settings, number
        self._stop = threading.Event()
        self._seen: list[DeviceReadings] = []

    @property
    def state(self) -> DeviceReadings | None:
        """Return the highest clock, and what was said last."""
        if not self._seen:
            return None
        clock = max((s.clock_mhz for s in self._seen if s.clock_mhz is not None), default=None)
        return self._seen[-1].model_copy(update={"clock_mhz": clock})

    def ask_until_stopped(self) -> None:
        table = ask(self._settings)
        place = next((d for d in table.devices if d.number == self._number), None) if table else None
        while place is not None:
            said = _say(self._settings, "info", "-t", "common", "-i", str(place.npu))
            state = read_common(said, place.chip) if said is not None else None
            if state is None:
                return  # nor will it say more a moment later
            self._seen.append(state)
            if self._stop.wait(EVERY_S):
                return

    def stop(self) -> None:
        self._stop.set()


@contextmanager
def watched(settings: CannSettings, number: int) -> Iterator[DeviceWatch]:
    """Watch a device for as long as the block lasts, and wait for the question that is on its way."""
    watch = DeviceWatch(settings, number)
    thread = threading.Thread(target=watch.ask_until_stopped, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.stop()
        thread.join(TIMEOUT_S + 1)
