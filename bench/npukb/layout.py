"""A run's answers and results in the folders that NPUKernelBench itself writes, beside ours.

    msopgen/lvl1/Math/Sqrt/fixed_case_0/sample0/{src,log}      static mode; dynamic mode has no fixed_case folder

`src` holds op_host and op_kernel, `log/result.json` what became of them. There is no `build`: ours lies in the cache.
"""

import json
from collections.abc import Callable
from pathlib import Path

from akgen.bench.record import Record
from akgen.bench.store import BenchStore
from akgen.tools.core.task import Mode

Sources = Callable[[Record], dict[str, str]]  # a sample's files by their paths


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
