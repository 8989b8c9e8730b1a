"""NPUKernelBench's folders: find its tasks in a checkout, describe them as ours, and write results where it does.

A task folder is recognised by validation/module.py and validation/test_cases.csv. Its text is read when it is needed
and never stored. Answers and results stand in the folders that the benchmark itself writes, beside ours:

    msopgen/lvl1/Math/Sqrt/fixed_case_0/sample0/{src,log}      static mode; dynamic mode has no fixed_case folder

`src` holds op_host and op_kernel, `log/result.json` what became of them. There is no `build`: ours lies in the cache.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

from akgen.bench.npukb.rows import Cell, Row, read_rows
from akgen.bench.record import Record
from akgen.bench.store import BenchStore
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import snake_case
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import HOST_STANDARDS
from akgen.tools.core.task import Case, Mode, Params, Reference, Task
from akgen.tools.core.untrusted import read_literal, read_text

LOADER = "akgen.bench.npukb.loader"
_TEMPLATE = Path("libs/common_include/msopgen/cmake/intf.cmake")
_STANDARD = re.compile(r"COMPILE_LANGUAGE:CXX>:-std=(c\+\+\d+)>")
CASES = Path("validation/test_cases.csv")
_DTYPE_NAMES = frozenset(d.value for d in DType)
Sources = Callable[[Record], dict[str, str]]  # a sample's files by their paths


def is_task_folder(folder: Path) -> bool:
    return (folder / "validation" / "module.py").is_file() and (folder / CASES).is_file()


def find_tasks(root: Path) -> tuple[Path, ...]:
    """Return the checkout's task folders in the order of level, category and name.

    Raises InputError if there is none: `root` is the folder that holds `tasks`, or `tasks` itself.
    """
    base = root / "tasks" if (root / "tasks").is_dir() else root
    folders = tuple(sorted(p for p in base.glob("level*/*/*") if is_task_folder(p)))
    if not folders:
        raise InputError(
            f"{root} holds no NPUKernelBench tasks.",
            "Give the checkout's folder, the one that holds tasks/level1.",
        )
    return folders


def describe(folder: Path, mode: Mode = Mode.DYNAMIC) -> Task:
    """Describe one task folder; its cases carry no size (see akgen.bench.npukb.sizes).

    Static mode is the benchmark's default: case 0 alone. Cases that the operator's interface cannot take are left out.
    Raises InputError when the csv or the OpDef cannot be read.
    """
    op_type = folder.name.split("_")[0]
    refused = untakeable(folder)
    rows = [row for row in read_rows(folder / CASES) if str(row["case_id"]) not in refused]
    cases = tuple(Case(id=str(row["case_id"]), params=_params(row)) for row in rows)
    text = folder / "api_desc.md"
    return Task(
        name=op_type,
        suite="npukb",
        level=level_of(folder),
        category=folder.parent.name,
        op_type=op_type,
        kernel=snake_case(op_type),
        description=read_text(text) if text.is_file() else "",
        reference=Reference(loader=LOADER, path=folder),
        cases=cases[:1] if mode == Mode.STATIC else cases,
        mode=mode,
        own_checker=True,
        given_host=folder / "question",
        host_standard=_host_standard(folder),
    )


def _host_standard(folder: Path) -> str:
    """Return as which C++ the checkout's own project template compiles host code; msopgen's where it does not say."""
    template = next((p / _TEMPLATE for p in folder.parents if (p / _TEMPLATE).is_file()), None)
    said = _STANDARD.search(read_text(template)) if template is not None else None
    return said[1] if said is not None and said[1] in HOST_STANDARDS else HOST_STANDARDS[0]


def level_of(folder: Path) -> int:
    """Return the level that the folder's place says; 1 if it says none."""
    found = next((p.name.removeprefix("level") for p in folder.parents if p.name.startswith("level")), "")
    return int(found) if found.isdecimal() and len(found) < 10 else 1


def untakeable(folder: Path) -> frozenset[str]:
    """Return the cases that nobody can be judged on: a dtype in their row is in no combination of the OpDef."""
    from akgen.bench.npukb.opdef import read_opdef  # the C++ reader: only for those who have a checkout

    op_type = folder.name.split("_")[0]
    declared = read_opdef(host_file(folder), op_type)
    params = (*declared.spec.inputs, *declared.spec.outputs)
    taken = {dtype.value for param in params for dtype in param.dtypes} | {"float"}
    return frozenset(
        str(row["case_id"])
        for row in read_rows(folder / CASES)
        for name, cell in row.items()
        if "dtype" in name and isinstance(cell, str) and cell in _DTYPE_NAMES and cell not in taken
    )


def host_file(folder: Path) -> Path:
    """Return the question's op_host file. Raises InputError if it is not there."""
    host = folder / "question" / "op_host" / f"{snake_case(folder.name.split('_')[0])}.cpp"
    if not host.is_file():
        raise InputError(f"{host} does not exist.", "Check that the checkout is complete.")
    return host


def row_of(folder: Path, case_id: str) -> Row:
    """Return the csv row of one case. Raises InputError if it is not there."""
    for row in read_rows(folder / CASES):
        if str(row["case_id"]) == case_id:
            return row
    raise InputError(f"{folder.name} has no case {case_id}.", "Give a case_id of its test_cases.csv.")


def _params(row: Row) -> Params:
    """Return the row for readers: flat literals as lists, missing values as None, the rest as written."""
    return {name: _param(cell) for name, cell in row.items() if name != "case_id"}


def _param(cell: Cell) -> int | float | bool | str | list[int] | list[float] | list[str] | None:
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    try:
        value = read_literal(cell)
    except ValueError:
        return cell
    if not isinstance(value, list):
        return cell
    if all(type(x) is int for x in value) or all(type(x) is float for x in value):
        return list(value)
    return cell


def write_layout(store: BenchStore, folders: dict[str, Path], sources: Sources) -> Path:
    """Write every judged sample of a run below its folder; return where."""
    root = store.folder / "msopgen"
    fixed = ("fixed_case_0",) if store.config.mode == Mode.STATIC else ()
    for record in store.records():
        if record.error is not None or record.task not in folders:
            continue
        category = folders[record.task].parent.name
        sample = root.joinpath(f"lvl{record.level}", category, record.task, *fixed, f"sample{record.sample}")
        for path, text in sources(record).items():
            target = sample / "src" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        (sample / "log").mkdir(parents=True, exist_ok=True)
        (sample / "log" / "result.json").write_text(json.dumps(_result(record), indent=1) + "\n")
    return root


def _result(record: Record) -> dict[str, object]:
    """Say what the benchmark's stages would: compiled, precise, and how long a case takes."""
    return {
        "task": record.task,
        "compile": record.compiled,
        "precision": record.solved,
        "outcome": str(record.outcome),
        "why": record.why,
        "cases": [
            {"case_id": c.id, "precision": str(c.outcome) == "correct", "time_us": c.time_us, "times": c.time_source}
            for c in record.cases
        ],
    }  # fmt: skip
