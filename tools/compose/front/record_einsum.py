"""Sums of products by the letters of their axes (`torch.einsum`), where the length of one axis depends on elements."""

from typing import Any

import torch

from akgen.tools.compose.front.record_ragged import Ragged
from akgen.tools.compose.front.record_ragged import uncovered as uncovered_part
from akgen.tools.compose.front.record_selected import Selected, uncovered


def _read(args: Any, refused: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """Return the text, the operands with their letters, and the letters of the result."""
    text, *operands = args
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    if not isinstance(text, str) or "." in text:
        raise refused("such a sum of products")
    text = text.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    if not arrow:
        letters = inputs.replace(",", "")
        result = "".join(sorted(v for v in set(letters) if letters.count(v) == 1))
    return f"{inputs}->{result}", list(zip(inputs.split(","), operands, strict=True)), result


def einsum(args: Any) -> Any:
    """Sum products of which some operands are what a mask selects."""
    text, found, result = _read(args, uncovered)
    parts = [(letters[v.lead], v) for letters, v in found if isinstance(v, Selected)]
    letter, first = parts[0]
    if any(other != letter or v.origin != first.origin for other, v in parts):
        raise uncovered("a sum of two masks")
    given = []
    for letters, v in found:
        if not isinstance(v, Selected) and letter in letters:
            v = first.with_elements(first.laid(v, letters.index(letter)), letters.index(letter))
        if isinstance(v, Selected):
            v = v.rows(full=True) if letter in result else v.others(0)
        given.append(v)
    value = torch.einsum(text, *given)
    return first.with_rows(value, result.index(letter)) if letter in result else value


def einsum_of_parts(args: Any) -> Any:
    """Sum products of which some operands are parts of unknown length."""
    text, found, result = _read(args, uncovered_part)
    parts = [(letters[v.axis], v) for letters, v in found if isinstance(v, Ragged)]
    letter, first = parts[0]
    if any(other != letter for other, _ in parts):
        raise uncovered_part("a sum of products along both axes of a part")
    known = [v.most for _, v in parts if v.most is not None]
    if letter in result:
        if any(letter in letters for letters, v in found if not isinstance(v, Ragged)):
            raise uncovered_part("a sum of products of a part and a tensor")
        return Ragged(
            result.index(letter),
            first.length,
            lambda n: torch.einsum(text, *(v.made(n) if isinstance(v, Ragged) else v for _, v in found)),
            min(known, default=None),
        )
    most = min(known) if known else None
    given = []
    for letters, v in found:
        whole = v.masked(0) if isinstance(v, Ragged) else v
        given.append(whole.narrow(letters.index(letter), 0, most) if letter in letters and most else whole)
    return torch.einsum(text, *given)
