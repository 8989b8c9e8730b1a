"""Run-once (memoised) effects: what was paid for is on disk before the graph moves on, and never paid twice."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import ValidationError

from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import MOST_RECORDING_BYTES, first_fault, read_model

Kind = Literal["plan", "write", "compile", "test", "profile", "criticise", "understand"]
T = TypeVar("T", bound=Frozen)


class StoredEffect(Frozen):
    """effects/<kind>-<key>.json: an effect's inputs by digest, its cost and its result."""

    kind: Kind
    key: str
    seconds: float
    value: dict[str, Any]


@dataclass(frozen=True)
class Paid(Generic[T]):
    """An effect's result. `seconds` is what it took when it was really done; `reused` if that was earlier."""

    value: T
    seconds: float
    reused: bool


class EffectCache:
    """The effects of one sample, keyed by everything that they depend on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def once(
        self,
        kind: Kind,
        inputs: dict[str, Any],
        model: type[T],
        act: Callable[[], T],
        usable: Callable[[T], bool] = lambda _: True,
    ) -> Paid[T]:
        """Return the stored result for these inputs, or act and store it.

        `usable` may refuse a stored result whose files are gone. An act that raises stores nothing.
        """
        key = digest(kind, inputs)
        path = self._folder / f"{kind}-{key[:24]}.json"
        if path.is_file():
            stored, value = _stored(path, model)
            if usable(value):
                return Paid(value, stored.seconds, reused=True)
        begin = time.monotonic()
        value = act()
        seconds = time.monotonic() - begin
        make_folder(self._folder)
        stored = StoredEffect(kind=kind, key=key, seconds=seconds, value=json.loads(value.model_dump_json()))
        write_whole(path, stored.model_dump_json())
        return Paid(value, seconds, reused=False)


def latest(folder: Path, kind: Kind, model: type[T]) -> T | None:
    """Return the newest stored result of a kind below an effects folder; None if there is none."""
    files = sorted(folder.glob(f"{kind}-*.json"), key=lambda path: path.stat().st_mtime_ns)
    if not files:
        return None
    return _stored(files[-1], model)[1]


def _stored(path: Path, model: type[T]) -> tuple[StoredEffect, T]:
    """Read an effect. Raises InputError if its file is damaged."""
    remedy = "Remove the file: the step is then done again."
    stored = read_model(StoredEffect, path, remedy, most_bytes=MOST_RECORDING_BYTES, finite=False)
    try:
        return stored, model.model_validate_json(json.dumps(stored.value))
    except ValidationError as problem:
        raise InputError(f"{path}: {first_fault(problem)}.", remedy) from problem


def digest(kind: str, inputs: dict[str, Any]) -> str:
    """Return the SHA-256 of an effect's inputs; frozen values count by their JSON."""
    plain = {
        name: value.model_dump_json() if isinstance(value, Frozen) else value
        for name, value in inputs.items()
    }
    return hashlib.sha256(json.dumps([kind, plain], sort_keys=True).encode()).hexdigest()
