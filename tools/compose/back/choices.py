"""In which ways the nests of a kernel can run: a schedule for each of them, and which combinations are tried."""

import math
from collections.abc import Iterator
from itertools import product

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.schedules import kinds, write
from akgen.tools.compose.back.schedules.base import Kind, Part
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.attention import fused
from akgen.tools.compose.middle.epilogue import with_epilogues
from akgen.tools.compose.middle.groups import letters
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, by_reduction, by_store
from akgen.tools.compose.scope import Unsupported

EVENTS = 8  # hardware events for tiles that are loaded; each takes one
MOST_COMBINED = 4  # kernels of combined schedules
Choice = tuple[tuple[SymbolicNest, ...], tuple[Kind, ...]]


def choices(templates: tuple[SymbolicNest, ...], tensors: Tensors) -> list[Choice]:
    """Return ways to run nests, best first: each under its best schedule, some under their second best and so on.

    A nest whose schedule takes every shape keeps it; every combination of the others' is a way, where these are few.
    """
    together = fused(templates)
    if len(together) < len(templates) and all(
        _writable(((t,), ("attention",)), tensors) for t in together if t.before
    ):
        return choices(together, tensors)
    known = {id(t) for t in templates}
    for joined in with_epilogues(templates):
        if all(_writable(((t,), kinds(t)), tensors) for t in joined if id(t) not in known):
            return choices(joined, tensors)
    each = [_ways(t, tensors) for t in templates]
    if len(each) == 1:
        return list(_in_step(each))
    # splitting long rows over cores does not go with other parts
    each = [[w for w in ways if w[1] not in (("shared",), ("split",))] or ways for ways in each]
    possible = [_possible(ways, tensors) for ways in each]
    found = [*_combined([ways for ways, _ in possible]), *_in_step([ways for _, ways in possible])]
    return list(
        {(tuple(map(id, templates)), kinds_): (templates, kinds_) for templates, kinds_ in found}.values()
    )


def _combined(each: list[list[Choice]]) -> Iterator[Choice]:
    """Yield the combinations of ways, those nearest to every nest's best first; in step where there are many."""
    if math.prod(len(ways) for ways in each) > MOST_COMBINED:
        yield from _in_step(each)
        return
    for at in sorted(product(*(range(len(ways)) for ways in each)), key=lambda at: (sum(at), at)):
        yield _joined([ways[k] for ways, k in zip(each, at, strict=True)])


def _in_step(each: list[list[Choice]]) -> Iterator[Choice]:
    for k in range(max(len(ways) for ways in each)):
        yield _joined([ways[min(k, len(ways) - 1)] for ways in each])


def _joined(chosen: list[Choice]) -> Choice:
    return tuple(t for w in chosen for t in w[0]), tuple(s for w in chosen for s in w[1])


def _possible(ways: list[Choice], tensors: Tensors) -> tuple[list[Choice], list[Choice]]:
    """Return the ways in which a nest can be written, up to the first that takes every shape, and all of them."""
    written = [(way, parts) for way in ways if (parts := _parts(way, tensors)) is not None]
    sure = next(
        (k for k, (_, parts) in enumerate(written) if all(p.fits is None for p in parts)), len(written)
    )
    possible = [way for way, _ in written] or ways
    return possible[: sure + 1], possible


def _writable(way: Choice, tensors: Tensors) -> bool:
    """Return whether a nest can be written under these schedules at all."""
    return _parts(way, tensors) is not None


def _parts(way: Choice, tensors: Tensors) -> list[Part] | None:
    """Return a nest as these schedules write it, None where they refuse."""
    try:
        return [
            write(template, kind, Writer(), f"_{letters(k)}", tensors, Tuning())
            for k, (template, kind) in enumerate(zip(*way, strict=True))
        ]
    except Unsupported:
        return None


def _ways(template: SymbolicNest, tensors: Tensors) -> list[Choice]:
    """Return ways to run a nest, best first: one schedule, or one per set of reduced axes, one after the other."""
    found: list[Choice] = []
    parts = by_reduction(template)
    apart = len(parts) > 1 and not spoiled(parts, tensors)
    try:
        found += [((template,), (k,)) for k in kinds(template)]
    except Unsupported:
        if not apart:
            raise
    if apart:
        sets = [[k for k in kinds(p) if k not in ("shared", "split")] for p in parts]
        # where the whole nest has a way for short rows, each part's own would serve no others
        found += dict.fromkeys(
            (parts, tuple(ways[at] for ways in sets)) for at in ((-1,) if found else (0, -1))
        )
    loads = sum(v.op == "load" for v in template.values)
    if found and max(loads, len(template.nest.stores)) > EVENTS:
        shares = by_store(template, EVENTS)
        if len(shares) > 1 and not spoiled(shares, tensors):
            whole = [[k for k in kinds(p) if k not in ("shared", "split")] for p in shares]
            found += [(shares, tuple(ways[at] for ways in whole)) for at in (0, -1)]
    return found


def spoiled(parts: tuple[SymbolicNest, ...], tensors: Tensors) -> bool:
    """Return whether a part overwrites an input that another part reads."""
    reads = [{v.origin.input for v in p.values if v.origin is not None} for p in parts]
    written = [{tensors.overwritten(s) for s in p.nest.stores} - {None} for p in parts]
    return any(w & r for i, w in enumerate(written) for j, r in enumerate(reads) if i != j)
