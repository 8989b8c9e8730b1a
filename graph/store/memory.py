"""Experiences across tasks and runs, in LangGraph's store: promoted only from gains that the judge verified.

A repair is learnt when the attempt after a failed one is correct; a tuning step when the attempt after a correct one is
correct and faster by at least a twentieth. What was shown is counted, and whether the attempt that saw it succeeded.
"""

import difflib
import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from langgraph.store.base import BaseStore
from langgraph.store.sqlite import SqliteStore

from akgen.agents.plan import Plan
from akgen.agents.prompts.experience import Experience, rank
from akgen.agents.roles import Feedback
from akgen.graph.store.files import make_folder, write_whole
from akgen.graph.store.records import Attempt
from akgen.graph.store.run_store import TaskStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import read_model

PLACE = ("experience",)
LEAST_GAIN = 1.05  # of a tuning step
MOST_CHARACTERS = 2_400  # of a change; larger ones are rewritings, which teach nothing
MOST_KNOWN = 1_000


class Remembered(Frozen):
    """memory.json of a task: what it taught, and what became of what it was shown."""

    learnt: tuple[str, ...] = ()
    shown: int = 0  # experiences in prompts
    helped: int = 0  # of these, in prompts whose attempt was correct or faster


class Memory:
    """What was learnt so far. May be asked from several threads."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    def recall(self, task: Task, plan: Plan | None, feedback: Feedback | None) -> tuple[Experience, ...]:
        """Return what may help with what the coder is at, the most fitting first."""
        return rank(self.known(), task, plan, feedback)

    def known(self) -> tuple[Experience, ...]:
        items = self._store.search(PLACE, limit=MOST_KNOWN)
        return tuple(Experience.model_validate(item.value) for item in items)

    def take_in(self, place: TaskStore, run: str) -> Remembered:
        """Learn from a task that has ended, once; return what was learnt and what had been shown."""
        path = place.folder / "memory.json"
        if path.is_file():
            return _read(path)
        task, learnt, shown, helped = place.task(), list[str](), 0, 0
        for sample in place.samples():
            attempts = sample.attempts()
            for before, after in pairwise((None, *attempts)):
                assert after is not None
                names = [s.name for s in after.shown if s.kind == "experience"]
                good = _succeeded(before, after)
                shown, helped = shown + len(names), helped + len(names) * good
                self._credit(names, good=good)
            found = [_experience(task, place, a, b, run) for a, b in pairwise(attempts)]
            for experience in filter(None, found):
                if self._keep(experience):
                    learnt.append(experience.key)
        remembered = Remembered(learnt=tuple(learnt), shown=shown, helped=helped)
        write_whole(path, remembered.model_dump_json(indent=1) + "\n")
        return remembered

    def _keep(self, experience: Experience) -> bool:
        """Keep what is new; say whether it is."""
        if self._store.get(PLACE, experience.key) is not None:
            return False
        self._store.put(PLACE, experience.key, experience.model_dump(mode="json"), index=False)
        return True

    def _credit(self, keys: Sequence[str], *, good: bool) -> None:
        for key in keys:
            item = self._store.get(PLACE, key)
            if item is not None:
                known = Experience.model_validate(item.value)
                update = {"shown": known.shown + 1, "helped": known.helped + good}
                value = known.model_copy(update=update).model_dump(mode="json")
                self._store.put(PLACE, key, value, index=False)


@contextmanager
def open_memory(path: Path) -> Iterator[Memory]:
    """Open the memory's file, or make it. Raises InfraError if it cannot be used."""
    try:
        make_folder(path.parent)
        with SqliteStore.from_conn_string(str(path)) as store:
            _set_up(store)
            yield Memory(store)
    except sqlite3.Error as problem:
        raise InfraError(
            f"The memory {path} cannot be used: {shown(str(problem))}.",
            "Check the file; it may be moved away.",
        ) from problem


def remembered(folder: Path) -> Remembered | None:
    """Return what a task's run left in its folder about its memory; None if it ran without."""
    path = folder / "memory.json"
    return _read(path) if path.is_file() else None


def _read(path: Path) -> Remembered:
    return read_model(Remembered, path, "Remove it: the task is then learnt from again.", finite=False)


def _succeeded(before: Attempt | None, after: Attempt) -> bool:
    if after.verdict.outcome is not Outcome.CORRECT:
        return False
    return before is None or before.verdict.outcome is not Outcome.CORRECT or _gain(before, after) > 1.0


def _experience(task: Task, place: TaskStore, a: Attempt, b: Attempt, run: str) -> Experience | None:
    """Return what the step from one attempt to the next teaches; None if it proves nothing."""
    if b.verdict.outcome is not Outcome.CORRECT or a.project is None or b.project is None:
        return None
    mended = a.verdict.outcome is not Outcome.CORRECT
    gain = None if mended else _gain(a, b)
    if gain is not None and gain < LEAST_GAIN:
        return None
    change = _change(place, a, b)
    if not change or len(change) > MOST_CHARACTERS:
        return None
    bound = (a.profile.bound,) if a.profile else ()
    codes = (a.verdict.codes() or (a.verdict.outcome.value,)) if mended else bound
    category = b.plan.category if b.plan else task.category
    text = f"{category} {codes} {change}"
    return Experience(
        kind="repair" if mended else "tune",
        key=hashlib.sha256(text.encode()).hexdigest()[:16],
        task=task.name,
        category=category,
        codes=codes,
        change=change,
        gain=round(gain, 3) if gain is not None else None,
        toolchain=b.verdict.toolchain,
        run=run,
    )


def _gain(a: Attempt, b: Attempt) -> float:
    before, after = a.verdict.mean_us(), b.verdict.mean_us()
    return before / after if before and after else 1.0


def _change(place: TaskStore, a: Attempt, b: Attempt) -> str:
    old, new = (
        KernelProject.read_from(place.folder / x.project, "", "").files if x.project else {} for x in (a, b)
    )
    lines: list[str] = []
    for path in sorted({*old, *new}, reverse=True):
        before, after = old.get(path, "").splitlines(), new.get(path, "").splitlines()
        part = path.partition("/")[0]  # without the operator's name: the same lesson is the same text
        lines += difflib.unified_diff(before, after, part, part, n=1, lineterm="")
    return "\n".join(lines)


def _set_up(store: SqliteStore) -> None:
    """Make or read the tables; raise sqlite3.DatabaseError for a damaged file whose pages SQLite still accepts."""
    try:
        store.setup()
    except (TypeError, ValueError) as problem:  # a version that is no number, a name that is no text
        raise sqlite3.DatabaseError(str(problem)) from problem
