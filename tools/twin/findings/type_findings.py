"""Calls and values of the wrong kind (arguments, conversions), and text that is no C++."""

import re

from akgen.knowledge.cards import cards
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_classes import split_at_commas, type_name
from akgen.tools.twin.findings.member_findings import taken_for
from akgen.tools.twin.findings.name_findings import signature

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
        {int(m[1]) for n in counts if (m := re.search(r"expects (?:at least )?(\d{1,9}) argument", n))}
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
    """Split the argument types of a call."""
    return split_at_commas(call[call.find("(") + 1 : call.rfind(")")])


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


_Q = r"['‘`]([^'’`]+)['’`](?: \{aka [^}]*\})?"
_TENSOR = r"(?:AscendC::)?LocalTensor<"


def mismatch(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a conversion that does not exist, with the conversion that is meant where it is clear."""
    del match
    remedy = _other_class(error, code) or _conversion(error.text)
    return Found("TYPE_MISMATCH", plain_types(error.text).rstrip(".") + ".", remedy)


_CONVERSIONS = (
    rf"(?:cannot convert|could not convert|conversion from).*?{_Q}.*? to (?:non-scalar type )?{_Q}",
    rf"(?P<to>initialization of reference of type) {_Q} from expression of type {_Q}",
    rf"(?P<to>no match for .operator=.) \(operand types are {_Q} and {_Q}\)",
)


def _other_class(error: CompilerError, code: Code) -> str | None:
    for pattern in _CONVERSIONS:
        found = re.search(pattern, error.text)
        if found is not None:
            first, second = found.groups()[-2:]
            given, wanted = (second, first) if "to" in found.groupdict() else (first, second)
            return taken_for(given, wanted, code.line(error), code) or _declared(
                given, wanted, code.line(error)
            )
    return None


def _declared(given: str, wanted: str, line: str) -> str | None:
    """Return how to declare what is initialised with another class than it says."""
    bare = type_name(wanted).split("::")[-1]
    if (
        not bare[:1].isupper()
        or not type_name(given).split("::")[-1][:1].isupper()
        or "LocalTensor" in wanted
    ):
        return None
    if re.search(rf"\b{bare}\b[^=;()]*=", line) is None:
        return None
    reference = "&" if "&" in wanted and "&" not in given else ""
    return f"Declare it as {plain_types(given)}{reference}, which the right side gives."


def narrowing(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error, code
    given, wanted = plain_types(match[1]), plain_types(match[2])
    return Found(
        "TYPE_MISMATCH",
        f"A value of type {given} is narrowed to {wanted} inside braces, which C++ refuses.",
        f"Write static_cast<{wanted}>(...) around the value.",
    )


def digit(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del match, code
    return Found("SYNTAX", f"An identifier starts with a digit ({error.text}).", "Start names with a letter.")


def unclosed(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a brace that is never closed, at the line that by its indentation stands outside of it."""
    del match
    at = _left_of_its_brace(code.files.get(error.file or "", ""))
    if at is None:
        return Found("SYNTAX", "A brace is opened and never closed.", "Close it.")
    return Found(
        "SYNTAX", "A brace that is opened before this line is never closed.", "Put } before this line.", at
    )


def _left_of_its_brace(text: str) -> int | None:
    """Return the first line, from 1, that is indented less than what the braces before it hold."""
    open_at: list[int] = []  # the indentation of the lines that opened a brace
    for number, line in enumerate(text.splitlines(), start=1):
        code = re.sub(r"//.*|\"[^\"]*\"|'[^']*'", "", line)
        if (
            not code.strip()
            or code.lstrip().startswith("#")
            or re.fullmatch(r"\s*(?:\w+\s*|case .*):\s*", code)
        ):
            continue  # directives and labels stand where they like
        indent = len(line) - len(line.lstrip())
        closing = code.lstrip().startswith("}")
        if open_at and code.strip() != "{" and not closing and indent <= open_at[-1]:
            return number
        for letter in code:
            if letter == "{":
                open_at.append(indent)
            elif letter == "}" and open_at:
                open_at.pop()
    return None


def syntax(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del match, code
    return Found("SYNTAX", error.text.rstrip(".") + ".")


def _conversion(text: str) -> str | None:
    if re.search(
        rf"cannot convert ['‘]{_TENSOR}[^'’]*['’].* to ['‘](?:const )?(?:float|half|u?int\w*|bool)", text
    ):
        return "Read one element: write tensor.GetValue(0)."
    tensors = re.search(
        rf"conversion from ['‘]{_TENSOR}(.*)>['’] to non-scalar type ['‘]{_TENSOR}(.*)>['’]", text
    )
    if tensors is not None:
        wanted = plain_types(tensors[2])
        return f"Both sides need one type: write <{wanted}> in the call, or <{plain_types(tensors[1])}> on the left."
    plain = re.search(rf"invalid conversion from {_Q} to {_Q}", text)
    if plain is not None:
        wanted = plain_types(plain[2])
        return f"Write {f'({wanted})' if wanted.endswith('*') else f'static_cast<{wanted}>'}(...) around the value."
    return None
