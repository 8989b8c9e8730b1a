"""API cards are found by name and by words."""

import pytest

from akgen.knowledge import cards
from akgen.knowledge.search import search


def test_an_invented_name_leads_to_the_real_one() -> None:
    assert cards.nearest("ReduceAdd")[0].name in {"ReduceSum", "ReduceMax", "ReduceMin", "AddRelu"}
    assert "DataCopyPad" in [c.name for c in cards.nearest("DataCopyPadding")]


@pytest.mark.parametrize(
    ("invented", "meant"),
    [("Subtract", "Sub"), ("Multiply", "Mul"), ("Concatenate", "Concat"), ("BroadcastTo", "Broadcast")],
)
def test_a_longer_word_leads_to_the_name_that_begins_it(invented: str, meant: str) -> None:
    assert cards.nearest(invented)[0].name == meant
    assert len(cards.nearest(invented, 2)) == 2


@pytest.mark.parametrize("card", cards.cards().values(), ids=lambda c: c.name)
def test_a_card_shows_how_the_call_is_written(card: cards.ApiCard) -> None:
    assert card.signatures
    assert card.summary
    assert card.name in card.text()


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("copy rows whose length is not a multiple of 32 bytes with padding", "DataCopyPad"),
        ("natural logarithm", "Ln"),
        ("UB_OVERFLOW", "UB_OVERFLOW"),
        ("hand a filled buffer to the next stage of the queue", "EnQue"),
    ],
)
def test_words_lead_to_the_entry(query: str, name: str) -> None:
    assert name in [hit.name for hit in search(query, 4)]


def test_a_query_without_known_words_finds_nothing() -> None:
    assert search("zzzz qqqq") == ()
