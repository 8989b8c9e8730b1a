"""Which tasks a suite holds.

A suite is `builtin`, `npukb`, `mkb` or `kernelbench` (with the checkout's folder), or a folder of task folders or of
Python files.
"""

import difflib
from pathlib import Path

from akgen.bench import builtin
from akgen.bench.kernelbench import discovery as kernelbench
from akgen.bench.mkb import discovery as mkb
from akgen.bench.npukb import discovery
from akgen.bench.resolve import resolve_task
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Mode, Task
from akgen.tools.core.untrusted import path_of

NAMED = ("builtin", "npukb", "mkb", "kernelbench")
_ANSWER = Path("answer/0/op_kernel")


def suite_folders(suite: str, root: Path | None) -> dict[str, Path]:
    """Return every task of the suite: its name and folder, in order; for mkb, its file. Reads no task.

    Raises InputError for an unknown suite, or when a checkout is missing.
    """
    if suite == "builtin":
        return {name: builtin.TASKS / name for name in builtin.names()}
    if suite == "npukb":
        if root is None:
            raise InputError(
                "The suite npukb is read from your own checkout of NPUKernelBench.",
                "Give its folder with --root, or set AKGEN_NPUKB_ROOT.",
            )
        return {folder.name: folder for folder in discovery.find_tasks(root)}
    if suite == "mkb":
        if root is None:
            raise InputError(
                "The suite mkb is read from your own checkout of MultiKernelBench.",
                "Give its folder with --root, or set AKGEN_MKB_ROOT.",
            )
        return {file.stem: file for file in mkb.find_tasks(root)}
    if suite == "kernelbench":
        if root is None:
            raise InputError(
                "The suite kernelbench is read from your own checkout of KernelBench.",
                "Give its folder with --root, or set AKGEN_KERNELBENCH_ROOT.",
            )
        return kernelbench.find_tasks(root)
    folder = path_of(suite)
    found = (
        {p.parent.name: p.parent.resolve() for p in sorted(folder.glob("*/task.json"))}
        or {p.stem: p.resolve() for p in sorted(folder.glob("*.py")) if not p.stem.startswith("_")}
        if folder.is_dir()
        else {}
    )
    if not found:
        raise InputError(
            f"There is no suite {suite!r}.",
            "Give builtin, npukb, mkb, kernelbench, or a folder of task folders with task.json, or of Python files.",
        )
    return found


def choose(
    folders: dict[str, Path],
    *,
    names: tuple[str, ...] = (),
    levels: tuple[int, ...] = (),
    categories: tuple[str, ...] = (),
    answered: bool = False,
) -> dict[str, Path]:
    """Keep the named tasks, those of these levels and categories, those with a reference answer.

    Raises InputError for a name that the suite does not have.
    """
    for name in names:
        if name not in folders:
            near = difflib.get_close_matches(name, folders, n=3, cutoff=0.4)
            hint = f"Did you mean {', '.join(near)}?" if near else f"The suite has {len(folders)} tasks."
            raise InputError(f"The suite has no task {name!r}.", hint)
    return {
        name: folder
        for name, folder in folders.items()
        if (not names or name in names)
        and (not levels or level_of(folder) in levels)
        and (not categories or category_of(folder) in categories)
        and (not answered or (folder / _ANSWER).is_dir())
    }


def describe(folder: Path) -> Task:
    """Describe a task of any suite, without the sizes of its cases."""
    if builtin.is_task_folder(folder):
        return builtin.describe(folder)
    if _is_own_file(folder):
        return resolve_task(str(folder))
    if kernelbench.is_task_file(folder):
        return kernelbench.describe(folder)
    return mkb.describe(folder) if mkb.is_task_file(folder) else discovery.describe(folder)


def level_of(folder: Path) -> int:
    """Return a task's level without its cases."""
    if builtin.is_task_folder(folder):
        return builtin.describe(folder).level
    if _is_own_file(folder):
        return resolve_task(str(folder)).level
    if kernelbench.is_task_file(folder):
        return kernelbench.level_of(folder)
    return mkb.level_of(folder) if mkb.is_task_file(folder) else discovery.level_of(folder)


def category_of(folder: Path) -> str:
    """Return a task's category without its cases."""
    return builtin.describe(folder).category if builtin.is_task_folder(folder) else folder.parent.name


def _is_own_file(path: Path) -> bool:
    """Say whether a task is a Python file of the user's, with Model and get_inputs."""
    return path.suffix == ".py" and not mkb.is_task_file(path) and not kernelbench.is_task_file(path)


def load_task(folder: Path, mode: Mode, max_mb: float | None, *, full: bool = False) -> tuple[Task, int]:
    """Return a task with the cases to judge, smallest first, and how many are left out for their size.

    Static mode keeps the first case alone, whatever its size, as NPUKernelBench scores it. Of a task without any
    case small enough, the smallest is judged all the same: no task passes for want of cases. `full` keeps
    the sizes of MultiKernelBench and KernelBench as they are.
    """
    of_checkout = next((d for d in (mkb, kernelbench) if full and d.is_task_file(folder)), None)
    task = resolve_task(str(folder), mode=mode) if of_checkout is None else of_checkout.describe(folder, mode)
    if mode == Mode.STATIC or max_mb is None:
        return task, 0
    cases = sorted(task.cases, key=lambda c: c.size_bytes or 0)
    kept = [c for c in cases if c.size_bytes is None or c.size_bytes <= max_mb * 1e6] or cases[:1]
    return task.model_copy(update={"cases": tuple(kept)}), len(task.cases) - len(kept)
