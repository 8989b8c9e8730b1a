"""Run-once (memoised) effects: what was paid for is on disk before the graph moves on, and never paid twice."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen

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
            stored = StoredEffect.model_validate_json(path.read_text())
            value = model.model_validate_json(json.dumps(stored.value))
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
    return model.model_validate_json(
        json.dumps(StoredEffect.model_validate_json(files[-1].read_text()).value)
    )


def digest(kind: str, inputs: dict[str, Any]) -> str:
    """Return the SHA-256 of an effect's inputs; frozen values count by their JSON."""
    plain = {
        name: value.model_dump_json() if isinstance(value, Frozen) else value
        for name, value in inputs.items()
    }
    return hashlib.sha256(json.dumps([kind, plain], sort_keys=True).encode()).hexdigest()
