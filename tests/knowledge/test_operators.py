"""Operators are found by what people call them, and every expression runs."""

import pytest
import torch

from akgen.knowledge import operators as ops


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
    found = ops.find_in(sentence)
    assert found is not None
    assert found.name == name


def test_a_name_inside_another_word_is_no_name() -> None:
    assert ops.find_in("please explain the problem") is None


def test_a_misspelt_name_gets_its_neighbours() -> None:
    assert "softmax" in ops.nearest("sofmax")


@pytest.mark.parametrize("op", ops.operators(), ids=lambda op: op.name)
def test_every_expression_computes_on_tensors(op: ops.OperatorEntry) -> None:
    torch.manual_seed(0)
    names = {f"x{i}": torch.rand(3, 8) + 0.5 for i in range(op.inputs)}
    names |= {f"w{i}": torch.ones(8) for i in range(len(op.weights))}
    out = eval(op.expression, {"torch": torch, **names})
    assert torch.isfinite(out.float()).all()
