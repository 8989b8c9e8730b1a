"""Projects that already exist: the reference answers of a checkout, or a folder of somebody's projects or answers.

A task's answers in a folder lie as benchmarks write them and as people keep them:

run<k>/<task>.txt             MultiKernelBench: sample k; anywhere below the folder, of one model
<task>.txt, .py, .json        sample 0
<task>/<k>.*, sample<k>.*     several samples
<task>/ or <task>/<k>/        files: op_host and op_kernel; or a class, its binding and its kernels
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from akgen.agents.kernel_only import given_host
from akgen.bench.answers.reading import FILES, MODEL, AnswerRefused, direct_project, read_answer
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject, read_project
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import FileRefused, read_bytes, read_text

# Hand-written entry points and graph-mode helpers belong to the library's call path, not to the operator.
_CALL_PATH = re.compile(r'#\s*include\s*[<"](?:opdev/|aclnn/|aclnn_|aclnnop/)|\bnamespace\s+l0op\b')
TEXTS = (".txt", ".py", ".json", ".md")
_RUN = re.compile(r"run[_-]?(\d+)")
_LEFT_OUT = {".git", "__pycache__", "build", "build_out", "cmake-build-debug", "cmake-build-release", "dist"}
_MOST_BYTES = 8 << 20
_MOST_DEPTH = 7


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

    Or texts, and folders with a class of PyTorch.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InputError(
                f"{root} is not a folder.", "Give composer, answers, model, or a folder of projects."
            )
        self._root = root
        self._answers = AnswerFolder(root)

    def project(self, task: Task, sample: int) -> KernelProject | None:
        answer = self._answers.project(task, sample)
        if answer is not None:
            return answer
        for name in dict.fromkeys((task.name, task.kernel, task.op_type)):
            base = self._root / name
            for folder in (base / str(sample), base / f"sample{sample}", *([base] if sample == 0 else [])):
                inside = operator_folder(folder)
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


class AnswerFolder:
    """The answers below a folder. Raises InputError where it holds those of several models."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._runs = _runs(root)

    def project(self, task: Task, sample: int) -> KernelProject | None:
        """Return a sample's project, None if there is none. Raises AnswerRefused for a text that holds none."""
        for path in self._places(task, sample):
            if path.is_file():
                try:
                    text = read_bytes(path, most_bytes=_MOST_BYTES).decode(errors="replace")
                except FileRefused as e:
                    raise AnswerRefused(f"{path.name} cannot be read: {e}.") from e
                return read_answer(text, task)
            if path.is_dir():
                found = folder_project(path, task)
                if found is not None:
                    return found
        return None

    def _places(self, task: Task, sample: int) -> Iterator[Path]:
        names = tuple(dict.fromkeys((task.name, task.kernel, task.op_type)))
        if sample in self._runs:
            yield from (self._runs[sample] / f"{name}{end}" for name in names for end in TEXTS)
        for name in names:
            base = self._root / name
            for stem in (str(sample), f"sample{sample}", f"sample_{sample}", f"run{sample}"):
                yield from (base / f"{stem}{end}" for end in TEXTS)
                yield base / stem
            if sample == 0:
                yield from (self._root / f"{name}{end}" for end in TEXTS)
                yield base


def _runs(root: Path) -> dict[int, Path]:
    """Return the folders run<k> below the root; there must be one of each number."""
    found: dict[int, list[Path]] = {}
    stack = [(root, 0)]
    while stack:
        folder, depth = stack.pop()
        number = _RUN.fullmatch(folder.name)
        if number is not None and any(p.suffix in TEXTS for p in folder.iterdir()):
            found.setdefault(int(number[1]), []).append(folder)
        elif depth < _MOST_DEPTH:
            stack += [(p, depth + 1) for p in folder.iterdir() if p.is_dir() and p.name not in _LEFT_OUT]
    several = next((sorted(folders) for folders in found.values() if len(folders) > 1), None)
    if several is not None:
        raise InputError(
            f"{root} holds answers of several models or settings.",
            f"Give the folder of one, such as {several[0].parent}.",
        )
    return {number: folders[0] for number, folders in found.items()}


def operator_folder(folder: Path) -> Path | None:
    """Return the folder with op_kernel: this one, or one below it, as msopgen makes them."""
    if (folder / "op_kernel").is_dir():
        return folder
    return next((p.parent for p in sorted(folder.glob("*/op_kernel"))), None)


def folder_project(folder: Path, task: Task) -> KernelProject | None:
    """Read a folder of sources: direct launch, or an operator, with a class and its binding if it has them."""
    operator = operator_folder(folder)
    files = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or path.suffix not in FILES or _LEFT_OUT & set(inside.parts):
            continue
        if operator is None or path.relative_to(folder).parts[-2:-1] not in (("op_host",), ("op_kernel",)):
            files[inside.as_posix()] = read_text(path)
    has_class = any(
        p.endswith(".py") and re.search(rf"^class\s+{MODEL}\b", t, re.MULTILINE) for p, t in files.items()
    )
    if operator is None:
        return direct_project(files, task) if has_class else None
    if not has_class:
        return None  # an operator alone, which is called by its interface
    try:
        project = read_project(operator, task.op_type, task.kernel)
    except InputError as e:
        raise AnswerRefused(e.text) from e
    bindings = {p: t for p, t in files.items() if p.endswith((".py", ".h", ".hpp")) or _binds(t)}
    direct = direct_project(bindings, task)
    return project.model_copy(update={"files": {**project.files, **direct.files}, "model": direct.model})


def _binds(text: str) -> bool:
    return re.search(r"\b(?:PYBIND11_MODULE|TORCH_LIBRARY\w*|EXEC_NPU_CMD)\b", text) is not None
