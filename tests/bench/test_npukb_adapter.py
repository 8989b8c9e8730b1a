"""The NPUKernelBench adapter on a miniature checkout of our own in the benchmark's layout."""

import shutil
from pathlib import Path
from unittest.mock import patch

import pytest
import torch

from akgen.bench.npukb.discovery import describe, find_tasks
from akgen.bench.npukb.loader import BenchmarkCase, load
from akgen.bench.npukb.sizes import sized
from akgen.tools.core.call import Attr
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError
from akgen.tools.reference.protocol import InputSpec

CHECKOUT = Path(__file__).parent / "checkout"
FOLDERS = {f.name: f for f in find_tasks(CHECKOUT)}


def case(task: str, case_id: str = "0") -> BenchmarkCase:
    described = describe(FOLDERS[task])
    return load(described.reference, next(c for c in described.cases if c.id == case_id))


def test_tasks_are_found_in_order_of_level() -> None:
    assert [f.name for f in find_tasks(CHECKOUT)] == ["BlendAdd", "ListScale", "RowStats", "HalveInPlace"]
    assert find_tasks(CHECKOUT / "tasks") == find_tasks(CHECKOUT)


def test_a_folder_without_tasks_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tasks/level1"):
        find_tasks(tmp_path)


def test_a_task_is_described_by_its_folder() -> None:
    task = describe(FOLDERS["BlendAdd"])
    assert (task.level, task.category, task.op_type, task.kernel) == (1, "Math", "BlendAdd", "blend_add")
    assert task.own_checker
    assert "weighted" in task.description
    assert [c.params["dtype"] for c in task.cases] == ["float16", "float32", "int32"]
    assert task.cases[0].params["shape"] == [4, 33]


def test_host_code_is_compiled_as_the_checkouts_template_says(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "level1" / "Math" / "BlendAdd"
    shutil.copytree(FOLDERS["BlendAdd"], folder)
    assert describe(folder).host_standard == "c++11"
    template = tmp_path / "libs" / "common_include" / "msopgen" / "cmake" / "intf.cmake"
    template.parent.mkdir(parents=True)
    for said, taken in (("c++14", "c++14"), ("c++98", "c++11")):
        template.write_text(
            f"target_compile_options(all INTERFACE\n  $<$<COMPILE_LANGUAGE:CXX>:-std={said}>\n)\n"
        )
        assert describe(folder).host_standard == taken


def test_static_mode_keeps_case_zero_alone() -> None:
    assert [c.id for c in describe(FOLDERS["BlendAdd"], "static").cases] == ["0"]


def test_a_case_that_the_interface_cannot_take_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "level1" / "Math" / "BlendAdd"
    shutil.copytree(FOLDERS["BlendAdd"], folder)
    with (folder / "validation" / "test_cases.csv").open("a") as rows:
        rows.write("3;[4];float64;2.0;0.5\n")
    assert [c.id for c in describe(folder).cases] == ["0", "1", "2"]


def test_sizes_are_those_of_the_inputs() -> None:
    volumes = [c.size_bytes for c in sized(describe(FOLDERS["BlendAdd"])).cases]
    assert volumes[0] == 2 * (4 * 33 * 2) + 8  # the weights are whole numbers, so int64
    assert volumes[1] == 2 * (300 * 1000 * 4) + 8


def test_a_number_becomes_a_tensor_of_the_dtype_column_that_fits() -> None:
    half, whole = case("BlendAdd", "0"), case("BlendAdd", "2")
    assert half.sample(1, "task").inputs[2].dtype == torch.float32
    assert whole.sample(1, "task").inputs[2].dtype == torch.int64
    assert whole.sample(1, "task").inputs[2].tolist() == [3]
    assert half.binding.const_inputs == (2,)


def test_attributes_take_the_type_that_the_operator_declares() -> None:
    assert case("BlendAdd", "2").binding.attrs == (Attr(name="shift", value=1.0),)
    assert case("RowStats").binding.attrs == (Attr(name="mode", value="plain"), Attr(name="keep", value=True))


def test_inputs_are_traced_to_arguments_and_state() -> None:
    assert case("RowStats").binding.inputs == (
        InputSpec(kind="arg", index=0),
        InputSpec(kind="state", key="gamma"),
        InputSpec(kind="arg", index=1),
    )


def test_an_absent_optional_input_is_none() -> None:
    loaded = case("RowStats", "1")
    assert loaded.binding.inputs[2] is None
    assert loaded.sample(3, "task").inputs[2] is None


def test_outputs_are_matched_through_order_casts_and_omissions() -> None:
    loaded = case("RowStats")
    sample = loaded.sample(5, "task")
    x, gamma, bias = sample.inputs
    scaled, mean, positive = sample.expected
    assert torch.equal(scaled, x * gamma + bias)
    assert mean is None
    assert sample.returned[1].shape == (3, 1)
    assert torch.equal(positive, x > 0)
    assert loaded.binding.output_dtypes == (DType.FLOAT32, DType.FLOAT32, DType.BOOL)
    assert loaded.binding.zeroed_outputs == (1,)


def test_lists_stay_lists() -> None:
    loaded = case("ListScale")
    sample = loaded.sample(2, "task")
    assert [tuple(t.shape) for t in sample.inputs[0]] == [(4, 4), (3,)]
    assert sample.inputs[1].tolist() == [2.0, -1.5]
    assert torch.equal(sample.expected[0][1], sample.inputs[0][1] * -1.5)
    assert loaded.check(sample, [[t.clone() for t in sample.expected[0]]]) is None


def test_an_operator_without_outputs_works_in_place() -> None:
    loaded = case("HalveInPlace")
    sample = loaded.sample(2, "task")
    assert loaded.binding.aliases == (0,)
    assert torch.equal(sample.expected[0], sample.inputs[0] * (1 - 0.5 * sample.inputs[1]) ** 2)
    assert loaded.check(sample, [sample.expected[0].clone()]) is None
    assert loaded.check(sample, [sample.inputs[0].clone()]) is not None


def test_samples_follow_the_seed_and_leave_the_generators_alone() -> None:
    loaded = case("BlendAdd")
    torch.manual_seed(9)
    before = torch.random.get_rng_state()
    first, again, other = (loaded.sample(seed, "task").inputs[0] for seed in (4, 4, 5))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("task", ["BlendAdd", "RowStats", "ListScale", "HalveInPlace"])
def test_a_sample_of_the_draw_that_bound_the_case_is_as_any_other(task: str) -> None:
    loaded = case(task)
    with patch.object(loaded, "_draw", wraps=loaded._draw) as drawing:
        first, again = loaded.sample(0, "task"), loaded.sample(0, "task")
    # The first is that of the binding, but where the launch was looked at for what it overwrites.
    assert drawing.call_count == (2 if task == "HalveInPlace" else 1)
    for one, other in ((first.inputs, again.inputs), (first.expected, again.expected)):
        torch.testing.assert_close(list(one), list(other), rtol=0, atol=0, equal_nan=True)
    assert first.binding == again.binding
    assert loaded.sample(1, "task").drawn is not first.drawn


def test_random_integers_are_drawn_where_only_an_npu_could() -> None:
    x = case("BlendAdd", "2").sample(8, "task").inputs[0]
    assert x.dtype == torch.int32
    assert len(set(x.tolist())) > 2


def test_the_tasks_own_check_decides_on_what_modelnew_returns() -> None:
    loaded = case("BlendAdd", "1")
    sample = loaded.sample(6, "task")
    right = sample.expected[0].clone()
    assert loaded.check(sample, [right]) is None
    assert loaded.check(sample, [right + 0.005]) is None  # inside the task's own tolerance
    wrong = right.clone()
    wrong[0, 0] += 1000
    problem = loaded.check(sample, [wrong])
    assert problem is not None
    assert "1e+03" in problem


def test_a_value_that_is_not_finite_fails_the_default_rule() -> None:
    loaded = case("RowStats")
    sample = loaded.sample(6, "task")
    outputs = [t.clone() for t in sample.returned]
    outputs[0][0, 0] = torch.nan
    assert loaded.check(sample, outputs) is not None


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("validation/module.py", "import kernel_gen_ops", "import no_such_module", "no_such_module"),
        ("validation/prepare_inputs.py", "eval(", "undefined_name(", "undefined_name"),
        ("validation/module.py", "x.mul_(1 - 0.5 * mask)", "x.mul_(mask[:1, :2])", "raises RuntimeError"),
        ("validation/test_cases.csv", "0;[5, 7];2", "0;[5, 7];2;3", "row 2 has 4 cells"),
        ("validation/pybind.cpp", "EXEC_NPU_CMD(aclnnCustomOp, x, mask, times);", "", "launches 0 operators"),
        ("validation/pybind.cpp", "mask, times);", "times);", "called with 2 arguments"),
        ("validation/pybind.cpp", "return x;", "return x.frobnicate();", "pybind.cpp:6"),
        ("validation/pybind.cpp", "return x;", "return x +;", "pybind.cpp:6"),
        ("question/op_host/halve_in_place.cpp", "class HalveInPlace", "class Other", "no OpDef named HalveInPlace"),
    ],
)  # fmt: skip
def test_a_broken_task_gives_one_sentence(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "tasks" / "level1" / "Math" / "HalveInPlace"
    shutil.copytree(FOLDERS["HalveInPlace"], folder)
    path = folder / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=message) as raised:
        load(describe(folder).reference, describe(folder).cases[0])
    assert "\n" not in str(raised.value)


def test_an_attribute_that_is_drawn_belongs_to_its_sample(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "level1" / "Math" / "BlendAdd"
    shutil.copytree(FOLDERS["BlendAdd"], folder)
    inputs = folder / "validation" / "prepare_inputs.py"
    text = inputs.read_text().replace('param["shift"]', "torch.randint(0, 1000, (1,)).item()")
    inputs.write_text(text)
    loaded = load(describe(folder).reference, describe(folder).cases[1])
    samples = [loaded.sample(seed, "task") for seed in (1, 2)]
    shifts = [s.binding.attrs[0].value for s in samples if s.binding is not None]
    assert len(set(shifts)) == 2
    for sample, shift in zip(samples, shifts, strict=True):
        x, y, weight = sample.inputs
        assert torch.allclose(sample.expected[0], x + weight * y + shift)
