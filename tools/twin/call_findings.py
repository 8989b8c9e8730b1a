"""Calls that no form of an interface takes: too many or too few arguments, or ones of the wrong kind."""

import re

from akgen.knowledge.cards import cards
from akgen.tools.twin.code import Code, Found
from akgen.tools.twin.compiler_text import CompilerError
from akgen.tools.twin.name_findings import signature

_TELLING = ("no known conversion", "couldn't deduce", "mismatched types", "deduced conflicting types")
_ARITHMETIC = ("vector binary", "vector unary", "vector scalar")
# What the last argument is where nothing special is wanted.
_LAST = {
    "DataCopyPad": "Add the fourth argument: DataCopyPadExtParams<T>{false, 0, 0, 0} where nothing is padded."
}


def no_match(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a call that none of the overloads takes."""
    call = plain_types(match[1])
    name = call.split("(")[0].split("::")[-1].split("<")[0]
    counts = [n for n in error.notes if re.search(r"candidate expects \d+ argument", n)]
    reasons = [n for n in error.notes if any(part in n for part in _TELLING)]
    form = signature(name) if code.side == "device" else None
    if counts and not reasons:
        return _wrong_count(name, counts, form)
    swapped = _tensor_or_number(name, _arguments(call)) if form else None
    if swapped is not None:
        return swapped
    reason = f" ({plain_types(reasons[0].strip())})" if reasons else ""
    text = f"No form of {name} takes these arguments: {_short(call)}{reason}."
    return Found("WRONG_ARGUMENTS", text, f"Write {form}." if form else None)


def arity(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a call of a function without overloads."""
    del error
    name = match[2].split("(")[0].split("::")[-1].split()[-1]
    form = signature(name) if code.side == "device" else None
    return Found("WRONG_ARITY", f"Too {match[1]} arguments to {name}.", form)


def plain_types(text: str) -> str:
    """Write types as kernels do."""
    for given, usual in (("AscendC::", ""), ("std::", ""), ("_Float16", "half"), ("__bf16", "bfloat16_t")):
        text = text.replace(given, usual)
    return text


def _wrong_count(name: str, counts: list[str], form: str | None) -> Found:
    wants = sorted(
        {int(m[1]) for n in counts if (m := re.search(r"expects (?:at least )?(\d+) argument", n))}
    )
    given = re.search(r"(\d+) provided", counts[0])
    told = " or ".join(filter(None, [", ".join(map(str, wants[:-1])), str(wants[-1])]))
    sentence = f"{name} takes {told} arguments, {given[1] if given else 'another number'} are given."
    return Found("WRONG_ARITY", sentence, _LAST.get(name) or (f"Write {form}." if form else None))


def _tensor_or_number(name: str, arguments: list[str]) -> Found | None:
    """Explain Muls with two tensors, Mul with a number, and tensors of different types."""
    card = cards().get(name)
    if card is None or card.family not in _ARITHMETIC or len(arguments) < 3:
        return None
    tensors = [a.startswith("LocalTensor") for a in arguments[:3]]
    of_tensors, of_number = name.removesuffix("s"), name + "s"
    if card.family == "vector scalar" and all(tensors):
        other = signature(of_tensors)
        remedy = f"For two tensors write {other}." if other else f"Write {card.signatures[0]}."
        return Found(
            "WRONG_ARGUMENTS", f"{name} takes a number as its third argument, a tensor is given.", remedy
        )
    if card.family == "vector binary" and tensors == [True, True, False]:
        other = signature(of_number)
        remedy = f"For a tensor and a number write {other}." if other else f"Write {card.signatures[0]}."
        return Found(
            "WRONG_ARGUMENTS", f"{name} takes a tensor as its third argument, a number is given.", remedy
        )
    types = [a.rstrip("& ") for a, tensor in zip(arguments, tensors, strict=False) if tensor]
    if len(set(types)) > 1:
        return Found(
            "WRONG_ARGUMENTS",
            f"{name} takes tensors of one type; these are {', '.join(types)}.",
            "Convert with Cast(dst, src, RoundMode::CAST_NONE, count) first, or give both the same type.",
        )
    return None


def _arguments(call: str) -> list[str]:
    """Split the argument types of a call at the commas that stand outside of brackets."""
    inner = call[call.find("(") + 1 : call.rfind(")")]
    parts, depth, current = [], 0, ""
    for letter in inner:
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [*parts, current.strip()] if current.strip() else parts


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
