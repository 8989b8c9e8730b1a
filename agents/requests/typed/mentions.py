"""Find where words tell a type of the result, of a value on the way, or of the arithmetic inside.

A mention is the type with the words that say nothing but whose it is: "and return it as uint8", "输出也转成 int8",
"(int64)", "accumulate in fp32". What it is the type of may be open: "to float32" is what the result becomes, or what is
computed on from there.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any, Literal, NamedTuple

from akgen.agents.requests.specified.layout import type_words
from akgen.agents.requests.specified.tensors import dtype_of
from akgen.tools.core.dtypes import DType

Role = Literal["result", "way", "inside", "given", "note", "kept"]
_ANY_SHAPE = re.compile(r"\d ?[x,*] ?\d|[\[(]\d+ ?,? ?[\])]|\d{2,}")
_ROUNDS = re.compile(r"round|四舍五入|取整", re.I)
_FROM = re.compile(rf"(?:\bfrom|从|由) ?{type_words()}\s*\Z", re.I)
_FORMULA = re.compile(r"(?:[-+*/@<>=]|[a-z_]\()[^,，;；.。:：\n]*\Z", re.I)


class TypeMention(NamedTuple):
    """A part of a text, the type that it tells, and whose type that may be; of a note, what it needs."""

    begin: int
    end: int
    dtype: DType | None
    roles: tuple[Role, ...]
    needs: str = ""


def told_types(text: str) -> list[TypeMention]:
    """Return the mentions of a text in order; none lies over another."""
    found: list[TypeMention] = []
    for mention in sorted(_every(text), key=lambda m: (m.begin, -m.end)):
        if not found or mention.begin >= found[-1].end:
            found.append(mention)
    return found


def _every(text: str) -> Iterator[TypeMention]:
    for roles, pattern, needs in _patterns():
        for match in pattern.finditer(text):
            said = match.groupdict().get("type")
            named = match.groupdict()
            dtype = dtype_of(said) if said else None
            if _ROUNDS.search(match[0]) and roles != ("note",) and not (dtype and dtype.is_float):
                continue  # "round to int32" rounds, and "to fp16" converts
            if _FROM.search(text[: match.start()]):
                continue  # "port it from fp32 to fp16"
            if named.get("bracket") and not _behind_words(text[: match.start()]):
                continue
            if named.get("name") and not _is_result(named["name"], text):
                continue
            if not named.get("of_formula") or _FORMULA.search(text[: match.start() + 1]):
                yield TypeMention(*match.span(), dtype, roles, "natural" if named.get("bracket") else needs)


def _behind_words(before: str) -> bool:
    """Say whether a bracket stands behind words, and not behind a tensor and its shape."""
    clause = re.split(r"[,，;；.。:：\n]", before.rstrip())[-1]
    return re.search(r"[a-z\u4e00-\u9fff]\s*\Z", before, re.I) is not None and not _ANY_SHAPE.search(clause)


def _is_result(name: str, text: str) -> bool:
    """Say whether a name is that of what comes, and of no tensor that is computed with."""
    given = re.search(rf"(?<!\w){name} ?=(?!=)", text, re.I) is not None
    return (given or name.lower() in ("y", "out", "res")) and (
        len(re.findall(rf"(?<!\w){name}(?!\w| ?=)", text, re.I)) == 1
    )


@cache
def said_words() -> dict[str, Any]:
    """Return the words that say whose a type is."""
    found: dict[str, Any] = loads(
        files("akgen.agents.requests.typed").joinpath("words.json").read_text("utf-8")
    )
    return found


@cache
def _patterns() -> tuple[tuple[tuple[Role, ...], re.Pattern[str], str], ...]:
    said, kind = said_words(), rf"(?P<type>{type_words()})"
    lead = rf"(?:[\s,，;；]|(?<![a-z])(?:{said['lead']})(?![a-z])|{said['lead_zh']})*"
    link = rf"(?:[\s:：=]|(?<![a-z])(?:{said['of_the_result']})(?![a-z])|{said['of_the_result_zh']})*"
    moved = rf"(?:(?<![a-z])(?:{said['move']})(?![a-z]) )?(?:(?:{said['moved']}) )*"
    tail = said["tail"]
    output = rf"(?:(?<![a-z_])(?:the )?(?:{said['result']})(?![a-z_])|{said['result_zh']})"
    every = rf"(?:(?<![a-z])(?:{said['all']})(?![a-z])|{said['all_zh']})"
    noun = rf"(?: ?(?:{said['result_noun']}))? (?:outputs?|out|results?|returned)(?![a-z])"
    into = r"(?:转换?|强转|存)(?:成|为|到|回|换成|换为|换|回到)?"
    patterns: list[tuple[tuple[Role, ...], str, str]] = [
        *((("note",), note, needs) for note, needs in said["notes"]),
        *((("inside", "kept"), rf"{lead}(?<![a-z]){p.replace('TYPE', kind)}", "") for p in said["inside"]),
        (("given", "kept"), rf"{lead}{every}{link}{kind}{said['everywhere']}", ""),
        (("given", "kept"), rf"{lead}{kind}(?: (?:everywhere|throughout|all over|for (?:all|everything|both)))", ""),
        (("result", "kept"), rf"(?P<bracket>[(（]) ?{kind} ?[)）]", ""),
        (("result", "kept"), rf"{lead}{output}{link}{kind}{tail}", ""),
        (
            ("result", "kept"),
            rf"{lead}{kind} ?的?(?:{noun}|输出|结果)",
            "",
        ),
        (
            ("result", "way", "kept"),
            rf"{lead}{moved}(?<![a-z])(?:in)?(?:to|as) (?:an? )?{kind}{tail}{said['before']}",
            "",
        ),
        (
            ("result", "way", "kept"),
            rf"{lead}(?:{said['move_zh']})*{into} ?{kind} ?(?:类型)?(?:后|之后|以后)?",
            "",
        ),
        (("result", "way", "kept"), rf"{lead}(?:->|=>|→|⇒) ?{kind}{tail}", ""),
        (
            ("result", "kept"),
            rf"{lead}(?<![\w.])(?P<name>[yzco]|out|res)(?: is| in|:|：|为|是)? ?{kind}(?=\s*(?:[,，;；.。)]|\Z))",
            "",
        ),
        (("result", "kept"), rf"{kind} ?(?={said['quantizes']})", ""),
        (("result", "kept"), rf"(?<=[a-z0-9)\]])(?P<of_formula> in) {kind}(?=\s*(?:[,，;；.。]|\Z))", ""),
    ]  # fmt: skip
    return tuple((roles, re.compile(p, re.I), needs) for roles, p, needs in patterns)
