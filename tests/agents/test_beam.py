"""The beam search keeps what is faster by enough, drops twins, and says why it ends."""

import pytest

from akgen.agents.search.beam import LEAST_GAIN, BeamSearch, gain_of
from akgen.agents.search.candidates import Hypothesis, Member, Proposal
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.verdict import CaseVerdict, Verdict


def _verdict(time_us: float, outcome: Outcome = Outcome.CORRECT) -> Verdict:
    case = CaseVerdict(id="a", outcome=outcome, time_us=time_us, time_source="predicted")
    return Verdict(outcome=outcome, toolchain="twin", compile_s=0.0, cases=(case,))


def _proposal(name: str, promised: float | None = None) -> Proposal:
    project = KernelProject(op_type="A", kernel="a", files={"op_kernel/a.cpp": name})
    return Proposal(hypothesis=Hypothesis(kind="tile", text=name, predicted_gain=promised), project=project)


def _search(width: int = 2) -> tuple[BeamSearch, Member]:
    first = _proposal("first").project
    assert first is not None
    start = Member(project=first, verdict=_verdict(10.0))
    return BeamSearch(start, width), start


def test_a_faster_candidate_enters_the_beam_with_the_change_that_made_it() -> None:
    search, start = _search()
    step = search.take(start, _proposal("half", promised=2.5), _verdict(5.0))
    assert (step.gain, step.kept, step.hypothesis.predicted_gain) == (2.0, True, 2.5)
    assert search.end_round() is None
    assert [m.time_us for m in search.beam] == [pytest.approx(5.0), pytest.approx(10.0)]
    assert search.beam[0].changes == ("half",)


def test_a_gain_below_the_least_is_noted_and_not_kept() -> None:
    search, start = _search()
    step = search.take(start, _proposal("hardly"), _verdict(10.0 / (LEAST_GAIN - 0.005)))
    assert step.gain is not None and not step.kept
    assert search.end_round() == "a round brought nothing"
    assert search.beam == [start]


def test_a_wrong_candidate_has_no_gain_however_fast_it_is() -> None:
    search, start = _search()
    step = search.take(start, _proposal("wrong"), _verdict(1.0, Outcome.WRONG))
    assert (step.gain, step.kept, step.outcome) == (None, False, Outcome.WRONG)
    assert step.problem


def test_a_proposal_without_a_project_says_what_its_problem_was() -> None:
    search, start = _search()
    proposal = _proposal("none").model_copy(update={"project": None, "problem": "no edit"})
    step = search.take(start, proposal, None)
    assert (step.outcome, step.problem, step.digest) == (Outcome.NO_CODE, "no edit", None)


def test_twins_hold_one_place_and_the_beam_keeps_its_width() -> None:
    search, start = _search()
    for name, time_us in (("a", 5.0), ("b", 5.0), ("c", 4.0), ("d", 6.0)):
        search.take(start, _proposal(name), _verdict(time_us))
    search.end_round()
    assert [m.changes for m in search.beam] == [("c",), ("a",)]


def test_rounds_are_counted_and_one_without_candidates_ends_the_search() -> None:
    search, start = _search()
    assert search.take(start, _proposal("a"), _verdict(5.0)).round == 1
    search.end_round()
    assert search.take(search.beam[0], _proposal("b"), _verdict(4.0)).round == 2
    search.end_round()
    assert search.end_round() == "nothing is left to try"


def test_a_gain_needs_both_times() -> None:
    assert gain_of(4.0, 2.0) == 2.0
    assert gain_of(None, 2.0) is None
    assert gain_of(4.0, None) is None
