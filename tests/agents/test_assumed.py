"""A request that names no data type means PyTorch's default; what is said holds, what contradicts is asked about."""

import pytest

from akgen.agents.requests.needs import missing
from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import parse_request
from akgen.tools.core.dtypes import DType


def _heard(*turns: str) -> Request:
    known = Request()
    for turn in turns:
        parsed = parse_request(turn, known)
        assert parsed.problem is None, parsed.problem
        known = parsed.request
    return known


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("gelu 8x40", DType.FLOAT32),
        ("按行求和，8乘40", DType.FLOAT32),
        ("x * sigmoid(y), 8x40", DType.FLOAT32),
        ("embedding lookup, vocab 100, dim 16, 4 tokens", DType.FLOAT32),
        ("cross entropy loss, 32 samples, 10 classes", DType.FLOAT32),
        ("quantize to int8 with scale 0.1, 8x40", DType.FLOAT32),
        ("one hot with 10 classes, 32 labels", DType.INT64),
        ("bitwise xor 8x40", DType.INT32),
        ("gcd 8x40", DType.INT32),
        ("def f(x):\n    return x + 1\n\n8x40", DType.FLOAT32),
    ],
)
def test_no_type_means_the_default_and_is_known_as_assumed(text: str, dtype: DType) -> None:
    request = _heard(text)
    assert request.dtypes == (dtype,) and request.assumed
    assert "dtype" not in missing(request)


@pytest.mark.parametrize(
    ("turns", "dtypes", "assumed"),
    [
        (("gelu fp16 8x40",), ("float16",), False),
        (("gelu 8x40", "make it bf16"), ("bfloat16",), False),
        (("gelu 8x40", "also fp16"), ("float32", "float16"), False),
        (("gelu 8x40", "then relu"), ("float32",), True),
        (("gelu 8x40", "now bitwise xor 8x40"), ("int32",), True),
        (("gelu fp16 8x40", "now tanh"), ("float16",), False),
        (("gelu", "8x40"), ("float32",), True),
        (("uint8 to fp16: x / 255, 8x40",), ("uint8",), False),
    ],
)
def test_a_follow_up_keeps_the_type_that_stands(
    turns: tuple[str, ...], dtypes: tuple[str, ...], assumed: bool
) -> None:
    request = _heard(*turns)
    assert tuple(d.value for d in request.dtypes) == dtypes and request.assumed is assumed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x + y, x in int8, y in fp16, 8x40", "int8"),
        ("bitwise and in fp16, 8x40", "integers alone"),
        ("relu not fp16 8x40", None),
        ("cast 8x40 to fp32", None),
    ],
)
def test_a_type_that_contradicts_or_is_only_denied_is_asked_about(text: str, words: str | None) -> None:
    parsed = parse_request(text)
    if words is None:
        assert parsed.problem is not None or missing(parsed.request) == ("dtype",)
    else:
        assert parsed.problem is not None and words in parsed.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("group norm with 5 groups for 2x32x8x8", "32 channels cannot be divided into 5"),
        ("把 [3, 5] 和 [4, 5] 沿 dim=1 concat", "不能沿该轴拼接"),
        ("A@B, A is 64x128 and B is 100x32", "cannot be multiplied"),
        ("C = A + B with A 3x5 and B 4x5", "do not fit each other"),
    ],
)
def test_sizes_that_do_not_fit_are_asked_about(text: str, words: str) -> None:
    problem = parse_request(text).problem
    assert problem is not None and words in problem
    assert parse_request(text.replace("5 groups", "4 groups").replace("[4, 5]", "[3, 7]").replace("100", "128")
                         .replace("4x5", "3x1")).problem is None  # fmt: skip
