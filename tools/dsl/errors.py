"""Findings about DSL programs, with stable codes and the error catalogue's remedies."""

from akgen.knowledge.errors import catalogue
from akgen.tools.core.outcome import Diagnostic


class DslError(Exception):
    """The text is not a program, or it broke a rule while interpreted; carries what was found."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(f"line {d.line}: {d.text}" for d in diagnostics))
        self.diagnostics = diagnostics


def finding(code: str, line: int, text: str) -> Diagnostic:
    """Return a diagnostic with the code's remedy."""
    return Diagnostic(code=code, text=text, line=line, remedy=catalogue()[code].remedy, stage="write")
