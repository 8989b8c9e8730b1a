"""The outcome of a compile, kept beside what it made: a failure is as worth keeping as a success."""

from collections.abc import Callable
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.build_cache import BuildCache

_NAME = "result.json"


class CachedResult(Frozen):
    ok: bool
    diagnostics: tuple[Diagnostic, ...] = ()


def write_result(folder: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Write what a compile found; nothing found means that it succeeded."""
    result = CachedResult(ok=not diagnostics, diagnostics=diagnostics)
    (folder / _NAME).write_text(result.model_dump_json())


def fetch(cache: BuildCache, key: str, build: Callable[[Path], None]) -> tuple[Path, CachedResult, bool]:
    """Return the entry, its result, and whether it was built just now."""
    built = False

    def noted(folder: Path) -> None:
        nonlocal built
        build(folder)
        built = True

    entry = cache.get(key, noted)
    return entry, CachedResult.model_validate_json((entry / _NAME).read_bytes()), built
