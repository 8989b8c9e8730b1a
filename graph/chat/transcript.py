"""What was said in a conversation, by whom: one line each, appended, so that it can be read, shown and exported.

And which conversations there are on this machine, and which one is meant.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from akgen.graph.store.files import append_line, read_lines
from akgen.graph.store.records import RunInfo
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

Who = Literal["person", "akgen"]


class Said(Frozen):
    """One line of talk.jsonl. `task` is set where a finished task was shown."""

    at: datetime
    who: Who
    text: str
    task: str | None = None


class Transcript:
    """The conversation's talk.jsonl. Safe to reopen; never rewrites a line."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "talk.jsonl"

    def add(self, who: Who, text: str, task: str | None = None) -> None:
        line = Said(at=datetime.now(UTC), who=who, text=text, task=task)
        append_line(self._path, line.model_dump_json(), wait=False)

    def lines(self) -> tuple[Said, ...]:
        return tuple(read_lines(Said, self._path))


def as_markdown(store: RunStore, transcript: Transcript) -> str:
    """Return the conversation's text."""
    config = store.info.config
    head = [f"# {store.info.id}", "", f"{config.model} on {store.info.toolchain}", ""]
    parts = [_part(store, line) for line in transcript.lines()]
    return "\n".join([*head, *(text for part in parts for text in part)])


def _part(store: RunStore, line: Said) -> list[str]:
    if line.who == "person":
        fence = ["```", line.text, "```"] if "\n" in line.text else [f"> {line.text}"]
        return [*fence, ""]
    if line.task is None:
        return [line.text, ""]
    place = store.task(line.task)
    solution = place.solution()
    if solution is None:
        return [line.text, ""]
    facts = [f"## {line.task}", "", f"{solution.outcome}: {solution.verdict.summary()}", ""]
    facts += [solution.profile.summary(), ""] if solution.profile else []
    kernel = place.kernel(solution)
    return [*facts, *(["```cpp", kernel.rstrip(), "```", ""] if kernel else [])]


class Session(Frozen):
    """A conversation in one line."""

    id: str
    folder: Path
    created_at: datetime
    last_at: datetime  # when something was said last
    model: str
    requests: int  # tasks that were begun
    first: str  # what the person said first


def sessions(runs: Path) -> tuple[Session, ...]:
    """Return the conversations below `runs`, the latest first; folders that cannot be read are left out."""
    found = []
    for path in runs.glob("*/chat.sqlite"):
        try:
            store = RunStore.open(path.parent)
        except InputError:
            continue
        found.append(_session(store))
    return tuple(sorted(found, key=lambda s: s.last_at, reverse=True))


def find_session(runs: Path, id: str | None) -> Path:
    """Return the folder of the conversation whose id begins or ends so; of the latest if `id` is None.

    Raises InputError if there is none, or if several fit.
    """
    known = sessions(runs)
    if not known:
        raise InputError(f"There is no conversation in {runs}.", "Begin one with `akgen chat`.")
    if id is None:
        return known[0].folder
    fitting = [s for s in known if s.id == id] or [
        s for s in known if s.id.startswith(id) or s.id.endswith(id)
    ]
    if len(fitting) == 1:
        return fitting[0].folder
    if fitting:
        raise InputError(
            f"{len(fitting)} conversations fit {id!r}.",
            f"Give one of {', '.join(s.id for s in fitting[:5])}.",
        )
    raise InputError(f"There is no conversation {id!r} in {runs}.", "`akgen chat --sessions` lists them.")


def _session(store: RunStore) -> Session:
    info: RunInfo = store.info
    lines = Transcript(store.folder).lines()
    first = next((line.text for line in lines if line.who == "person"), "")
    return Session(
        id=store.folder.name,
        folder=store.folder,
        created_at=info.created_at,
        last_at=lines[-1].at if lines else info.created_at,
        model=info.config.model,
        requests=len(store.tasks()),
        first=" ".join(first.split())[:80],
    )
