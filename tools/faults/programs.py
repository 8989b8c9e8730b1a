"""Put one fault of a table into a correct project or program: what a careless author, or a language model, might write.

Each row of `host.toml` and `kernel.toml` is one kind of slip: a pattern, what takes its place, and the words that tell
the right change. A message names the right change if it holds one of the alternatives of each of these words.

In the tile DSL: `program.toml` holds slips that are refused, `meaning.toml` mistakes of meaning. Whether a mutant
fails, and how, only the checks and the judge say; some compute the same.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import COMMENT, KernelProject

Side = Literal["host", "kernel"]
Kind = Literal["api", "type", "scope", "memory", "syntax", "host"]
# How often models make each kind of error in kernels; the rest is what cannot be parsed.
SHARES: dict[Side, dict[Kind, float]] = {
    "kernel": {"api": 0.52, "type": 0.20, "scope": 0.16, "memory": 0.08, "syntax": 0.04},
    "host": {"host": 1.0},
}
Table = Literal["program", "meaning"]


class Fault(Frozen):
    """One slip. `put` and `told` may name groups of `find`; alternatives in `told` stand between bars."""

    name: str
    side: Side
    kind: Kind
    find: str
    put: str
    told: tuple[str, ...]
    file: str = r"\.cpp$"


class Mutant(Frozen):
    """A project with one fault; `line` is the first that differs, from 1."""

    fault: str
    kind: Kind
    project: KernelProject
    file: str
    line: int
    before: str
    after: str
    told: tuple[tuple[str, ...], ...]

    def named_by(self, message: str) -> bool:
        """Say whether a message names the change that undoes the fault."""
        return all(any(word in message for word in words) for words in self.told)


@cache
def faults(side: Side) -> tuple[Fault, ...]:
    """Return a side's table."""
    table = tomllib.loads(Path(__file__).with_name(f"{side}.toml").read_text())
    return tuple(
        Fault.model_validate({"side": side, "kind": kind, **row})
        for kind, rows in table.items()
        for row in rows
    )


def mutants(project: KernelProject, fault: Fault) -> Iterator[Mutant]:
    """Yield the project with the fault at each place where it fits."""
    folder = "op_host/" if fault.side == "host" else "op_kernel/"
    for file, text in sorted(project.files.items()):
        if not file.startswith(folder) or not re.search(fault.file, file):
            continue
        comments = [m.span() for m in COMMENT.finditer(text)]
        for match in re.finditer(fault.find, text):
            if any(start <= match.start() < end for start, end in comments):
                continue
            changed = text[: match.start()] + match.expand(fault.put) + text[match.end() :]
            if changed != text:
                yield _mutant(project, fault, file, text, changed, match)


def draw(projects: Sequence[KernelProject], side: Side, count: int, seed: int) -> tuple[Mutant, ...]:
    """Draw different mutants: kinds as often as in SHARES, and of one kind each fault as often as the others."""
    source = random.Random(seed)
    drawn: list[Mutant] = []
    counts = {kind: round(count * share) for kind, share in SHARES[side].items()}
    first = next(iter(counts))
    counts[first] += count - sum(counts.values())
    for kind, wanted in counts.items():
        pools = [
            [m for p in projects for m in mutants(p, fault)] for fault in faults(side) if fault.kind == kind
        ]
        for pool in pools:
            source.shuffle(pool)
        source.shuffle(pools)
        taken: list[Mutant] = []
        while len(taken) < wanted and any(pools):
            taken += [pool.pop() for pool in pools if pool][: wanted - len(taken)]
        drawn += taken
    return tuple(drawn)


def _mutant(
    project: KernelProject, fault: Fault, file: str, text: str, changed: str, match: re.Match[str]
) -> Mutant:
    old, new = text.splitlines(), changed.splitlines()
    at = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)) - 1
    )
    return Mutant(
        fault=fault.name,
        kind=fault.kind,
        project=project.model_copy(update={"files": {**project.files, file: changed}}),
        file=file,
        line=at + 1,
        before=old[at].strip() if at < len(old) else "",
        after=new[at].strip() if at < len(new) else "",
        told=tuple(tuple(match.expand(word).split(" | ")) for word in fault.told),
    )


class ProgramFault(Frozen):
    """One slip. `put` and `why` may name groups of `find`."""

    name: str
    kind: str
    find: str
    put: str
    why: str


class ProgramMutant(Frozen):
    """A program with one fault; `line` is the first that differs, from 1. `why` says what is wrong in it."""

    fault: str
    kind: str
    text: str
    line: int
    before: str
    after: str
    why: str


@cache
def program_faults(table: Table) -> tuple[ProgramFault, ...]:
    rows = tomllib.loads(Path(__file__).with_name(f"{table}.toml").read_text())
    return tuple(
        ProgramFault.model_validate({"kind": kind, **row}) for kind, kinds in rows.items() for row in kinds
    )


def program_mutants(text: str, fault: ProgramFault) -> Iterator[ProgramMutant]:
    """Yield the program with the fault at each place where it fits; texts in quotes are left alone."""
    quoted = [m.span() for m in re.finditer(r'"""(?s:.*?)"""|"[^"\n]*"', text)]
    for match in re.finditer(fault.find, text, re.M):
        if any(start <= match.start() < end for start, end in quoted) and '"tile"' not in match[0]:
            continue
        changed = text[: match.start()] + match.expand(fault.put) + text[match.end() :]
        if changed != text:
            yield _program_mutant(text, changed, fault, match)


def drawn_mutants(text: str, table: Table, rng: random.Random) -> Iterator[ProgramMutant]:
    """Yield a program's mutants in a random order, a kind and a fault as often as the others."""
    pools: dict[str, list[list[ProgramMutant]]] = {}
    for fault in program_faults(table):
        if found := list(program_mutants(text, fault)):
            rng.shuffle(found)
            pools.setdefault(fault.kind, []).append(found)
    while pools:
        for kind in rng.sample(sorted(pools), len(pools)):
            pool = rng.choice(pools[kind])
            yield pool.pop()
            pools[kind] = [p for p in pools[kind] if p]
            if not pools[kind]:
                del pools[kind]


def _program_mutant(text: str, changed: str, fault: ProgramFault, match: re.Match[str]) -> ProgramMutant:
    old, new = text.splitlines(), changed.splitlines()
    at = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)) - 1
    )
    return ProgramMutant(
        fault=fault.name, kind=fault.kind, text=changed, line=at + 1, before=old[at].strip(),
        after=new[at].strip(), why=match.expand(fault.why),
    )  # fmt: skip
