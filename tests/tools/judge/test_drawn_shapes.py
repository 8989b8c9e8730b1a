"""Shapes that a task does not list: what is drawn, and what becomes of a kernel made for the listed ones alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Call
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.drawn_large import draw_large
from akgen.tools.reference.drawn_shapes import DrawnCase, draw
from tests.tools.judge.judging import PROJECT, MakeToolchain, softmax, task

ADD_ROW = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, bias):
        return x + bias
def get_inputs(params):
    shape = params["shape"]
    return [torch.randn(shape), torch.randn(shape[-1])]
"""
ALONG = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, axis):
        return x.sum(axis)
def get_inputs(params):
    return [torch.randn(params["shape"]), params["axis"]]
"""
PRODUCT = """
import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b
def get_inputs(params):
    return [torch.randn(params["m"], params["k"]), torch.randn(params["inner"], params["n"])]
"""
SEEDS = range(12)
DrawnAt = Callable[..., DrawnCase]
Draw = Callable[[Task, Sequence[Case], Callable[[Case], Call], int], DrawnCase]


@pytest.fixture
def drawn(reference: ReferenceWorker, tmp_path: Path) -> DrawnAt:
    described: dict[tuple[str, str], Call] = {}  # by reference and params: a listed case stays for all seeds

    def run(text: str, *params: dict[str, Any], seed: int = 0, by: Draw = draw, **more: Any) -> DrawnCase:
        cases = tuple(Case(id=str(i), params=p) for i, p in enumerate(params))
        made = task(tmp_path, text).model_copy(update={"cases": cases, **more})

        def describe(case: Case) -> Call:
            key = text, repr(case.params)
            if key not in described:
                described[key] = reference.describe(made.reference, case)
            return described[key]

        return by(made, cases, describe, seed)

    return run


def shaped(*shapes: list[int], **more: Any) -> list[dict[str, Any]]:
    return [{"shape": s, **more} for s in shapes]


def test_inputs_that_belong_together_stay_so(drawn: DrawnAt) -> None:
    for seed in SEEDS:
        x, bias = drawn(ADD_ROW, *shaped([3, 5], [40, 90]), seed=seed).shapes
        assert x[-1:] == bias
        assert 3 <= x[0] <= 40 and 5 <= x[1] <= 90 and x not in {(3, 5), (40, 90)}


def test_every_seed_may_draw_something_else(drawn: DrawnAt) -> None:
    found = {drawn(ADD_ROW, *shaped([3, 5], [8, 11], [40, 90]), seed=seed).shapes for seed in SEEDS}
    assert len(found) > 6


def test_what_no_listed_case_changes_stays(drawn: DrawnAt) -> None:
    for seed in SEEDS:
        (x, _) = drawn(ADD_ROW, *shaped([3, 64], [40, 64]), seed=seed).shapes
        assert x[1] == 64 and x[0] not in (3, 40)


def test_sizes_stay_multiples_of_what_all_listed_ones_are(drawn: DrawnAt) -> None:
    for seed in SEEDS:
        (x, _) = drawn(ADD_ROW, *shaped([2, 64], [6, 192], [4, 1024]), seed=seed).shapes
        assert x[1] % 64 == 0 and x[0] % 2 == 0 and (x[0], x[1]) not in {(2, 64), (6, 192), (4, 1024)}


def test_a_number_that_no_dimension_follows_is_no_size(drawn: DrawnAt) -> None:
    listed = [{"shape": [4, 6, 8], "axis": 0}, {"shape": [4, 6, 8], "axis": 2}]
    found = drawn(ALONG, *listed)
    assert found.case is None and found.why_not == "no size of its inputs could be changed by itself"
    listed[1]["shape"] = [4, 60, 8]
    for seed in SEEDS:
        case = drawn(ALONG, *listed, seed=seed).case
        assert case is not None and case.params["axis"] in (0, 2)


def test_sizes_that_must_agree_change_together(drawn: DrawnAt) -> None:
    listed = [{"m": 3, "k": 5, "inner": 5, "n": 7}, {"m": 30, "k": 50, "inner": 50, "n": 70}]
    for seed in SEEDS:
        a, b = drawn(PRODUCT, *listed, seed=seed).shapes
        assert a[1] == b[0] and (a, b) != ((3, 5), (5, 7))


def test_what_is_drawn_is_small(drawn: DrawnAt) -> None:
    for seed in SEEDS:
        (x, _) = drawn(ADD_ROW, *shaped([300, 500], [301, 4000], [4000, 4000]), seed=seed).shapes
        assert 4 * x[0] * x[1] <= 1.25 * 4 * 300 * 500


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"mode": Mode.STATIC}, "the task is static"),
        ({"draws_shapes": False}, "the task forbids it"),
        ({"own_checker": True}, "the task's own checker is made for its own cases"),
    ],
)
def test_a_task_can_keep_to_its_cases(drawn: DrawnAt, more: dict[str, Any], why: str) -> None:
    assert drawn(ADD_ROW, *shaped([3, 5], [40, 90]), **more) == DrawnCase(why_not=why)


def test_ranks_are_not_invented(drawn: DrawnAt) -> None:
    assert drawn(ADD_ROW, *shaped([5], [3, 5])).case is None
    assert drawn(ADD_ROW, *shaped([3, 5])).why_not == "fewer than two of its cases are judged"


# The verdict


def judged(reference: ReferenceWorker, folder: Path, toolchain: Any, **more: Any) -> tuple[Task, Verdict]:
    of = task(folder, **more)
    return of, Judge(toolchain, reference).judge(PROJECT, of, work=folder / "work")


def test_a_right_kernel_says_what_it_was_drawn_for(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    of, verdict = judged(reference, tmp_path, function_toolchain(softmax))
    assert verdict.outcome == Outcome.CORRECT and len(verdict.cases) == len(of.cases)
    assert verdict.drawn is not None and verdict.drawn.outcome == Outcome.CORRECT
    (shape,) = verdict.drawn.shapes
    assert shape not in {(4, 33), (16, 128)} and 4 <= shape[0] <= 16 and 33 <= shape[1] <= 128


def of_listed(inputs: list[Any], folder: Path) -> list[Any]:
    """Right for the listed shapes; for any other, as if it were the first of them."""
    listed = inputs[0].shape in {(4, 33), (16, 128)}
    out = softmax(inputs, folder)[0]
    return [out if listed else np.zeros_like(out)]


def test_a_kernel_for_the_listed_shapes_alone_is_wrong(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    _, verdict = judged(reference, tmp_path, function_toolchain(of_listed))
    assert verdict.outcome == Outcome.WRONG
    assert [c.outcome for c in verdict.cases] == [Outcome.CORRECT, Outcome.CORRECT, Outcome.WRONG]
    assert verdict.drawn is not None and verdict.codes()[0] == "LISTED_SHAPES_ONLY"
    found = verdict.cases[-1].diagnostics[0]
    assert str(list(verdict.drawn.shapes[0])) in found.text and "all_zero" in found.text
    forbidden = judged(reference, tmp_path, function_toolchain(of_listed), draws_shapes=False)[1]
    assert forbidden.outcome == Outcome.CORRECT
    assert forbidden.drawn is not None and forbidden.drawn.why_not == "the task forbids it"


def test_a_kernel_that_refuses_other_shapes_is_wrong(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    class Refusing(function_toolchain):  # type: ignore[misc, valid-type]
        def run(self, build: Any, call: Any, folder: Path, options: Any) -> Any:
            if call.inputs[0].shape in {(4, 33), (16, 128)}:
                return super().run(build, call, folder, options)
            refused = Diagnostic(
                code="TILING_FAILED", text="The tiling function refuses the call.", stage="test"
            )
            launch = super().run(build, call, folder, options)
            return launch.model_copy(
                update={"outcome": Outcome.TILING_ERROR, "outputs": (), "diagnostics": (refused,)}
            )

    _, verdict = judged(reference, tmp_path, Refusing(softmax))
    assert verdict.outcome == Outcome.WRONG
    assert verdict.codes() == ("LISTED_SHAPES_ONLY", "TILING_FAILED")
    assert verdict.drawn is not None and verdict.drawn.outcome == Outcome.TILING_ERROR


def test_nothing_is_drawn_for_a_kernel_that_is_wrong_already(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(lambda x, _: [2 * x[0]])
    assert judged(reference, tmp_path, chain)[1].drawn is None
    assert chain.launches == 2  # one for each case


# Large shapes


LARGE = shaped([3, 8], [16, 64], [256, 512], [1024, 1024])


def test_large_shapes_are_drawn_where_large_ones_are_listed(drawn: DrawnAt) -> None:
    sizes = []
    for seed in SEEDS:
        x, bias = drawn(ADD_ROW, *LARGE, seed=seed, by=draw_large).shapes
        assert x[-1:] == bias and x[1] % 8 == 0 and x not in {(256, 512), (1024, 1024)}
        assert (
            3 <= x[0] <= 1024 and 8 <= x[1] <= 1024
        )  # no size is larger than the case's that it was drawn from
        sizes.append(8 * x[0] * x[1])
    assert min(sizes) < 2 << 20 < 4 << 20 < max(sizes)  # bytes of x and the output, of all octaves
    assert min(sizes) > 1 << 18


def test_large_shapes_are_ragged_where_the_listed_ones_allow_it(drawn: DrawnAt) -> None:
    found = [drawn(ADD_ROW, *LARGE, seed=seed, by=draw_large).shapes[0] for seed in SEEDS]
    assert sum(rows % 16 != 0 for rows, _ in found) > len(found) // 2
    assert any(rows != columns for rows, columns in found)  # equal in one of the listed cases alone
    assert any(columns % 16 for _, columns in found)


def test_sizes_that_are_equal_in_every_large_case_stay_so(drawn: DrawnAt) -> None:
    listed = [
        {"m": m, "k": k, "inner": k, "n": n} for m, k, n in ((3, 5, 7), (300, 500, 700), (300, 301, 300))
    ]
    for seed in SEEDS:
        a, b = drawn(PRODUCT, *listed, seed=seed, by=draw_large).shapes
        assert a[1] == b[0] and a[0] <= 300 and b[1] <= 700


def test_no_large_shape_is_drawn_where_none_is_listed(drawn: DrawnAt) -> None:
    found = drawn(ADD_ROW, *shaped([3, 5], [40, 90]), by=draw_large)
    assert found == DrawnCase(why_not="no listed case is large")
    alone = drawn(ADD_ROW, *shaped([3, 5], [40, 90]), {"shape": [2, 400, 400]}, by=draw_large)
    assert alone.case is None and alone.why_not == "no size of its inputs could be changed by itself"


def test_a_kernel_for_the_listed_large_shapes_alone_is_wrong(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def of_listed_large(inputs: list[Any], folder: Path) -> list[Any]:
        out = softmax(inputs, folder)[0]
        return [out if out.size < 40_000 or out.shape == (400, 256) else np.zeros_like(out)]

    cases = tuple(
        Case(id=f"{r}x{c}", params={"rows": r, "columns": c}) for r, c in ((4, 33), (16, 128), (400, 256))
    )
    of = task(tmp_path).model_copy(update={"cases": cases})
    found = Judge(function_toolchain(of_listed_large), reference).judge(PROJECT, of, work=tmp_path / "work")
    assert found.outcome == Outcome.WRONG and found.codes()[0] == "LISTED_SHAPES_ONLY"
    assert found.drawn is not None and found.drawn.outcome == Outcome.CORRECT
    assert found.drawn_large is not None and found.drawn_large.outcome == found.drawn_outcome == Outcome.WRONG
    right = Judge(function_toolchain(softmax), reference).judge(PROJECT, of, work=tmp_path / "work")
    assert right.outcome == right.drawn_outcome == Outcome.CORRECT and len(right.cases) == len(cases)
