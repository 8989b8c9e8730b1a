"""The beam search keeps what is faster by enough, drops twins, and says why it ends."""

import pytest

from akgen.agents.search.beam import (
    AT_THE_ROOFLINE,
    LEAST_GAIN,
    BeamEntry,
    Expand,
    SearchRules,
    SearchState,
    Stop,
    greedy,
)
from akgen.agents.search.candidates import Hypothesis, Member, Proposal, SearchStep
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.verdict import CaseVerdict, Verdict


def _verdict(time_us: float, outcome: Outcome = Outcome.CORRECT) -> Verdict:
    case = CaseVerdict(id="a", outcome=outcome, time_us=time_us, time_source="predicted")
    return Verdict(outcome=outcome, toolchain="twin", compile_s=0.0, cases=(case,))


def _proposal(name: str, promised: float | None = None) -> Proposal:
    project = KernelProject(op_type="A", kernel="a", files={"op_kernel/a.cpp": name})
    return Proposal(hypothesis=Hypothesis(kind="tile", text=name, predicted_gain=promised), project=project)


def _entry(number: int, time_us: float | None, share: float | None = None) -> BeamEntry:
    return BeamEntry(number=number, time_us=time_us, roofline_share=share)


START = _entry(0, 10.0)
RULES = SearchRules(width=2, each=4, limit=20)


def _search(rules: SearchRules = RULES, start: BeamEntry = START) -> SearchState:
    return SearchState(rules=rules, beam=(start,))


def _round(search: SearchState, *candidates: BeamEntry | None) -> SearchState:
    for candidate in candidates:
        search = search.take(candidate)
    return search.expanded()


def _step(search: SearchState, proposal: Proposal, verdict: Verdict | None) -> SearchStep:
    correct = verdict is not None and verdict.outcome is Outcome.CORRECT
    return SearchStep.of(search, proposal, verdict, BeamEntry.of(1, verdict) if correct and verdict else None)


def test_a_faster_candidate_enters_the_beam() -> None:
    step = _step(_search(), _proposal("half", promised=2.5), _verdict(5.0))
    assert (step.gain, step.kept, step.hypothesis.predicted_gain) == (2.0, True, 2.5)
    search = _round(_search(), _entry(1, 5.0))
    assert search.beam == (_entry(1, 5.0), START)
    assert search.move() == Expand(entry=_entry(1, 5.0), count=4)


def test_a_changed_kernel_knows_the_changes_that_made_it() -> None:
    first, half = _proposal("first"), _proposal("half").model_copy(update={"other_rounding": True})
    assert first.project is not None
    start = Member(project=first.project, verdict=_verdict(10.0), changes=("once",))
    member = start.changed(half, _verdict(5.0))
    assert (member.project, member.changes) == (half.project, ("once", "half"))
    assert member.time_us == pytest.approx(5.0) and member.other_rounding


def test_a_gain_below_the_least_is_noted_and_not_kept() -> None:
    hardly = 10.0 / (LEAST_GAIN - 0.005)
    step = _step(_search(), _proposal("hardly"), _verdict(hardly))
    assert step.gain is not None and not step.kept
    search = _round(_search(), _entry(1, hardly))
    assert search.move() == Stop(why="a round brought nothing")
    assert search.beam == (START,)


def test_a_wrong_candidate_has_no_gain_however_fast_it_is() -> None:
    step = _step(_search(), _proposal("wrong"), _verdict(1.0, Outcome.WRONG))
    assert (step.gain, step.kept, step.outcome) == (None, False, Outcome.WRONG)
    assert step.problem
    assert _round(_search(), None).beam == (START,)


def test_a_proposal_without_a_project_says_what_its_problem_was() -> None:
    proposal = _proposal("none").model_copy(update={"project": None, "problem": "no edit"})
    step = _step(_search(), proposal, None)
    assert (step.outcome, step.problem, step.digest) == (Outcome.NO_CODE, "no edit", None)


def test_twins_hold_one_place_and_the_beam_keeps_its_width() -> None:
    search = _round(_search(), _entry(1, 5.0), _entry(2, 5.0), _entry(3, 4.0), _entry(4, 6.0))
    assert [entry.number for entry in search.beam] == [3, 1]


def test_rounds_are_counted_and_one_without_candidates_ends_the_search() -> None:
    first = _search()
    assert _step(first, _proposal("a"), _verdict(5.0)).round == 1
    second = _round(first, _entry(1, 5.0))
    assert _step(second, _proposal("b"), _verdict(4.0)).round == 2
    search = second.take(_entry(2, 4.0)).expanded().expanded()  # each kernel of the beam has its turn
    third = search.expanded().expanded()
    assert third.move() == Stop(why="nothing is left to try")


def test_every_kernel_of_the_beam_has_its_turn_before_the_round_ends() -> None:
    search = _round(_search(), _entry(1, 5.0))
    first = search.move()
    second = search.take(_entry(2, 4.0)).expanded().move()
    assert isinstance(first, Expand) and isinstance(second, Expand)
    assert (first.entry.number, second.entry.number) == (1, 0)  # what was found waits for the next round


def test_a_gain_is_over_the_kernel_that_was_changed() -> None:
    search = _round(_search(), _entry(1, 5.0)).expanded()  # the second in the beam takes 10 us
    assert search.gain(_entry(2, 8.0)) == pytest.approx(1.25)
    assert search.keeps(_entry(2, 8.0))


def test_a_gain_needs_both_times() -> None:
    assert _search().gain(_entry(1, 5.0)) == 2.0
    assert _search().gain(_entry(1, None)) is None
    assert _search().gain(None) is None
    assert _search(start=_entry(0, None)).gain(_entry(1, 5.0)) is None


def test_the_search_ends_at_the_roofline_before_anything_is_tried() -> None:
    at = _search(start=_entry(0, 10.0, AT_THE_ROOFLINE))
    assert at.move() == Stop(why="the slowest case is at 90% of the roofline")
    assert isinstance(_search(start=_entry(0, 10.0, AT_THE_ROOFLINE - 0.01)).move(), Expand)


def test_no_more_candidates_are_asked_for_than_may_be_judged() -> None:
    search = _search(SearchRules(width=1, each=4, limit=6))
    search = _round(search, *[_entry(n, 10.0 - n) for n in range(1, 5)])
    assert search.move() == Expand(entry=_entry(4, 6.0), count=2)
    search = _round(search, _entry(5, 5.0), None)
    assert search.move() == Stop(why="6 of 6 attempts are used")


def test_at_the_limit_within_a_round_what_it_brought_is_kept() -> None:
    search = _round(_search(SearchRules(width=2, each=1, limit=2)), _entry(1, 5.0))
    search = _round(search, _entry(2, 4.0))
    assert search.move() == Stop(why="2 of 2 attempts are used")
    assert [entry.number for entry in search.beam] == [2, 1]


def test_a_driver_may_stop_and_keeps_what_the_round_brought() -> None:
    search = _search().take(_entry(1, 5.0)).stop("90 of 90 tokens are used")
    assert search.move() == Stop(why="90 of 90 tokens are used")
    assert search.beam[0].number == 1


def test_a_rollout_goes_on_from_the_latest_correct_kernel_until_its_limit() -> None:
    search = _round(_search(greedy(3)), _entry(1, 20.0))  # slower: no end, and no way back
    assert search.move() == Expand(entry=_entry(1, 20.0), count=1)
    search = _round(search, None)
    assert search.move() == Expand(entry=_entry(1, 20.0), count=1)
    assert _round(search, _entry(3, 4.0)).move() == Stop(why="3 of 3 attempts are used")


def test_a_search_that_is_read_back_goes_on_where_it_was() -> None:
    search = _round(_search(), _entry(1, 5.0)).take(_entry(2, 4.0))
    again = SearchState.model_validate_json(search.model_dump_json())
    assert again == search and again.expanded().move() == search.expanded().move()
