"""Find KernelBench's problems in a checkout (`KernelBench/level<n>/<number>_<Name>.py`) and describe them as tasks.

No reference is run here. The files are those of MultiKernelBench's convention, which comes from this one: `Model`,
`get_inputs`, `get_init_inputs`; they are loaded and scaled the same way.
"""

import re
from pathlib import Path

from akgen.bench.mkb.discovery import LOADER
from akgen.tools.core.op_spec import camel_case
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Reference, Task

_LEVEL = re.compile(r"level(\d+)")
_PROBLEM = re.compile(r"(\d+)_\w")
_FOLDER = "KernelBench"


def is_task_file(path: Path) -> bool:
    """Say whether a file is a problem of a checkout."""
    return (
        path.suffix == ".py"
        and _PROBLEM.match(path.stem) is not None
        and _LEVEL.fullmatch(path.parent.name) is not None
        and path.parent.parent.name == _FOLDER
    )


def find_tasks(root: Path) -> dict[str, Path]:
    """Return the checkout's problems by name, by level and number; `level2_<name>` where a level before has the name.

    Raises InputError if there is none: `root` is the checkout, or the folder `KernelBench` in it.
    """
    root = root.resolve()
    base = root if root.name == _FOLDER and any(root.glob("level*")) else root / _FOLDER
    files = sorted((p for p in base.glob("level*/*.py") if is_task_file(p)), key=_place)
    if not files:
        raise InputError(
            f"{root} holds no problems of KernelBench.",
            "Give the checkout's folder, the one that holds KernelBench/level1 and so on.",
        )
    found: dict[str, Path] = {}
    for path in files:
        found[f"{path.parent.name}_{path.stem}" if path.stem in found else path.stem] = path
    return found


def _place(path: Path) -> tuple[int, int, str]:
    number = _PROBLEM.match(path.stem)
    return level_of(path), int(number[1]) if number else 0, path.stem


def level_of(path: Path) -> int:
    """Return the level that the folder names."""
    named = _LEVEL.fullmatch(path.parent.name)
    return int(named[1]) if named else 1


def describe(path: Path, mode: Mode = Mode.DYNAMIC) -> Task:
    """Describe one problem, with its one case as KernelBench has it (see akgen.bench.mkb.sizes)."""
    same = path.parent.parent.glob(f"level*/{path.name}")
    first = min((level_of(p) for p in same), default=level_of(path))
    name = path.stem if first == level_of(path) else f"{path.parent.name}_{path.stem}"
    words = f"op_{name}" if not name[0].isalpha() else name
    return Task(
        name=name,
        suite="kernelbench",
        level=level_of(path),
        category=path.parent.name,
        op_type=camel_case(f"{words}_custom"),
        kernel=re.sub(r"_+", "_", re.sub(r"\W", "_", f"{words}_custom")).lower(),
        reference=Reference(loader=LOADER, path=path),
        cases=(Case(id="0"),),
        mode=mode,
        draws_shapes=False,
    )
