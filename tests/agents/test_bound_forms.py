"""Tensors that a person declares by name are bound to the slots of the operator that is named."""

import re

import pytest

from akgen.agents.requests.bound_forms import bound_request
from akgen.agents.requests.declarations import declarations
from akgen.agents.requests.marks import words
from akgen.agents.requests.sentence import parse_request
from tests.agents.sentences.blind import read, score
from tests.agents.sentences.check import HERE


@pytest.mark.parametrize("line", read(HERE / "declared.jsonl"), ids=lambda line: line["id"])
def test_named_tensors_are_passed_to_the_operator_that_takes_them(line: dict[str, object]) -> None:
    found = score(line)
    assert found.kind == "right", found.why


@pytest.mark.parametrize(
    ("said", "tensors"),
    [
        ("q, k: (2,4,64,32); mask (64,64) bool", {"q": "2x4x64x32", "k": "2x4x64x32", "mask": "64x64 bool"}),
        ("acc is 512 x 32, rows is 2000 x 32, idx (int64)", {"acc": "512x32", "rows": "2000x32", "idx": " int64"}),
        ("权重 w_ih (192, 32)，偏置 b_ih、b_hh 各 192", {"w_ih": "192x32", "b_ih": "192", "b_hh": "192"}),
        ("mean, logits (4, 37, 50) 是 (B, T, V), labels [4, 37] int64", {"logits": "4x37x50", "labels": "4x37 int64"}),
        ("q k v are b=2 h=4 n=128 d=32", {"q": "2x4x128x32", "k": "2x4x128x32", "v": "2x4x128x32"}),
        ("y [64, 10, 10]... sorry [64, 12, 77]", {"y": "64x12x77"}),
        ("gamma and beta, x: [6, 20], gamma: [20], beta: [20]", {"x": "6x20", "gamma": "20", "beta": "20"}),
    ],
)  # fmt: skip
def test_declarations_are_read_in_any_notation(said: str, tensors: dict[str, str]) -> None:
    found = declarations(said)
    assert found is not None
    spelt = {
        t.name: "x".join(map(str, t.shape or ())) + (f" {t.dtype.value}" if t.dtype else "")
        for t in found.tensors
    }
    assert spelt == tensors


@pytest.mark.parametrize(
    "said",
    [
        "conv1d: x 4x16x100, w 32x16x5, b 31",  # the bias does not fit
        "layer norm, x (6, 48), gamma (48), beta (48), and add gamma twice",  # more than the operator
        "linear: x (4, 8), w (6, 8), b (6) int64",  # a type that the slot does not have
        "gru cell, x 8x12, h 8x20, w_ih 60x12",  # one is lacking
        "scatter the new key into the kv cache: cache [2, 4, 64, 16], new [2, 4, 1, 16]",  # where?
        "softmax over dim 0, x 4x32, lengths int64 [4], ignore positions beyond lengths[b]",  # another axis
        "softmax over dim 1, x 4x32, lengths int64 [4], ignore positions > lengths[b]",  # one more than the length
        "mean over positions beyond lengths[b], x (4, 16, 8), lengths int64 (4,)",  # of the others
        "对超过 lengths 的位置求平均，x [4, 32, 16]，lengths [4]",
        "int8 dequantize per row, q int8 (8, 16), scale fp16 (8,), zp int8 (8,), out = (q - zp) * scale, output fp32",
    ],
)
def test_what_does_not_fit_or_is_not_understood_whole_is_left_to_a_question(said: str) -> None:
    assert bound_request(said) is None


def test_every_pattern_of_the_words_compiles() -> None:
    said = words()
    patterns = [p for name in ("told", "declared", "wishes", "both") for p in said[name].values()]
    patterns += [pattern for pattern, _ in [*said["rewrites"], *said["flags"], *said["axes"]]]
    patterns += [pattern for listed in said["variants"].values() for pattern, _ in listed]
    compiled = [re.compile(p) for p in patterns if isinstance(p, str)]
    assert len(compiled) > len(said["rewrites"])


def test_the_length_of_a_bias_that_is_added_does_not_replace_the_shapes_that_are_known() -> None:
    known = parse_request("x @ w, x 16x24, w 24x40").request
    heard = parse_request("add a bias c of length 40", known)
    assert heard.problem is not None or heard.request.shapes == (((16, 24), (24, 40)),)
