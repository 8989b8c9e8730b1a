"""Turn what the user wrote after `akgen solve` into a task.

TASK is a built-in task's name, a task folder of ours, a task folder of an NPUKernelBench checkout (or, with `root`,
its name), or a Python file with Model, get_inputs and get_init_inputs. A reference of a checkout of MultiKernelBench or
KernelBench is such a file (or, with `root`, its name), and is scaled to sizes that can be simulated.
"""

import ast
import difflib
from pathlib import Path

from akgen.bench import builtin
from akgen.tools.core.op_spec import camel_case, entry_name
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.task import Case, Mode, Reference, Task
from akgen.tools.core.untrusted import path_of, read_text


def resolve_task(
    text: str, *, mode: Mode = Mode.DYNAMIC, case_ids: tuple[str, ...] | None = None, root: Path | None = None
) -> Task:
    """Return the task that `text` names, with only `case_ids` if they are given.

    Raises InputError, with the nearest names, when nothing fits or a case does not exist.
    """
    task = _find(text, mode, root, keep_all=case_ids is not None)
    if case_ids is None:
        return task
    known = {c.id for c in task.cases}
    for case_id in case_ids:
        if case_id not in known:
            near = difflib.get_close_matches(case_id, sorted(known), n=3) or sorted(known)[:5]
            raise InputError(
                f"Task {task.name} has no case {case_id!r}.", f"Its cases include {', '.join(near)}."
            )
    return task.only(case_ids)


def _find(text: str, mode: Mode, root: Path | None, *, keep_all: bool) -> Task:
    if text in builtin.names():
        task = builtin.describe(builtin.TASKS / text, Mode.DYNAMIC if keep_all else mode)
        return task.model_copy(update={"mode": mode})
    path = path_of(text)
    if path.is_dir():
        return _from_folder(path.resolve(), mode, keep_all=keep_all)
    if path.is_file():
        return _from_file(path.resolve(), mode)
    if root is not None and text in (known := _of_checkout(root)):
        found = known[text]
        return _from_file(found, mode) if found.is_file() else _from_folder(found, mode, keep_all=keep_all)
    raise _unknown(text, path, root)


def _of_checkout(root: Path) -> dict[str, Path]:
    """Return the tasks of a checkout of any of the benchmarks by name."""
    from akgen.bench.mkb import discovery as mkb
    from akgen.bench.npukb import discovery as npukb

    if (root / "KernelBench").is_dir() or root.name == "KernelBench":
        from akgen.bench.kernelbench import discovery as kernelbench

        return kernelbench.find_tasks(root)
    if (root / "reference").is_dir():
        return {file.stem: file for file in mkb.find_tasks(root)}
    return {folder.name: folder for folder in npukb.find_tasks(root)}


def _from_folder(folder: Path, mode: Mode, *, keep_all: bool) -> Task:
    cases: Mode = Mode.DYNAMIC if keep_all else mode
    if builtin.is_task_folder(folder):
        return builtin.describe(folder, cases).model_copy(update={"mode": mode})
    from akgen.bench.npukb import discovery

    if discovery.is_task_folder(folder):
        from akgen.bench.npukb.sizes import sized  # imports torch: only where inputs are measured

        return sized(discovery.describe(folder, cases)).model_copy(update={"mode": mode})
    raise InputError(
        f"{folder} is not a task folder.",
        "A task folder holds task.json and reference.py, or validation/module.py and validation/test_cases.csv.",
    )


def _from_file(path: Path, mode: Mode) -> Task:
    """Describe a KernelBench-style file; it is read, not run, unless it is scaled."""
    from akgen.bench.kernelbench import discovery as kernelbench
    from akgen.bench.mkb import discovery

    of_checkout = next((d for d in (discovery, kernelbench) if d.is_task_file(path)), None)
    if of_checkout is not None:
        from akgen.bench.mkb.sizes import sized  # imports torch: only where sizes are tried

        return sized(of_checkout.describe(path, mode))
    if path.suffix != ".py":
        raise InputError(
            f"{path} is not a Python file.", "Give a .py file with Model, get_inputs, get_init_inputs."
        )
    try:
        tree = ast.parse(read_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise InputError(f"{path} is not valid Python: {shown(str(e))}.", "Correct the file.") from e
    defined = {n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    missing = [name for name in ("Model", "get_inputs") if name not in defined]
    if missing:
        raise InputError(
            f"{path} does not define {' and '.join(missing)}.",
            "It needs class Model(torch.nn.Module), get_inputs() and, for constructor arguments, get_init_inputs().",
        )
    kernel = entry_name(path.stem)
    return Task(
        name=path.stem,
        suite="file",
        op_type=camel_case(kernel if kernel.endswith("_op") else path.stem),
        kernel=kernel,
        description=ast.get_docstring(tree) or "",
        reference=Reference(loader=builtin.LOADER, path=path),
        cases=(Case(id="0"),),
        mode=mode,
    )


def _unknown(text: str, path: Path, root: Path | None) -> InputError:
    if path.suffix or "/" in text:
        return InputError(
            f"{text} does not exist.", "Give an existing file or folder, or a built-in task's name."
        )
    known = list(builtin.names())
    if root is not None:
        known += _of_checkout(root)
    near = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
    lower = {n.lower(): n for n in known}
    near = near or [lower[m] for m in difflib.get_close_matches(text.lower(), lower, n=3, cutoff=0.4)]
    hint = f"Did you mean {', '.join(near)}?" if near else "`akgen bench list` prints the built-in tasks."
    return InputError(f"There is no task named {text!r}.", hint)
