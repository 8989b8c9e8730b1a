"""What a compile found, kept beside what it made, under a digest of all of ours that can change what a build makes.

Builds that met a limit of time or memory are not kept.

For the digest whole folders are read, not lists of names: a new module, header or table is in without anybody thinking
of it. A test walks the imports of what builds and finds each module in these folders. The compiler is named by the keys
themselves.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from akgen.tools.cache.content import MANIFEST, ContentCache, digest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic

_RESULT = "result.json"
_OF_THE_HOUR = frozenset(
    {"COMPILE_RESOURCES", "HOST_TIMEOUT"}
)  # limits that a busy machine meets, and an idle one not
PACKAGE = Path(__file__).resolve().parents[2]  # holds the rooms
# Below the package: the twin's code and what it imports, headers, runtime sources, cards, error catalogue, chip tables.
DECIDING = (
    "tools",
    "tools/core",
    "tools/cache",
    "tools/process",
    "tools/twin",
    "tools/binding",
    "tools/direct",
    "knowledge",
    "knowledge/data",
)
_WHOLE = (
    "tools/process",
    "tools/twin",
    "tools/binding",
    "tools/direct",
    "knowledge/data",
)  # with the folders below
_SETTLED_S = 2.0  # a file changed later than this may change again within one tick of the file system's clock


class CachedResult(Frozen):
    ok: bool
    diagnostics: tuple[Diagnostic, ...] = ()


def write_result(folder: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Write what a compile found; nothing found means that it succeeded."""
    result = CachedResult(ok=not diagnostics, diagnostics=diagnostics)
    (folder / _RESULT).write_text(result.model_dump_json())


def fetch(cache: ContentCache, key: str, build: Callable[[Path], None]) -> tuple[Path, CachedResult, bool]:
    """Return the entry, its result, and whether it was built just now.

    A build that ended at a limit of time or memory is not kept: who asks next builds again.
    """
    built = False

    def noted(folder: Path) -> None:
        nonlocal built
        build(folder)
        built = True

    entry = cache.get(key, noted)
    result = CachedResult.model_validate_json((entry / _RESULT).read_bytes())
    if any(d.code in _OF_THE_HOUR for d in result.diagnostics):
        (entry / MANIFEST).unlink(missing_ok=True)
    return entry, result, built


def build_digest(stamps: Path, package: Path = PACKAGE) -> str:
    """Return the digest of these sources. `stamps` is a folder that remembers it for files that nobody touched."""
    return _remembered(stamps, package)


@cache
def _remembered(stamps: Path, package: Path) -> str:
    files = dict(sorted(deciding_files(package)))
    state = digest(*(part for name, s in files.items() for part in (name, *_state(s))))
    stamp = stamps / f"{digest(str(package))}.json"
    with contextlib.suppress(OSError, ValueError, KeyError):
        known = json.loads(stamp.read_text())
        if known["state"] == state:
            return str(known["digest"])
    found = digest(*(part for name in files for part in (name, (package / name).read_bytes())))
    if time.time() - max(s.st_ctime for s in files.values()) > _SETTLED_S:
        _remember(stamp, state, found)
    return found


def deciding_files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every file that counts, by its name below the package, with its facts."""
    for folder in DECIDING:
        yield from _files(package / folder, folder, below=folder in _WHOLE)


def _files(folder: Path, name: str, *, below: bool) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield f"{name}/{entry.name}", entry.stat()
            elif below and entry.name != "__pycache__":
                yield from _files(Path(entry.path), f"{name}/{entry.name}", below=True)


def _state(facts: os.stat_result) -> tuple[str, ...]:
    # The change time cannot be set back as the modification time can.
    return (str(facts.st_size), str(facts.st_mtime_ns), str(facts.st_ctime_ns), str(facts.st_ino))


def _remember(stamp: Path, state: str, found: str) -> None:
    with contextlib.suppress(OSError):  # in a cache that cannot be written it is computed each time
        stamp.parent.mkdir(parents=True, exist_ok=True)
        part = stamp.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"state": state, "digest": found}))
        part.replace(stamp)
