"""Find MultiKernelBench's references in a checkout and describe them as tasks of ours. No reference is run."""

from pathlib import Path

from akgen.tools.core.op_spec import camel_case
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Reference, Task

LOADER = "akgen.bench.mkb.loader"
_LEVELS = {"fuse": 2, "attention": 2, "arch": 3}  # as KernelBench counts; what is not listed is one operator


def is_task_file(path: Path) -> bool:
    """Say whether a file is a reference of a checkout."""
    return (
        path.suffix == ".py"
        and path.parent.parent.name == "reference"
        and (path.parents[2] / "dataset.py").is_file()
    )


def find_tasks(root: Path) -> tuple[Path, ...]:
    """Return the checkout's references in the order of category and name.

    Raises InputError if there is none: `root` is the folder that holds `reference` and `dataset.py`.
    """
    files = tuple(sorted(p for p in root.resolve().glob("reference/*/*.py") if is_task_file(p)))
    if not files:
        raise InputError(
            f"{root} holds no MultiKernelBench references.",
            "Give the checkout's folder, the one that holds dataset.py and reference/.",
        )
    return files


def describe(path: Path, mode: Mode = Mode.DYNAMIC) -> Task:
    """Describe one reference, with its cases as the benchmark has them (see akgen.bench.mkb.sizes).

    A reference with a JSON file beside it has a case for each of its lines, one without has one. Static mode keeps
    the first. The operator is called as the benchmark calls it, `<file>_custom`, with `op_` before a digit.
    """
    stem = path.stem if path.stem[0].isalpha() else f"op_{path.stem}"
    lines = group_lines(path)
    cases = tuple(Case(id=str(n)) for n in range(len(lines))) or (Case(id="0"),)
    return Task(
        name=path.stem,
        suite="mkb",
        level=level_of(path),
        category=path.parent.name,
        op_type=camel_case(f"{stem}_custom"),
        kernel=f"{stem}_custom".lower(),
        description="",
        reference=Reference(loader=LOADER, path=path),
        cases=cases[:1] if mode == Mode.STATIC else cases,
        mode=mode,
        draws_shapes=False,
    )


def level_of(path: Path) -> int:
    """Return 1 for one operator, 2 for a fused one or an attention, 3 for a network, or what the folder says."""
    category = path.parent.name
    named = category.removeprefix("npukernelbench_level")
    return max(int(named), 1) if named != category and named.isdecimal() else _LEVELS.get(category, 1)


def group_lines(path: Path) -> tuple[str, ...]:
    """Return the lines of the JSON file beside a reference, one for each input group; none if there is no file."""
    beside = path.with_suffix(".json")
    if not beside.is_file():
        return ()
    return tuple(line for line in beside.read_text(errors="replace").splitlines() if line.strip())
