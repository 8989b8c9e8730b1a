"""Kernels whose compile and run are timed: the composer's, or a checkout's answers; never seen by any cache."""

import secrets
from collections.abc import Iterator
from pathlib import Path

from akgen.bench.npukb import discovery
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import operator_project
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

OWN_TASKS = ("relu", "gelu_tanh", "softmax_rows", "layer_norm", "row_sum", "adam_step")


def kernels(root: Path | None) -> Iterator[tuple[Task, KernelProject]]:
    """Yield level-1 answers with one kernel file, or without `root` the composer's kernels for our own tasks."""
    if root is None:
        for name in OWN_TASKS:
            task = resolve_task(name)
            yield task, composed(task)
        return
    for folder in discovery.find_tasks(root):
        if discovery.level_of(folder) == 1 and (folder / "answer" / "0").is_dir():
            task = discovery.describe(folder)
            project = operator_project(folder / "answer" / "0", task)
            if len(project.kernel_files) == 1:
                yield task, project


def composed(task: Task) -> KernelProject:
    """Return the composer's first project. Raises InfraError if it has none, which would be a bug."""
    from akgen.agents.composer.model_free import ModelFree  # imports torch

    composer = ModelFree()
    planned = composer.plan(task, None, 0)
    written = composer.write(task, planned.plan, None, None, 0) if planned.plan else None
    if written is None or written.project is None:
        raise InfraError(f"The composer wrote no kernel for {task.name}.", "This is a bug of ours.")
    return written.project


def never_seen(project: KernelProject) -> KernelProject:
    """Return the project with a comment that no cache has met."""
    note = f"\n// {secrets.token_hex(8)}\n"
    return project.model_copy(update={"files": {p: t + note for p, t in project.files.items()}})
