"""What a change to a kernel is expected to bring, and how expectations are compared with results."""

import pytest

from akgen.agents.search import by_rules
from akgen.agents.search.candidates import Hypothesis, Kind, SearchStep
from akgen.graph.optimise import calibrations
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Change, PipeTime, Prediction, Profile


def _profile(duration_us: float, *busy_us: float, loads: int = 8, cores: int = 2) -> Profile:
    pipes = tuple(
        PipeTime(pipe=pipe, busy_us=b, stalled_us=0.0, idle_us=duration_us - b, instructions=loads)
        for pipe, b in zip(("MTE2", "V", "MTE3"), busy_us, strict=True)
    )
    return Profile(
        time_source="predicted", toolchain="twin", time_us=duration_us, cores=cores, gm_read_bytes=1,
        gm_write_bytes=1, pipes=pipes, bound="memory", roofline_share=0.5, core_imbalance=1.0,
    )  # fmt: skip


# Four tiles: 4 us of the busiest pipe, 4 us of the others over 4, and what is left is the cost of the tiles.
PROFILE = _profile(6.0, 4.0, 2.0, 2.0)


def test_the_formula_gives_back_the_time_that_it_was_read_from() -> None:
    model = by_rules.pipeline(PROFILE)
    assert model.tiles == 4 and model.busiest_us == 4.0 and model.rest_us == 4.0
    assert model.duration_us(model.tiles) == pytest.approx(PROFILE.time_us)


def test_more_tiles_overlap_more_and_cost_more() -> None:
    free = _profile(5.0, 4.0, 2.0, 2.0)  # tiles cost nothing: more of them only overlap better
    assert by_rules.gain_of_tiles(free, 2) == pytest.approx(5.0 / 4.5, rel=1e-3)
    assert by_rules.gain_of_tiles(PROFILE, 2) < by_rules.gain_of_tiles(free, 2)
    assert by_rules.gain_of_tiles(PROFILE, 1) == 1.0


def test_without_double_buffering_nothing_overlaps() -> None:
    assert by_rules.gain_of_buffers(PROFILE, 2, 2) == 1.0
    assert by_rules.gain_of_buffers(PROFILE, 2, 1) == pytest.approx(6.0 / 9.0, rel=1e-3)
    single = _profile(9.0, 4.0, 2.0, 2.0)
    assert by_rules.gain_of_buffers(single, 1, 2) == pytest.approx(9.0 / 6.0, rel=1e-3)


def test_twice_the_cores_halve_the_work_but_not_the_waiting() -> None:
    assert 1.0 < by_rules.gain_of_cores(PROFILE, 2) < 2.0
    assert by_rules.gain_of_cores(PROFILE, 0.5) < 1.0


def test_what_the_toolchain_simulated_comes_before_the_formula() -> None:
    def found(change: Change, duration_us: float, cores: int = 2, *, fits: bool = True) -> Prediction:
        gain = 1 - duration_us / PROFILE.time_us
        return Prediction(change=change, duration_us=duration_us, gain=gain, cores=cores, fits=fits)

    told = (found("double_buffer", 4.0), found("larger_tiles", 5.0), found("more_cores", 3.0, cores=48))
    simulated = PROFILE.model_copy(update={"what_if": told})
    assert by_rules.gain_of_buffers(simulated, 1, 2) == 1.5
    assert by_rules.gain_of_tiles(simulated, 0.5) == 1.2
    assert by_rules.gain_of_cores(simulated, 24) == 2.0
    for gain in (
        lambda p: by_rules.gain_of_buffers(p, 2, 1),
        lambda p: by_rules.gain_of_tiles(p, 2),
        lambda p: by_rules.gain_of_cores(p, 2),
    ):
        assert gain(simulated) == gain(PROFILE)
    no_room = PROFILE.model_copy(update={"what_if": (found("larger_tiles", 5.0, fits=False),)})
    assert by_rules.gain_of_tiles(no_room, 0.5) == by_rules.gain_of_tiles(PROFILE, 0.5)


def _trial(kind: Kind, promised: float | None, gain: float | None, kept: bool = False) -> SearchStep:
    outcome = Outcome.CORRECT if gain else Outcome.WRONG
    hypothesis = Hypothesis(kind=kind, text="x", predicted_gain=promised)
    return SearchStep(
        round=1, hypothesis=hypothesis, outcome=outcome, time_us=1.0, gain=gain, kept=kept, digest="d"
    )


def test_promises_are_compared_with_results_kind_by_kind() -> None:
    trials = [
        _trial("tile", 2.0, 1.0),
        _trial("tile", 1.0, 2.0, True),
        _trial("tile", 9.0, None),
        _trial("edit", None, 1.5),
    ]
    tiles, edits = calibrations(trials)
    assert (tiles.tried, tiles.correct, tiles.kept) == (3, 2, 1)
    assert tiles.predicted == tiles.actual == pytest.approx(2**0.5, rel=1e-3)
    assert tiles.error == 2.0
    assert edits.predicted is None and edits.error is None and edits.actual == 1.5
