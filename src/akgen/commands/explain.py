"""`akgen explain`: what a finding's code means, why it happens, what to do, and the kernels that show it."""

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from akgen.knowledge.errors import catalogue
from akgen.terminal import AsJson, Terminal
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

CORPUS = Path(__file__).resolve().parents[3] / "tests" / "twin" / "corpus" / "kernels"
STAGES = {
    "plan": "Planning: before any code is written",
    "write": "Writing: replies and programs of the DSL",
    "compile": "Compiling: host code, kernel and their registration",
    "tiling": "Tiling: the host code runs",
    "test": "Running: the kernel on the twin or the NPU, and the judge",
    "profile": "Profiling",
}
_CODE = re.compile(r"^// (?:code|warning): (\w+)$", re.MULTILINE)
_MARKED = re.compile(r"^(.*?)\s*// \[(faulty|correct)(?: here)?\]$", re.MULTILINE)
_NOTHING = ("(nothing stands here)",)
_HEAD = """# Findings

Every finding has a stable code, the file and line where one is known, the numbers, and a remedy.
`akgen explain --markdown` writes this page, and `akgen explain CODE` prints one entry of it.
The pairs are kernels of `tests/twin/corpus/kernels/`: the two of a pair differ in the lines that are shown.
"""


class Pair(Frozen):
    """Two kernels in one file: one with a fault, one without. `wrong` and `right` are the lines that differ."""

    name: str
    file: Path
    about: str
    wrong: tuple[str, ...]
    right: tuple[str, ...]


class Explanation(Frozen):
    """What is known of one code. `pairs` is empty where there is no checkout."""

    code: str
    stage: str
    sentence: str
    cause: str
    remedy: str
    pairs: tuple[Pair, ...] = ()


def explain(
    code: Annotated[
        str | None, typer.Argument(help="Such as UB_OVERFLOW; all codes by stage if none.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a page of all codes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Explain an error code: what it means, its cause, its remedy, and a pair of kernels that shows it."""
    terminal = Terminal(as_json)
    found = explanations()
    if code is None:
        if not as_json:
            typer.echo(page(found.values()) if markdown else _listing(found.values()))
        terminal.result({"codes": [each.model_dump(mode="json") for each in found.values()]})
        return
    if (one := found.get(code.upper())) is None:
        near = get_close_matches(code.upper(), found, n=4, cutoff=0.5)
        remedy = f"The nearest are {', '.join(near)}." if near else "`akgen explain` lists all codes."
        raise InputError(f"There is no code {code!r}.", remedy)
    if not as_json:
        typer.echo(_section(one) if markdown else _text(one))
    terminal.result(one)


def explanations() -> dict[str, Explanation]:
    """Return every code of the catalogue, in the order of the stages, then by name."""
    pairs: dict[str, list[Pair]] = {}
    for path in sorted(CORPUS.rglob("*.cpp")):
        text = path.read_text()
        if match := _CODE.search(text):
            pairs.setdefault(match[1], []).append(_pair(path, text))
    order = list(STAGES)
    entries = sorted(catalogue().items(), key=lambda item: (order.index(item[1].stage), item[0]))
    return {
        code: Explanation(
            code=code,
            stage=entry.stage,
            sentence=entry.sentence,
            cause=entry.cause,
            remedy=entry.remedy,
            pairs=tuple(pairs.get(code, ())),
        )
        for code, entry in entries
    }


def page(found: Iterable[Explanation]) -> str:
    """Return one Markdown page of all codes."""
    parts = [_HEAD]
    for stage, group in groupby(found, key=lambda one: one.stage):
        parts += [f"## {STAGES[stage]}\n", *map(_section, group)]
    return "\n".join(parts)


def _pair(path: Path, text: str) -> Pair:
    marked: dict[str, list[str]] = {"faulty": [], "correct": []}
    for line, kind in _MARKED.findall(text):
        marked[kind].append(line.strip())
    return Pair(
        name=path.relative_to(CORPUS).with_suffix("").as_posix(),
        file=path,
        about=text.partition("\n")[0].removeprefix("//").strip(),
        wrong=tuple(marked["faulty"]),
        right=tuple(marked["correct"]),
    )


def _listing(found: Iterable[Explanation]) -> str:
    parts = []
    for stage, group in groupby(found, key=lambda one: one.stage):
        parts += ["", STAGES[stage], *(f"  {one.code:<28} {one.sentence}" for one in group)]
    return "\n".join([*parts[1:], "", "`akgen explain CODE` says more about one of them."])


def _text(one: Explanation) -> str:
    parts = [one.code, f"  {one.sentence}", f"  Cause:   {one.cause}", f"  Remedy:  {one.remedy}"]
    parts.append(f"  Stage:   {STAGES[one.stage]}")
    for pair in one.pairs:
        parts += ["", f"  {pair.about}  ({os.path.relpath(pair.file)})"]
        parts += [f"    wrong  {line}" for line in pair.wrong or _NOTHING]
        parts += [f"    right  {line}" for line in pair.right or _NOTHING]
    return "\n".join(parts)


def _section(one: Explanation) -> str:
    pairs = f"- Pairs: {', '.join(f'`{pair.name}`' for pair in one.pairs)}\n" if one.pairs else ""
    return f"### {one.code}\n\n{one.sentence}\n\n- Cause: {one.cause}\n- Remedy: {one.remedy}\n{pairs}"
