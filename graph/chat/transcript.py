"""What was said in a conversation, by whom: one line each, appended, so that it can be read, shown and exported."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from akgen.graph.store.files import append_line, read_lines
from akgen.graph.store.run_store import RunStore
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
