"""API cards are found by name and by words."""

import json
from pathlib import Path

import pytest

from akgen.knowledge import cards
from akgen.knowledge.data_files import read_json
from akgen.knowledge.search import search

QUESTIONS = json.loads(Path(__file__).with_name("search_questions.json").read_text())
LEAST_HITS = 0.9  # of the questions


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


@pytest.mark.parametrize("name", ["UB_OVERFLOW", "ReduceSum", "TilingContext::GetAttrs", "MASK_RANGE"])
def test_an_entrys_very_name_leads_to_it_first(name: str) -> None:
    assert search(name, 3)[0].name == name
    assert search(f"what is {name}", 3)[0].name == name


def test_a_query_without_known_words_finds_nothing() -> None:
    assert search("zzzz qqqq") == ()


def test_questions_in_english_and_chinese_lead_to_the_right_cards() -> None:
    """Print how many of the questions have one of the right cards among the first five hits (`pytest -s`)."""
    missed = [q["question"] for q in QUESTIONS if not _among_first(q["question"], q["cards"])]
    print(f"{len(QUESTIONS) - len(missed)} of {len(QUESTIONS)} questions are answered; not {missed}")
    assert len(QUESTIONS) >= 40
    assert len(missed) <= (1 - LEAST_HITS) * len(QUESTIONS), missed


def _among_first(question: str, right: list[str]) -> bool:
    assert set(right) <= set(cards.cards())
    return any(hit.name in right for hit in search(question, 5))


def test_a_listing_says_once_what_several_cards_say() -> None:
    table = cards.cards()
    text = cards.listing([table["Exp"], table["Ln"], table["Muls"]])
    assert text.count("Operands start at multiples of 32 bytes.") == 2  # of two families
    assert text.index("[vector unary]") < text.index("Exp(dst, src, count)") < text.index("[vector scalar]")
    assert all(rule in text for rule in table["Muls"].rules)


def test_every_operation_leads_to_cards_that_exist() -> None:
    named = read_json("aten_cards.json")
    every = {n for group in named["groups"] for n in group["cards"].split()} | set(named["every"].split())
    assert every <= set(cards.cards())
    assert {c.name for c in cards.cards_of("aten.mm.default")} >= {"Matmul", "IterateAll"}
    assert cards.cards_of("no_such_operation") == ()
