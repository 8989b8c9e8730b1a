"""Projects that already exist: the reference answers of a checkout, or a folder of somebody's projects."""

import re
from pathlib import Path
from typing import Protocol

from akgen.agents.kernel_only import given_host
from akgen.bench.answers import folders
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

# Hand-written entry points and graph-mode helpers belong to the library's call path, not to the operator.
_CALL_PATH = re.compile(r'#\s*include\s*[<"](?:opdev/|aclnn/|aclnn_|aclnnop/)|\bnamespace\s+l0op\b')


class ProjectSource(Protocol):
    """Gives the project of a task's sample; None if it has none.

    Raises akgen.bench.answers.reading.AnswerRefused for a text that holds no project.
    """

    def project(self, task: Task, sample: int) -> KernelProject | None: ...


class Answers:
    """NPUKernelBench's reference answers, host tiling and kernel as they stand in the checkout."""

    def project(self, task: Task, sample: int) -> KernelProject | None:
        """Read answer/<sample>. Raises InputError if the task is not one of the benchmark's."""
        if task.suite != "npukb":
            raise InputError(
                f"Task {task.name} has no reference answer.", "Only NPUKernelBench's tasks have one."
            )
        folder = task.reference.path / "answer" / str(sample)
        return operator_project(folder, task) if folder.is_dir() else None


class Folder:
    """Projects in `<root>/<task>/` or, for several samples, `<root>/<task>/<sample>/` (also `sample<sample>`).

    Or texts, and folders with a class of PyTorch, as akgen.bench.answers.folders finds them.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InputError(
                f"{root} is not a folder.", "Give composer, answers, model, or a folder of projects."
            )
        self._root = root
        self._answers = folders.AnswerFolder(root)

    def project(self, task: Task, sample: int) -> KernelProject | None:
        answer = self._answers.project(task, sample)
        if answer is not None:
            return answer
        for name in dict.fromkeys((task.name, task.kernel, task.op_type)):
            base = self._root / name
            for folder in (base / str(sample), base / f"sample{sample}", *([base] if sample == 0 else [])):
                inside = folders.operator_folder(folder)
                if inside is not None:
                    return operator_project(inside, task)
        return None


def operator_project(folder: Path, task: Task) -> KernelProject:
    """Read op_host and op_kernel, leave out what only calls the operator, and add a host where there is none.

    A file that launches its kernels itself needs none.
    """
    project = KernelProject.read_from(folder, task.op_type, task.kernel)
    if project.direct_file is not None:
        return project
    files = {
        path: text
        for path, text in project.files.items()
        if not (path.startswith("op_host/") and _CALL_PATH.search(text))
    }
    if not any(path.startswith("op_host/") for path in files):
        files |= given_host(task)
    return project.model_copy(update={"files": files})
