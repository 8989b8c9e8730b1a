"""What a strong model once replied is played again without it: the same kernels come out, byte for byte, and are right.

The model saw nothing but the requests, which it answered through `akgen desk`. recordings/keep.py keeps a run;
`make recordings` plays all of them.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.project import KernelProject

Akgen = Callable[..., Any]
HERE = Path(__file__).parent / "recordings"
# By folder, what is played in every run of the tests: a kernel with its host, and one that launches itself.
QUICK = {"ascendc": ("argmax_rows",), "direct": ("quantize_int8",)}
ROOTS = {"npukb": "AKGEN_NPUKB_ROOT", "mkb": "AKGEN_MKB_ROOT"}  # suites that a user checks out


def _recordings() -> list[Any]:
    found = []
    for folder in sorted(path.parent for path in HERE.glob("*/tasks.json")):
        kept = json.loads((folder / "tasks.json").read_text())
        for task in kept["tasks"]:
            quick = task in QUICK.get(folder.name, ())
            marks = [] if quick else [pytest.mark.slow]
            root = ROOTS.get(kept["suite"])
            if root is not None:
                needs = f"{root} names no checkout of {kept['suite']}"
                marks += [
                    getattr(pytest.mark, kept["suite"]),
                    pytest.mark.skipif(root not in os.environ, reason=needs),
                ]
            found.append(pytest.param(folder, task, id=f"{folder.name}-{task}", marks=marks))
    return found


@pytest.mark.parametrize(("folder", "task"), _recordings())
def test_a_recorded_model_writes_the_same_kernel_again(
    folder: Path, task: str, akgen: Akgen, tmp_path: Path
) -> None:
    kept = json.loads((folder / "tasks.json").read_text())
    wanted, run = kept["tasks"][task], tmp_path / "run"
    script = folder / f"{task}.jsonl"
    said = {"route": kept["route"], "model": f"scripted:{script}", "attempts": str(wanted["attempts"])}
    options = [word for name, value in said.items() for word in (f"--{name}", value)]
    if (root := ROOTS.get(kept["suite"])) is not None:
        options += ["--root", os.environ[root]]
    akgen(
        "bench", "run", kept["suite"], "--tasks", task, "--source", "model", *options,
        "--mode", kept["mode"], "--max-mb", str(kept["max_mb"]), "--trials", "1", "--out", run,
    )  # fmt: skip
    result = json.loads((run / "tasks" / task / "result.json").read_text())
    assert result["verdict"]["outcome"] == wanted["outcome"], result["why"]
    attempts = json.loads((run / "tasks" / task / "sample-0" / "attempts.json").read_text())
    assert len(attempts) == wanted["attempts"]
    last = run / "tasks" / task / "sample-0" / f"attempt-{len(attempts)}" / "project"
    names = json.loads((run / "tasks" / task / "task.json").read_text())
    project = KernelProject.read_from(last, op_type=names["op_type"], kernel=names["kernel"])
    assert project.digest == wanted["digest"]
