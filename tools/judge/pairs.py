"""Pair up the tensors that a launch left with those that are expected, and compare them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from akgen.tools.core.call import TensorFile, TensorMeta
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge import raw, tolerance
from akgen.tools.judge.compare import Comparison, Mask, compare, refused
from akgen.tools.reference.client import SampleFiles

Place = tuple[int, int]  # an output, and the tensor in it where it is a list
Element = tuple[
    TensorFile | None, TensorFile, TensorFile, TensorMeta
]  # got, want, the reference's own, asked


def pairs(trial: SampleFiles, launch: Launch) -> list[tuple[Place, Element]]:
    """Return each tensor that is compared, with its place; what is missing is None."""
    found: list[tuple[Place, Element]] = []
    for i, meta in enumerate(trial.call.outputs):
        wants, owns = trial.expected[i], trial.returned[i]
        if wants is None or owns is None:
            continue
        got = launch.outputs[i] if i < len(launch.outputs) else ()
        gots = got if isinstance(got, tuple) else (got,)
        metas = meta.meta if isinstance(meta.meta, tuple) else (meta.meta,)
        both = zip(
            wants if isinstance(wants, tuple) else (wants,),
            owns if isinstance(owns, tuple) else (owns,),
            metas,
            strict=True,
        )
        found += [((i, k), (gots[k] if k < len(gots) else None, *rest)) for k, rest in enumerate(both)]
    return found


def compare_pairs(
    trial: SampleFiles,
    paired: Sequence[tuple[Place, Element]],
    *,
    task: Task,
    kept: Mapping[Place, str],
    poison: bytes,
    held: Mapping[Place, Mask] | None,
) -> list[Comparison]:
    """Compare each pair. `kept` has the digests of the trial before, `held` marks what held its launch's poison."""
    found = []
    for place, (got, want, own, meta) in paired:
        if got is None:
            found.append(refused(place[0], "shape", want, "the output is missing"))
            continue
        asked = trial.call.outputs[place[0]]
        compared = compare(
            place[0],
            got,
            want,
            own,
            tolerance.rule_for(meta.dtype, task.tolerances),
            bounds=trial.bounds_of(*place),
            poison=None if asked.zeroed or asked.aliases is not None else poison,
            held_before=None if held is None else held.get(place, np.zeros(meta.count, np.bool_)),
        )
        before = kept.get(place)
        if compared.mismatch and before and got.path.is_file() and raw.digest(got.path) == before:
            note = "the output equals that of the previous, different input"
            stale = compared.mismatch.model_copy(update={"pattern": "stale", "note": note})
            compared = replace(compared, mismatch=stale)
        found.append(compared)
    return found
