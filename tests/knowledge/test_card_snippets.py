"""The use of every card compiles and runs on the twin without a finding; its mistake gets the finding that it names.

`make cards` runs them all; the suite runs a sample. All uses of a frame are one kernel, launched once; mistakes that
the compiler finds are compiled a few at a time, the others are one kernel, launched once for each.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.errors import catalogue
from akgen.tools.cards.programs import Snippet, compile_findings, frame_call, mistakes_found, uses_found
from akgen.tools.core.call import Call
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

OTHER_CHIPS = "other chips"
FRAMES = sorted({card.frame for card in cards().values()})
Found = dict[str, set[str]]  # card to the codes that its snippet gets


def _sample(shown: Sequence[ApiCard]) -> list[ApiCard]:
    return list(shown)[:: max(1, len(shown) // 6)]


def _of(frame: str) -> list[ApiCard]:
    return [c for c in cards().values() if c.frame == frame and c.twin]


@pytest.mark.parametrize("card", cards().values(), ids=lambda c: c.name)
def test_a_card_shows_a_use_and_a_mistake(card: ApiCard) -> None:
    assert (card.mistake is None) != card.twin
    assert card.mistake is None or card.mistake.finding in catalogue()
    assert (card.use is None) == (card.family == OTHER_CHIPS)
    called = card.name.rpartition("::")[2]
    assert card.use is None or called in card.use or called in card.signatures[0]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_sample_of_uses_runs_without_a_finding(
    twin: TwinToolchain, call: Callable[[int], Call], tmp_path: Path, frame: str
) -> None:
    uses = [Snippet(c.name, c.use) for c in _sample(_of(frame)) if c.use]
    assert uses_found(twin, frame, uses, call, tmp_path) == {}


@pytest.mark.parametrize("frame", FRAMES)
def test_a_sample_of_mistakes_is_told(
    twin: TwinToolchain, call: Callable[[int], Call], tmp_path: Path, frame: str
) -> None:
    some = _sample([c for c in _of(frame) if c.mistake])
    found = mistakes_found(twin, frame, some, call, tmp_path)
    assert {
        c.name: c.mistake.finding
        for c in some
        if c.mistake and c.mistake.finding not in found.get(c.name, ())
    } == {}


def test_what_the_twin_does_not_simulate_is_told(
    twin: TwinToolchain, call: Callable[[int], Call], tmp_path: Path
) -> None:
    absent = [Snippet(c.name, c.use) for c in cards().values() if not c.twin and c.use]
    some = [s for s in absent if "::" not in s.card]
    found = compile_findings(twin, "vector", some, call(-1), tmp_path)
    assert len(absent) >= 15
    assert [s.card for s in some if "NOT_SIMULATED" not in found.get(s.card, ())] == []


@pytest.mark.slow
@pytest.mark.parametrize("card", [c for c in cards().values() if c.use and c.twin], ids=lambda c: c.name)
def test_the_use_of_a_card_runs_without_a_finding(every_use: Callable[[str], Found], card: ApiCard) -> None:
    assert every_use(card.frame).get(card.name, set()) == set()


@pytest.mark.slow
@pytest.mark.parametrize("card", [c for c in cards().values() if c.mistake], ids=lambda c: c.name)
def test_the_mistake_of_a_card_gets_its_finding(every_mistake: Callable[[str], Found], card: ApiCard) -> None:
    assert card.mistake is not None
    assert card.mistake.finding in every_mistake(card.frame).get(card.name, set())


@pytest.fixture(scope="module")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Call]:
    """Return a function that makes the frames' call, for all snippets (-1) or the one with a number."""
    return frame_call(tmp_path_factory.mktemp("call"))


@pytest.fixture(scope="module")
def every_use(
    twin: TwinToolchain, call: Callable[[int], Call], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Found]:
    @cache
    def of(frame: str) -> Found:
        uses = [Snippet(c.name, c.use) for c in _of(frame) if c.use]
        return uses_found(twin, frame, uses, call, tmp_path_factory.mktemp(frame))

    return of


@pytest.fixture(scope="module")
def every_mistake(
    twin: TwinToolchain, call: Callable[[int], Call], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Found]:
    @cache
    def of(frame: str) -> Found:
        return mistakes_found(twin, frame, _of(frame), call, tmp_path_factory.mktemp(frame))

    return of
