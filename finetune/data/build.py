"""Build records in worker processes: one command that goes on where it stopped, and the same bytes for the same seed.

FOLDER holds `build.json` (what is built), `drawn/` (the operators of each chunk), `parts/PART/CHUNK.parquet`, and
`chunks/CHUNK.json`, which is written last: a chunk that has it is not made again. A larger count goes on
from a smaller one.
"""

import hashlib
import queue
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import akgen
from akgen.finetune.data.record import FORMAT, DataPart
from akgen.finetune.operators.families import FAMILIES
from akgen.finetune.operators.tasks import Operator, drawn
from akgen.graph.store.files import claimed, digest_of, make_folder, write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.untrusted import read_json_lines, read_model
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.worker import Worker, WorkerDied

CHUNK = 32  # operators
_CHUNK_TIMEOUT_S = 3600.0
_REMEDY = "Build into another folder; `akgen data mix` takes several."
_SOURCES = (
    "finetune/operators",
    "finetune/data/parts",
    "finetune/data/templates",
    "tools/compose",
    "tools/dsl",
)


class BuildConfig(Frozen):
    """What a folder is built of. A larger count alone may follow another."""

    format: int = FORMAT
    seed: int
    families: tuple[str, ...] = tuple(FAMILIES)
    parts: tuple[DataPart, ...]
    generator: str  # a digest of the code that makes the records


class ChunkJob(Frozen):
    """One chunk: operators, or no operator and the documents with this number."""

    chunk: str
    kind: Literal["operators", "documents"]
    operators: tuple[Operator, ...] = ()
    number: int = 0


class ChunkDone(Frozen):
    """What became of a chunk. `left_out` counts what was not kept, by reason."""

    chunk: str
    operators: tuple[str, ...]
    solved: int
    records: dict[DataPart, int]
    left_out: dict[str, int]
    seconds: float | None = None  # of this run; a chunk that was there already has none


def generator_digest() -> str:
    """Return a digest of the code that decides what a seed gives."""
    root = Path(akgen.__file__).parent
    return hashlib.sha256(
        "".join(digest_of((root / name).resolve()) for name in _SOURCES).encode()
    ).hexdigest()[:16]


def build(
    folder: Path, config: BuildConfig, count: int, settings: Settings, workers: int, documents: int = 0
) -> Iterator[ChunkDone]:
    """Make what is missing; yield each chunk when its files are on disk, those that are there already first.

    Raises InputError if the folder was begun otherwise, InfraError if the machine fails; then nothing that was yielded
    is lost, and the same call goes on.
    """
    make_folder(folder)
    with claimed(folder):
        _begin(folder, config)
        yield from _run(folder, config, _jobs(folder, config, count, documents), settings, workers)


def _begin(folder: Path, config: BuildConfig) -> None:
    place = folder / "build.json"
    if place.is_file():
        earlier = read_model(BuildConfig, place, _REMEDY)
        differing = [n for n in BuildConfig.model_fields if getattr(earlier, n) != getattr(config, n)]
        if differing:
            raise InputError(f"{folder} was begun with another {differing[0]}.", _REMEDY)
    else:
        write_whole(place, json_text(config, indent=1) + "\n")


def _jobs(folder: Path, config: BuildConfig, count: int, documents: int) -> Iterator[ChunkJob]:
    """Yield the jobs in order; operators that were drawn before are read."""
    if DataPart.DOCUMENTS in config.parts:
        for number in range(documents):
            yield ChunkJob(chunk=f"d{number:04}", kind="documents", number=number)
    known: list[Operator] = []
    for number in range(-(-count // CHUNK)):
        most = min(CHUNK, count - CHUNK * number)
        place = folder / "drawn" / f"{number:05}.jsonl"
        rows = (
            [Operator.model_validate(r) for r in read_json_lines(place, _REMEDY)][:most]
            if place.is_file()
            else []
        )
        if len(rows) < most:
            known += rows
            rows += drawn(config.seed, len(known) + most - len(rows), config.families, known)
            make_folder(place.parent)
            write_whole(place, "".join(json_text(o) + "\n" for o in rows))
            known = known[: CHUNK * number]
        known += rows
        if rows:
            yield ChunkJob(chunk=f"{number:05}", kind="operators", operators=tuple(rows))
        if len(rows) < most:
            return  # no family has more to offer


def _done(folder: Path, job: ChunkJob) -> ChunkDone | None:
    place = folder / "chunks" / f"{job.chunk}.json"
    if not place.is_file():
        return None
    found = read_model(ChunkDone, place, "Delete it; the same command makes the chunk again.")
    return found if found.operators == tuple(o.name for o in job.operators) else None


def _run(
    folder: Path, config: BuildConfig, jobs: Iterator[ChunkJob], settings: Settings, workers: int
) -> Iterator[ChunkDone]:
    todo: queue.Queue[ChunkJob | None] = queue.Queue(maxsize=2 * workers)
    results: queue.SimpleQueue[ChunkDone | BaseException | None] = queue.SimpleQueue()
    stop = threading.Event()
    setup = {
        "config": config.model_dump(mode="json"), "folder": str(folder.resolve()),
        "settings": settings.for_workers().model_dump(mode="json"),
    }  # fmt: skip

    def put(job: ChunkJob | None) -> None:
        while not stop.is_set():
            try:
                todo.put(job, timeout=0.2)
                return
            except queue.Full:
                pass

    def feed() -> None:
        try:
            for job in jobs:
                if (found := _done(folder, job)) is not None:
                    results.put(found)
                else:
                    put(job)
                if stop.is_set():
                    break
        except BaseException as e:  # noqa: BLE001 (handed to the caller, who raises it)
            results.put(e)
        for _ in range(workers):
            put(None)

    def serve() -> None:
        try:
            with _worker() as worker:
                while not stop.is_set() and (job := todo.get()) is not None:
                    results.put(_ask(worker, job, setup))
        except BaseException as e:  # noqa: BLE001 (handed to the caller, who raises it)
            results.put(e)
        results.put(None)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(workers)]
    with ExitStack() as ending:
        ending.callback(stop.set)
        for thread in (*threads, threading.Thread(target=feed, daemon=True)):
            thread.start()
        running = workers
        while running:
            result = results.get()
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result


def _worker() -> Worker:
    environment: Mapping[str, str] = {
        **MINIMAL_ENV, "PYTHONPATH": ":".join(p for p in sys.path if p), "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    }  # fmt: skip
    return Worker([sys.executable, "-m", "akgen.finetune.data.worker"], cwd=Path("/"), env=environment)


def _ask(worker: Worker, job: ChunkJob, setup: Mapping[str, Any]) -> ChunkDone:
    started = time.monotonic()
    try:
        answer = worker.request({**setup, "job": job.model_dump(mode="json")}, _CHUNK_TIMEOUT_S)
    except WorkerDied as died:
        lines: Sequence[str] = died.tail.strip().splitlines()
        raise InfraError(
            f"The process that made chunk {job.chunk} {died.text}: {lines[-1] if lines else 'no message'}.",
            "Give the same command again: the chunks that are done stay.",
        ) from died
    if "error" in answer:
        kind = InputError if answer["error"]["kind"] == "input" else InfraError
        raise kind(answer["error"]["text"], answer["error"]["remedy"])
    done = ChunkDone.model_validate(answer["done"])
    return done.model_copy(update={"seconds": time.monotonic() - started})
