"""Sentences that people write, and what is understood of them without a model."""

from pathlib import Path

import pytest

from akgen.agents.requests.sentence import Request, hear
from akgen.agents.requests.task import reference_text, task_for
from akgen.knowledge.operators import operators
from akgen.tools.dtypes import DType
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
    heard = hear(text)
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
    problem = hear(text).problem
    assert problem is not None and words in problem


def test_a_follow_up_changes_only_what_it_names() -> None:
    first = hear("gelu fp16 1024 by 4096").request
    assert first.joined(hear("make it bf16").request) == Request(
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
