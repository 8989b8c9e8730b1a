"""Whether the uses of cards run without a finding, and which finding each of their mistakes gets, on the twin."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from akgen.knowledge.cards import ApiCard
from akgen.knowledge.errors import catalogue
from akgen.tools.cards.programs import Snippet, compile_findings, program, snippet_of
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.twin.toolchain import TwinToolchain

ELEMENTS = 4096  # of the frames' input


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
        ran = twin.run(built, call(-1), folder / "run", timeout_s=20.0, trace=False)
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
    ran = twin.run(built, call(-1), folder / "run", timeout_s=60.0, trace=False)
    if ran.outcome is None and not ran.diagnostics:
        return {}
    found: dict[str, set[str]] = {}
    for number, use in enumerate(uses):
        ran = twin.run(built, call(number), folder / f"run{number}", timeout_s=20.0, trace=False)
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
        ran = twin.run(built, call(number), folder / f"run{number}", timeout_s=20.0, trace=False)
        found.setdefault(mistake.card, set()).update(d.code for d in ran.diagnostics)
    return found
