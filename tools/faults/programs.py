"""Put one fault of a table into a correct program of the tile DSL: what its checks refuse, or what computes otherwise.

`program.toml` holds slips that are refused, `meaning.toml` mistakes of meaning. Whether a mutant fails, and how, only
the checks and the judge say; some compute the same.
"""

import random
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen

Table = Literal["program", "meaning"]


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
            yield _mutant(text, changed, fault, match)


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


def _mutant(text: str, changed: str, fault: ProgramFault, match: re.Match[str]) -> ProgramMutant:
    old, new = text.splitlines(), changed.splitlines()
    at = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)) - 1
    )
    return ProgramMutant(
        fault=fault.name, kind=fault.kind, text=changed, line=at + 1, before=old[at].strip(),
        after=new[at].strip(), why=match.expand(fault.why),
    )  # fmt: skip
