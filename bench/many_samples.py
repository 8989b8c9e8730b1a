"""A suite of tasks with one case of about a megabyte each, and many samples of a kernel for each of them.

For measuring and for tests of what judges them: hosts are the same, kernels have never been seen by any cache.
"""

import json
import math
import secrets
from collections.abc import Sequence
from pathlib import Path

from akgen.bench.resolve import resolve_task
from akgen.bench.speed_parts import composed
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.core.task import Case

CASE_BYTES = 1_000_000
TASKS = ("relu", "gelu_tanh", "clamp_range", "axpy", "greater_than", "half_to_float")


class ManySamples(Frozen):
    """Folders for `akgen bench run SUITE --source SOURCE`, and what each sample's outcome must be."""

    suite: Path
    source: Path
    outcomes: dict[str, tuple[Outcome, ...]]  # by task


def write_samples(
    folder: Path, count: int, tasks: Sequence[str] = TASKS, faulty_every: int = 0
) -> ManySamples:
    """Write `count` samples of each task; of those, one in `faulty_every` does not compile."""
    outcomes = {}
    for name in tasks:
        task = resolve_task(name)
        case = min(task.cases, key=lambda c: abs(_bytes(c) - CASE_BYTES))
        place = folder / "suite" / name
        place.mkdir(parents=True)
        said = json.loads((task.reference.path.parent / "task.json").read_text())
        cases = [c for c in said["cases"] if c["id"] == case.id]
        (place / "task.json").write_text(json.dumps(said | {"cases": cases}))
        (place / "reference.py").write_bytes(task.reference.path.read_bytes())
        project = composed(task.model_copy(update={"cases": (case,)}))
        faulty = [bool(faulty_every) and n % faulty_every == faulty_every - 1 for n in range(count)]
        for number, wrong in enumerate(faulty):
            write_files(
                dict(another_sample(project, wrong=wrong).files), folder / "source" / name / str(number)
            )
        outcomes[name] = tuple(Outcome.COMPILE_ERROR if wrong else Outcome.CORRECT for wrong in faulty)
    return ManySamples(suite=folder / "suite", source=folder / "source", outcomes=outcomes)


def another_sample(project: KernelProject, *, wrong: bool = False) -> KernelProject:
    """Return the project with a kernel that no cache has met."""
    note = f"\n// {secrets.token_hex(8)}\n" + ("int missing = NotDeclaredAnywhere;\n" if wrong else "")
    files = {p: t + note if p in project.kernel_files else t for p, t in project.files.items()}
    return project.model_copy(update={"files": files})


def _bytes(case: Case) -> int:
    """Return the bytes of a case's inputs and outputs, roughly: one of each."""
    shape = case.params.get("shape")
    count = math.prod(int(n) for n in shape) if isinstance(shape, list | tuple) else 1
    return 2 * count * (4 if case.params.get("dtype") == "float32" else 2)
