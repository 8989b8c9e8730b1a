"""Tensors that a text tells stand for operands by name, type, shape and order; nodes and other libraries' calls."""

import pytest

from akgen.agents.requests.assigned import assigned_request
from akgen.agents.requests.libraries import in_torch
from akgen.agents.requests.pasted.nodes import with_nodes, with_properties
from akgen.agents.requests.told_operands import told_operands


@pytest.mark.parametrize(
    ("said", "shapes"),
    [
        ("layernorm x 8x12x64, gamma 64, beta 64", {"x": (8, 12, 64), "gamma": (64,), "beta": (64,)}),
        ("cat a (4, 8), b (4, 2) and c (4, 6) on dim 1", {"a": (4, 8), "b": (4, 2), "c": (4, 6)}),
        ("stack a, b and c, each 12x20 fp16", {"a": (12, 20), "b": (12, 20), "c": (12, 20)}),
        ("拼接三个 (4, 8) 的 fp16 张量", {"x0": (4, 8), "x1": (4, 8), "x2": (4, 8)}),
        ("attention, q (2, 4, 8, 8), k and v cache (2, 4, 9, 8), scale 1/sqrt(16)",
         {"q": (2, 4, 8, 8), "k": (2, 4, 9, 8), "v": (2, 4, 9, 8)}),
    ],
)  # fmt: skip
def test_every_way_to_tell_tensors_is_heard(said: str, shapes: dict[str, tuple[int, ...]]) -> None:
    found = told_operands(said)
    assert found is not None
    assert {t.name: t.shape for t in found.tensors} == shapes


def test_a_count_that_contradicts_the_tensors_is_not_taken() -> None:
    assert told_operands("stack three tensors a (4, 8) and b (4, 8) along dim 0") is None


@pytest.mark.parametrize(
    ("said", "formula"),
    [
        ("conv1d, w 6x4x3, x 2x4x20, b 6, fp32", "conv1d_given(input=x, weight=w, bias=b)"),
        ("layernorm: x 8x12x64, b 64, g 64", "layer_norm_given(input=x, weight=g, bias=b)"),
        ("concat q [4, 8], k [4, 12], v [4, 6] on dim 1", "torch.cat((q, k, v), dim=1)"),
        ("torch.where kernel: mask bool, a and b bf16, everything 16x24", "torch.where(mask, x=a, other=b)"),
    ],
)
def test_names_types_and_order_say_which_operand_a_tensor_is(said: str, formula: str) -> None:
    request = assigned_request(said)
    assert request is not None and (request.steps[0].formula or "").endswith(formula)


@pytest.mark.parametrize(
    "said",
    [
        "lerp: c (8, 16), a (8, 16), b (8, 16), fp32",  # no order of letters, no names
        "attention with q, k, v (2, 4, 12, 16) and a bool mask (12, 12)",  # what does True mean?
        "binary cross entropy, logits [64, 10], targets [64, 10], fp32",
    ],
)
def test_what_stands_in_several_ways_is_left_to_be_asked_about(said: str) -> None:
    assert assigned_request(said) is None


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("`np.std(x, axis=0)`", "`torch.std(x, dim=0, correction=0)`"),
        ("`jax.nn.gelu(x)`", "`torch.nn.functional.gelu(x, approximate='tanh')`"),
        (
            "y = np.pad(x, ((0, 0), (1, 2)), mode='edge')",
            "y = torch.nn.functional.pad(x, (1, 2), mode='replicate')",
        ),
        ("`np.average(x, weights=w)`", "`np.average(x, weights=w)`"),
        ("`np.exp(x) + np.average(x)`", "`np.exp(x) + np.average(x)`"),
    ],
)
def test_calls_of_other_libraries_are_written_in_pytorch_or_left(said: str, written: str) -> None:
    assert in_torch(said) == written


def test_a_node_of_a_graph_is_a_formula_with_its_tensors() -> None:
    said = 'node { op_type: "Gemm"\n attribute: alpha = 0.5, transB = 1 }\ninputs: A float32[4,8], B float32[6,8]'
    assert with_nodes(said).strip() == "y = 0.5 * (A @ B^T), A [4,8] float32, B [6,8] float32"
    assert with_nodes(said.replace("transB", "transC")) == said.replace("transB", "transC")


def test_a_table_of_properties_is_a_list() -> None:
    table = "| item | value |\n|---|---|\n| op | Softplus |\n| input | x, fp32, [8, 4] |"
    assert with_properties(table).split() == ["Softplus,", "x,", "fp32,", "[8,", "4],"]
