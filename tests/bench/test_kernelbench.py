"""KernelBench's convention: problems of a checkout, their scaled sizes, and fast_p."""

import json
from pathlib import Path

import pytest

from akgen.bench import suites
from akgen.bench.breakdown import against_baseline, against_roofline, read_baseline
from akgen.bench.launch import write_layout
from akgen.bench.record import BenchConfig, CaseRow, Record
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.task import Mode

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x * self.weight

batch_size = 4096
width = 16384

def get_inputs():
    return [torch.rand(batch_size, width)]

def get_init_inputs():
    return [width]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    names = ("level1/2_Scale_by_row_", "level1/10_ReLU", "level2/2_Scale_by_row_", "level2/3_Conv2d")
    for name in names:
        path = tmp_path / "KernelBench" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROBLEM)
    (tmp_path / "KernelBench" / "level1" / "helper.py").write_text("")
    return tmp_path


def test_problems_are_found_by_level_and_number(checkout: Path) -> None:
    found = suites.suite_folders("kernelbench", checkout)
    assert list(found) == ["2_Scale_by_row_", "10_ReLU", "level2_2_Scale_by_row_", "3_Conv2d"]
    assert suites.suite_folders("kernelbench", checkout / "KernelBench") == found
    tasks = [suites.describe(path) for path in found.values()]
    assert [t.name for t in tasks] == list(found) and [t.level for t in tasks] == [1, 1, 2, 2]
    assert {t.suite for t in tasks} == {"kernelbench"} and tasks[0].kernel == "op_2_scale_by_row_custom"
    assert list(suites.choose(found, levels=(2,))) == ["level2_2_Scale_by_row_", "3_Conv2d"]
    with pytest.raises(InputError, match="holds no problems"):
        suites.suite_folders("kernelbench", checkout / "KernelBench" / "level1")


def test_sizes_are_scaled_or_full(checkout: Path) -> None:
    path = suites.suite_folders("kernelbench", checkout)["10_ReLU"]
    scaled, _ = suites.load_task(path, Mode.STATIC, None)
    assert (scaled.cases[0].size_bytes or 0) < 10e6 and len(scaled.cases[0].params) == 2
    full, _ = suites.load_task(path, Mode.STATIC, None, full=True)
    assert full.cases[0].params == {}


def config(suite: str = "kernelbench", *, full: bool = True) -> BenchConfig:
    return BenchConfig(
        suite=suite, source="composer", mode=Mode.STATIC, toolchain="twin", full_sizes=full, tasks=("a", "b", "c", "d")
    )  # fmt: skip


def record(task: str, time_us: float, *, solved: bool = True, sample: int = 0) -> Record:
    outcome = Outcome.CORRECT if solved else Outcome.WRONG
    case = CaseRow(id="0", outcome=outcome, time_us=time_us, time_source="predicted", roofline_us=4.0)
    return Record(
        task=task, sample=sample, level=1, category="", outcome=outcome, cases=(case,), time_us=time_us,
        time_source="predicted",
    )  # fmt: skip


RECORDS = [record("a", 5.0), record("a", 50.0, sample=1), record("b", 10.0), record("c", 1.0, solved=False)]


def test_fast_p_counts_solved_tasks_that_are_faster_than_p_times_the_baseline(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(
        json.dumps({"level1": {"a.py": {"mean": 0.010, "std": 0.1}, "c.py": {"mean": 9.0}, "b": 0.009}})
    )
    found = against_baseline(config(), RECORDS, read_baseline(file), file)
    assert found.speedups == {"a": 2.0, "b": 0.9} and (found.against, found.times) == (
        "baseline",
        "predicted",
    )
    assert found.p == {"0": 0.5, "0.5": 0.5, "0.8": 0.5, "1": 0.25, "1.5": 0.25, "2": 0.0}
    assert found.without == 1 and found.tasks == 4
    with pytest.raises(InputError, match="sizes are scaled"):
        against_baseline(config(full=False), RECORDS, read_baseline(file), file)


def test_without_a_baseline_the_roofline_of_the_twin_is_named() -> None:
    found = against_roofline(config(full=False), RECORDS)
    assert found is not None and found.against == "roofline of the twin"
    assert found.speedups == {"a": 0.8, "b": 0.4}
    assert found.p == {"0": 0.5, "0.25": 0.5, "0.5": 0.25, "0.75": 0.25, "0.9": 0.0}
    assert against_roofline(config(), [record("c", 1.0, solved=False)]) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"level1": {"a.py": {"mean": "fast"}}}', '{"a": {"b": -1}}']
)
def test_what_is_no_baseline_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(InputError, match=r"is no baseline|holds no times"):
        read_baseline(tmp_path / "b.json")


def test_a_run_of_npukernelbench_is_written_in_its_own_folders(tmp_path: Path) -> None:
    root = Path(__file__).parent / "checkout"
    sources = tmp_path / "answers" / "BlendAdd"
    (sources / "op_kernel").mkdir(parents=True)
    (sources / "op_kernel" / "blend_add.cpp").write_text("// a kernel\n")
    asked = config("npukb").model_copy(
        update={"source": str(sources.parent), "root": str(root), "tasks": ("BlendAdd",), "full_sizes": False}
    )
    store = BenchStore.begin(tmp_path / "run", asked)
    store.append(record("BlendAdd", 5.0))
    sample = write_layout(store) / "lvl1" / "Math" / "BlendAdd" / "fixed_case_0" / "sample0"
    assert (sample / "src" / "op_kernel" / "blend_add.cpp").read_text() == "// a kernel\n"
    assert list((sample / "src" / "op_host").iterdir())  # the question's, given to a kernel alone
    told = json.loads((sample / "log" / "result.json").read_text())
    assert told["compile"] is told["precision"] is True and told["cases"][0]["time_us"] == 5.0
    other = config().model_copy(update={"root": str(tmp_path)})
    with pytest.raises(InputError, match="The run is of kernelbench"):
        write_layout(BenchStore.begin(tmp_path / "other", other))
