"""Of faults injected into verified projects, the first finding names the change that undoes the fault.

The words that tell it stand in the tables of tools/faults. `make remedies` draws 200 mutants of each side.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.faults.programs import Mutant, Side, draw, faults, mutants
from akgen.tools.twin.toolchain import TwinToolchain
from tests.twin.remedies.sources import host_sources, kernel_sources, with_other_type_first

LEAST = 0.95
SEED = 1
DRAWN = int(os.environ.get("AKGEN_REMEDIES", "20"))  # mutants of each side
SOURCES = {"host": host_sources, "kernel": kernel_sources}
SIDES: tuple[Side, ...] = ("host", "kernel")


@pytest.mark.parametrize("side", SIDES)
def test_the_first_finding_names_the_right_change(side: Side, twin: TwinToolchain) -> None:
    drawn = draw(SOURCES[side](), side, DRAWN, SEED)
    assert len(drawn) == DRAWN
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda m: _first(twin, m), drawn))
    unnamed = [(m, f) for m, f in zip(drawn, found, strict=True) if not m.named_by(" ".join(_words(f)))]
    told = "\n\n".join(_shown(m, f) for m, f in unnamed)
    print(f"{side}: the right change is named for {len(drawn) - len(unnamed)} of {len(drawn)}\n{told}")
    assert len(drawn) - len(unnamed) >= LEAST * len(drawn), told


@pytest.mark.parametrize("side", SIDES)
def test_every_fault_fits_somewhere(side: Side) -> None:
    projects = SOURCES[side]()
    assert [f.name for f in faults(side) if not any(True for p in projects for _ in mutants(p, f))] == []


def _first(twin: TwinToolchain, mutant: Mutant) -> tuple[Diagnostic, ...]:
    """Return the first finding, of the first types or, where those leave the fault out, of the last."""
    return (twin.lint(mutant.project) or twin.lint(with_other_type_first(mutant.project)))[:1]


def _words(found: tuple[Diagnostic, ...]) -> Iterator[str]:
    for diagnostic in found:
        yield from filter(None, (diagnostic.text, diagnostic.remedy))


def _shown(mutant: Mutant, found: tuple[Diagnostic, ...]) -> str:
    head = f"{mutant.fault} ({mutant.file}:{mutant.line})\n- {mutant.before}\n+ {mutant.after}"
    return "\n".join((head, *_words(found), f"wanted: {mutant.told}"))
