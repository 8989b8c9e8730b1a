"""The outcome of a compile, kept beside what it made: a failure is as worth keeping as a success.

A failure is kept as explained; when the code that explains has changed since, it is compiled and explained anew.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import Diagnostic
from akgen.tools.twin.store import Store, digest

_NAME = "result.json"
_EXPLAINERS = (
    "call_findings.py",
    "clang_form.py",
    "clang_words.py",
    "code.py",
    "compiler_text.py",
    "diagnostics.py",
    "gcc_form.py",
    "half_arithmetic.py",
    "header_names.py",
    "host_names.py",
    "host_build.py",
    "host_run.py",
    "kernel_build.py",
    "library_check.py",
    "name_findings.py",
    "scalar_casts.py",
    "suggest.py",
    "type_findings.py",
)


class CachedResult(Frozen):
    ok: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    explained_by: str = ""


def write_result(folder: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Write what a compile found; nothing found means that it succeeded."""
    result = CachedResult(ok=not diagnostics, diagnostics=diagnostics, explained_by=_explainers())
    (folder / _NAME).write_text(result.model_dump_json())


def fetch(store: Store, key: str, build: Callable[[Path], None]) -> tuple[Path, CachedResult, bool]:
    """Return the entry, its result, and whether it was built just now."""
    built = not store.entry(key).is_dir()
    entry = store.get(key, build)
    result = CachedResult.model_validate_json((entry / _NAME).read_bytes())
    if not built and not result.ok and result.explained_by != _explainers():
        store.drop(key)
        return fetch(store, key, build)
    return entry, result, built


@cache
def _explainers() -> str:
    here = Path(__file__).parent
    cards = files("akgen.knowledge").joinpath("data", "api_cards.jsonl").read_text()
    return digest(cards, *((here / name).read_text() for name in _EXPLAINERS))
