"""Trials that several samples of a task are judged on: made once on this machine, and kept by content.

The key holds all that decides over a trial: the reference's files, the loaders' code and what it builds on, PyTorch's
version, case, seed and distribution. Only repeatable runs keep any: hidden seeds never come again.
"""

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import akgen
from akgen.tools.cache.content import MANIFEST, ContentCache, digest
from akgen.tools.core.call import Call
from akgen.tools.core.settings import package_version
from akgen.tools.core.task import Case, Distribution, Reference

NAME = "reference"  # of the cache's folder
MOST_BYTES = 32 << 20  # of a call; what is larger is made anew each time
_ANSWER = "sample.json"
_CODE = ("tools/core", "tools/reference", "bench")  # below the package; other loaders' trials are not kept
_LOADERS = ("akgen.tools.reference.", "akgen.bench.")


def kept_trials(folder: Path) -> ContentCache:
    """Return the cache of trials below the user's cache folder."""
    return ContentCache(folder / NAME, small_bytes=0)


def keeps(reference: Reference, call: Call) -> bool:
    """Say whether trials of a reference may be kept: its key is known whole, and it is not too large."""
    return reference.loader.startswith(_LOADERS) and call.size_bytes <= MOST_BYTES


def fetch_trial(
    kept: ContentCache,
    reference: Reference,
    case: Case,
    seed: int,
    distribution: Distribution,
    make: Callable[[Path], dict[str, Any]],
) -> tuple[str, dict[str, Any]]:
    """Return the key, and the answer of the reference process with files in the cache; `make(folder)` asks for it."""
    key = digest(
        "trial",
        _code(),
        str(package_version("torch")),
        _content(reference.path),
        reference.model_dump_json(exclude={"path"}),
        case.model_dump_json(),
        str(seed),
        distribution,
    )

    def build(folder: Path) -> None:
        (folder / _ANSWER).write_text(json.dumps(_placed(make(folder), folder, None)))

    entry = kept.get(key, build)
    return key, _placed(json.loads((entry / _ANSWER).read_bytes()), None, entry)


Packed = dict[str, dict[str, bytes]]  # files of entries by key, for a machine that has another cache


def pack(kept: ContentCache, keys: Iterable[str]) -> Packed:
    """Return the files of these entries, as far as they are there."""
    found: Packed = {}
    for key in keys:
        entry = kept.entry(key)
        if kept.usable(key):
            files = (p for p in entry.rglob("*") if p.is_file() and not p.name.startswith(MANIFEST))
            found[key] = {str(p.relative_to(entry)): p.read_bytes() for p in files}
    return found


def unpack(kept: ContentCache, packed: Packed) -> None:
    """Put entries into a cache that lacks them."""
    for key, files in packed.items():

        def write(folder: Path, files: dict[str, bytes] = files) -> None:
            for name, data in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)

        if not kept.usable(key):
            kept.get(key, write)


def _placed(value: Any, before: Path | None, after: Path | None) -> Any:
    """Replace the folder of every file that an answer names; None: names are relative."""
    if isinstance(value, list):
        return [_placed(v, before, after) for v in value]
    if not isinstance(value, dict):
        return value
    found = {name: _placed(v, before, after) for name, v in value.items()}
    if isinstance(path := found.get("path"), str):
        relative = Path(path).relative_to(before) if before is not None else Path(path)
        found["path"] = str(after / relative if after is not None else relative)
    return found


@cache
def _code() -> str:
    package = Path(akgen.__file__).parent
    files = sorted(
        p for folder in _CODE for p in (package / folder).resolve().rglob("*.py") if "tasks" not in p.parts
    )
    return digest(*(part for p in files for part in (p.name, p.read_bytes())))


def _content(path: Path) -> str:
    """Return the digest of a reference's files: of a folder all, of a file those that share its name."""
    found = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.stem}.*")
    files = sorted(p for p in found if p.is_file() and "__pycache__" not in p.parts)
    return digest(*(part for p in files for part in (str(p.relative_to(path.parent)), p.read_bytes())))
