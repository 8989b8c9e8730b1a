"""The run store: `runs/<run-id>/`, from which every report and training export is computed.

A crash at any point leaves a readable store: whole files are replaced atomically, event lines only ever torn at the
end. The layout and what each file means: docs/run_store.md.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, RootModel

from akgen.graph.store.files import claimed, make_folder, read_lines, write_whole
from akgen.graph.store.records import FORMAT, Attempt, Event, RunInfo, Solution
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import DIRECT, KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import MOST_RECORDING_BYTES, read_model, read_text

T = TypeVar("T", bound=BaseModel)
_END = "\n]\n"  # of attempts.json


class _Attempts(RootModel[tuple[Attempt, ...]]):
    """attempts.json."""


class SampleStore:
    """One sample of one task: events, effects, attempts."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        self.number = number

    @property
    def events_file(self) -> Path:
        return self.folder / "events.jsonl"

    @property
    def effects(self) -> Path:
        return self.folder / "effects"

    def attempt_folder(self, number: int) -> Path:
        return make_folder(self.folder / f"attempt-{number}")

    def save_attempt(self, attempt: Attempt) -> None:
        """Add an attempt to attempts.json, or replace what was known of it."""
        path = self.folder / "attempts.json"
        text = read_text(path, most_bytes=MOST_RECORDING_BYTES) if path.is_file() else ""
        if text and not re.search(rf'^ "number": {attempt.number},$', text, re.MULTILINE):
            write_whole(path, f"{text.removesuffix(_END)},\n{_json(attempt)}{_END}")
            return
        known = {a.number: a for a in self.attempts()} | {attempt.number: attempt}
        lines = ",\n".join(_json(known[number]) for number in sorted(known))
        write_whole(path, f"[\n{lines}{_END}")

    def attempts(self) -> tuple[Attempt, ...]:
        """Read the attempts that ended, in order; those of an unfinished sample too.

        Earlier versions kept each attempt in a file of its own and gathered them when the sample had ended.
        """
        path = self.folder / "attempts.json"
        if path.is_file():
            return _read(_Attempts, path).root
        found = (_read(Attempt, path) for path in self.folder.glob("attempt-*/attempt.json"))
        return tuple(sorted(found, key=lambda attempt: attempt.number))

    @property
    def ended(self) -> bool:
        """Say whether the critic's last word on the last attempt, or a limit, ended the sample."""
        attempts, events = self.attempts(), tuple(self.events())
        if not attempts or not events or events[-1].attempt != attempts[-1].number:
            return False
        if events[-1].event == "stopped":
            return True
        criticised = (events[-1].stage, events[-1].status) == ("criticise", "done")
        return criticised and attempts[-1].decision.action in ("accept", "give_up")

    def events(self) -> Iterator[Event]:
        return read_lines(Event, self.events_file)


class TaskStore:
    """One task of a run: its samples, its checkpoints, its result."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints.sqlite"

    def sample(self, number: int) -> SampleStore:
        return SampleStore(make_folder(self.folder / f"sample-{number}"), number)

    def samples(self) -> tuple[SampleStore, ...]:
        names = (p.name.removeprefix("sample-") for p in self.folder.glob("sample-*"))
        numbers = sorted(int(name) for name in names if name.isdecimal() and len(name) < 10)
        return tuple(SampleStore(self.folder / f"sample-{n}", n) for n in numbers)

    def known(self) -> bool:
        """Say whether the task was begun."""
        return (self.folder / "task.json").is_file()

    def task(self) -> Task:
        return _read(Task, self.folder / "task.json")

    def save_task(self, task: Task) -> None:
        write_whole(self.folder / "task.json", _json(task))

    def reference(self) -> str | None:
        """Return the digest of the task's reference when the task was begun."""
        path = self.folder / "reference.sha256"
        return read_text(path).strip() if path.is_file() else None

    def save_reference(self, digest: str) -> None:
        write_whole(self.folder / "reference.sha256", digest + "\n")

    def solution(self) -> Solution | None:
        path = self.folder / "result.json"
        return _read(Solution, path) if path.is_file() else None

    def save_solution(self, solution: Solution) -> None:
        write_whole(self.folder / "result.json", _json(solution))

    def kernel(self, solution: Solution) -> str:
        """Return the kernel's source text; nothing if there is none."""
        if solution.project is None:
            return ""
        kernel = self.folder / solution.project / "op_kernel" / f"{self.task().kernel}.cpp"
        return read_text(kernel if kernel.is_file() else kernel.with_suffix(DIRECT))

    def forget_effects(self) -> None:
        """Delete what was kept to go on with; the task has its result, and the attempts say the same."""
        for sample in self.samples():
            shutil.rmtree(sample.effects, ignore_errors=True)

    def claimed(self) -> AbstractContextManager[None]:
        """Hold the task for this process. Raises InputError if another process works on it."""
        return claimed(self.folder)


class RunStore:
    """A run: run.json and its tasks."""

    def __init__(self, folder: Path, info: RunInfo) -> None:
        self.folder = folder
        self.info = info

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> "RunStore":
        """Make a run's folder.

        Raises InputError if it already holds a run, InfraError if it cannot be written.
        """
        make_folder(folder)
        if (folder / "run.json").exists():
            raise InputError(
                f"{folder} already holds a run.", f"Go on with `akgen resume {folder}`, or choose another."
            )
        write_whole(folder / "run.json", _json(info))
        return cls(folder.resolve(), info)

    @classmethod
    def open(cls, folder: Path) -> "RunStore":
        """Open an existing run.

        Raises InputError if there is none, or if a newer AKGen wrote it.
        """
        path = folder / "run.json"
        if not path.is_file():
            raise InputError(
                f"{folder} holds no run.", "Give a folder with a run.json, as `akgen solve` prints it."
            )
        return cls(folder.resolve(), _read(RunInfo, path))

    def task(self, name: str) -> TaskStore:
        return TaskStore(make_folder(self._place(name)))

    def begun(self, name: str) -> TaskStore | None:
        """Return a task that was begun, None for another; nothing is written."""
        place = TaskStore(self._place(name))
        return place if place.known() else None

    def _place(self, name: str) -> Path:
        return self.folder / "tasks" / re.sub(r"[^A-Za-z0-9._-]", "_", name)

    def tasks(self) -> tuple[TaskStore, ...]:
        return tuple(TaskStore(p.parent) for p in sorted((self.folder / "tasks").glob("*/task.json")))


def sources_of(folder: Path, project: Path | None) -> dict[str, str]:
    """Return the files of a project below `folder` by path; nothing if there is none."""
    if project is None or not (folder / project / "op_kernel").is_dir():
        return {}
    return KernelProject.read_from(folder / project, "", "").files


def _json(value: Frozen) -> str:
    return value.model_dump_json(indent=1) + "\n"


def _read(model: type[T], path: Path) -> T:
    remedy = f"It was damaged or written by another version of AKGen (this one reads format {FORMAT})."
    return read_model(model, path, remedy, most_bytes=MOST_RECORDING_BYTES, finite=False)
