"""JSON, literals and files of others: what is refused, what is mended, and what still reads."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.plain_text import escaped, without_halves
from akgen.tools.core.untrusted import (
    JsonRefused,
    last_object,
    parse_json,
    parse_object,
    path_of,
    read_json_lines,
    read_literal,
    read_model,
    read_python,
    read_text,
)


class Named(BaseModel):
    name: str
    size: float


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        '{"a":1e999}',
        "9" * 41,
        "[" * 65 + "]" * 65,
        "[" * 100_000,
        "[" + "0," * 2_000_001 + "0]",
        "{",
        '"\n"',
        "",
    ],
)
def test_what_no_report_of_ours_holds_is_refused(text: str) -> None:
    with pytest.raises(JsonRefused):
        parse_json(text)


def test_halves_of_pairs_are_mended_wherever_they_stand() -> None:
    assert parse_json('{"\\ud800":["\\udc00x","\\ud83d\\ude00"]}') == {"\ufffd": ["\ufffdx", "\U0001f600"]}
    assert parse_json(b'"\xed\xa0\x80"').encode()
    assert without_halves("\ud83d\ude00\ud800") == "\U0001f600\ufffd"


def test_an_object_is_an_object() -> None:
    with pytest.raises(JsonRefused, match="a JSON list"):
        parse_object("[]")
    assert last_object('words {"a": {"b": 1}} and {"c": 1e999} or {"d": 2} {') == {"d": 2}


def test_a_large_file_is_read_up_to_its_own_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    line = '{"name":"' + "x" * (1 << 20) + '"}\n'
    path.write_text(line * 20)
    assert sum(1 for _ in read_json_lines(path, "")) == 20
    with pytest.raises(InputError, match="more than"):
        read_text(path)
    one = tmp_path / "one.json"
    one.write_text('{"size":1,"name":"' + "x" * (17 << 20) + '"}')
    assert read_model(Named, one, "", most_bytes=1 << 28).size == 1.0


@pytest.mark.parametrize(
    "text", ["", "[]", '{"name":"x"}', '{"name":"x","size":"Infinit"}', "\xff", '{"a":NaN}']
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "value.json"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_model(Named, path, "Write it again.")
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_python_that_is_too_deep_or_no_python_is_a_syntax_error() -> None:
    for text in ("a\0b", "-" * 3000 + "1", "+".join("a" * 3000), "(" * 500, "x = ("):
        with pytest.raises(SyntaxError):
            read_python(text)
    assert read_literal("[1, (2.5, 'x')]") == [1, (2.5, "x")]
    for text in ("f(1)", "[" * 5000, "1 +", "{[]: 1}"):
        with pytest.raises(ValueError, match=r"(?s)^"):
            read_literal(text)


def test_a_finding_cannot_write_to_a_terminal() -> None:
    finding = Diagnostic(code="X", text="a\x1b[2Jb\u202ec\nd", file="op_kernel/\x07.cpp")
    assert (finding.text, finding.file) == ("a\\x1b[2Jb\\u202ec\nd", "op_kernel/\\x07.cpp")
    assert escaped("tab\tand line\n") == "tab\tand line\n"


def test_no_object_is_looked_for_in_a_text_without_end() -> None:
    assert last_object("x" * (16 << 20) + '{"a":1}') is None


@pytest.mark.parametrize("name", ["x" * 300, "y" * 300 + ".py", "~nobody-of-this-name/x"])
def test_a_name_that_no_file_can_have_is_refused_in_one_short_sentence(name: str) -> None:
    with pytest.raises(InputError, match="cannot be used") as refused:
        path_of(name)
    assert len(str(refused.value)) < 200


def test_a_path_may_name_what_is_not_there(tmp_path: Path) -> None:
    assert path_of(str(tmp_path / "none")) == tmp_path / "none"
