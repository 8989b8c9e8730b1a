"""Model calls on disk: `calls/<key>-<sample>.json` with the replies, and one line each in `calls.jsonl`.

Everything is written under one lock of the run, so that worker processes may share it. A call's file is there before
its line; what a crash leaves between the two is mended by the next one who opens the run.
"""

import fcntl
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from akgen.agents.calls.model_call import ModelCall, Usage
from akgen.agents.models.replay import CALLS, read_call
from akgen.graph.store.files import append_line, make_folder, write_whole, writing
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import JsonRefused, parse_object

RECENT = 8  # calls kept in memory: a request's samples ask for their replies one after the other


class RunCalls:
    """The model calls of one run. With `mend` off, nothing is written until a call is kept."""

    def __init__(self, run: Path, *, mend: bool = True) -> None:
        self._folder = run / CALLS
        self._index = run / f"{CALLS}.jsonl"
        self._recent: OrderedDict[str, ModelCall] = OrderedDict()
        self._total = Usage()
        self._read_until = 0
        self._turn = threading.Lock()
        if mend and self._folder.is_dir():
            self._mend()

    def known(self, key: str, sample: int) -> bool:
        return self.take(key, sample) is not None

    def take(self, key: str, sample: int) -> ModelCall | None:
        with self._turn:
            for path in sorted(self._folder.glob(f"{key[:24]}-*.json")):
                call = self._call(path)
                if call.key == key and sample in call.samples:
                    return call
        return None

    def keep(self, call: ModelCall) -> None:
        with self._turn, self._locked():
            name = None
            if call.replies:
                make_folder(self._folder)
                name = f"{call.key[:24]}-{call.samples[0]}.json"
                write_whole(self._folder / name, call.model_dump_json(exclude_none=True) + "\n")
            append_line(self._index, json.dumps(_line(call, name)))

    def total(self) -> Usage:
        """Add up the index; lines that were added up before are not read again."""
        with self._turn:
            if not self._index.is_file():
                return self._total
            with self._index.open("rb") as handle:
                handle.seek(self._read_until)
                *lines, _torn = handle.read().split(b"\n")
            for row in lines:
                self._read_until += len(row) + 1
                line = self._line_of(row)
                self._total = self._total.plus(line)
            return self._total

    def _line_of(self, row: bytes) -> Usage:
        """Return what a call of the index cost. Raises InputError if the line is damaged."""
        try:
            line = parse_object(row, finite=False)
            return Usage.model_validate({name: line.get(name) for name in Usage.model_fields})
        except (JsonRefused, ValidationError) as problem:
            raise InputError(
                f"{self._index} holds a line that is no model call.",
                "Remove the file: it is made again from the calls.",
            ) from problem

    def _call(self, path: Path) -> ModelCall:
        found = self._recent.get(path.name)
        if found is None:
            found = read_call(path)
            self._recent[path.name] = found
            while len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        return found

    def _mend(self) -> None:
        """Give calls that have a file and no line their line."""
        with self._locked():
            rows = self._index.read_bytes().split(b"\n")[:-1] if self._index.is_file() else []
            told = set(filter(None, map(_file_of, rows)))
            for path in sorted(self._folder.glob("*.json")):
                if path.name not in told:
                    append_line(self._index, json.dumps(_line(self._call(path), path.name)))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        path = self._index.with_name(f"{CALLS}.lock")
        with writing(path):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _file_of(row: bytes) -> str | None:
    """Return which file a line of the index stands for; None for a call without one, and for a damaged line."""
    try:
        file = parse_object(row, finite=False).get("file")
    except JsonRefused:
        return None
    return file if isinstance(file, str) else None


def _line(call: ModelCall, file: str | None) -> dict[str, Any]:
    """Return a call without its texts."""
    plain = call.model_dump(mode="json", exclude={"replies", "prompt_token_ids", "usage"}, exclude_none=True)
    ended = [reply.ended for reply in call.replies]
    return {**plain, **call.usage.model_dump(), "samples": list(call.samples), "ended": ended, "file": file}
