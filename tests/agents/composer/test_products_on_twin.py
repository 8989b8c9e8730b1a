"""Composed matrix products: one project for ragged shapes in several dtypes, found right on the twin."""

from pathlib import Path

import pytest

from akgen.tools.core.task import Case
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.agents.composer.solving import assert_solved
from tests.agents.composer.test_model_free import task
from tests.sampled import sampled


@pytest.fixture(scope="module")
def judge(twin: TwinToolchain, reference: ReferenceWorker) -> Judge:
    return Judge(twin, reference)


def cases(*given: tuple[str, tuple[int, ...]]) -> tuple[Case, ...]:
    return tuple(
        Case(id=f"{dtype}_{'x'.join(map(str, s))}", params={"shape": list(s), "dtype": dtype})
        for dtype, s in given
    )


# m, n, k, and how many there are
SHAPES = cases(
    ("float32", (130, 300, 70, 2)), ("float16", (130, 300, 70, 3)), ("float16", (33, 17, 257, 2)),
    ("bfloat16", (64, 128, 96, 5)),
)  # fmt: skip
X = "make(params['shape'][0], params['shape'][2])"
W = "make(params['shape'][1], params['shape'][2])"
V = "make(params['shape'][1])"
Q = "make(params['shape'][3], params['shape'][0], params['shape'][2])"
K = "make(params['shape'][3], params['shape'][1], params['shape'][2])"
BODIES: dict[str, tuple[str, str, str]] = {
    "product": ("torch.mm(x, w.T)", f"{X}, {W}", "x, w"),
    "batched": ("torch.bmm(q, k.transpose(1, 2))", f"{Q}, {K}", "q, k"),
    "linear and gelu": ("F.gelu(F.linear(x, w, v))", f"{X}, {W}, {V}", "x, w, v"),
    "attention": ("torch.softmax(q @ k.transpose(1, 2) / 8, -1) @ k", f"{Q}, {K}", "q, k"),
}


PICTURES = cases(("float32", (2, 5, 11, 9)), ("float32", (5, 4, 12, 17)), ("float32", (4, 7, 6, 13)))
PICTURE, FILTERS = "make(*params['shape'])", "make(6, params['shape'][1], 3, 3)"
CONVOLUTIONS: dict[str, tuple[str, str, str]] = {
    "convolution": ("F.relu(F.conv2d(x, w, padding=1))", f"{PICTURE}, {FILTERS}", "x, w"),
    "transposed": ("F.conv_transpose2d(x, w.transpose(0, 1), stride=2)", f"{PICTURE}, {FILTERS}", "x, w"),
}


@pytest.mark.parametrize("name", sampled(CONVOLUTIONS, 6))
def test_convolutions_of_several_shapes(judge: Judge, tmp_path: Path, name: str) -> None:
    body, inputs, args = CONVOLUTIONS[name]
    what = task(tmp_path, body, inputs, args)
    assert_solved(judge, what.model_copy(update={"cases": PICTURES}), tmp_path)


@pytest.mark.parametrize("name", sampled(BODIES, 6))
def test_one_project_serves_all_shapes_and_dtypes(judge: Judge, tmp_path: Path, name: str) -> None:
    body, inputs, args = BODIES[name]
    what = task(tmp_path, body, inputs, args)
    assert_solved(judge, what.model_copy(update={"cases": SHAPES}), tmp_path)


def chain(of: str) -> tuple[str, str, str]:
    """Return more products in a row than the library takes objects: linear layers, or those of attention."""
    value = "x" if of == "linear" else "q"
    for n in range(6 if of == "linear" else 3):
        linear = f"torch.tanh({value} @ {'w.T' if n % 2 == 0 else 'w'})"
        value = linear if of == "linear" else f"torch.softmax({value} @ k.transpose(1, 2) / 8, -1) @ k"
    return value, f"{X}, {W}" if of == "linear" else f"{Q}, {K}", "x, w" if of == "linear" else "q, k"


@pytest.mark.parametrize("of", ["linear", "attention"])
def test_more_products_than_the_library_takes_objects_share_them(
    judge: Judge, tmp_path: Path, of: str
) -> None:
    what = task(tmp_path, *chain(of))
    assert_solved(judge, what.model_copy(update={"cases": cases(("float32", (40, 72, 33, 1)))}), tmp_path)
