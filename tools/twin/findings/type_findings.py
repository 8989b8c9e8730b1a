"""Values that do not fit where they stand: of the wrong type (conversions, initialisations, results), no variable where
a function takes its argument by reference and may change it, not known when the kernel is compiled where it must be.
"""

import re

from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_classes import type_name
from akgen.tools.twin.findings.header_names import enumerators
from akgen.tools.twin.findings.member_findings import taken_for

QUOTED = r"['‘`]([^'’`]+)['’`](?: \{aka [^}]*\})?"


_TENSOR = r"(?:AscendC::)?LocalTensor<"


def plain_types(text: str) -> str:
    """Write types as kernels do."""
    for given, usual in (("AscendC::", ""), ("std::", ""), ("_Float16", "half"), ("__bf16", "bfloat16_t")):
        text = re.sub(rf"(?<!\w){given}", usual, text)
    return text


def mismatch(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a conversion that does not exist, with the conversion that is meant where it is clear."""
    del match
    remedy = other_class(error, code) or _conversion(error.text)
    return Found("TYPE_MISMATCH", plain_types(error.text).rstrip(".") + ".", remedy)


_CONVERSIONS = (
    r"(?:cannot convert|could not convert|conversion (?:for argument \d+ )?from).*?"
    rf"{QUOTED}.*? to (?:non-scalar type )?{QUOTED}",
    rf"(?P<to>initialization of reference of type) {QUOTED} from expression of type {QUOTED}",
    rf"(?P<to>no match for .operator=.) \(operand types are {QUOTED} and {QUOTED}\)",
)


def other_class(error: CompilerError, code: Code) -> str | None:
    """Return what to write where the compiler names the type that is given and the one that is wanted."""
    for pattern in _CONVERSIONS:
        found = re.search(pattern, error.text)
        if found is not None:
            first, second = found.groups()[-2:]
            given, wanted = (second, first) if "to" in found.groupdict() else (first, second)
            line = code.line(error)
            return (
                taken_for(given, wanted, line, code)
                or _declared(given, wanted, line)
                or _listed(given, wanted, code)
            )
    return None


def _listed(given: str, wanted: str, code: Code) -> str | None:
    """Return what an enumeration or a list wants."""
    bare = type_name(wanted).split("::")[-1]
    if bare in ("vector", "initializer_list") and bare not in given:
        return "Write the values in braces: ({...})."
    if "char" not in given:
        return None  # a number: a cast says it
    values = [v for v in enumerators(code.side).get(bare, ()) if "RESERVED" not in v]
    return f"Write one of its values, without quotes: {', '.join(values[:16])}." if values else None


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


def void_result(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a value that a function without a result returns."""
    del match
    status = code.side == "host" and "GRAPH_" in code.line(error)
    type_ = "ge::graphStatus" if status else "the value's type"
    return Found(
        "TYPE_MISMATCH",
        "A function that is declared void returns a value.",
        f"Declare it with {type_} instead of void.",
    )


def _conversion(text: str) -> str | None:
    to_pointer = re.search(rf"cannot convert ['‘]{_TENSOR}([^'’]*)>['’].* to ['‘][^'’]*\*['’]", text)
    if to_pointer is not None:
        return f"Declare it as LocalTensor<{plain_types(to_pointer[1])}>, without *."
    to_tensor = re.search(rf"cannot convert {QUOTED} to ['‘](?:const )?({_TENSOR}[^'’]*>)", text)
    if to_tensor is not None and "Tensor" not in to_tensor[1]:
        return f"Give a {plain_types(to_tensor[2])} instead."
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
    if "TBufHandle" not in text and re.search(  # a queue's call without a type is told below
        r"no match for .operator=..*\(operand types are ['‘](?:AscendC::)?(?:Local|Global)Tensor<[^'’]*> ?['’]",
        text,
    ):
        return "Write tensor.SetValue(i, value): tensor[i] is the tensor that begins at element i."
    bound = re.search(
        rf"non-const lvalue reference of type ['‘](\w+) ?&['’].* to a value of type {QUOTED}", text
    )
    if bound is not None:
        return f"Declare the variable as {plain_types(bound[1])}: the function writes into it."
    if re.search(r"cannot convert ['‘](?:const )?(?:std::)?vector<[^'’]*['’].* to ['‘][^'’]*\*['’]", text):
        return "Write .data() behind the vector."
    handle = re.search(rf"{_TENSOR}(.*?)>['’]", text) if "TBufHandle" in text else None
    if handle is not None:
        return f"Give the type: DeQue<{plain_types(handle[1])}>()."
    pointed = re.search(
        r"(?:cannot convert|from) ['‘](?:const )?([\w:]+) ?\*['’].* to (?:type )?['‘]\1['’]", text
    )
    assigned = re.search(r"operand types are ['‘](?:const )?([\w:]+)['’] and ['‘](?:const )?\1 ?\*['’]", text)
    if pointed is not None or assigned is not None:
        return "Write * before it: it is a pointer to the value."
    if re.search(r"invalid conversion from ['‘]const char ?\*['’] to ['‘](?:size_t|u?int)", text):
        return "Give a number instead of the string."
    plain = re.search(rf"invalid conversion from {QUOTED} to {QUOTED}", text)
    if plain is not None:
        wanted = plain_types(plain[2])
        return f"Write {f'({wanted})' if wanted.endswith('*') else f'static_cast<{wanted}>'}(...) around the value."
    return None


# What g++, then clang++, says of a candidate that wants a variable.
_VALUE = rf"cannot convert {QUOTED} \(type {QUOTED}\) to type {QUOTED}"
_NO_LVALUE = r"expects an lvalue for \d{1,3}\w\w argument"
_CONST = r"LocalTensor<.*(?:have incompatible cv-qualifiers|would lose const qualifier)"


def no_variable(name: str, notes: tuple[str, ...]) -> Found | None:
    """Explain a call whose only fault is a value, or a constant, where the function wants a variable."""
    for note in notes:
        value = re.search(_VALUE, note)
        if value is not None and _changed(value[3]) and (value[2] + "&" == value[3] or value[1].isdigit()):
            return _found(name, value[3])
        if re.search(_NO_LVALUE, note):
            return _found(name, "LocalTensor<T>&")
        if re.search(_CONST, note):
            text = f"{name} takes its argument by reference and may change it; a const one is given."
            return Found("WRONG_ARGUMENTS", text, "Declare the argument without const.")
    return None


def unbound(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain the result of a call or an index that is handed to a function that takes a variable."""
    if match[2] + "&" != match[1]:
        return mismatch(match, error, code)
    called = re.search(r"initializing argument \d+ of ['‘][^'’(]*?(\w+)\(", " ".join(error.notes))
    return _found(called[1] if called is not None else "The function", match[1])


def _changed(wanted: str) -> bool:
    """Say whether a parameter is a reference through which a function may write."""
    return wanted.endswith("&") and not wanted.startswith("const ")


def _found(name: str, wanted: str) -> Found:
    kind = plain_types(wanted).removesuffix("&")
    text = f"{name} takes a {kind} by reference and may change it; what is given is no variable."
    return Found(
        "WRONG_ARGUMENTS", text, f"Make it a variable first ({kind} name = ...;) and hand that over."
    )


def no_fixed_address(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a local constant that is a template argument by reference, as the library's configurations are."""
    del error, code
    text = (
        f"{match[1]} is a template argument by reference; a constant within a function has no fixed address."
    )
    return Found(
        "WRONG_ARGUMENTS", text, f"Declare {match[1]} static constexpr, or constexpr outside of functions."
    )


def no_constant(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a variable where only a constant can stand: a template argument, the condition of if constexpr."""
    del error, code
    text = f"{match[1]} is not known when the kernel is compiled, and it must be where it stands."
    remedy = (
        f"Make {match[1]} constexpr if its value is a constant; else choose among constants with if, "
        "or by the tiling key with TILING_KEY_IS."
    )
    return Found("WRONG_ARGUMENTS", text, remedy)
