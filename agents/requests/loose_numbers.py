"""Read numbers that stand alone: an attribute that was asked for, an operand, a length."""

import re
from typing import Any

from akgen.agents.requests import sizes
from akgen.agents.requests.attributes import AttributeValues, parameters_of, plain_number
from akgen.agents.requests.described import takes_number
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import missing, missing_attribute, way_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import OperatorEntry, operator_named

_BETWEEN = re.compile(r"(?:\s|\x00|to|between|from|of|by|in|由|到|在|和|[\[(])*")


def take_last_numbers(text: MarkedText) -> None:
    """Mark a number that stands alone as an attribute that its operator must have, or as a length."""
    numbers = list(re.finditer(r"(?<![a-z0-9_.\-])-?\d[\d_]*(?:\.\d+)?[km]?(?![a-z0-9_]|\.\d)", text.rest))
    shaped = any(m.kind in ("shape", "shapes") for m in text.marks)
    if not numbers:
        return
    before = [m for m in text.sorted() if m.kind == "operator" and m.end <= numbers[0].start()]
    entry = operator_named(before[-1].value) if before and isinstance(before[-1].value, str) else None
    if entry is not None and _take_fraction(text, entry, before[-1], numbers[0]):
        del numbers[0]
    if entry is not None and numbers:
        said = {n for m in text.marks if m.kind == "attribute" for n in m.value.values}
        needs = [n for n in way_of(ChainStep(operator=entry.name)).needs if n not in said]
        if entry.needs and len(needs) == 1 and len(entry.needs) == 2:
            needs = list(entry.needs)
        adjacent = _BETWEEN.fullmatch(text.rest, before[-1].end, numbers[0].start())
        if needs and adjacent and len(numbers) in (1, len(needs)):
            for name, number in zip(needs, numbers, strict=False):
                text.mark(
                    number.start(),
                    number.end(),
                    "attribute",
                    AttributeValues({name: plain_number(number[0])}),
                )
            return
    if not numbers:
        return
    joined = re.compile(r"(?:times|by|with|and|@|乘以?|和|与)\s*\Z")
    last = numbers[-1]
    takes = [m.value for m in text.sorted() if m.kind == "operator" and isinstance(m.value, str)]
    by = re.search(r"(?:by|with|乘以?|除以)\s*\Z", text.text[: last.start()])
    if shaped and len(numbers) == 1 and by and len(takes) == 1 and takes_number(takes[0]):
        text.mark(last.start(), last.end(), "number", plain_number(last[0]))
        return
    pair = (
        len(takes) == 1
        and takes_number(takes[0])
        and re.search(r"(?:and|和|与)\s*\Z", text.text[: last.start()])
    )
    if (
        shaped
        and not pair
        and any((e := operator_named(t)) is not None and e.category != "matmul" for t in takes)
    ):
        return
    whole = len(numbers) == 1 and re.fullmatch(r"\d[\d_]*[km]?", last[0]) is not None
    if whole and (not shaped or joined.search(text.text[: last.start()])):
        text.mark(last.start(), last.end(), "shape", ((sizes.number(last[0]),),))


def _take_fraction(text: MarkedText, entry: OperatorEntry, named: Mark, number: re.Match[str]) -> bool:
    """Take "leaky relu 0.1": a fraction behind an operator that has one attribute of this kind."""
    said = {n for m in text.marks if m.kind == "attribute" for n in m.value.values}
    floats = [n for n, p in parameters_of(entry).items() if p.kind == "float" and n not in said]
    adjacent = _BETWEEN.fullmatch(text.rest, named.end, number.start())
    if "." not in number[0] or len(floats) != 1 or not adjacent:
        return False
    value = AttributeValues({floats[0]: plain_number(number[0])})
    text.mark(number.start(), number.end(), "attribute", value)
    return True


def only_a_value(text: MarkedText, known: Request) -> None:
    """Read an answer that is only numbers as the attribute that was asked for, or as a shape."""
    alone = re.fullmatch(
        r"\s*(-?[\d_.]+[km]?(?:(?:[\s,]+|\s*x\s*|\s+by\s+)[\d_]+[km]?)*)\s*[.。]?\s*", text.text
    )
    if alone is None:
        return
    asked = missing(known)[:1]
    lacking = missing_attribute(known)
    if asked == ("attribute",) and lacking is not None:
        numbers = tuple(
            float(n) if "." in n else sizes.number(n) for n in re.findall(r"-?[\d_.]+[km]?", alone[1])
        )
        value: Any = numbers[0] if len(numbers) == 1 else numbers
        text.mark(alone.start(1), alone.end(1), "attribute", AttributeValues({lacking[1]: value}))
    elif not alone[1].startswith("-") and "." not in alone[1]:
        numbers = tuple(sizes.number(n) for n in re.findall(r"[\d_]+[km]?", alone[1]))
        text.mark(alone.start(1), alone.end(1), "shape", (numbers,))
