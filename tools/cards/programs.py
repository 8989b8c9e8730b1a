"""Programs of the snippets on cards: every use of a frame in one project, every mistake in a place of its own.

Where a snippet stands, the text of frames/ around it declares what it names. The twin says whether the uses run without
a finding, and which finding each mistake gets.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from akgen.knowledge.cards import ApiCard
from akgen.knowledge.errors import catalogue
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import RunOptions
from akgen.tools.twin.toolchain import TwinToolchain

FRAMES = Path(__file__).with_name("frames")
_FILE = re.compile(r"^// ={4,} (\S+)$", re.M)
_NAMES = re.compile(r"\s*// \[([\w ]+)\]$")
_PART = re.compile(r"^ *// \[(function|calls)\]\n(.*?)^ *// \[end\]\n", re.M | re.S)
ELEMENTS = 4096  # of the frames' input


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


def frame_call(folder: Path) -> Callable[[int], Call]:
    """Return what makes the frames' call, for all snippets (-1) or the one with a number; `folder` holds its input."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "x.bin"
    np.full(ELEMENTS, 0.5, np.float32).tofile(file)
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(ELEMENTS,))

    def made(only: int) -> Call:
        return Call(
            inputs=(TensorFile(dtype=DType.FLOAT32, shape=(ELEMENTS,), path=file),),
            attrs=(Attr(name="only", value=only),),
            outputs=(OutputMeta(meta=meta, zeroed=True),),
        )

    return made


def findings(
    twin: TwinToolchain, frame: str, snippet: Snippet, call: Callable[[int], Call], folder: Path
) -> tuple[str, ...]:
    """Return the codes that one snippet gets when it is built and, if that goes well, run; none for a sound one."""
    built = twin.compile(program(frame, [snippet]), [call(-1)], folder / "build")
    codes = [d.code for d in built.diagnostics]
    if built.outcome is None:
        ran = twin.run(built, call(-1), folder / "run", RunOptions(timeout_s=20.0))
        codes += [d.code for d in ran.diagnostics] or ([str(ran.outcome)] if ran.outcome else [])
    return tuple(dict.fromkeys(codes))


def _at(stage: str, shown: Sequence[ApiCard]) -> list[Snippet]:
    """Return the mistakes that are found at a stage: "compile", or "run" for all that come later."""
    return [
        Snippet(c.name, c.mistake.code)
        for c in shown
        if c.mistake and (catalogue()[c.mistake.finding].stage == "compile") == (stage == "compile")
    ]


def uses_found(
    twin: TwinToolchain, frame: str, uses: Sequence[Snippet], call: Callable[[int], Call], folder: Path
) -> dict[str, set[str]]:
    """Return the codes of the uses that do not pass: all are run in a row, and one after the other if that fails."""
    project = program(frame, uses)
    built = twin.compile(project, [call(-1)], folder / "build")
    if built.outcome is not None:
        return compile_findings(twin, frame, uses, call(-1), folder / "alone")
    ran = twin.run(built, call(-1), folder / "run", RunOptions(timeout_s=60.0))
    if ran.outcome is None and not ran.diagnostics:
        return {}
    found: dict[str, set[str]] = {}
    for number, use in enumerate(uses):
        ran = twin.run(built, call(number), folder / f"run{number}", RunOptions(timeout_s=20.0))
        if ran.outcome is not None or ran.diagnostics:
            found[use.card] = {d.code for d in ran.diagnostics} or {str(ran.outcome)}
    return found


def mistakes_found(
    twin: TwinToolchain, frame: str, shown: Sequence[ApiCard], call: Callable[[int], Call], folder: Path
) -> dict[str, set[str]]:
    found = compile_findings(twin, frame, _at("compile", shown), call(-1), folder / "compile")
    wrong = _at("run", shown)
    if not wrong:
        return found
    project = program(frame, wrong)
    built = twin.compile(project, [call(0)], folder / "build")
    for said in built.diagnostics:
        found.setdefault(snippet_of(project, said.file, said.line, wrong) or "", set()).add(said.code)
    for number, mistake in enumerate(wrong if built.outcome is None else ()):
        ran = twin.run(built, call(number), folder / f"run{number}", RunOptions(timeout_s=20.0))
        found.setdefault(mistake.card, set()).update(d.code for d in ran.diagnostics)
    return found
