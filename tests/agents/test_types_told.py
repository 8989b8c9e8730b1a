"""Types that words tell of results, of values on the way, of the arithmetic inside and of single tensors."""

import pytest

from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.task import reference_for
from akgen.agents.requests.typed.mentions import told_types
from akgen.agents.requests.typed.mixed import typed_tensors
from akgen.tools.reference.meta_run import results_of


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("count the trues per row (int64)", {"int64": "result"}),
        ("embedding, ids [8] (int64)", {}),
        ("clamp it and return it as uint8", {"uint8": "result"}),
        ("int64 counts out", {"int64": "result"}),
        ("do the norm in fp32, then cast back to fp16", {"fp32": "inside", "fp16": "result"}),
        ("multiply by 10 and round to int32", {}),
        ("port the relu from fp32 to fp16", {}),
        ("softmax 用 fp32 算，结果转回 fp16", {"fp32": "inside", "fp16": "result"}),
        ("a * b, both f32", {"f32": "given"}),
    ],
)
def test_a_mention_of_a_type_says_whose_it_may_be(said: str, found: dict[str, str]) -> None:
    told = {t: m.roles[0] for m in told_types(said) for t in found if t in said[m.begin : m.end]}
    assert told == found and len(told_types(said)) == len(found)


def test_types_beside_shapes_are_those_of_single_tensors() -> None:
    tensors, rest = typed_tensors("matmul of x [16, 32] fp16 and int8 w [32, 48]")
    assert [(t.name, t.shape, t.dtype and t.dtype.value) for t in tensors] == [
        ("x", (16, 32), "float16"),
        ("w", (32, 48), "int8"),
    ]
    assert "fp16" not in rest and "int8" not in rest


def test_a_product_of_8_bit_matrices_is_summed_up_in_32_bits_or_asked_about() -> None:
    heard = parse_request("int8 matmul, a [16, 32] int8, b [32, 48] int8, int32 accumulation, output int32")
    assert heard.problem is None
    assert reference_for(heard.request).count(".to(torch.int32)") == len(("a", "b"))
    asked = parse_request("int8 matmul 16x32 by 32x48, accumulate in int32")
    assert asked.kind == "unclear" and "int32" in (asked.problem or "")


def test_a_product_of_matrices_of_two_types_is_no_result() -> None:
    source = "def f(x, w):\n    return x @ w\n"
    given = [((4, 8), "float16"), ((8, 2), "int8")]
    assert results_of(source, "f", given) is None
    assert results_of(source, "f", [given[0], ((8, 2), "float16")]) is not None
