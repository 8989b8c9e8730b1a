"""Programs of the snippets on cards: every use of a frame in one project, every mistake in a place of its own.

Where a snippet stands, the text of frames/ around it declares what it names.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.call import Call
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.toolchain import TwinToolchain

FRAMES = Path(__file__).with_name("frames")
_FILE = re.compile(r"^// ={4,} (\S+)$", re.M)
_NAMES = re.compile(r"\s*// \[([\w ]+)\]$")
_PART = re.compile(r"^ *// \[(function|calls)\]\n(.*?)^ *// \[end\]\n", re.M | re.S)


class Snippet(NamedTuple):
    """What a card shows of its interface, a use or a mistake."""

    card: str
    code: str

    @property
    def function(self) -> str:
        return "Card" + re.sub(r"\W", "", self.card)


def program(frame: str, snippets: Sequence[Snippet]) -> KernelProject:
    """Return a project that runs snippets in a frame: in a row, or the one whose number is the attribute `only`."""
    files = _files("shared") | _files(frame)
    files = {path: _filled(text, snippets) for path, text in files.items()}
    return KernelProject(op_type="CardUses", kernel="card_uses", files=files)


def _files(frame: str) -> dict[str, str]:
    parts = _FILE.split((FRAMES / f"{frame}.txt").read_text())
    return {path: text.lstrip("\n") for path, text in zip(parts[1::2], parts[2::2], strict=True)}


def _filled(text: str, snippets: Sequence[Snippet]) -> str:
    def each(part: re.Match[str]) -> str:
        return "".join(_one(part[2], snippet, number) for number, snippet in enumerate(snippets))

    return _PART.sub(each, text)


def _one(part: str, snippet: Snippet, number: int) -> str:
    words = set(re.findall(r"\w+", snippet.code))
    lines = []
    for line in part.splitlines():
        named = _NAMES.search(line)
        if named is None or words & set(named[1].split()):
            lines.append(_NAMES.sub("", line))
    whole = "\n".join(lines) + "\n"
    whole = re.sub(r"\bCARD\b", snippet.function, whole)
    whole = re.sub(r"\bNUMBER\b", str(number), whole)
    return whole.replace("SNIPPET", snippet.code)


def snippet_of(
    project: KernelProject, file: str | None, line: int | None, snippets: Sequence[Snippet]
) -> str | None:
    """Return the card whose function holds a line."""
    lines = project.files.get(file or "", "").splitlines()[: line or 0]
    by_function = {s.function: s.card for s in snippets}
    for text in reversed(lines):
        begun = re.search(r"\b(Card\w+)\b", text)
        if begun is not None and begun[1] in by_function:
            return by_function[begun[1]]
    return None


TOGETHER = 4  # mistakes in one compile, which tells of five at most


def compile_findings(
    twin: TwinToolchain, frame: str, snippets: Sequence[Snippet], call: Call, folder: Path
) -> dict[str, set[str]]:
    """Return the codes that a compile gives each snippet; one whose error hides behind another's is compiled alone."""
    found: dict[str, set[str]] = {}
    rows = -(-len(snippets) // TOGETHER)
    batches = [snippets[k::rows] for k in range(rows)]
    while batches:
        batch = batches.pop()
        project = program(frame, batch)
        built = twin.compile(project, [call], folder / batch[0].function / str(len(batch)))
        for said in built.diagnostics:
            card = snippet_of(project, said.file, said.line, batch) or (
                batch[0].card if len(batch) == 1 else ""
            )
            found.setdefault(card, set()).add(said.code)
        if len(batch) > 1:
            batches += [[s] for s in batch if s.card not in found]
    return found
