"""What is known of the code that was compiled: its text, and what the compiler was given besides."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from akgen.tools.core.frozen import Frozen
from akgen.tools.twin.findings.compiler_text import CompilerError


class Found(NamedTuple):
    """A finding before it has a place: code, sentence and remedy."""

    code: str
    text: str
    remedy: str | None = None
    line: int | None = None  # where it is better than the compiler's


class Code(Frozen):
    """One compiled unit."""

    side: str  # "host" or "device"
    files: Mapping[str, str] = {}  # what was compiled: path to text
    given: str = ""  # macros and tiling structs that came from outside
    project: Mapping[str, str] = {}  # every file of the project
    whole_machine: bool = (
        False  # a program of the user's own: each file that the compiler names counts as his
    )

    def owns(self, file: str) -> bool:
        return self.whole_machine or file in self.files

    def line(self, error: CompilerError) -> str:
        """Return the source line of an error; empty where there is none."""
        lines = self.files.get(error.file or "", "").splitlines()
        return lines[error.line - 1] if error.line and error.line <= len(lines) else ""

    def rest(self, error: CompilerError) -> str:
        """Return the source line from the error's column on."""
        return self.line(error)[(error.column or 1) - 1 :]

    def declares(self, name: str) -> bool:
        """Say whether some line looks like the declaration of a name."""
        text = "\n".join(self.files.values())
        return re.search(rf"[\w>&*,]\s*\b{re.escape(name)}\b\s*(?:[;,={{]|\[|\(.*\)\s*\{{)", text) is not None

    def words(self) -> set[str]:
        """Return every identifier of the unit that more than its error may stand for."""
        text = "\n".join([self.given, *self.files.values()])
        return {w for w in re.findall(r"[A-Za-z_]\w{2,}", text) if not w.startswith("AKGEN")}

    def fields(self, struct: str) -> tuple[str, ...]:
        """Return the fields of a tiling struct: of what the kernel was given, or of the host's definition."""
        body = re.search(rf"struct (?:alignas\(8\) )?{re.escape(struct)}\s*\{{([^}}]*)\}}", self.given)
        if body is not None:
            return tuple(re.findall(r"(\w+)(?:\[[^\]]*\])*(?:\s*=[^;]*)?\s*;", body[1]))
        texts = "\n".join(self.files.values())
        begun = re.search(
            rf"BEGIN_TILING_DATA_DEF\s*\(\s*{re.escape(struct)}\s*\)(.*?)END_TILING", texts, re.S
        )
        return tuple(re.findall(r"FIELD_DEF\w*\s*\(.*?(\w+)\s*\)", begun[1])) if begun else ()

    def tiling_struct(self) -> str | None:
        """Return the struct that the project's host code defines, if it defines one."""
        names = re.findall(r"BEGIN_TILING_DATA_DEF\s*\(\s*(\w+)", "\n".join(self.project.values()))
        return names[-1] if names else None
