"""Sentences that people write, and what is understood of them without a model."""

from pathlib import Path

import pytest

from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.needs import missing, tensors_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.task import adapted, reference_for, task_for
from akgen.knowledge.operators import OperatorEntry, operators
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
        ("gelu and then softmax, fp16", "gelu_softmax", HALF, None),
        ("softmax [8, 16, 1023] float", "softmax", SINGLE, (8, 16, 1023)),
        ("rms norm 1k x 4k half", "rms_norm", HALF, (1024, 4096)),
        ("shape 3 5 7", None, None, (3, 5, 7)),
        ("写一个 gelu 算子 半精度 1024乘4096", "gelu", HALF, (1024, 4096)),
        ("a layernorm for bfloat16 tensors of size 128, 77", "layer_norm", BRAIN, (128, 77)),
        ("reduce_sum 1024*512*3", "sum", SINGLE, (1024, 512, 3)),
        ("vector of 10_000", None, None, (10000,)),
        ("add, 4096 elements", "add", SINGLE, (4096,)),
        ("1024, 4096", None, None, (1024, 4096)),
        ("a square softmax, 512 x 512", "softmax", SINGLE, (512, 512)),
    ],
)
def test_a_sentence_is_understood(
    text: str, operator: str | None, dtype: DType | None, shape: tuple[int, ...] | None
) -> None:
    heard = parse_request(text)
    assert heard.problem is None
    assert heard.request.name == operator and heard.request.shape == shape
    assert heard.request.dtypes == ((dtype,) if dtype else ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("write me a gellu kernel for fp16, 1024 by 4096", "Did you mean: write me a gelu kernel"),
        ("an fft operator please", "I did not understand “fft”"),
        ("gelu fp16 of a purple tensor", "“purple”"),
        ("relu or gelu, fp16", "Which one do you mean: relu or gelu?"),
        ("hello", "no operator, data type or shape"),
        ("gelu slope 0.2 fp16", "“slope”"),
        ("gelu 0 by 4096", "no elements"),
        ("gelu 100000 by 100000", "the limit is"),
    ],
)
def test_what_cannot_be_served_is_said(text: str, words: str) -> None:
    problem = parse_request(text).problem
    assert problem is not None and words in problem


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("fancy softmax fp16, 4 by 5", "softmax fp16, 4 by 5"),
        ("高级 softmax，形状 4x5，fp16", "softmax，形状 4x5，fp16"),
        ("gelu fp16 of a purple tensor", "gelu fp16 of a tensor"),
    ],
)
def test_a_text_is_offered_without_few_words_and_built_after_a_yes(text: str, without: str) -> None:
    asked = parse_request(text)
    assert asked.request.empty and asked.offer == without and without in (asked.problem or "")
    assert parse_request(without).problem is None


@pytest.mark.parametrize(
    "text",
    [
        "gelu slope fp16 7 of 4 by 5",  # a number
        "softmax zq fp16 4 by 5",  # perhaps a tensor
        "wibble wobble wabble wubble softmax fp16 4 by 5",  # too many
        "softmax 没搞 4x5 fp16",  # it may turn the meaning round
        "frobnicate",  # nothing is left
    ],
)
def test_what_may_carry_meaning_is_not_left_out(text: str) -> None:
    asked = parse_request(text)
    assert asked.problem is not None and asked.offer is None


@pytest.mark.parametrize(
    "shapes",
    [
        "a: 4x64x64, b: 4x64x48",
        "b: 4x64x48, a: 4x64x64",
        "a: [4,64,64], b: [4,64,48]",
        "a is 4x64x64 and b is 4x64x48",
    ],
)
def test_shapes_are_bound_to_the_names_in_code(shapes: str) -> None:
    heard = parse_request(f"torch.matmul(a, b).relu(), {shapes}")
    assert heard.problem is None and heard.request.shapes == (((4, 64, 64), (4, 64, 48)),)


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("average pooling, kernel 3, stride 2, 4x8x32x32, same as torch.nn.AvgPool2d", "avg_pool"),
        ("group norm with 4 groups over 2x16x8x8, matching nn.GroupNorm", "group_norm"),
        ("局部响应归一化，size=5，跟 pytorch 的 LocalResponseNorm 一致，4x32x27x27", "local_response_norm"),
    ],
)
def test_an_operator_that_is_named_once_more_for_comparison_comes_once(text: str, operator: str) -> None:
    heard = parse_request(text)
    assert heard.problem is None and [s.operator for s in heard.request.steps] == [operator]


def test_a_follow_up_changes_only_what_it_names() -> None:
    first = parse_request("gelu fp16 1024 by 4096").request
    then = parse_request("make it bf16", first).request
    assert then == first.model_copy(update={"dtypes": (BRAIN,)})
    assert missing(parse_request("gelu").request) == ("shape",)


@pytest.mark.parametrize("text", ["make it purple", "now frobnicate", "make it faster", "slope 0.3", "gelu"])
def test_a_follow_up_that_is_not_understood_changes_nothing(text: str) -> None:
    known = parse_request("gelu fp16 8 by 40").request
    heard = parse_request(text, known)
    assert heard.kind == "unclear" and heard.problem and heard.request == known


def test_what_a_version_before_wrote_still_reads() -> None:
    """A conversation of an earlier version is gone on with: one operator, one type, one shape, one axis."""
    earlier = {
        "operator": "sum",
        "dtype": "float16",
        "shape": [8, 40],
        "axis": "all",
        "dynamic": None,
        "knobs": None,
    }
    request = Request.model_validate({**earlier, "source": None})
    assert request == parse_request("sum over all elements, fp16, 8 by 40").request
    assert Request.model_validate({"operator": "equal", "axis": None}).steps == (ChainStep(operator="equal"),)


ELEMENTWISE = [
    op for op in operators() if op.category in ("elementwise", "activation", "softmax", "scan", "reduction")
    and not op.needs and op.operand == "free" and op.name not in ("threshold", "max", "min", "trace", "cross")
]  # fmt: skip


@pytest.mark.parametrize("operator", ELEMENTWISE, ids=lambda op: op.name)
def test_every_operator_of_one_shape_becomes_a_reference_that_runs(
    operator: OperatorEntry, tmp_path: Path
) -> None:
    boolean = operator.name.startswith(("bitwise", "logical"))
    dtype = DType.INT32 if operator.takes == "integers" else DType.BOOL if boolean else SINGLE
    request = Request(steps=(ChainStep(operator=operator.name),), dtypes=(dtype,), shapes=(((4, 8),),))
    assert missing(request) == () or missing(request) == ("attribute",)
    if missing(request):
        return
    module = tmp_path / "reference.py"
    module.write_text(reference_for(request))
    task = task_for(request, module, "asked")
    loaded = load(task.reference, task.cases[0])
    sample = loaded.sample(3, "task")
    assert len(sample.inputs) >= tensors_of(request.steps[0]) + len(operator.weights)


def _step(operator: str, dim: int | None) -> dict[str, object]:
    step = ChainStep(operator=operator, attributes={"dim": dim})
    return {"steps": (step,), "dtypes": (SINGLE,), "assumed": True}


WISHES = {
    "now in half": {"dtypes": (HALF,)},
    "make it dynamic": {"dynamic": True},
    "only this shape": {"dynamic": False},
    "use 20 cores": {"knobs": Knobs(cores=20)},
    "on a single core": {"knobs": Knobs(cores=1)},
    "tiles of 4k": {"knobs": Knobs(tile_length=4096)},
    "8 tiles per core": {"knobs": Knobs(pieces=8)},
    "without double buffering": {"knobs": Knobs(buffers=1)},
    "sum over rows instead": _step("sum", -2),
    "the mean of each row": _step("mean", -1),
    "mean over all elements": _step("mean", None),
    "sum along dim 0": _step("sum", 0),
    "改成半精度": {"dtypes": (HALF,)},
    "用20个核": {"knobs": Knobs(cores=20)},
    "按列求和": _step("sum", -2),
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
    assert heard.problem is None and missing(heard.request) == ()
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
    assert missing(request) == () and request.complete
    half = parse_request("now in half", request).request
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
        ("写一个 fft 算子 fft kernel", "没有听懂“fft”"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_code_or_axis_is_said(text: str, words: str) -> None:
    problem = parse_request(text).problem
    assert problem is not None and words in problem


def test_the_reduced_axis_reaches_the_reference() -> None:
    sums = {dim: reference_for(Request(**_step("sum", dim))) for dim in (0, -2, None)}
    assert "torch.sum(x0, 0)" in sums[0] and "torch.sum(x0, -2)" in sums[-2]
    assert "torch.sum(x0)" in sums[None]


def test_a_kernel_for_all_shapes_is_judged_on_several() -> None:
    request = parse_request("relu half 64 by 100, dynamic").request
    task = task_for(request, Path("reference.py"), "asked")
    shapes = [tuple(case.params["shape"]) for case in task.cases]  # type: ignore[arg-type]
    assert shapes[0] == (64, 100) and len(set(shapes)) == len(shapes) >= 4
    assert {len(shape) for shape in shapes} == {2}


def test_another_operator_keeps_type_and_shape_but_not_the_knobs_of_the_kernel() -> None:
    first = parse_request("sum fp16 8 by 40 over rows, use 4 cores").request
    then = parse_request("now softmax", first).request
    assert then == Request(steps=(ChainStep(operator="softmax"),), dtypes=(HALF,), shapes=(((8, 40),),))
    assert parse_request("use 2 cores", first).request.knobs == Knobs(cores=2)
    assert parse_request("tiles of 512", first).request.knobs == Knobs(cores=4, tile_length=512)


def test_a_task_that_exists_is_taken_in_another_type_and_shape() -> None:
    cases = tuple(Case(id=d, params={"dtype": d, "shape": [4, 4]}) for d in ("float32", "float16"))
    task = Task(
        name="t", suite="builtin", op_type="T", kernel="t", cases=cases,
        reference=Reference(loader="x", path=Path("x.py")),
    )  # fmt: skip
    assert [c.id for c in adapted(task, Request(dtypes=(HALF,)), "n").cases] == ["float16"]
    other = adapted(task, Request(dtypes=(BRAIN,), shapes=(((2, 8),),)), "n").cases
    assert [c.params for c in other] == [{"dtype": "bfloat16", "shape": [2, 8]}]
    bare = task.model_copy(update={"cases": (Case(id="0"),)})
    with pytest.raises(InputError, match="do not name their dtype"):
        adapted(bare, Request(dtypes=(HALF,)), "n")


def test_the_language_is_told_by_the_sentence_and_kept_where_it_does_not_tell() -> None:
    assert language_of("写一个 gelu 算子") == "zh"
    assert language_of("make it bf16", Language.CHINESE) == "en"
    for text in ("1024, 4096", "/undo 2", "bf16"):
        assert language_of(text, Language.CHINESE) == "zh"
        assert language_of(text, Language.ENGLISH) == "en"


@pytest.mark.parametrize("number", ["9" * 400, "9" * 5000, "0", "99999999999"])
@pytest.mark.parametrize(
    "text",
    [
        "softmax float16 shape (4, {})", "scale by pi/{} for float32 (4, 128)", "1/sqrt({}) times x float32 [4, 128]",
        "x * 10^{} float32 [4, 128]", "group norm with {} groups fp32 (2, 8, 4, 4)", "把 x 乘以 {} 万 float32 (4, 4)",
    ],
)  # fmt: skip
def test_numbers_beyond_reason_are_asked_about_or_named(text: str, number: str) -> None:
    read = parse_request(text.format(number))
    assert read.problem is None or len(read.problem) < 300


@pytest.mark.parametrize("nest", ["(" * 3000 + "x" + ")" * 3000, "-" * 3000 + "x", "2 ^ " * 3000 + "x"])
def test_formulas_nested_beyond_reason_are_asked_about(nest: str) -> None:
    assert parse_request(f"y = {nest} float32 (4, 128)").problem is not None
