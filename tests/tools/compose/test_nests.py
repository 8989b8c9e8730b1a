"""Axes: what is tied together by operators becomes one axis, what is contiguous everywhere collapses."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.back.choices import choices
from akgen.tools.compose.back.kernels import schedule, tensors_of
from akgen.tools.compose.back.schedules import kinds, schedule_texts
from akgen.tools.compose.back.schedules.base import SCHEDULES, Kind
from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.middle.formula import formulas
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.lowering import loop_nests
from akgen.tools.compose.middle.sink_slices import sink_slices
from akgen.tools.compose.middle.symbolic import SymbolicNumbers
from akgen.tools.compose.middle.symbolic_nest import unify
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.expr import Fit, names_in, walk
from akgen.tools.dsl.ir import Assign
from tests.tools.compose.composing import Function, Loaded, assert_close, assert_right, composed, normal, run


def nested(function: Callable[..., Any], *args: Any) -> tuple[LoopNest, ...]:
    return loop_nests(sink_slices(import_graph(trace(Loaded(Function(function), args)))))


def overs(nest: LoopNest) -> set[tuple[int, ...]]:
    return {nest.values[i].over for i in nest.reductions()}


@pytest.mark.parametrize(
    ("function", "args", "sizes", "reduced"),
    [
        (torch.exp, (normal(2, 3, 5),), (30,), set()),
        (lambda x, b: x + b, (normal(2, 3, 5), normal(5)), (6, 5), set()),
        (lambda x, b: x * b, (normal(2, 3, 5, 7), normal(3, 1, 1)), (2, 3, 35), set()),
        (lambda x: torch.softmax(x, -1), (normal(2, 3, 5),), (6, 5), {(1,)}),
        (lambda x: torch.softmax(x, 1), (normal(2, 3, 5),), (2, 3, 5), {(1,)}),
        (lambda x: x.mean(), (normal(4, 6),), (24,), {(0,)}),
        (lambda x: F.layer_norm(x, x.shape[1:]), (normal(4, 3, 5),), (4, 15), {(1,)}),
        (lambda x: F.group_norm(x, 2), (normal(3, 4, 5),), (6, 10), {(1,)}),
        (lambda x: F.instance_norm(x), (normal(3, 4, 5),), (12, 5), {(1,)}),
        (lambda x: x.view(6, 4).sum(1), (normal(2, 3, 4),), (6, 4), {(1,)}),
        (lambda x: F.silu(x[:, :3]) * x[:, 3:], (normal(4, 6),), (4, 3), set()),
    ],
)
def test_axes_of(
    function: Callable[..., Any], args: tuple[Any, ...], sizes: tuple[int, ...], reduced: set[tuple[int, ...]]
) -> None:
    (nest,) = nested(function, *args)
    assert nest.sizes == sizes
    assert overs(nest) == reduced


def test_pieces_of_one_output_run_in_one_nest() -> None:
    (nest,) = nested(lambda x: torch.cat([x[:, :4] * 2, x[:, 4:]], 1), normal(3, 8))
    assert nest.sizes == (3, 4)
    assert sorted(s.access.offset for s in nest.stores) == [0, 4]


def test_a_lookup_takes_the_axis_of_the_classes() -> None:
    x, target = normal(5, 9), torch.tensor([0, 3, 8, 1, 1])
    (nest,) = nested(lambda a, t: F.nll_loss(torch.log_softmax(a, 1), t), x, target)
    assert nest.sizes == (5, 9)


def test_reductions_of_equal_length_over_nothing_in_common_stay_apart() -> None:
    nests = nested(lambda x, y: (x.sum(1), y.sum(1)), normal(30, 8), normal(5, 8))
    assert sorted(n.sizes for n in nests) == [(5, 8), (30, 8)]


def test_equal_steps_are_one_value() -> None:
    (nest,) = nested(lambda x: torch.exp(x) + torch.exp(x), normal(6))
    assert [v.op for v in nest.values].count("exp") == 1


def test_an_axis_that_meets_itself_is_refused() -> None:
    with pytest.raises(Unsupported, match="meets itself"):
        nested(lambda x: torch.exp(x) + torch.exp(x).T, normal(4, 4))


def test_a_tensor_without_elements_is_refused() -> None:
    with pytest.raises(Unsupported, match="without elements"):
        nested(torch.exp, torch.zeros(0, 3))


@pytest.mark.parametrize(
    ("function", "args", "first"),
    [
        (torch.tanh, (normal(40),), "flat"),
        (lambda x: x + 1, (torch.tensor(2.0),), "single"),
        (lambda x: torch.softmax(x, -1), (normal(4, 6),), "shared"),
        (lambda x: x.sum(1), (normal(4, 6, 8),), "columns"),
        (lambda x: x.sum((0, 2)), (normal(4, 6, 8),), "items"),
    ],
)
def test_schedule_of(function: Callable[..., Any], args: tuple[Any, ...], first: str) -> None:
    (nest,) = nested(function, *args)
    template = unify([nest], SymbolicNumbers([trace(Loaded(Function(function), args))], ["x0"], []), "d")
    assert kinds(template)[0] == first


def test_a_formula_keeps_the_parentheses_that_its_meaning_needs() -> None:
    function = Function(lambda x, rate: (x * 2.0 + 1.0) * (1.0 - rate))
    cases = [trace(Loaded(function, (normal(5), rate))) for rate in (0.1, 0.25)]
    nests = [loop_nests(sink_slices(import_graph(case)))[0] for case in cases]
    template = unify(nests, SymbolicNumbers(cases, ["x"], ["rate"]), "d")
    assert formulas(template, ("x",), ("y",)) == ["y = (x * 2.0 + 1.0) * (1.0 - rate)"]


@pytest.mark.parametrize(
    ("function", "rates", "built"),
    [
        (lambda x, rate: x * (1.0 - 0.01 * rate), (0.1, 0.25, 0.4), "y = x * (rate * -0.01 + 1.0)"),
        (lambda x, rate: x * (0.01 * rate), (0.1, 0.25), "y = x * (rate * 0.01)"),
        (lambda x, rate: x * (1.0 - 0.01 * rate), (0.1, 0.25), None),
    ],
)
def test_a_constant_on_a_line_over_an_attribute_is_computed_of_it(
    function: Callable[..., Any], rates: tuple[float, ...], built: str | None
) -> None:
    """Two points lie on many lines: only a third one, or a line through zero, tells the rule."""
    cases = [trace(Loaded(Function(function), (normal(5), rate))) for rate in rates]
    nests = [loop_nests(sink_slices(import_graph(case)))[0] for case in cases]
    if built is None:
        with pytest.raises(Unsupported, match="follows no attribute"):
            unify(nests, SymbolicNumbers(cases, ["x"], ["rate"]), "d")
        return
    template = unify(nests, SymbolicNumbers(cases, ["x"], ["rate"]), "d")
    assert formulas(template, ("x",), ("y",)) == [built]


def test_attributes_whose_numbers_nearly_make_another_are_told_apart() -> None:
    """One less 0.9 is 0.09999999999999998."""
    function = Function(lambda x, beta, decay: (x * (1.0 - beta) + 2.0) * decay)
    cases = [trace(Loaded(function, (normal(5), 0.9, 0.1)))]
    (nest,) = loop_nests(sink_slices(import_graph(cases[0])))
    template = unify([nest], SymbolicNumbers(cases, ["x"], ["beta", "decay"]), "d")
    assert formulas(template, ("x",), ("y",)) == ["y = (x * (1.0 - beta) + 2.0) * decay"]


def test_every_schedule_says_how_it_runs_and_why() -> None:
    assert set(schedule_texts()) == set(get_args(Kind)) >= set(SCHEDULES)


def test_outputs_that_reduce_over_different_axes_each_have_their_own_way_for_short_rows() -> None:
    def sums(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (x * y).sum(1), (x.unsqueeze(1) * y.unsqueeze(2)).sum(-1)

    cases = [(normal(5, 4, n), normal(5, 4, n)) for n in (33, 1001)]
    composition, _, _ = composed(sums, *cases)
    assert "rows" in composition.kernels[0].kinds and len(composition.kernels[0].kinds) == 2
    assert_right(sums, *cases, (normal(2, 3, 30011), normal(2, 3, 30011)))


def test_each_nest_of_a_kernel_falls_back_by_itself() -> None:
    def of(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.softmax(x, -1), F.avg_pool1d(y, 3, 2)

    composition, _, _ = composed(of, (normal(5, 70), normal(2, 4, 33)))
    assert [k.kinds for k in composition.kernels] == [("rows", "windows"), ("items", "windows")]


def test_one_long_row_spares_the_others_their_best_schedule() -> None:
    def of(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.softmax(x, -1), torch.log_softmax(y, -1)

    composition, _, _ = composed(of, (normal(5, 70), normal(3, 44)))
    kinds_of = [k.kinds for k in composition.kernels]
    assert sorted(kinds_of) == [("items", "items"), ("items", "rows"), ("rows", "items"), ("rows", "rows")]
    assert kinds_of[0] == ("rows", "rows") and kinds_of[-1] == ("items", "items")
    assert_right(
        of,
        (normal(5, 70), normal(3, 44)),
        (normal(3, 60011), normal(4, 50)),
        (normal(3, 40), normal(2, 60013)),
    )


def test_parts_with_the_buffer_to_themselves_fit_only_what_decides_a_length() -> None:
    def sums(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (x * y).sum(1), (x.unsqueeze(1) * y.unsqueeze(2)).sum(-1)

    composition, _, _ = composed(sums, (normal(5, 4, 33), normal(5, 4, 33)))
    group, face = composition.groups[0], composition.face
    templates, way = choices(group.templates, tensors_of(face, 0))[0]
    made = schedule("k", 0, templates, way, face, Knobs(), apart=True)
    assert len(made.kernel.phases) == 2
    sized = {n for a in made.kernel.allocs.values() for d in a.dims for n in names_in(d)}
    values = [s.value for s in made.host if isinstance(s, Assign)]
    fits = [e for value in values for e in walk(value) if isinstance(e, Fit)]
    assert fits and all({e.param, *(n for n, _ in e.dims)} <= sized for e in fits)


def test_one_kernel_of_a_program_is_not_scheduled_anew() -> None:
    composition, (case,), (raw,) = composed(lambda x: torch.softmax(x, -1), (normal(40, 50),))
    assert len(composition.kernels) > 1
    one = composition.with_one_kernel(composition.kernels[-1].name)
    assert one.kernels[0] is composition.kernels[-1]
    assert [k.name for k in one.program.kernels] == [one.kernels[0].name]
    assert_close(run(one, case, raw)[0], torch.softmax(case.example_args[0], -1))
