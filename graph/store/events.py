"""Events: one JSON line on disk and one call to whoever watches, in that order."""

import json
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

import structlog

from akgen.graph.store.files import append_line
from akgen.graph.store.records import Event

Watch = Callable[[Event], None]


class _LineFile:
    """The last stage of the structlog chain: takes the rendered line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def info(self, line: str) -> None:
        append_line(self._path, line)

    def debug(self, line: str) -> None:
        """Append without waiting for the disk: a power cut may take the line, a crash may not."""
        append_line(self._path, line, wait=False)


class EventLog:
    """The events of one sample. Safe to reopen; never rewrites a line."""

    def __init__(self, path: Path, task: str, sample: int, watch: Watch, run: str | None = None) -> None:
        self._watch = watch
        self._log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
            _LineFile(path),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
                self._check,
                structlog.processors.JSONRenderer(serializer=json.dumps),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(0),
            run=run,
            task=task,
            sample=sample,
        )

    def say(self, event: str, **fields: Any) -> None:
        """Record an event (fields of `records.Event`), then hand it to the watcher.

        The disk is waited for when an attempt ended; until then a power cut may take lines, a crash may not. What
        was paid for is on disk in the effect cache either way.
        """
        ends = event == "stopped" or (fields.get("stage") == "criticise" and fields.get("status") == "done")
        record = self._log.info if ends else self._log.debug
        record(event, **fields)
        self._watch(self._last)

    def _check(self, _logger: Any, _name: str, fields: MutableMapping[str, Any]) -> dict[str, Any]:
        self._last = Event.model_validate(dict(fields))
        return self._last.model_dump(mode="json", exclude_none=True)
