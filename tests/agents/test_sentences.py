"""What people say is understood, asked about or refused, in both languages: a sample; all by `make sentences`."""

import pytest

from tests.agents.sentences.blind import SHARES, read, score
from tests.agents.sentences.check import HERE, judge, report, sentences
from tests.agents.sentences.wordings import drawn, judged

FILES = sorted(path.name for path in HERE.glob("*.txt"))
SAMPLED = 12  # one of so many is judged in every run
BLIND_SAMPLED = 16
SAMPLED_RIGHT = {  # of these at least
    "blind_first.jsonl": 10,
    "blind_second.jsonl": 7,
    "blind_third.jsonl": 2,
    "blind_fourth.jsonl": 5,
    "blind_fifth.jsonl": 2,
    "blind_sixth.jsonl": 2,
    "blind_seventh.jsonl": 5,
    "blind_eighth.jsonl": 3,
    "blind_ninth.jsonl": 5,
    "blind_tenth.jsonl": 4,
    "blind_eleventh.jsonl": 5,
    "blind_twelfth.jsonl": 2,
    "blind_thirteenth.jsonl": 3,
    "blind_fourteenth.jsonl": 5,
    "blind_fifteenth.jsonl": 5,
    "blind_sixteenth.jsonl": 3,
    "blind_seventeenth.jsonl": 5,
    "blind_eighteenth.jsonl": 3,
    "blind_mechanisms.jsonl": 3,
}
SHARE = 0.97
WORDED_RIGHT = {"wordings_single.jsonl": 10, "wordings_several.jsonl": 3}  # of one line in four at least


@pytest.mark.parametrize("name", FILES)
def test_a_sample_of_the_sentences_is_understood_and_none_silently_wrong(name: str) -> None:
    judged = [(s, judge(s)) for s in sentences(name)[::SAMPLED]]
    assert not [s for s, j in judged if j.silent]
    wrong = [(s.turns, j.why) for s, j in judged if not j.right]
    assert len(wrong) <= (1 - SHARE) * len(judged) + 1, wrong


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(("equations", "mechanisms"))])
def test_what_is_told_by_equations_and_descriptions_is_built_or_asked_about(name: str) -> None:
    right, silent, count = report(name)
    assert (right, silent) == (count, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_nearly_all_sentences_are_understood_and_none_silently_wrong(name: str) -> None:
    right, silent, count = report(name, show=False)
    assert silent == 0 and right >= SHARE * count


@pytest.mark.parametrize("name", SHARES)
def test_of_sentences_written_blind_none_is_silently_wrong(name: str) -> None:
    scores = [(line["turns"], score(line)) for line in read(HERE / name)[::BLIND_SAMPLED]]
    assert not [(turns, s.why) for turns, s in scores if s.kind == "silent"]
    right = sum(s.kind == "right" for _, s in scores)
    assert right >= SAMPLED_RIGHT[name], [(turns, s.why) for turns, s in scores if s.kind != "right"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARES)
def test_of_all_sentences_written_blind_none_is_silently_wrong(name: str) -> None:
    scores = [(line["turns"], score(line)) for line in read(HERE / name)]
    assert not [(turns, s.why) for turns, s in scores if s.kind == "silent"]
    assert sum(s.kind == "right" for _, s in scores) >= SHARES[name] * len(scores)


@pytest.mark.parametrize("name", WORDED_RIGHT)
def test_of_requests_in_drawn_words_none_is_silently_wrong(name: str) -> None:
    scores = [(turns := drawn(line, 0), judged(line, turns)) for line in read(HERE / name)[::4]]
    assert not [(turns, s.why) for turns, s in scores if s.kind == "silent"]
    assert sum(s.kind == "right" for _, s in scores) >= WORDED_RIGHT[name], scores
