"""Code as a model reads it back: numbered lines, findings at theirs, and only what matters where room is short."""

import re
from collections.abc import Iterable, Mapping

from akgen.knowledge.cards import cards
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic

_CALL = re.compile(r"\b([A-Z]\w+)\s*(?:<[^;{}()]*>)?\s*\(")
_AROUND = 3  # lines shown at least on either side of a finding's


class Excerpt(Frozen):
    """Some lines of one file, as text; `whole` if all of them are there."""

    path: str
    text: str
    whole: bool


def excerpts(
    files: Mapping[str, str], found: Iterable[Diagnostic], characters: int | None = None
) -> tuple[Excerpt, ...]:
    """Return the files with numbered lines and their findings, cut down to about so many characters in all.

    Where everything fits, everything is shown, kernels first. Else the lines of findings with what stands around them.
    Findings that name no line are about what is computed: then the lines with instructions come first, those that copy
    next, and those that manage memory last. Neighbours follow until the room is used.
    """
    notes: dict[tuple[str, int], list[str]] = {}
    for finding in found:
        if finding.file is not None and finding.file in files and finding.line:
            notes.setdefault((finding.file, finding.line), []).append(finding.code)
    lines = {path: files[path].splitlines() for path in sorted(files, key=lambda p: (not _device(p), p))}
    shown = _chosen(lines, notes, characters)
    return tuple(
        Excerpt(
            path=path, text=_numbered(lines[path], path, rows, notes), whole=len(rows) == len(lines[path])
        )
        for path, rows in shown.items()
        if rows
    )


def _chosen(
    lines: Mapping[str, list[str]], notes: Mapping[tuple[str, int], list[str]], characters: int | None
) -> dict[str, set[int]]:
    """Return for each file the numbers of the lines to show, counted from 1."""
    every = {path: set(range(1, len(of) + 1)) for path, of in lines.items()}
    size = sum(len(line) + 6 for of in lines.values() for line in of)
    if characters is None or size <= characters:
        return every
    kernels = [path for path in lines if _device(path)]
    calling = [
        (path, n) for path in kernels for n, line in enumerate(lines[path], start=1) if _rank(line) < _NO_CALL
    ]
    computing = [(path, n) for path, n in calling if _rank(lines[path][n - 1]) == 0]
    seeds = list(notes) or calling
    shown: dict[str, set[int]] = {path: set() for path in lines}
    left = characters

    def take(path: str, n: int) -> None:
        nonlocal left
        if n in every[path] and n not in shown[path] and left > 0:
            shown[path].add(n)
            left -= len(lines[path][n - 1]) + 6

    for path, n in notes:
        for near in sorted(range(n - _AROUND, n + _AROUND + 1), key=lambda at: abs(at - n)):
            take(path, near)
    if not notes:
        for path, n in (*computing, *((path, n + d) for path, n in computing for d in (-1, 1)), *calling):
            take(path, n)
    for distance in range(1, max(map(len, lines.values()), default=0)):
        if left <= 0:
            break
        for path, n in seeds:
            take(path, n - distance)
            take(path, n + distance)
    for path in lines:
        for n in sorted(every[path]):
            take(path, n)
    return shown


def _numbered(of: list[str], path: str, rows: set[int], notes: Mapping[tuple[str, int], list[str]]) -> str:
    """Write the lines with their numbers; a gap is said, and a finding's code stands behind its line."""
    text: list[str] = []
    last = 0
    for n in sorted(
        rows | {n + 1 for n in rows if n + 2 in rows}
    ):  # saying that one line is missing takes as much
        if n != last + 1:
            text.append(f"      (lines {last + 1} to {n - 1} are not shown)")
        codes = notes.get((path, n))
        text.append(
            f"{n:4d}| {of[n - 1]}" + (f"    // <== {', '.join(dict.fromkeys(codes))}" if codes else "")
        )
        last = n
    if last < len(of):
        text.append(f"      (lines {last + 1} to {len(of)} are not shown)")
    return "\n".join(text)


_COPIES, _NO_CALL = 1, 3
_MANAGING = (
    "pipe and queue",
    "tensor",
    "parameters",
    "system",
    "kernel macros",
    "host and tiling",
    "synchronisation",
)


def _rank(line: str) -> int:
    """Return 0 for a line with an instruction that computes, 1 if it copies, 2 for other interfaces, 3 for none."""
    families = [cards()[name].family for name in _CALL.findall(line) if name in cards()]
    return min((2 if f in _MANAGING else _COPIES if f == "copy" else 0 for f in families), default=_NO_CALL)


def _device(path: str) -> bool:
    return path.startswith("op_kernel/")
