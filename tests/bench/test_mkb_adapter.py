"""The MultiKernelBench adapter on a miniature checkout of our own in the benchmark's layout."""

import importlib.util
from pathlib import Path

import pytest
import torch

from akgen.bench import suites
from akgen.bench.mkb import discovery, loader
from akgen.bench.mkb.sizes import BUDGETS, sized
from akgen.bench.resolve import resolve_task
from akgen.bench.survey import AskedTask, compose_task
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Task

CHECKOUT = Path(__file__).parent / "mkb_checkout"
FILES = suites.suite_folders("mkb", CHECKOUT)


def task(name: str, mode: Mode = Mode.DYNAMIC) -> Task:
    return sized(discovery.describe(FILES[name], mode))


def test_tasks_are_found_with_category_and_level() -> None:
    assert {n: (suites.category_of(f), suites.level_of(f)) for n, f in FILES.items()} == {
        "patches": ("arch", 3),
        "rearranged": ("attention", 2),
        "linear_batch_norm": ("fuse", 2),
        "row_lookup": ("index", 1),
        "7_scaled_add": ("npukernelbench_level1", 1),
    }


def test_a_name_that_is_no_identifier_gets_an_alias() -> None:
    found = discovery.describe(FILES["7_scaled_add"])
    assert (found.name, found.kernel, found.op_type) == (
        "7_scaled_add",
        "op_7_scaled_add_custom",
        "Op7ScaledAddCustom",
    )


def test_three_sizes_that_shrink_together() -> None:
    cases = task("linear_batch_norm").cases
    assert len(cases) == len(BUDGETS) == 3
    for case, budget in zip(cases, BUDGETS, strict=True):
        assert case.size_bytes is not None
        assert case.size_bytes <= budget or case is cases[-1]
        loaded = loader.load(discovery.describe(FILES["linear_batch_norm"]).reference, case)
        (x,) = loaded.example_args
        out = loaded.sample(1, "task").expected[0]
        assert isinstance(out, torch.Tensor)
        assert out.shape[0] == x.shape[0] == case.params["batch_size 4096"]
        assert out.shape[1] == case.params["groups 512"] <= x.shape[1] == case.params["in_features 8192"]


def test_batches_are_normalised_by_their_own_statistics_and_nothing_is_dropped() -> None:
    case = task("linear_batch_norm").cases[-1]
    loaded = loader.load(discovery.describe(FILES["linear_batch_norm"]).reference, case)
    assert not [k for k in loaded.model.state_dict() if "running" in k]
    out = loaded.model(*loaded.example_args).flatten(1)
    assert torch.allclose(out.mean(0), loaded.model.norm.bias, atol=1e-5)
    assert (out == 0).float().mean() < 0.01


def test_a_number_among_the_inputs_is_replaced_in_the_class_too() -> None:
    case = task("row_lookup").cases[0]
    loaded = loader.load(discovery.describe(FILES["row_lookup"]).reference, case)
    rows = loaded.model.table.num_embeddings
    assert rows == case.params["100000"] < 100000
    assert int(loaded.example_args[0].max()) < rows


def test_a_size_that_the_reference_needs_stays() -> None:
    case = task("patches").cases[0]
    assert set(case.params) == {"classes 1000"}


def test_input_groups_are_cases_and_only_large_ones_are_scaled() -> None:
    small, large = task("7_scaled_add").cases
    assert small.params == {} and small.size_bytes == (3 * 40 * 2 + 40) * 2
    assert large.params == {"4096": 1024, "4095": 1023}
    loaded = loader.load(discovery.describe(FILES["7_scaled_add"]).reference, large)
    assert [tuple(a.shape) for a in loaded.example_args[:2]] == [(1024, 1023), (1023,)]
    again = [loaded.sample(5, "task").inputs[0] for _ in range(2)]
    assert torch.equal(again[0], again[1])  # also what Python's own generator draws


def test_full_sizes_are_the_benchmarks_own() -> None:
    full, _ = suites.load_task(FILES["linear_batch_norm"], Mode.DYNAMIC, None, full=True)
    assert full.cases == (Case(id="0"),)


def test_a_task_is_found_by_its_name_and_by_its_file() -> None:
    by_name = resolve_task("row_lookup", mode=Mode.STATIC, root=CHECKOUT)
    assert by_name == resolve_task(str(FILES["row_lookup"]), mode=Mode.STATIC)
    assert by_name.suite == "mkb" and by_name.cases[0].params["100000"] < 100000


@pytest.mark.skipif(importlib.util.find_spec("einops") is not None, reason="einops is installed")
def test_a_missing_package_is_named() -> None:
    with pytest.raises(InputError) as caught:
        loader.load(discovery.describe(FILES["rearranged"]).reference, Case(id="0"))
    assert caught.value.text == "rearranged.py needs einops, which is not installed."
    assert caught.value.remedy == "pip install einops"


def test_a_folder_without_references_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no MultiKernelBench references"):
        discovery.find_tasks(tmp_path)


def test_the_survey_says_what_stands_in_the_way() -> None:
    composed = compose_task(AskedTask(folder=FILES["7_scaled_add"], mode=Mode.DYNAMIC, max_mb=None))
    assert composed.found == "composed"
    missing = compose_task(AskedTask(folder=FILES["rearranged"], mode=Mode.STATIC, max_mb=None))
    assert missing.found == "no reference" and "einops" in missing.why
