"""Of the reference answers that the twin refuses, each passes once the fault that docs/benchmarks.md names is mended.

`answer_faults.json` says where: a pattern and what stands in its place, in the answer or, where the task itself is at
fault, in its inputs and reference. Every other line is the checkout's own, and every case up to 10 MB is judged.
"""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.bench.test_bench_command import bench

ROOT = os.environ.get("AKGEN_NPUKB_ROOT")
FAULTS = json.loads(Path(__file__).with_name("answer_faults.json").read_text())
pytestmark = [
    pytest.mark.npukb,
    pytest.mark.slow,
    pytest.mark.skipif(ROOT is None, reason="AKGEN_NPUKB_ROOT is not set: no checkout of NPUKernelBench"),
]


def judged(root: Path, out: Path) -> dict[str, Any]:
    names = ",".join(f["task"] for f in FAULTS)
    common = ("--source", "answers", "--max-mb", "10", "--trials", "1", "--tasks", names, "--out", out)
    code, report = bench("run", "npukb", "--root", root, *common, seconds=1200)
    assert code == 0, report
    return {r["task"]: r for r in map(json.loads, (out / "results.jsonl").read_text().splitlines())}


@pytest.fixture(scope="module")
def as_they_are(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return judged(Path(ROOT or ""), tmp_path_factory.mktemp("found") / "run")


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("mended")
    for fault in FAULTS:
        (source,) = Path(ROOT or "").glob(f"tasks/level*/*/{fault['task']}")
        folder = root / source.relative_to(ROOT or "")
        shutil.copytree(source, folder)
        for edit in fault["edits"]:
            file = folder / edit["file"]
            text, times = re.subn(edit["find"], edit["replace"], file.read_text())
            assert times == edit.get("times", 1), (
                f"{fault['task']}: {edit['file']} is not the file that was read"
            )
            file.write_text(text)
    return judged(root, root / "run")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f["task"])
def test_the_answer_fails_as_it_is_and_passes_mended(
    fault: dict[str, Any], as_they_are: dict[str, Any], mended: dict[str, Any]
) -> None:
    before, after = as_they_are[fault["task"]], mended[fault["task"]]
    assert before["outcome"] != "correct"
    assert any(found in before["why"] for found in fault["finds"]), before["why"]
    assert (after["outcome"], after["codes"]) == ("correct", []), after["why"]
    assert {case["outcome"] for case in after["cases"]} == {"correct"}
