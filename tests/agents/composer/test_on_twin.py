"""Composed projects compile and run on the twin, and the judge finds them right."""

from pathlib import Path

import pytest

from akgen.agents.composer import ModelFree
from akgen.tools.core.outcome import Outcome
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


TWO = "make(*params['shape']), make(*params['shape'])"
LISTS = "[make(5, 7), make(1), make(2000)], torch.tensor([0.5, 2.0, 3.0])"
BODIES: dict[str, tuple[str, str, str]] = {
    "pointwise": ("F.gelu(x) + y", TWO, "x, y"),
    "softmax": ("torch.softmax(x, -1)", "make(*params['shape'])", "x"),
    "rms norm": ("F.rms_norm(x, x.shape[-1:])", "make(*params['shape'])", "x"),
    "loss": ("F.mse_loss(x, y)", TWO, "x, y"),
    "columns": ("x.view(-1, 3, 11).sum(1)", "make(4, 33)", "x"),
    "first axis": ("x - x.mean(0, keepdim=True)", "make(*params['shape'])", "x"),
    "comparison": ("torch.where(x > y, x, y * 2)", TWO, "x, y"),
    "reshape that mixes factors": ("torch.softmax(torch.tanh(x).view(-1, 8), -1)", "make(20, 6)", "x"),
    "product": ("torch.prod(x * 0.1 + 1, -1)", "make(*params['shape'])", "x"),
    "greatest and where": ("torch.max(x, -1)", "make(*params['shape'])", "x"),
    "running sum": ("torch.relu(torch.cumsum(x, -1)) + x", "make(*params['shape'])", "x"),
    "running product of columns": ("torch.cumprod(x * 0.1 + 1, 0)", "make(*params['shape'])", "x"),
    "running sum of what was before": (
        "torch.cat([torch.zeros_like(x[:, :1]), torch.cumsum(x[:, :-1], -1)], -1)",
        "make(13, 70)",
        "x",
    ),
    "running sum of truth": ("torch.cumsum(x > 0, -1)", "make(*params['shape'])", "x"),
    "permute": ("x.permute(0, 2, 3, 1).contiguous()", "make(2, 5, 7, 9)", "x"),
    "sorted rows and places": ("torch.sort(x, dim=-1, stable=True)", "make(*params['shape'])", "x"),
    "sorted columns": ("torch.sort(x, dim=0)[0]", "make(50, 13)", "x"),
    "gate": ("torch.topk(torch.softmax(x, -1), 2)[0]", "make(20, 65)", "x"),
    "quotients and bits": (
        "(x // 7) * 3 + (x % 7) * (x & 255) + (x >> 3)",
        "torch.randint(-9000, 9000, (5, 70), dtype=torch.int32)",
        "x",
    ),
    "sum of integers": (
        "x.sum(-1, dtype=torch.int32)",
        "torch.randint(-2**30, 2**30, (5, 70), dtype=torch.int32)",
        "x",
    ),
    "sum of all integers": ("x.sum()", "torch.randint(-9000, 9000, (300, 170), dtype=torch.int32)", "x"),
    "running sum from the end": ("torch.cumsum(x.flip(0), 0).flip(0)", "make(40, 70)", "x"),
    "sorted integers": (
        "torch.sort(x, dim=-1)[0]",
        "torch.randint(-2**30, 2**30, (5, 70), dtype=torch.int32)",
        "x",
    ),
    "histogram": ("torch.histc(x, 20, -1, 1)", "make(*params['shape'])", "x"),
    "list": ("[x * s[k] for k, x in enumerate(xs)]", LISTS, "xs, s"),
}


@pytest.mark.parametrize("name", sampled(BODIES, 7))
def test_the_judge_finds_it_right(judge: Judge, tmp_path: Path, name: str) -> None:
    body, inputs, args = BODIES[name]
    what = task(tmp_path, body, inputs, args)
    assert_solved(judge, what, tmp_path)


@pytest.mark.parametrize(
    ("body", "columns"),
    sampled(
        [
            ("torch.log_softmax(x, -1)", 60001),
            ("torch.cumsum(x, -1)", 60001),
            ("torch.topk(x, 9)[0]", 60001),
            ("torch.sort(x, dim=-1, stable=True)", 9001),
        ],
        2,
    ),
)
def test_rows_longer_than_the_unified_buffer(judge: Judge, tmp_path: Path, body: str, columns: int) -> None:
    long = (Case(id="long", params={"shape": [2, columns]}),)
    assert_solved(judge, task(tmp_path, body).model_copy(update={"cases": long}), tmp_path)


def test_a_kind_with_one_shape_is_right_on_others(judge: Judge, tmp_path: Path) -> None:
    """What is equal by chance in the only shape of a dtype, or of a batch of one, is no rule."""
    shapes = [(1, 1, 5, 7), (2, 4, 12, 12), (3, 5, 9, 11), (1, 2, 15, 13)]
    listed = [Case(id=f"f{k}", params={"shape": list(s)}) for k, s in enumerate(shapes)]
    halves = [(2, 16, 28, 28), (1, 16, 16, 16), (2, 13, 23, 23), (1, 10, 14, 15)]
    more = [Case(id=f"h{k}", params={"shape": list(s), "dtype": "float16"}) for k, s in enumerate(halves)]
    body = "F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)"
    what = task(tmp_path, body, cases=(*listed, *more[:2]))
    made = ModelFree()
    planned = made.plan(what, None, 0)
    assert planned.plan is not None
    written = made.write(what, planned.plan, None, None, 0)
    assert written.project is not None
    build = judge.compile(written.project, what, tmp_path / "build")
    beside = what.model_copy(update={"cases": tuple(more[2:])})
    verdict = judge.test(build, beside, tmp_path / "test", seed=7)
    assert verdict.outcome is Outcome.CORRECT
