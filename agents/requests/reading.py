"""Mark what a text says, one recogniser after the other: formulas, operators, types, attributes, axes, shapes, joints."""

import itertools
import re
from typing import Any

from akgen.agents.requests import attributes, marks, sizes
from akgen.agents.requests.attributes import (
    AttributeValues,
    parameters_of,
    plain_number,
    take_arrow,
    take_attributes,
    take_flags,
)
from akgen.agents.requests.chain import assemble
from akgen.agents.requests.formula import take_formulas
from akgen.agents.requests.guesses import misspelt_filler
from akgen.agents.requests.marks import MarkedText, phrase, words
from akgen.agents.requests.needs import entry_of, missing, missing_attribute, way_of
from akgen.agents.requests.own_operands import take_own_operands
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.spelling import respelt
from akgen.agents.requests.wishes import take_wishes
from akgen.knowledge.operators import OperatorEntry, find_operators, operator_named

_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+", re.M)
_OPERAND_NUMBER = re.compile(
    r"(?:\s+(?:the (?:tensor|input|result|matrix|vector)|it|x|everything|each element|every element)(?=\s+by))?"
    r"(?:\s+(?:by|with|to|the number|a constant|constant|scalar))?\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
    r"(?![a-z0-9_.]| ?[x*] ?\d| by \d| ?(?:elements|values|个元素))"
)
_TIMES = r"(?:times|multiplied (?:by|with)|dot|@|by|乘以|乘)"
_PRODUCT = re.compile(
    rf"(?P<left>{attributes.DIMS}) *(?P<times>{_TIMES}) *(?P<right>{attributes.DIMS}|\d+(?![a-z0-9_.]))"
)
_TO_SHAPE = re.compile(
    rf"({attributes.DIMS})(?:[^\d]*?)(?P<to>\bto|into|->|=>|→|成|为|到)\s*({attributes.DIMS})"
)
_ALSO_CALLED = re.compile(r"\s*(?:[(（,，:：/]|i\.?e\.?,?|aka|a\.k\.a\.|or|即|也叫|又称)?\s*")
_BETWEEN = re.compile(r"(?:\s|\x00|to|between|from|of|by|in|由|到|在|和|[\[(])*")
_SQUARE = re.compile(r"square(?= matri)")
_ADJECTIVE = re.compile(r"\s+(?:an?|another|one)\s+|\s*(?:一个|个)\s*")


class Reading:
    """One text being read."""

    def __init__(self, text: str, known: Request) -> None:
        self._known = known
        text = respelt(text)
        self.text = MarkedText(_BULLET.sub(lambda m: " " * len(m[0]), text))

    def request(self) -> Request:
        """Return what is known now. Raises Unclear."""
        text, known = self.text, self._known
        self._only_a_value()
        wishes = take_wishes(text)
        text.take(_SQUARE, "label")
        text.take(phrase("fix"), "fix")
        take_formulas(text)
        self._take_product()
        self._take_operators()
        candidates = [m for m in text.marks if m.kind == "operator"]
        entries = self._entries(candidates)
        sizes.take_counts(text)
        sizes.take_dtypes(text)
        for mark in candidates:
            if isinstance(mark.value, str):
                text.unmark(mark)
        attributes.take_dims(text, candidates)
        self._take_permutation(candidates)
        sizes.take_long_shapes(text)
        take_flags(text)
        if any("out_channels" in parameters_of(e) or "out_features" in parameters_of(e) for e in entries):
            take_arrow(text)
        self._keep_operators(candidates, entries)
        take_attributes(text, entries)
        attributes.take_kernel(text, candidates)
        attributes.take_range(text, candidates)
        attributes.take_argument(text, candidates)
        roles = _roles(entries)
        sized = sizes.take_sizes(text, roles)
        sizes.take_axes(text)
        self._take_operators()
        self._take_joints()
        sizes.take_shapes(text)
        text.take(phrase("no"), "no")
        for name in ("not", "but"):
            text.take(phrase(name), name)
        for name in ("fused", "then", "after", "or", "also"):
            text.take(phrase(name), name)
        text.take(phrase("and"), "and")
        self._take_last_numbers()
        return assemble(text, known, wishes, sized)

    def unread(self) -> list[str]:
        """Return the words that were neither used nor say nothing."""
        steps = (m.value for m in self.text.marks if isinstance(m.value, ChainStep))
        for variable in {v for step in steps for v in step.variables}:
            self.text.take(re.compile(rf"(?<![a-z0-9_]){variable}(?![a-z0-9_])"), "filler")
        for pattern in _fillers():
            self.text.take(pattern, "filler")
        return [word for word in self.text.left() if not misspelt_filler(word)]

    def _only_a_value(self) -> None:
        """Read an answer that is only numbers as the attribute that was asked for, or as a shape."""
        alone = re.fullmatch(
            r"\s*(-?[\d_.]+[km]?(?:(?:[\s,]+|\s*x\s*|\s+by\s+)[\d_]+[km]?)*)\s*[.。]?\s*", self.text.text
        )
        if alone is None:
            return
        asked = missing(self._known)[:1]
        lacking = missing_attribute(self._known)
        if asked == ("attribute",) and lacking is not None:
            numbers = tuple(
                float(n) if "." in n else sizes.number(n) for n in re.findall(r"-?[\d_.]+[km]?", alone[1])
            )
            value: Any = numbers[0] if len(numbers) == 1 else numbers
            self.text.mark(alone.start(1), alone.end(1), "attribute", AttributeValues({lacking[1]: value}))
        elif not alone[1].startswith("-") and "." not in alone[1]:
            numbers = tuple(sizes.number(n) for n in re.findall(r"[\d_]+[km]?", alone[1]))
            self.text.mark(alone.start(1), alone.end(1), "shape", (numbers,))

    def _take_operators(self) -> None:
        for named in find_operators(self.text.rest):
            self.text.mark(named.begin, named.end, "operator", named.operator)

    def _take_product(self) -> None:
        """Mark what stands between two shapes in a product: "64x32 times 32x16"."""
        text = self.text
        for match in text.matches(_PRODUCT):
            text.mark(match.start("times"), match.end("times"), "product")
        if any(m.kind == "product" for m in text.marks) and not find_operators(text.rest):
            product = next(m for m in text.marks if m.kind == "product")
            shapes = _PRODUCT.search(text.text)
            if (
                shapes is not None
                and shapes["left"].replace(" ", "") == shapes["right"].replace(" ", "")
                and "@" not in shapes[0]
            ):
                raise Unclear("product")
            text.unmark(product)
            text.mark(product.begin, product.end, "operator", ChainStep(operator="matmul"))

    def _take_permutation(self, candidates: list[marks.Mark]) -> None:
        """Take "permute 2x16x8 to 2x8x16" for the axes that make it so. Raises Unclear if sizes are equal or differ."""
        for mark in candidates:
            if mark.value not in ("permute", "transpose"):
                continue
            match = _TO_SHAPE.search(self.text.rest)
            if match is None:
                return
            given, wanted = (tuple(map(sizes.number, re.findall(r"\d+k?", match[k]))) for k in (1, 3))
            if sorted(given) != sorted(wanted) or len({*given}) < len(given):
                raise Unclear("permutation", given=list(given))
            dims = tuple(given.index(size) for size in wanted)
            permuted = ChainStep(operator="permute", attributes={"dims": dims})
            self.text.mark(match.start("to"), match.end(), "filler")
            self.text.mark(mark.begin, mark.end, "operator", permuted)
            candidates.remove(mark)
            return

    def _entries(self, candidates: list[marks.Mark]) -> list[OperatorEntry]:
        """Return the operators that words may be about: those named, and those known where none is named."""
        found = [operator_named(m.value) for m in candidates if isinstance(m.value, str)]
        entries = [e for e in found if e is not None]
        return [*entries, *(entry_of(s) for s in self._known.steps if s.formula is None)]

    def _keep_operators(self, candidates: list[marks.Mark], entries: list[OperatorEntry]) -> None:
        """Keep operators whose names no attribute of another one could take."""
        for mark in candidates:
            if not isinstance(mark.value, str):
                continue
            others = [e for e in entries if e.name != mark.value]
            names = {
                a for e in others for n in parameters_of(e) for a in (n, *words()["attributes"].get(n, ()))
            }
            choices = {c for e in others for n in parameters_of(e) for c in words()["choices"].get(n, ())}
            spelt = self.text.text[mark.begin : mark.end]
            longer = any(len(a) > len(spelt) and self.text.text.startswith(a, mark.begin) for a in names)
            if (
                not longer
                and spelt not in names | choices
                and spelt not in ("all", "any", "max", "min", "where", "square", "mode")
            ):
                self.text.mark(*mark)

    def _take_joints(self) -> None:
        """Mark numbers, biases and first inputs that operators take as operands, and "of" between two operators."""
        text = self.text
        arithmetic = [m for m in text.sorted() if m.kind == "operator" and isinstance(m.value, str)]
        for mark in arithmetic:
            if not _takes_number(mark.value):
                continue
            match = _OPERAND_NUMBER.match(text.rest, mark.end)
            if match is not None:
                text.mark(match.start(), match.end(1), "number", plain_number(match[1]))
        if any(m.kind == "operator" for m in text.marks) or self._known.steps:
            text.take(re.compile(words()["bias"]), "bias")
            self._take_once_more()
            text.take(re.compile(words()["first"]), "first")
        self._drop_words_that_lead()
        take_own_operands(text)
        ordered = [m for m in text.sorted() if m.kind == "operator"]
        for left, right in itertools.pairwise(ordered):
            between = text.rest[left.end : right.begin]
            match = re.fullmatch(r"\s*of(?: the| an?| all)?\s*|\s*\(\s*", between)
            named = isinstance(left.value, str)  # "x * y (silu)" tells a name, "relu (x * y)" what it is of
            if match is not None and (named or "(" not in between):
                text.mark(left.end, right.begin, "of")

    def _take_once_more(self) -> None:
        """Take "and the bias has 128 entries" for words about the bias that was named before."""
        text = self.text
        for mark in [m for m in text.sorted() if m.kind == "bias"][1:]:
            about = re.match(r"\s*(?:has|have|is|are|being|of|:|=|\d|\[)", text.text[mark.end :])
            if about and re.match(r"\s*(?:and |with )?the ", text.text[mark.begin :]):
                text.unmark(mark)
                text.mark(mark.begin, mark.end, "filler")

    def _drop_words_that_lead(self) -> None:
        """Take "add a softmax" for softmax, "a square softmax" and "gaussian error linear unit (gelu)" too."""
        text = self.text
        ordered = [m for m in text.sorted() if m.kind == "operator"]
        for left, right in itertools.pairwise(ordered):
            between = text.rest[left.end : right.begin]
            added = left.value == "add" and _ADJECTIVE.fullmatch(between)
            article = re.search(r"(?<![a-z])an? \Z", text.text[: left.begin])
            described = left.value == "square" and article and not between.strip()
            twice = left.value == right.value and _ALSO_CALLED.fullmatch(between)
            if added or described or twice:
                text.unmark(left)
                text.mark(left.begin, left.end, "filler")

    def _take_last_numbers(self) -> None:
        """Mark a number that stands alone as an attribute that its operator must have, or as a length."""
        text = self.text
        numbers = list(
            re.finditer(r"(?<![a-z0-9_.\-])-?\d[\d_]*(?:\.\d+)?[km]?(?![a-z0-9_]|\.\d)", text.rest)
        )
        shaped = any(m.kind in ("shape", "shapes") for m in text.marks)
        if not numbers:
            return
        before = [m for m in text.sorted() if m.kind == "operator" and m.end <= numbers[0].start()]
        entry = operator_named(before[-1].value) if before and isinstance(before[-1].value, str) else None
        if entry is not None and self._take_fraction(entry, before[-1], numbers[0]):
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
        if shaped and len(numbers) == 1 and by and len(takes) == 1 and _takes_number(takes[0]):
            text.mark(last.start(), last.end(), "number", plain_number(last[0]))
            return
        pair = (
            len(takes) == 1
            and _takes_number(takes[0])
            and re.search(r"(?:and|和|与)\s*\Z", text.text[: last.start()])
        )
        if (
            shaped
            and not pair
            and any((e := operator_named(t)) is not None and e.category != "matmul" for t in takes)
        ):
            return
        if (shaped and len(numbers) == 1 and joined.search(text.text[: last.start()])) or (
            not shaped and len(numbers) == 1 and re.fullmatch(r"\d[\d_]*[km]?", last[0])
        ):
            text.mark(last.start(), last.end(), "shape", ((sizes.number(last[0]),),))

    def _take_fraction(self, entry: OperatorEntry, named: marks.Mark, number: re.Match[str]) -> bool:
        """Take "leaky relu 0.1": a fraction behind an operator that has one attribute of this kind."""
        said = {n for m in self.text.marks if m.kind == "attribute" for n in m.value.values}
        floats = [n for n, p in parameters_of(entry).items() if p.kind == "float" and n not in said]
        adjacent = _BETWEEN.fullmatch(self.text.rest, named.end, number.start())
        if "." not in number[0] or len(floats) != 1 or not adjacent:
            return False
        value = AttributeValues({floats[0]: plain_number(number[0])})
        self.text.mark(number.start(), number.end(), "attribute", value)
        return True


def _takes_number(name: str) -> bool:
    entry = operator_named(name)
    if entry is None:
        return False
    if entry.expression is not None:
        return entry.inputs == 2 and entry.category == "elementwise"
    return any(
        p.name in ("other", "exponent") and p.kind == "float"
        for s in entry.signatures()
        for p in s.parameters[1:]
    )


def _roles(entries: list[OperatorEntry]) -> tuple[str, ...]:
    """Return the sizes that may be named for these operators."""
    found: list[str] = []
    for entry in entries:
        for key, shapes in sizes.SIZES.items():
            if key in (entry.category, entry.name):
                found += [role for shape in shapes for role in shape]
        if entry.name in ("linear", "bmm", "matmul"):
            found.append("batch")
        if entry.name == "linear":
            found.append("tokens")
        if entry.category in sizes.GENERAL_FOR:
            found += sizes.GENERAL
        if "positions" in entry.draws.values():
            found.append("tokens")
        if entry.name == "embedding":
            found += ("batch", "tokens")
        others = {
            "loss": ("batch",),
            "convolution": ("batch", "long", "channels"),
            "pooling": ("batch", "channels"),
            "attention": ("long",),
        }
        found += others.get(entry.category, ())
    return tuple(dict.fromkeys(found))


def _fillers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    said = words()
    latin = sorted(said["filler"], key=len, reverse=True)
    chinese = sorted(said["filler_zh"], key=len, reverse=True)
    return (
        re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, latin))})(?![a-z0-9_])"),
        re.compile("|".join(map(re.escape, chinese))),
    )
