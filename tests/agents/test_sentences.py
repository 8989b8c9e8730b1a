"""What people say is understood, asked about or refused, in both languages: a sample; all by `make sentences`."""

import pytest

from tests.agents.sentences.check import HERE, judge, report, sentences

FILES = sorted(path.name for path in HERE.glob("*.txt"))
SAMPLED = 6  # one of so many is judged in every run
SHARE = 0.97


@pytest.mark.parametrize("name", FILES)
def test_a_sample_of_the_sentences_is_understood_and_none_silently_wrong(name: str) -> None:
    judged = [(s, judge(s)) for s in sentences(name)[::SAMPLED]]
    assert not [s for s, j in judged if j.silent]
    wrong = [(s.turns, j.why) for s, j in judged if not j.right]
    assert len(wrong) <= (1 - SHARE) * len(judged) + 1, wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_nearly_all_sentences_are_understood_and_none_silently_wrong(name: str) -> None:
    right, silent, count = report(name, show=False)
    assert silent == 0 and right >= SHARE * count
