"""Conversations on this machine: which there are, which one is meant."""

from datetime import datetime
from pathlib import Path

from akgen.graph.chat.transcript import Transcript
from akgen.graph.store.records import RunInfo
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError


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
