"""The built-in suite: bench/tasks/<name>/ with task.json and reference.py.

task.json holds what Task holds, less what follows from the folder; certificate.json, beside it, is written by
`python -m akgen.bench.certify`.
"""

from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import camel_case, entry_name
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Certificate, Mode, Reference, Task, Tolerance
from akgen.tools.core.untrusted import read_model

LOADER = "akgen.tools.reference.module_loader"
TASKS = Path(__file__).resolve().parent / "tasks"
# Families that no model of ours is trained on, so that a suite tells what it learnt from what it saw.
HELD_OUT_FAMILIES = frozenset({"loss", "optimizer"})


class TaskFile(Frozen):
    """What task.json says. The operator's name is the folder's unless `op_type` is given."""

    level: int
    category: str
    description: str
    op_type: str | None = None
    cases: tuple[Case, ...]
    tolerances: tuple[Tolerance, ...] = ()
    draws_shapes: bool = True


def names() -> tuple[str, ...]:
    return tuple(sorted(p.parent.name for p in TASKS.glob("*/task.json")))


def is_task_folder(folder: Path) -> bool:
    return (folder / "task.json").is_file()


def describe(folder: Path, mode: Mode = Mode.DYNAMIC) -> Task:
    """Read a task folder of ours. Static mode keeps the first case.

    Raises InputError with the first thing that is wrong in task.json, or when reference.py is missing.
    """
    remedy = "Compare with a built-in task under bench/tasks."
    spec = read_model(TaskFile, folder / "task.json", remedy)
    if not spec.cases:
        raise InputError(
            f"{folder / 'task.json'} has no cases.", "Give at least one case with an id and params."
        )
    if not (folder / "reference.py").is_file():
        raise InputError(
            f"{folder} has no reference.py.", "Write Model, get_inputs(params), get_init_inputs(params)."
        )
    certificate = folder / "certificate.json"
    kernel = entry_name(folder.name)
    return Task(
        name=folder.name,
        suite="builtin" if folder.resolve().parent == TASKS else "file",
        level=spec.level,
        category=spec.category,
        op_type=spec.op_type or camel_case(kernel if kernel.endswith("_op") else folder.name),
        kernel=kernel,
        description=spec.description,
        reference=Reference(loader=LOADER, path=(folder / "reference.py").resolve()),
        cases=spec.cases[:1] if mode == Mode.STATIC else spec.cases,
        mode=mode,
        tolerances=spec.tolerances,
        draws_shapes=spec.draws_shapes,
        certificate=read_model(Certificate, certificate, "Remove it, or write it again.")
        if certificate.is_file()
        else None,
    )
