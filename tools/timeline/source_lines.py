"""What each line of a kernel's sources cost: busy and stalled cycles beside the code, of one profile or of two."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.timeline.trace import LineCost

MOST_LINES = 3000  # of a file, on a page
CONTEXT = 3  # lines shown around one that costs something
MOST_CHANGES = 12  # lines named as those that changed most


class SourceLine(Frozen):
    """A line and what was done for it, summed over all cores. `stalled_cycles`: pipes waited at this line."""

    file: str
    line: int
    code: str
    busy_cycles: dict[str, float]  # by pipe
    stalled_cycles: dict[str, float]
    instructions: int

    @property
    def busy(self) -> float:
        return sum(self.busy_cycles.values())

    @property
    def stalled(self) -> float:
        return sum(self.stalled_cycles.values())


class ListingRow(Frozen):
    """A line of one of two sources, or of both: then they have the same text. None beside None: lines left out."""

    first: SourceLine | None
    second: SourceLine | None
    left_out: int = 0

    @property
    def kind(self) -> Literal["same", "gone", "new", "gap"]:
        if self.first is None:
            return "gap" if self.second is None else "new"
        return "gone" if self.second is None else "same"


class CostedSources(Frozen):
    """One launch's sources by path, what their lines cost, and how many cores shared that."""

    lines: tuple[SourceLine, ...]
    sources: dict[str, str]
    cores: int

    def cost(self, line: SourceLine | None) -> float:
        """Return busy and stalled cycles of one core."""
        return (line.busy + line.stalled) / max(1, self.cores) if line else 0.0


def costly_lines(costs: Sequence[LineCost], sources: Mapping[str, str]) -> tuple[SourceLine, ...]:
    """Return the lines that cost something, the costliest first; what stands at no line comes as line 0 of ``""``."""
    busy: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    stalled: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    instructions: dict[tuple[str, int], int] = defaultdict(int)
    for cost in costs:
        at = _place(cost.where)
        busy[at][cost.pipe] = busy[at].get(cost.pipe, 0.0) + cost.busy_cycles
        stalled[at][cost.pipe] = stalled[at].get(cost.pipe, 0.0) + cost.stalled_cycles
        instructions[at] += cost.instructions
    texts = {path: text.split("\n") for path, text in sources.items()}
    found = [
        SourceLine(
            file=file,
            line=line,
            code=_text(texts.get(file, ()), line),
            busy_cycles={pipe: cycles for pipe, cycles in busy[file, line].items() if cycles > 0},
            stalled_cycles={pipe: cycles for pipe, cycles in stalled[file, line].items() if cycles > 0},
            instructions=instructions[file, line],
        )
        for file, line in busy
    ]
    return tuple(sorted(found, key=lambda line: -(line.busy + line.stalled)))


def listing(lines: Sequence[SourceLine], source: str, file: str) -> tuple[SourceLine, ...]:
    """Return every line of a file, with its cost."""
    cost = {line.line: line for line in lines if line.file == file}
    texts = source.split("\n")[:MOST_LINES]
    return tuple(
        cost.get(number)
        or SourceLine(file=file, line=number, code=text, busy_cycles={}, stalled_cycles={}, instructions=0)
        for number, text in enumerate(texts, 1)
    )


def side_by_side(first: Sequence[SourceLine], second: Sequence[SourceLine]) -> tuple[ListingRow, ...]:
    """Lay two listings beside each other, equal lines in one row."""
    rows: list[ListingRow] = []
    matcher = SequenceMatcher(None, [a.code for a in first], [b.code for b in second])
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            rows += [
                ListingRow(first=a, second=b) for a, b in zip(first[i:i_end], second[j:j_end], strict=True)
            ]
        else:
            rows += [ListingRow(first=a, second=None) for a in first[i:i_end]]
            rows += [ListingRow(first=None, second=b) for b in second[j:j_end]]
    return tuple(rows)


def listings(sides: Sequence[CostedSources]) -> list[tuple[str, tuple[ListingRow, ...]]]:
    """Return the rows of each file that costs anything in one of one or two launches, under its title."""
    names = [dict.fromkeys(line.file for line in one.lines if line.file in one.sources) for one in sides]
    if len(sides) == 2 and len(names[0]) == len(names[1]) == 1:  # one file each, whatever they are called
        groups = [(next(iter(names[0])), next(iter(names[1])))]
    else:
        groups = [(name, name) for name in dict.fromkeys(name for one in names for name in one)]
    out = []
    for group in groups:
        whole = [
            listing(one.lines, one.sources.get(name, ""), name)
            for one, name in zip(sides, group, strict=False)
        ]
        alone = tuple(ListingRow(first=line, second=None) for line in whole[0])
        title = group[0] if len(sides) == 1 or group[0] == group[1] else " → ".join(group)
        out.append((title, side_by_side(*whole) if len(whole) == 2 else alone))
    return out


def changes(
    sides: Sequence[CostedSources], rows: Sequence[tuple[str, Sequence[ListingRow]]]
) -> list[tuple[ListingRow, float]]:
    """Return the rows whose cost, in cycles of a core, changed most between two launches, and by how much."""
    if len(sides) < 2:
        return []
    first, second = sides
    found = [(row, second.cost(row.second) - first.cost(row.first)) for _, whole in rows for row in whole]
    least = 0.01 * max((one.cost(line) for one in sides for line in one.lines), default=0.0)
    return sorted((c for c in found if abs(c[1]) > least), key=lambda c: -abs(c[1]))[:MOST_CHANGES]


def with_gaps(rows: Sequence[ListingRow], *, compared: bool) -> tuple[ListingRow, ...]:
    """Leave out long runs of lines that cost nothing and did not change, and say how many they were."""
    near = [False] * len(rows)
    for i, row in enumerate(rows):
        if any(side and (side.busy or side.stalled) for side in (row.first, row.second)) or (
            compared and row.kind != "same"
        ):
            for k in range(max(0, i - CONTEXT), min(len(rows), i + CONTEXT + 1)):
                near[k] = True
    return tuple(_folded(rows, near))


def _folded(rows: Sequence[ListingRow], near: Sequence[bool]) -> Iterator[ListingRow]:
    away: list[ListingRow] = []
    for row, keep in (*zip(rows, near, strict=True), (None, True)):
        if row is not None and not keep:
            away.append(row)
            continue
        if len(away) > CONTEXT:
            yield ListingRow(first=None, second=None, left_out=len(away))
        else:
            yield from away
        away = []
        if row is not None:
            yield row


def _place(where: str | None) -> tuple[str, int]:
    file, _, line = (where or "").rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else ("", 0)


def _text(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""
