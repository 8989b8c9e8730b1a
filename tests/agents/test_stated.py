"""What a text says of its result, and of the precision inside, is checked and left out, not taken for a tensor."""

import pytest

from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.stated import stated_result
from akgen.agents.requests.tidied import tidied
from akgen.agents.requests.trees import substituted


@pytest.mark.parametrize(
    ("said", "shapes", "rest"),
    [
        ("x 8x16, w 16x4, fp16, out is 8x4", [(8, 4)], "x 8x16, w 16x4, fp16"),
        ("x [8, 16] fp16, output fp16 [8, 4]", [(8, 4)], "x [8, 16] fp16"),
        ("x [8, 16] fp16 -> [8, 4] fp32", [(8, 4)], "x [8, 16] fp16 , output fp32"),
        ("resize [1, 3, 4, 4] to [1, 3, 8, 8], fp16", [(1, 3, 8, 8)], "resize [1, 3, 4, 4] , fp16"),
        ("x [8, 16]，输出 [8, 4]", [(8, 4)], "x [8, 16]"),
        ("y = x @ w, x 8x16, w 16x4, y 8x4", [(8, 4)], "y = x @ w, x 8x16, w 16x4"),
        ("out = table[idx]", [], "out = table[idx]"),
        ("the output weight [8, 8]", [], "the output weight [8, 8]"),
    ],
)
def test_shapes_of_results_are_told_from_those_of_tensors(
    said: str, shapes: list[tuple[int, ...]], rest: str
) -> None:
    stated = stated_result(said)
    assert (list(stated.shapes), " ".join(stated.rest.split())) == (shapes, rest)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("| x | [16, 8] | fp16 |", "x [16, 8] fp16,"),
        ("x (fp16, [64, 8])", "x [64, 8] fp16"),
        ("x: float16, shape (4, 8)", "x (4, 8) float16"),
        ("A [8, 4] bf16 times B [4, 2] bf16", "A @ B, A [8, 4] bf16, B [4, 2] bf16"),
        ("matmul, fp16, fp32 accumulation", "matmul, fp16"),
        ("relu, fp16, fp32 accumulation", "relu, fp16, fp32 accumulation"),
        ("softmax, fp32", "softmax, fp32"),
        ("0.5 * ||b - a||, 500x3", "0.5 * ||b - a||, 500x3"),
        ("name | shape\n---|---\nx | 8x4\ny | 8x4", "name | shape ---|--- x | 8x4 y | 8x4"),
        ("name | shape | type\nx | 8x4 | fp16", "x 8x4 fp16,"),
    ],
)
def test_tables_and_types_in_parentheses_are_written_as_lists(said: str, written: str) -> None:
    assert " ".join(tidied(said).split()) == written


@pytest.mark.parametrize(
    ("said", "shape"),
    [
        ("linear to 10 features then relu, x 4x8 fp32", (4, 10)),
        ("conv2d with 16 output channels, kernel 3, stride 2, padding 1, x 2x8x16x16 fp32", (2, 16, 8, 8)),
        ("sum over dim 1, x 4x8x6 fp32", (4, 6)),
        ("top 3 of each row, 4x8 fp32", (4, 3)),
        ("mse loss 4x8 fp32", ()),
        ("a @ b, a 4x8, b 8x2, fp32", (4, 2)),
        ("concat a 4x8 and b 4x3 along dim 1, fp32", (4, 11)),
        ("flatten from dim 1, 4x3x5 fp32", None),
    ],
)
def test_the_shape_of_a_result_follows_from_those_of_the_tensors(
    said: str, shape: tuple[int, ...] | None
) -> None:
    heard = parse_request(said)
    assert heard.problem is None
    assert shape is None or result_shape(heard.request) == shape


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("linear x [8, 32] to 16 features, fp16, output [8, 32]", "8x16"),
        ("对 x [8, 32] fp32 沿 dim 1 求和，输出 [32]", None),
        ("x.sum(-1), x is fp16 [32, 128], return fp32", "float32"),
    ],
)
def test_a_result_that_contradicts_what_would_be_built_is_asked_about(said: str, asks: str | None) -> None:
    heard = parse_request(said)
    assert heard.problem is not None
    assert asks is None or asks in heard.problem


def test_a_tensor_gets_its_further_axes_once() -> None:
    import ast

    tree = ast.parse("h * mask[:, :, None] + mask", mode="eval").body
    placed = {"mask": ast.parse("mask[:, :, None]", mode="eval").body}
    assert ast.unparse(substituted(tree, placed, indexed=False)) == "h * mask[:, :, None] + mask[:, :, None]"
