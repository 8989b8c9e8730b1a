"""What a compile found, kept beside what it made; builds that met a limit of time or memory are not kept."""

from collections.abc import Callable
from pathlib import Path

from akgen.tools.cache.content import MANIFEST, ContentCache
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic

_RESULT = "result.json"
_OF_THE_HOUR = frozenset(
    {"COMPILE_RESOURCES", "HOST_TIMEOUT"}
)  # limits that a busy machine meets, and an idle one not


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
