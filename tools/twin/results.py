"""The outcome of a compile, kept beside what it made: a failure is as worth keeping as a success."""

from pathlib import Path

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import Diagnostic

_NAME = "result.json"


class CachedResult(Frozen):
    ok: bool
    diagnostics: tuple[Diagnostic, ...] = ()


def write_result(folder: Path, result: CachedResult) -> None:
    (folder / _NAME).write_text(result.model_dump_json())


def read_result(folder: Path) -> CachedResult:
    return CachedResult.model_validate_json((folder / _NAME).read_bytes())
