"""Sentences that people write, and what is understood of them without a model."""

from pathlib import Path

import pytest

from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.sentence import Request, parse_request
from akgen.agents.requests.task import adapted, reference_for, reference_text, task_for
from akgen.knowledge.operators import operators
from akgen.tools.core.dtypes import DType
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.reference.module_loader import load

HALF, BRAIN, SINGLE = DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32


@pytest.mark.parametrize(
    ("text", "operator", "dtype", "shape"),
    [
        ("write me a gelu kernel for fp16, 1024 by 4096", "gelu", HALF, (1024, 4096)),
        ("make it bf16", None, BRAIN, None),
        ("softmax [8, 16, 1023] float", "softmax", SINGLE, (8, 16, 1023)),
        ("rms norm 1k x 4k half", "rms_norm", HALF, (1024, 4096)),
        ("shape 3 5 7", None, None, (3, 5, 7)),
        ("写一个 gelu 算子 半精度 1024乘4096", "gelu", HALF, (1024, 4096)),
        ("a layernorm for bfloat16 tensors of size 128, 77", "layer_norm", BRAIN, (128, 77)),
        ("reduce_sum 1024*512*3", "sum", None, (1024, 512, 3)),
        ("vector of 10_000", None, None, (10000,)),
        ("add, 4096 elements", "add", None, (4096,)),
        ("1024, 4096", None, None, (1024, 4096)),
        ("a square softmax, 512 x 512", "softmax", None, (512, 512)),
        ("hello", None, None, None),
    ],
)
def test_a_sentence_is_understood(
    text: str, operator: str | None, dtype: DType | None, shape: tuple[int, ...] | None
) -> None:
    heard = parse_request(text)
    assert heard.request == Request(operator=operator, dtype=dtype, shape=shape)
    assert heard.problem is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("write me a gellu kernel for fp16, 1024 by 4096", "Did you mean gelu"),
        ("an fft operator please", "no operator named 'fft'"),
        ("gelu and then softmax, fp16", "one operator at a time"),
        ("gelu 0 by 4096", "no elements"),
        ("gelu 100000 by 100000", "the limit is"),
    ],
)
def test_what_cannot_be_served_is_said(text: str, words: str) -> None:
    problem = parse_request(text).problem
    assert problem is not None and words in problem


def test_a_follow_up_changes_only_what_it_names() -> None:
    first = parse_request("gelu fp16 1024 by 4096").request
    assert first.joined(parse_request("make it bf16").request) == Request(
        operator="gelu", dtype=BRAIN, shape=(1024, 4096)
    )
    assert Request(operator="gelu").missing == ("dtype", "shape")


@pytest.mark.parametrize("operator", operators(), ids=lambda op: op.name)
def test_every_known_operator_becomes_a_reference_that_runs(operator: object, tmp_path: Path) -> None:
    name = operator.name  # type: ignore[attr-defined]
    module = tmp_path / "reference.py"
    module.write_text(reference_text(operator))  # type: ignore[arg-type]
    task = task_for(Request(operator=name, dtype=SINGLE, shape=(4, 8)), module, "asked")
    loaded = load(task.reference, task.cases[0])
    sample = loaded.sample(3, "normal")
    assert len(sample.expected) == 1
    assert len(sample.inputs) == operator.inputs + len(operator.weights)  # type: ignore[attr-defined]


WISHES = {
    "now in half": {"dtype": HALF},
    "make it dynamic": {"dynamic": True},
    "only this shape": {"dynamic": False},
    "use 20 cores": {"knobs": Knobs(cores=20)},
    "on a single core": {"knobs": Knobs(cores=1)},
    "tiles of 4k": {"knobs": Knobs(tile_length=4096)},
    "8 tiles per core": {"knobs": Knobs(pieces=8)},
    "without double buffering": {"knobs": Knobs(buffers=1)},
    "sum over rows instead": {"operator": "sum", "axis": -2},
    "the mean of each row": {"operator": "mean", "axis": -1},
    "mean over all elements": {"operator": "mean", "axis": "all"},
    "sum along dim 0": {"operator": "sum", "axis": 0},
    "改成半精度": {"dtype": HALF},
    "用20个核": {"knobs": Knobs(cores=20)},
    "按列求和": {"operator": "sum", "axis": -2},
    "支持任意形状": {"dynamic": True},
    "不要双缓冲": {"knobs": Knobs(buffers=1)},
}


@pytest.mark.parametrize("text", WISHES)
def test_a_follow_up_says_what_shall_change(text: str) -> None:
    assert parse_request(text).request == Request(**WISHES[text])


CODE = {
    "an expression": ("torch.softmax(x * 2, dim=-1) in fp16, 8 by 40", ("x",)),
    "an expression in backticks": ("a kernel for `x * torch.sigmoid(y)`, half 8 by 40", ("x", "y")),
    "a function": (
        "fp16 8 by 40\ndef gate(x, y, scale=0.5):\n    return x * scale + torch.tanh(y)\n",
        ("x", "y"),
    ),
    "a module": (
        "half, 8 by 40:\n```python\nclass Gate(nn.Module):\n    def forward(self, x, y):\n"
        "        return F.silu(x) * y\n```",
        ("x", "y"),
    ),
    "inputs of any shape": (
        "half 8 by 40\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n\n"
        "def get_inputs(params):\n    return [torch.rand(params['shape'], dtype=getattr(torch, params['dtype']))]\n",
        ("x",),
    ),
}


@pytest.mark.parametrize("name", CODE)
def test_code_becomes_a_reference_that_runs(name: str, tmp_path: Path) -> None:
    text, arguments = CODE[name]
    heard = parse_request(text)
    assert heard.problem is None and heard.request.missing == ()
    assert heard.request.source is not None and heard.request.source.arguments == arguments
    module = tmp_path / "reference.py"
    module.write_text(reference_for(heard.request))
    task = task_for(heard.request, module, "asked")
    loaded = load(task.reference, task.cases[0])
    sample = loaded.sample(3, "task")
    assert [list(x.shape) for x in sample.inputs] == [[8, 40]] * len(arguments)
    assert str(sample.inputs[0].dtype) == "torch.float16"


def test_code_with_its_own_inputs_needs_nothing_else_and_can_be_had_in_another_type(tmp_path: Path) -> None:
    code = (
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x, n):\n        return x * n\n\n"
        "def get_inputs():\n    return [torch.randn(3, 5), 2]\n"
    )
    request = parse_request(code).request
    assert request.missing == () and request.complete
    half = request.joined(parse_request("now in half").request)
    module = tmp_path / "reference.py"
    module.write_text(reference_for(half))
    loaded = load(task_for(half, module, "asked").reference, task_for(half, module, "asked").cases[0])
    (x,) = loaded.sample(3, "task").inputs
    assert str(x.dtype) == "torch.float16" and list(x.shape) == [3, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```\ndef f(x\n```", "no valid Python"),
        ("```\nx = 3\n```", "no torch.nn.Module"),
        ("`3 * 4`", "uses no tensor"),
        (
            "class G(nn.Module):\n    def __init__(self, n):\n        pass\n"
            "    def forward(self, x):\n        return x",
            "get_init_inputs",
        ),
        ("gelu fp16 8 by 8 over rows", "no axis to choose"),
        ("sum fp16 8 by 8 along axis 3", "no axis 3"),
        ("写一个 fft 算子 fft kernel", "没有名为"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_code_or_axis_is_said(text: str, words: str) -> None:
    problem = parse_request(text).problem
    assert problem is not None and words in problem


def test_the_reduced_axis_reaches_the_reference() -> None:
    sums = {axis: reference_for(Request(operator="sum", axis=axis)) for axis in (0, -2, "all")}
    assert "torch.sum(x0, dim=0)" in sums[0] and "torch.sum(x0, dim=-2)" in sums[-2]
    assert "torch.sum(x0)" in sums["all"]


def test_a_kernel_for_all_shapes_is_judged_on_several() -> None:
    request = parse_request("relu half 64 by 100, dynamic").request
    task = task_for(request, Path("reference.py"), "asked")
    shapes = [tuple(case.params["shape"]) for case in task.cases]  # type: ignore[arg-type]
    assert shapes[0] == (64, 100) and len(set(shapes)) == len(shapes) >= 4
    assert {len(shape) for shape in shapes} == {2}


def test_another_operator_keeps_type_and_shape_but_not_the_knobs_of_the_kernel() -> None:
    first = parse_request("sum fp16 8 by 40 over rows, use 4 cores").request
    then = first.joined(parse_request("now softmax").request)
    assert then == Request(operator="softmax", dtype=HALF, shape=(8, 40))
    assert first.joined(parse_request("use 2 cores").request).knobs == Knobs(cores=2)
    assert first.joined(parse_request("tiles of 512").request).knobs == Knobs(cores=4, tile_length=512)


def test_a_task_that_exists_is_taken_in_another_type_and_shape() -> None:
    cases = tuple(Case(id=d, params={"dtype": d, "shape": [4, 4]}) for d in ("float32", "float16"))
    task = Task(
        name="t", suite="builtin", op_type="T", kernel="t", cases=cases,
        reference=Reference(loader="x", path=Path("x.py")),
    )  # fmt: skip
    assert [c.id for c in adapted(task, Request(dtype=HALF), "n").cases] == ["float16"]
    other = adapted(task, Request(dtype=BRAIN, shape=(2, 8)), "n").cases
    assert [c.params for c in other] == [{"dtype": "bfloat16", "shape": [2, 8]}]
    bare = task.model_copy(update={"cases": (Case(id="0"),)})
    with pytest.raises(InputError, match="do not name their dtype"):
        adapted(bare, Request(dtype=HALF), "n")


def test_the_language_is_told_by_the_sentence_and_kept_where_it_does_not_tell() -> None:
    assert language_of("写一个 gelu 算子") == "zh"
    assert language_of("make it bf16", Language.CHINESE) == "en"
    for text in ("1024, 4096", "/undo 2", "bf16"):
        assert language_of(text, Language.CHINESE) == "zh"
        assert language_of(text, Language.ENGLISH) == "en"
