"""`akgen explain`: one code, all codes, and a code that does not exist."""

import json

import pytest
from typer.testing import CliRunner

from akgen.cli import app
from akgen.commands.explain import explanations
from akgen.knowledge.errors import catalogue
from akgen.tools.core.outcome import InputError


def _said(*arguments: str) -> str:
    ended = CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    assert ended.exit_code == 0
    return ended.stdout


def test_a_code_comes_with_cause_remedy_and_the_lines_that_differ() -> None:
    entry = catalogue()["UB_OVERFLOW"]
    said = _said("ub_overflow")
    for text in (entry.sentence, entry.cause, entry.remedy, "cube/l0a_too_small.cpp"):
        assert text in said
    assert "wrong  LocalTensor<half> a2(TPosition::A2, 65536 - 256, 256);\n" in said
    assert "right  LocalTensor<half> a2(TPosition::A2, 0, 256);\n" in said


def test_a_fault_that_only_adds_a_line_says_that_nothing_stands_there() -> None:
    said = _said("GM_OVERRUN")
    assert "wrong  DataCopy(user[1024], a, 64);\n    right  (nothing stands here)\n" in said


def test_machines_get_one_code_or_all_of_them() -> None:
    one = json.loads(_said("DEADLOCK", "--json"))
    assert (one["code"], one["stage"]) == ("DEADLOCK", "test")
    assert all(pair["wrong"] or pair["right"] for pair in one["pairs"]) and one["pairs"]
    assert {each["code"] for each in json.loads(_said("--json"))["codes"]} == catalogue().keys()


def test_without_a_code_all_are_listed_below_their_stage() -> None:
    said = _said()
    for code, entry in catalogue().items():
        assert f"  {code} " in said and entry.sentence in said
    assert (
        said.index("Planning") < said.index("PLAN_CORES") < said.index("Running") < said.index("UB_OVERFLOW")
    )


def test_the_page_has_a_section_for_each_code() -> None:
    said = _said("--markdown")
    assert [code for code in catalogue() if f"### {code}\n" not in said] == []
    assert _said("UB_OVERFLOW", "--markdown").strip() in said


def test_an_unknown_code_names_the_nearest() -> None:
    refused = CliRunner().invoke(app, ["explain", "UB_OVERFLW"]).exception
    assert isinstance(refused, InputError)
    assert "UB_OVERFLW" in refused.text and "UB_OVERFLOW" in refused.remedy


def test_every_pair_of_the_corpus_is_of_a_known_code() -> None:
    from akgen.commands.explain import CORPUS

    shown = sum(len(one.pairs) for one in explanations().values())
    assert shown == len(list(CORPUS.rglob("*.cpp"))) > 100


@pytest.mark.parametrize("code", ["", "QQQQ"])
def test_a_code_like_no_other_is_refused_with_the_way_to_the_list(code: str) -> None:
    refused = CliRunner().invoke(app, ["explain", code]).exception
    assert isinstance(refused, InputError) and "akgen explain" in refused.remedy
