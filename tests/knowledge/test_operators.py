"""Operators are found by what people call them, are defined by PyTorch, and every expression runs."""

import pytest
import torch

from akgen.knowledge import operators as ops
from akgen.knowledge.data_files import read_text
from akgen.tools.reference.signatures import signatures


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("write me a gelu kernel for fp16, 1024 by 4096", "gelu"),
        ("log softmax over the last axis please", "log_softmax"),
        ("I need a fused layernorm", "layer_norm"),
        ("a logarithm of a matrix", "log"),
        ("写一个层归一化算子", "layer_norm"),
        ("mean squared error of two vectors", "mse_loss"),
        ("reduce max of rows", "amax"),
    ],
)
def test_the_longest_name_in_a_sentence_wins(sentence: str, name: str) -> None:
    assert [found.operator for found in ops.find_operators(sentence)] == [name]


def test_a_name_inside_another_word_is_no_name() -> None:
    assert ops.find_operators("please explain the problem") == ()


def test_a_misspelt_name_gets_its_neighbours() -> None:
    assert "softmax" in ops.nearest("sofmax")


def test_the_signatures_are_those_of_this_pytorch() -> None:
    """`make signatures` writes them anew; another PyTorch may have more of them, and has these."""
    known = read_text("signatures.txt").splitlines()
    assert len(known) > 600
    fresh = signatures()
    assert torch.__version__.split("+")[0] != "2.13.0" or known == fresh
    missing = {line.partition("(")[0] for line in known} - {line.partition("(")[0] for line in fresh}
    assert len(missing) < 20, missing


@pytest.mark.parametrize("op", ops.operators(), ids=lambda op: op.name)
def test_every_operator_of_the_catalogue_is_defined(op: ops.OperatorEntry) -> None:
    assert op.signatures() or op.expression
    assert ops.operator_named(op.name) == op


EXPRESSIONS = [op for op in ops.operators() if op.expression is not None]


@pytest.mark.parametrize("op", EXPRESSIONS, ids=lambda op: op.name)
def test_every_expression_computes_on_tensors(op: ops.OperatorEntry) -> None:
    torch.manual_seed(0)
    assert op.expression is not None and op.inputs is not None
    names = {f"x{i}": torch.rand(3, 8) + 0.5 for i in range(op.inputs)}
    weights = {f"w{i}": f"w{i}" for i in range(len(op.weights))}
    needed = {"dtype": "torch.float16"} if "dtype" in op.needs else {}
    text = op.expression.format(*names, **weights, **op.attributes, **needed)
    out = eval(text, {"torch": torch, **names, **{w: torch.ones(8) for w in weights}})
    assert torch.isfinite(out.float()).all()
