"""From a tool's arguments to a task and a project. Raises InputError with the remedy where that cannot be done."""

import hashlib
from pathlib import Path

from akgen.bench.resolve import resolve_task
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject, read_project
from akgen.tools.core.task import Task
from akgen.tools.judge.source_filter import look


def read_task(task: str | None, reference: str | None, work: Path, root: Path | None) -> Task:
    """Return the task that is named, or the one that PyTorch source text defines (kept below `work`)."""
    if (task is None) == (reference is None):
        raise InputError(
            "A task is needed, and only one.",
            "Give `task` (a built-in task, a task folder or a Python file) or `reference` (PyTorch source text).",
        )
    if task is not None:
        return resolve_task(task, root=root)
    assert reference is not None
    digest = hashlib.sha256(reference.encode()).hexdigest()[:12]
    path = make_folder(work / "references") / f"reference_{digest}.py"
    write_whole(path, reference)
    return resolve_task(str(path))


def read_sources(
    project: str | None, files: dict[str, str] | None, work: Path, op_type: str = "", kernel: str = ""
) -> KernelProject:
    """Return the project in a folder, or the one that is given as text; names are read from the sources."""
    if (project is None) == (files is None):
        raise InputError(
            "A project is needed, and only one.",
            "Give `project` (a folder with op_host and op_kernel) or `files` (paths and texts).",
        )
    if project is not None:
        return read_project(Path(project).expanduser(), op_type, kernel)
    assert files is not None
    given = KernelProject(op_type=op_type, kernel=kernel, files=files)
    _refuse_paths(given)
    folder = work / "projects" / given.digest[:16]
    given.write_to(folder)
    return read_project(folder, op_type, kernel)


def _refuse_paths(project: KernelProject) -> None:
    """Refuse names that would lead outside the folder before anything is written."""
    _, found = look(project)
    wrong = next((d for d in found if d.code in ("SOURCE_PATH", "SOURCE_SIZE")), None)
    if wrong is not None:
        raise InputError(wrong.text, wrong.remedy or "Use relative paths below op_host and op_kernel.")
