"""What was said in a conversation, by whom: one line each, appended, so that it can be read and shown again."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from akgen.graph.store.files import append_line, read_lines
from akgen.tools.core.frozen import Frozen

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
        return tuple(Said.model_validate(line) for line in read_lines(self._path))
