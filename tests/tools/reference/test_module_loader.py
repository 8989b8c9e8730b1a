"""A Python file with Model, get_inputs and get_init_inputs becomes inputs, attributes and golden values."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Distribution, Params, Reference
from akgen.tools.reference.module_loader import load
from akgen.tools.reference.protocol import LoadedCase

KERNELBENCH = """
import torch
class Model(torch.nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.norm = torch.nn.LayerNorm(features, eps=eps)
    def forward(self, x, scale: float, y):
        return self.norm(x * scale) + y, x.argmax(-1)
def get_inputs():
    return [torch.randn(4, 8), 1.5, torch.randn(4, 8)]
def get_init_inputs():
    return [8, 1e-5]
"""

OURS = """
import torch
class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.zeros(n))
    def forward(self, x):
        return x + self.bias
def get_inputs(params):
    return [torch.randn(params["rows"], params["n"], dtype=getattr(torch, params["dtype"]))]
def get_init_inputs(params):
    return [params["n"]]
"""

NESTED = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTMCell(3, 4)
    def forward(self, x, state, more):
        h, c = self.cell(x, state)
        return h, {"c": c * more["scale"][1], "rows": [x + more["shift"], (None, h.sum())]}
def get_inputs():
    x, y = torch.randn(2, 3), torch.randn(3)
    return [x, (torch.randn(2, 4), torch.randn(2, 4)), {"shift": y, "scale": (1, 2.5)}]
def get_init_inputs():
    return []
"""

DISTRIBUTIONS: tuple[Distribution, ...] = ("task", "normal", "uniform", "constant", "sparse", "extreme")


def loaded(folder: Path, text: str, params: Params | None = None) -> LoadedCase:
    path = folder / "reference.py"
    path.write_text(text)
    reference = Reference(loader="akgen.tools.reference.module_loader", path=path)
    return load(reference, Case(id="0", params=params or {}))


def unary(expression: str, inputs: str = "torch.randn(16, 32)", more: str = "") -> str:
    return (
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        f"        return {expression}\ndef get_inputs():\n    return [{inputs}]\n{more}\n"
    )


def test_tuples_and_dictionaries_are_opened_in_arguments_and_in_results(tmp_path: Path) -> None:
    case = loaded(tmp_path, NESTED)
    assert case.binding.input_names[:4] == ("x", "state_0", "state_1", "more_shift")
    assert {(a.name, a.value) for a in case.binding.attrs} == {("more_scale_0", 1), ("more_scale_1", 2.5)}
    sample = case.sample(3, "normal")
    x, h, c, shift = sample.inputs[:4]
    assert [tuple(v.shape) for v in sample.returned] == [(2, 4), (2, 4), (2, 3), ()]
    torch.testing.assert_close(sample.returned[2], x + shift)
    own, cell = case.model.cell(x, (h, c))
    torch.testing.assert_close(sample.returned[1], cell * 2.5)
    torch.testing.assert_close(sample.expected[3].float(), own.sum().detach())
    assert case.binding.model is not None
    said = json.loads(case.binding.model.arguments)
    assert said[1] == {"tuple": [{"input": 1}, {"input": 2}]}
    assert said[2] == {"dict": {"shift": {"input": 3}, "scale": {"value": [1, 2.5]}}}


def test_arguments_state_attributes_and_outputs_are_bound_in_order(tmp_path: Path) -> None:
    case = loaded(tmp_path, KERNELBENCH)
    binding = case.binding
    assert binding.input_names == ("x", "y", "norm_weight", "norm_bias")
    assert [(a.name, a.value) for a in binding.attrs] == [("scale", 1.5)]
    sample = case.sample(1, "task")
    assert [tuple(t.shape) for t in sample.inputs if isinstance(t, torch.Tensor)] == [
        (4, 8),
        (4, 8),
        (8,),
        (8,),
    ]
    assert [t.dtype for t in sample.expected] == [torch.float64, torch.int64]  # type: ignore[union-attr]
    assert [t.dtype for t in sample.returned] == [torch.float32, torch.int64]  # type: ignore[union-attr]


def test_a_model_that_casts_its_inputs_keeps_its_own_dtypes(tmp_path: Path) -> None:
    text = OURS.replace("return x + self.bias", "return x.float() @ self.bias.unsqueeze(-1)")
    casting = loaded(tmp_path, text, {"rows": 3, "n": 5, "dtype": "float16"})
    x, bias = casting.sample(1, "task").inputs
    assert (x.dtype, bias.dtype) == (torch.float16, torch.float32)
    plain = loaded(tmp_path, OURS, {"rows": 3, "n": 5, "dtype": "float16"})
    assert plain.sample(1, "task").inputs[1].dtype == torch.float16


def test_params_reach_functions_that_take_them(tmp_path: Path) -> None:
    case = loaded(tmp_path, OURS, {"rows": 3, "n": 5, "dtype": "bfloat16"})
    sample: Any = case.sample(1, "task")
    assert tuple(sample.inputs[0].shape) == (3, 5)
    assert sample.inputs[0].dtype == torch.bfloat16
    assert sample.inputs[1].dtype == torch.bfloat16  # the model follows its inputs
    assert sample.expected[0].dtype == torch.float64


def test_golden_values_come_from_float64_on_the_operators_inputs(tmp_path: Path) -> None:
    sample: Any = loaded(tmp_path, unary("torch.exp(x)", "torch.randn(64, dtype=torch.float16)")).sample(
        2, "normal"
    )
    assert torch.equal(sample.expected[0], torch.exp(sample.inputs[0].double()))
    assert sample.returned[0].dtype == torch.float16


def test_samples_depend_on_seed_and_distribution_only(tmp_path: Path) -> None:
    case = loaded(tmp_path, KERNELBENCH)
    for distribution in DISTRIBUTIONS:
        first: Any = case.sample(5, distribution)
        case.sample(6, "task")
        again: Any = case.sample(5, distribution)
        other: Any = case.sample(6, distribution)
        assert all(torch.equal(a, b) for a, b in zip(first.inputs, again.inputs, strict=True))
        assert not all(torch.equal(a, b) for a, b in zip(first.inputs, other.inputs, strict=True))


def test_parameters_are_moved_from_their_initial_ones_and_zeros(tmp_path: Path) -> None:
    sample: Any = loaded(tmp_path, KERNELBENCH).sample(1, "task")
    weight, bias = sample.inputs[2], sample.inputs[3]
    assert weight.std() > 0.05
    assert bias.abs().max() > 0.05


def test_a_running_variance_stays_positive(tmp_path: Path) -> None:
    text = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(6)
    def forward(self, x):
        return self.bn(x)
def get_inputs():
    return [torch.randn(5, 6)]
"""
    case = loaded(tmp_path, text)
    assert case.binding.input_names == ("x", "bn_weight", "bn_bias", "bn_running_mean", "bn_running_var")
    for seed in range(20):
        sample: Any = case.sample(seed, "normal")
        assert (sample.inputs[4] > 0.5).all()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS[1:])
def test_distributions_differ_from_the_tasks_inputs(tmp_path: Path, distribution: Distribution) -> None:
    sample: Any = loaded(tmp_path, unary("x.relu()", "torch.rand(64, 64)")).sample(3, distribution)
    x = sample.inputs[0]
    assert (
        x.min() < 0
    ) or distribution == "constant"  # the task's own inputs would let identity pass as relu
    if distribution == "constant":
        assert x.unique().numel() == 1
    if distribution == "sparse":
        assert (x == 0).float().mean() > 0.8
    if distribution == "extreme":
        assert x.abs().max() > 100
        assert ((x != 0) & (x.abs() < torch.finfo(torch.float32).tiny)).any()


FAR = {  # what `forward` returns, of which inputs, and between which magnitudes the largest lie at several seeds
    "free": ("x.relu()", "torch.randn(64, 64)", 1e5, 1.1e18),
    "free of a few elements": ("x.relu()", "torch.randn(3, 8)", 1e5, 1.1e18),
    "halves": ("x.relu()", "torch.randn(64, 64).half()", 2e3, 60_001),
    "bfloat16": ("x.relu()", "torch.randn(64, 64).bfloat16()", 2e3, 1.1e18),
    "squares of halves are smaller": ("(x * x).relu()", "torch.randn(64, 64).half()", 30, 256),
    "exp has no more": ("x.exp()", "torch.randn(64, 64)", 500, 1000),
    "a period has no more": ("x.sin()", "torch.randn(64, 64)", 500, 1000),
    "a mask of infinity makes none": (
        "x.masked_fill(x > 9, -torch.inf).relu()",
        "torch.randn(64, 64)",
        1e5,
        1.1e18,
    ),
    "a domain": ("x.relu()", "torch.randn(64, 64)\nDOMAIN = (-3.0, 3.0)", 2, 3),
}


@pytest.mark.parametrize("name", FAR)
def test_a_few_extreme_values_are_as_large_as_dtype_and_reference_allow(tmp_path: Path, name: str) -> None:
    body, inputs, least, most = FAR[name]
    text, *more = inputs.split("\n")
    case = loaded(tmp_path, unary(body, text, more="".join(more)))
    drawn: list[Any] = [case.sample(seed, "extreme").inputs[0].double().abs() for seed in range(4)]
    largest = [float(x.max()) for x in drawn]
    assert max(largest) <= most and min(largest) >= least, largest
    assert all(int((x > 1000).sum()) <= 8 for x in drawn)


TIED = {  # a reference, and what is another one where elements are equal
    "two inputs": ("x, y", "torch.where(x >= y, x * 2, y)", lambda x, y: torch.where(x > y, x * 2, y)),
    "neighbours": ("x, y", "(x.diff() >= 0) | y[1:].isnan()", lambda x, _: x.diff() > 0),
}


@pytest.mark.parametrize("name", TIED)
def test_some_extreme_values_are_equal(tmp_path: Path, name: str) -> None:
    arguments, body, other = TIED[name]
    text = unary(body, "torch.randn(256), torch.randn(256)").replace(
        "forward(self, x)", f"forward(self, {arguments})"
    )
    case = loaded(tmp_path, text)
    for seed in range(4):
        sample: Any = case.sample(seed, "extreme")
        assert not torch.equal(other(*sample.args), sample.returned[0])


def test_equal_values_that_leave_no_number_are_not_drawn(tmp_path: Path) -> None:
    text = unary("1 / (x - y)", "torch.randn(256), torch.randn(256)").replace("(self, x)", "(self, x, y)")
    sample: Any = loaded(tmp_path, text).sample(1, "extreme")
    assert torch.isfinite(sample.returned[0]).all() and sample.args[0].abs().max() > 100


@pytest.mark.parametrize("distribution", ["normal", "extreme"])
def test_no_half_of_a_sum_stands_for_all_of_it(tmp_path: Path, distribution: Distribution) -> None:
    case = loaded(tmp_path, unary("(x.float() ** 2).mean(-1)", "torch.randn(4, 16384).bfloat16()"))
    halves = (slice(None, 8192), slice(8192, None), slice(None, None, 2), slice(1, None, 2))
    for seed in range(10):
        sample: Any = case.sample(seed, distribution)
        squares = sample.inputs[0].double() ** 2
        for half in halves:  # bfloat16 lets a kernel be off by a hundredth
            assert ((squares[:, half].mean(-1) / squares.mean(-1) - 1).abs() > 0.03).any()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_inputs_stay_where_the_reference_is_defined(tmp_path: Path, distribution: Distribution) -> None:
    root = unary("torch.sqrt(x - 1).log()", "torch.rand(64, 64) + 1.5")
    sample: Any = loaded(tmp_path, root).sample(3, distribution)
    assert not sample.returned[0].isnan().any()
    probability = unary(
        "torch.nn.functional.binary_cross_entropy(x, torch.ones_like(x), reduction='none')",
        "torch.rand(64, 64)",
    )
    sample = loaded(tmp_path, probability).sample(3, distribution)
    assert sample.inputs[0].min() >= 0 and sample.inputs[0].max() <= 1


@pytest.mark.parametrize(
    ("hint", "low", "high"),
    [('"positive"', 1e-7, 1e19), ("(2, 5)", 2, 5), ('{"x": "unit"}', 0, 1), ('"nonnegative"', 0, 1e19)],
)
def test_a_module_may_say_its_domain(tmp_path: Path, hint: str, low: float, high: float) -> None:
    case = loaded(tmp_path, unary("x * 2", "torch.rand(64, 64) + 2", f"DOMAIN = {hint}"))
    for distribution in DISTRIBUTIONS[1:]:
        sample: Any = case.sample(4, distribution)
        assert sample.inputs[0].min() >= low and sample.inputs[0].max() <= high


def test_nan_and_infinities_come_only_where_they_are_handled(tmp_path: Path) -> None:
    for line, wanted in (("HANDLES_NONFINITE = True", True), ("", False)):
        sample: Any = loaded(tmp_path, unary("torch.isfinite(x)", more=line)).sample(4, "extreme")
        assert bool(sample.inputs[0].isnan().any()) == wanted
        assert bool(sample.inputs[0].isinf().any()) == wanted


def test_integers_that_name_places_keep_the_tasks_values_and_numbers_get_others(tmp_path: Path) -> None:
    few = "torch.randint(0, 7, (50,), dtype=torch.int32)"
    for body, low, high in (("torch.arange(7.0)[x]", 0, 7), ("x + 1", 1000, 2**31)):
        sample: Any = loaded(tmp_path, unary(body, few)).sample(4, "normal")
        assert sample.inputs[0].dtype == torch.int32
        assert low <= int(sample.inputs[0].max()) < high
    assert sample.expected[0].dtype == torch.int32 and torch.equal(sample.expected[0], sample.inputs[0] + 1)


def test_lengths_that_are_drawn_stay_those_of_the_example(tmp_path: Path) -> None:
    """A case has one shape, of which tiling is made once; other values come in another order."""
    text = unary("x * 2", inputs="torch.randn(int(torch.randint(5, 500, ())))")
    case = loaded(tmp_path, text)
    (example,) = case.example_args
    samples = [case.sample(seed, "task").inputs[0] for seed in range(1, 4)]
    assert all(s.shape == example.shape for s in samples)
    assert len({tuple(s.tolist()) for s in samples}) == len(samples)


def test_a_list_of_tensors_is_one_dynamic_input(tmp_path: Path) -> None:
    sample: Any = loaded(tmp_path, unary("[t * 2 for t in x]", "[torch.randn(3), torch.randn(4, 2)]")).sample(
        1, "normal"
    )
    assert [tuple(t.shape) for t in sample.inputs[0]] == [(3,), (4, 2)]
    assert len(sample.expected) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def get_inputs(): return []", "does not define Model"),
        ("import torch\nraise KeyError('boom')", "cannot be imported: KeyError"),
        ("import nothing_of_that_name", "cannot be imported: ModuleNotFoundError"),
        ("class Model(:", "cannot be imported: SyntaxError"),
        (unary("x @ x"), "raises RuntimeError in forward"),
        (unary("x", "1 / 0"), "raises ZeroDivisionError in get_inputs"),
        (
            unary("x", "torch.randn(3), object()").replace("self, x", "self, x, y"),
            "neither a tensor nor an attribute",
        ),
        (unary("x * 2", more="DOMAIN = 'everywhere'"), "which is no domain"),
    ],
)
def test_a_broken_reference_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        loaded(tmp_path, text).sample(1, "normal")
    assert raised.value.remedy
    assert "\n" not in raised.value.text


def test_every_dtype_has_a_name() -> None:
    for dtype in DType:
        assert hasattr(torch, dtype.value)


def test_large_tensors_outside_of_the_state_are_inputs_too(tmp_path: Path) -> None:
    path = tmp_path / "masked.py"
    path.write_text(
        "import torch\n"
        "class Model(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.mask = torch.tril(torch.ones(16, 16))\n"
        "        self.scale = torch.tensor([2.0, 3.0])\n"
        "        self.register_buffer('table', torch.randn(100), persistent=False)\n"
        "    def forward(self, x):\n"
        "        return (x * self.mask).sum() * self.scale.sum() + self.table[0]\n"
        "def get_inputs():\n"
        "    return [torch.randn(16, 16)]\n"
    )
    loaded = load(Reference(loader="akgen.tools.reference.module_loader", path=path), Case(id="0"))
    assert loaded.binding.input_names == ("x", "table", "mask")
    x, table, mask = loaded.sample(3, "normal").inputs
    found = loaded.sample(3, "normal").expected[0]
    assert isinstance(x, torch.Tensor) and isinstance(mask, torch.Tensor) and isinstance(table, torch.Tensor)
    torch.testing.assert_close(found, ((x.double() * mask.double()).sum() * 5 + table[0].double()))


def test_bounds_of_bins_stay_in_order(tmp_path: Path) -> None:
    path = tmp_path / "bins.py"
    path.write_text(
        "import torch\n"
        "class Model(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.register_buffer('bounds', torch.linspace(0, 1, 50))\n"
        "        self.register_buffer('falling', torch.linspace(1, 0, 50))\n"
        "    def forward(self, x):\n"
        "        return torch.bucketize(x, self.bounds) + x * self.falling[0]\n"
        "def get_inputs():\n"
        "    return [torch.rand(30)]\n"
    )
    loaded = load(Reference(loader="akgen.tools.reference.module_loader", path=path), Case(id="0"))
    _, bounds, falling = loaded.sample(3, "normal").inputs
    assert isinstance(bounds, torch.Tensor) and isinstance(falling, torch.Tensor)
    assert (bounds.diff() >= 0).all() and (falling.diff() <= 0).all()
    assert not torch.equal(bounds, torch.linspace(0, 1, 50))


# What `forward` returns, and whether normal and extreme values are drawn beyond the range of the task's own.
LOSING = {
    "a spectrum of nine decades that has no bound": (
        "torch.fft.irfft(torch.fft.rfft(x).sinh().asinh() * torch.arange(33.0), n=64)",
        [True, False],
    ),
    "a filter that is stable below one": ("recursive(x, 80)", [True, False]),
    "a spectrum that its bound explains": (
        "torch.fft.irfft(torch.fft.rfft(x) * torch.arange(33.0), n=64)",
        [True, True],
    ),
    "a sum that its bound explains": ("x.cumsum(-1) - x.sum(-1, keepdim=True)", [True, True]),
}
FILTER = """
import torch
def recursive(x, steps):
    y, turned = torch.zeros(x.shape[0], dtype=torch.complex64), torch.view_as_complex(x.reshape(-1, 32, 2)[:, 0] * 1.0)
    for t in range(steps):
        y = turned * y + x[:, t % 64]
    return y.real - y.imag
class Model(torch.nn.Module):
    def forward(self, x):
        return {body}
def get_inputs():
    return [torch.rand(256, 64) / 2]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("name", LOSING)
def test_what_float32_loses_is_drawn_inside_the_range_of_the_task(tmp_path: Path, name: str) -> None:
    body, beyond = LOSING[name]
    path = tmp_path / "losing.py"
    path.write_text(FILTER.replace("{body}", body))
    case = load(Reference(loader="akgen.tools.reference.module_loader", path=path), Case(id="0"))
    drawn = [case.sample(3, distribution).inputs[0] for distribution in ("normal", "extreme")]
    assert [bool((x < 0).any() or (x > 0.5).any()) for x in drawn] == beyond
