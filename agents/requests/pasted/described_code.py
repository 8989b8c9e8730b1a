"""Drop words that describe the code behind them, "flip left to right, i.e. torch.flip(x, dims=[-1])": the code decides.

The words must tell nothing that the code has not: no other number, no other operator, no type or shape of a tensor.
"""

import ast
import re

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.pasted.extraction import ExtractedCode
from akgen.agents.requests.sizes import take_axes, take_dtypes, take_shapes
from akgen.knowledge.operators import find_operators, operator_named

_CLAUSES = re.compile(r"[.;。；\n]\s")
_ALIKE = {
    "max": "amax", "min": "amin", "maximum": "amax", "minimum": "amin", "norm": "vector_norm",
    "transpose": "permute", "fliplr": "flip", "flipud": "flip",
}  # fmt: skip


def without_description(found: ExtractedCode) -> ExtractedCode | None:
    """Return the code without the words that describe it; None where none do, or they tell more than the code."""
    again = re.search(words()["code again"] + r"[\s:：,，]*\Z", found.before, re.I)
    if again is None or found.code is None:
        return None
    begin = max((m.end() for m in _CLAUSES.finditer(found.before, 0, again.start())), default=0)
    said = found.before[begin : again.start()].lower()
    if _tells_tensors(said) or re.search(words()["code denies"], said) or not _names_fit(said, found.code):
        return None
    if not _numbers_fit(said, found.code):
        return None
    return found._replace(before=found.before[:begin])


def _tells_tensors(said: str) -> bool:
    text = MarkedText(said)
    take_dtypes(text)
    take_shapes(text)
    return any(
        m.kind == "dtype" or (m.kind == "shape" and _is_shape(text, m.begin, m.end)) for m in text.marks
    )


def _is_shape(text: MarkedText, begin: int, end: int) -> bool:
    """Say whether a mark is a shape for sure: "8x64", "[2, 3, 8]"; "(2)" may be an axis."""
    return len(re.findall(r"\d+", text.text[begin:end])) > 1


def _names_fit(said: str, code: str) -> bool:
    """Say whether the words name no operator but those that the code calls, or what these are parts of."""
    called = {name for n in re.findall(r"(\w+)\(", code) for name in (n, n.rstrip("_"))}
    known = {_ALIKE.get(e.name, e.name) for n in called if (e := operator_named(n)) is not None}
    inside = {_ALIKE.get(p, p) for name in known for p in parts_of(name)}
    named = {_ALIKE.get(n.operator, n.operator) for n in find_operators(said)}
    whole = all(known <= {*parts_of(n), n} for n in named)  # "softmax, i.e. exp(x) / sum(exp(x))"
    return named <= known | inside or (bool(known) and whole)


def _numbers_fit(said: str, code: str) -> bool:
    """Say whether the code has every number and every axis of the words."""
    told = {float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", said)}
    text = MarkedText(re.sub(r"\d", " ", said))
    take_axes(text)
    axes = {m.value for m in text.marks if isinstance(m.value, int)}
    numbers = _numbers(code)
    return told <= {abs(n) for n in numbers} and axes <= numbers


def _numbers(code: str) -> set[float]:
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        return set()
    found = set()
    for node in ast.walk(tree):
        try:
            value = ast.literal_eval(node) if isinstance(node, ast.UnaryOp | ast.Constant) else None
        except ValueError:
            continue
        if isinstance(value, int | float):
            found.add(float(value))
    return found
