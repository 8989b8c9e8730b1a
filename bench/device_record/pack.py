"""Pack a run's folder into a record: what rules name, scrubbed, and nothing else."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from akgen.bench.device_record.archive import (
    MOST_FILE_BYTES,
    DeviceRecord,
    FilesLeftOut,
    RecordedFile,
    plain_name,
    write_record,
)
from akgen.bench.device_record.scrub import Scrubber
from akgen.graph.store.records import Attempt
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.knowledge.chip import DEFAULT_CHIP
from akgen.tools.cann.npu_smi import Npus
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.untrusted import FileRefused, plain_text, read_bytes

ATTEMPT = "attempt.json"
REQUEST = "request.json"
_SOURCES = {".cpp", ".cc", ".h", ".hpp", ".inc", ".asc", ".cce"}
# of the run's files: what the path of a file matches, why it is there
_RULES: tuple[tuple[str, str], ...] = (
    ("attempt-*/build/logs/*.log", "what msopgen, the build, bisheng and the installer said; the build log's parser"),
    ("attempt-*/build/result.json", "the built package's files by digest, and why a build failed"),
    ("op_summary_*.csv", "msprof's times of the kernel; its parser and the time model"),
    ("OpBasicInfo*.csv", "msprof op: the launch, its duration and clock"),
    ("PipeUtilization*.csv", "msprof op: what pipes of each core did; its parser and the time model"),
    ("Memory.csv", "msprof op: bytes moved"),
    ("Memory_*.csv", "msprof op: bytes moved"),
    ("MemoryL0*.csv", "msprof op: bandwidths of L0"),
    ("MemoryUB*.csv", "msprof op: bandwidths of the Unified Buffer"),
    ("L2Cache*.csv", "msprof op: hits of the second-level cache"),
    ("ResourceConflictRatio*.csv", "msprof op: waits and conflicts"),
    ("ArithmeticUtilization*.csv", "msprof op: instructions counted"),
    ("plog-*.log", "what the runtime and the driver said; the parser of process logs"),
    ("timing.json", "samples in turns ABBA, in their order"),
    ("ended.json", "the runtime's code of a failure"),
    ("stage", "how far a run came"),
    ("device.json", "what npu-smi said: temperature, memory, company on the device"),
)  # fmt: skip
_REQUEST_WHY = "shapes, types and attributes of the call: what the twin is asked to predict"
_WHY_NOT = {
    ".raw": "tensors",
    ".bin": "tensors",
    ".guard": "tensors",
    ".so": "binaries",
    ".o": "binaries",
    ".run": "binaries",
    ".sqlite": "checkpoints of the graph",
    ".html": "pages, drawn from what is here",
    ".pt": "weights",
    ".safetensors": "weights",
}


class Packed(NamedTuple):
    path: Path
    record: DeviceRecord


def pack(run: Path, out: Path, settings: Settings) -> Packed:
    """Write a record of a run. Raises InputError if there is no run, or if it is too large."""
    store = RunStore.open(run)
    packer = _Packer(store, settings)
    for task in store.tasks():
        packer.take_task(task)
    packer.take_rest()
    info = store.info
    scrub = packer.scrubber.text
    record = DeviceRecord(
        run=scrub(info.id).text,
        made_at=datetime.now(UTC),
        akgen=info.versions.get("akgen", "unknown"),
        toolchain=info.toolchain,
        chip=info.config.chip or DEFAULT_CHIP,
        versions={k: scrub(v).text for k, v in info.versions.items()},
        device=packer.device,
        files=tuple(packer.files[path] for path in sorted(packer.files)),
        left_out=tuple(
            FilesLeftOut(what=what, why=why, files=n) for (what, why), n in sorted(packer.left.items())
        ),
    )
    write_record(out, record, {path: packer.contents[path] for path in sorted(packer.contents)})
    return Packed(out, record)


class _Packer:
    def __init__(self, store: RunStore, settings: Settings) -> None:
        self.store = store
        named = [(store.folder, "RUN"), (settings.cache.absolute(), "CACHE"), (Path.home(), "HOME")]
        if settings.cann_home is not None:
            named += [(settings.cann_home, "CANN"), (settings.cann_home.resolve(), "CANN")]
        self.scrubber = Scrubber(named, (settings.api_key, settings.postgres))
        self.contents: dict[str, bytes] = {}
        self.files: dict[str, RecordedFile] = {}
        self.left: Counter[tuple[str, str]] = Counter()
        self.device: dict[str, str] = {}

    def take_task(self, task: TaskStore) -> None:
        """Take the task, and of each attempt what it was judged and its sources."""
        said = task.task()
        place = task.folder.relative_to(self.store.folder)
        keep = {"name", "suite", "level", "category", "op_type", "kernel", "cases"}
        told = said.model_dump(mode="json", include=keep)
        self._put(f"{place}/task.json", json.dumps(told, indent=1), "the task's name and cases")
        for sample in task.samples():
            for attempt in sample.attempts():
                folder = sample.folder.relative_to(self.store.folder) / f"attempt-{attempt.number}"
                slim = json.dumps(_slim(attempt), indent=1)
                why = "verdict, times and profile of the attempt; no exchange with a model"
                self._put(f"{folder}/{ATTEMPT}", slim, why)
                counted = attempt.profile.counters if attempt.profile else None
                clock = counted.clock_mhz if counted is not None else None
                if (state := attempt.verdict.device) is not None:
                    clock = clock or state.clock_mhz
                    if state.temperature_c is not None:
                        self.device["temperature_c"] = f"{state.temperature_c:g}"
                if clock is not None:
                    self.device["clock_mhz"] = f"{clock:g}"

    def take_rest(self) -> None:
        """Take of all files of the run those that a rule names; count the others."""
        for path in _walk(self.store.folder):
            name = path.relative_to(self.store.folder).as_posix()
            why = _why(PurePosixPath(name))
            if why is None:
                suffix = PurePosixPath(name).suffix
                self.left[
                    f"*{suffix}" if suffix else "others", _WHY_NOT.get(suffix, "no rule asks for them")
                ] += 1
                continue
            if not plain_name(self.scrubber.text(name).text):
                self.left["others", "names with odd characters"] += 1
                continue
            try:
                text = plain_text(read_bytes(path, most_bytes=MOST_FILE_BYTES), most_bytes=MOST_FILE_BYTES)
            except FileRefused as problem:
                self.left[name, str(problem)] += 1
                continue
            if path.name == "device.json":
                text = self._look_at_device(text)
            self._put(name, text, why, source=path.suffix in _SOURCES)

    def _put(self, name: str, text: str, why: str, *, source: bool = False) -> None:
        scrubbed = self.scrubber.text(text, source=source)
        name = self.scrubber.text(name).text
        data = scrubbed.text.encode()
        self.contents[name] = data
        self.files[name] = RecordedFile(
            path=name,
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            why=why,
            scrubbed=scrubbed.counts,
        )

    def _look_at_device(self, text: str) -> str:
        """Return what npu-smi said, with the number of other people's processes and not their names."""
        try:
            npus = Npus.model_validate_json(text)
        except ValueError:
            return ""
        found = {"driver": npus.driver, "devices": str(len(npus.devices))}
        if npus.devices:
            first = npus.devices[0]
            found |= {"name": first.name, "temperature_c": str(first.temperature_c)}
        self.device = {key: value for key, value in found.items() if value} | self.device
        nameless = (d.model_copy(update={"processes": ("one",) * len(d.processes)}) for d in npus.devices)
        return npus.model_copy(update={"devices": tuple(nameless)}).model_dump_json()


def _slim(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt without its exchange with a model, and without where its files lay."""
    keep = {"number", "sample", "op_type", "kernel", "digest", "verdict", "profile"}
    found: dict[str, Any] = attempt.model_dump(mode="json", include=keep)
    for profile in (found["profile"], *(case["profile"] for case in found["verdict"]["cases"])):
        if profile is not None:
            profile["trace"] = None
    return found


def _walk(folder: Path) -> Iterator[Path]:
    """Yield plain files below a folder; no link is followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _why(path: PurePosixPath) -> str | None:
    if path.suffix in _SOURCES and "project" in path.parts and {"op_host", "op_kernel"} & set(path.parts):
        return "the candidate's sources"
    if path.name == REQUEST and "attempt-" in str(path):
        return _REQUEST_WHY
    return next((why for pattern, why in _RULES if path.match(pattern)), None)


def check_out(out: Path, run: Path) -> None:
    """Raise InputError if a record cannot be written there, or would lie in the run itself."""
    if out.exists():
        raise InputError(f"{out} is there already.", "Choose another name with --out.")
    if out.absolute().is_relative_to(run.absolute()):
        raise InputError(f"{out} lies in the run that it records.", "Choose another place with --out.")
    if not out.absolute().parent.is_dir():
        raise InputError(f"There is no folder {out.absolute().parent}.", "Make it, or choose another.")


def summary(record: DeviceRecord) -> Sequence[str]:
    """Say in lines what a record holds."""
    size = sum(file.size_bytes for file in record.files)
    gone = sum((Counter(file.scrubbed) for file in record.files), Counter[str]())
    scrubbed = ", ".join(f"{n} {what}" for what, n in sorted(gone.items())) or "nothing"
    kinds = {
        "device": "a device",
        "rehearsal": "a rehearsal's fake device, no NPU",
        "twin": "the twin, no NPU",
    }
    return (
        f"run {record.run}, made by {kinds[record.kind]}: {record.toolchain}, {record.chip}",
        f"{len(record.files)} files, {size / 1e6:.2f} MB; scrubbed: {scrubbed}",
    )
