"""Calls that no form of a function, a constructor or a template takes."""

import re

from akgen.knowledge.cards import cards
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_classes import class_named, header_classes, split_at_commas, type_name
from akgen.tools.twin.findings.member_findings import classes
from akgen.tools.twin.findings.name_findings import signature
from akgen.tools.twin.findings.names_elsewhere import LATER_CHIPS
from akgen.tools.twin.findings.type_findings import QUOTED, no_variable, other_class, plain_types

_TELLING = ("no known conversion", "couldn't deduce", "mismatched types", "deduced conflicting types")


_NOT_COMPUTING = (
    "pipe and queue", "copy", "data copy", "tensor", "synchronisation", "sync", "system", "host and tiling", "matmul",
    "cube", "atomic", "other chips", "parameters",
)  # fmt: skip


_NUMBERS = ("int", "long", "unsigned int", "long unsigned int", "float", "double")


_ARITHMETIC = ("vector binary", "vector unary", "vector scalar")


# What plain C++ has for a vector instruction whose arguments are all numbers.
_OF_NUMBERS = {
    "Ceil": "(a + b - 1) / b", "Max": "a > b ? a : b", "Min": "a < b ? a : b", "Abs": "abs(a)", "Sqrt": "sqrt(a)",
    "Add": "a + b", "Sub": "a - b", "Mul": "a * b", "Div": "a / b", "Exp": "a vector instruction on one block",
    "Ln": "a vector instruction on one block", "Cast": "static_cast", "Select": "condition ? a : b",
}  # fmt: skip
_NUMBER = re.compile(
    r"(?:const )?(?:(?:unsigned |signed |long |short )*(?:int|long|short|char)|u?int\d+_t|size_t|float|half|bool)&*"
)


# What the last argument is where nothing special is wanted.
_LAST = {
    "DataCopyPad": "Add the fourth argument: DataCopyPadExtParams<T>{false, 0, 0, 0} where nothing is padded."
}


def no_match(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a call that none of the overloads takes."""
    call = plain_types(match[1])
    name = call.split("(")[0].split("::")[-1].split("<")[0]
    if name.islower() and not re.search(rf"\b{name}\b", code.line(error)):
        return _inside(error, code)
    unnamed = no_variable(name, error.notes)
    if unnamed is not None:
        return unnamed
    counts = [n for n in error.notes if re.search(r"candidate expects \d+ argument", n)]
    reasons = [n for n in error.notes if any(part in n for part in _TELLING)]
    form = written(name, error, code)
    braces = _in_braces(name, form, code, error)
    if braces is not None:
        return Found("WRONG_ARGUMENTS", f"{name} takes one list of values.", braces)
    base = _base_without_arguments(name, call, error, code)
    if base is not None:
        return base
    arguments = _arguments(call)
    computes = name in cards() and cards()[name].family not in _NOT_COMPUTING
    if computes and arguments and all(_NUMBER.fullmatch(a.strip()) for a in arguments):
        plain = _OF_NUMBERS.get(name, "C++ arithmetic")
        text = f"{name} computes on tensors; {_short(call)} has numbers only."
        return Found(
            "WRONG_ARGUMENTS", text, f"On numbers write {plain}" + (f"; on tensors {form}." if form else ".")
        )
    operand = _operand(arguments, code) if computes else None
    known_count = name in cards() and any(
        len(_arguments(f)) == len(arguments) for f in cards()[name].signatures
    )
    if counts and not reasons and operand is None and not known_count:
        return _wrong_count(name, counts, form)
    conflicting = re.search(
        r"deduced conflicting types for parameter .*\(" + QUOTED + " and " + QUOTED, " ".join(reasons)
    )
    if conflicting is not None and name in ("min", "max"):
        one, other = conflicting[1], conflicting[2]
        text = f"{name} takes two values of one type; these are {plain_types(one)} and {plain_types(other)}."
        return Found("WRONG_ARGUMENTS", text, f"Write std::{name}<{other}>(...).")
    remedy = operand or _untyped(name, reasons)
    if remedy is None and reasons:
        remedy = other_class(error._replace(text=reasons[0]), code)
    swapped = _tensor_or_number(name, arguments) if form else None
    if swapped is not None:
        return swapped
    if conflicting is not None and remedy is None and conflicting[2] in _NUMBERS:
        wanted = plain_types(conflicting[1])
        remedy = f"Write static_cast<{wanted}>(...) around the number: it takes the tensor's type."
    reason = f" ({plain_types(reasons[0].strip())})" if reasons else ""
    text = f"No form of {name} takes these arguments: {_short(call)}{reason}."
    into_local = arguments and "LocalTensor" in arguments[0] and len(arguments) < len(_arguments(form or ""))
    if name in _LAST and into_local:
        remedy = _LAST[name]
    elif known_count and not reasons:
        form = " or ".join(cards()[name].signatures)
    return Found("WRONG_ARGUMENTS", text, remedy or (f"Write {form}." if form else None))


def _inside(error: CompilerError, code: Code) -> Found:
    """Explain a call whose wrong arguments only a function within the headers notices."""
    called = re.search(r"(?<![\w:])([A-Z]\w+)(?:<[^()]*>)?\(", code.line(error))
    if called is None:
        return Found("WRONG_ARGUMENTS", plain_types(error.text).rstrip(".") + ".")
    forms = cards()[called[1]].signatures if called[1] in cards() else ()
    text = f"No form of {called[1]} takes these arguments."
    return Found("WRONG_ARGUMENTS", text, f"Write {' or '.join(forms)}." if forms else None)


def _untyped(name: str, reasons: list[str]) -> str | None:
    """Return the call with the template argument that nothing tells."""
    missing = [re.search(r"couldn't deduce template parameter ['‘](?:[\w:]+ )?(\w+)['’]", r) for r in reasons]
    types = [m[1] for m in missing if m is not None and m[1][:1] in "TUp"]
    if not types or len(types) < len(reasons):
        return None
    what = "T" if types[0][:1] in "TU" else types[0]
    return f"Give what nothing tells in angle brackets, for example {name}<{what}>(...)."


def _operand(arguments: list[str], code: Code) -> str | None:
    """Return the tensor to take where a buffer or a queue is given, or a tensor of global memory."""
    for argument in arguments:
        cls = class_named(argument, classes(code))
        steps = cls.accessors("LocalTensor") if cls is not None and cls.name != "LocalTensor" else ()
        if cls is not None and cls.name.startswith(("TBuf", "TQue")) and steps:
            ways = " or ".join(f"{m.name}<T>()" for m in steps)
            return f"A {cls.name} is no tensor: hand over what its {ways} gives."
        if cls is not None and cls.name == "GlobalTensor":
            return "Copy the GlobalTensor into a LocalTensor first; vector instructions work on LocalTensor only."
    return None


def too_few_types(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a class that lacks template arguments."""
    known = {c.name: c for c in classes(code)}
    named = [n for n in re.findall(r"\b([A-Z]\w+)\s*<", code.line(error)) if n in known and known[n].template]
    given = match[1]
    if not named:
        return Found("WRONG_ARITY", f"A template gets {given} arguments, it wants {match[2]}.")
    text = f"{named[0]} gets {given} template arguments, it wants {match[2]}."
    return Found("WRONG_ARITY", text, f"Write {named[0]}<{' '.join(known[named[0]].template.split())}>.")


def undeduced(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a class template whose arguments are left out and that nothing tells."""
    del match
    known = {c.name: c for c in classes(code)}
    named = [
        n
        for n in re.findall(r"\b([A-Z]\w+)(?!\w*\s*<)", code.line(error))
        if n in known and known[n].template
    ]
    if not named:
        return Found("WRONG_ARGUMENTS", "A class template lacks its arguments in angle brackets.")
    text = f"{named[-1]} lacks its template arguments, which nothing here tells."
    return Found(
        "WRONG_ARGUMENTS", text, f"Write {named[-1]}<T>, where its template is <{known[named[-1]].template}>."
    )


def arity(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a call of a function without overloads."""
    name = match[2].split("(")[0].split("::")[-1].split()[-1]
    form = written(name, error, code)
    return Found("WRONG_ARITY", f"Too {match[1]} arguments to {name}.", f"Write {form}." if form else None)


def written(name: str, error: CompilerError, code: Code) -> str | None:
    """Return how a function is called: by its card, by its own class, or by what the compiler says of candidates."""
    form = signature(name) if code.side == "device" else None
    if form is not None:
        return form
    known = classes(code)
    said_of = re.findall(rf"(\w+)(?:<[^'’(]*>)?::{re.escape(name)}\(", " ".join((error.text, *error.notes)))
    for owner in said_of:
        cls = class_named(owner, known)
        for method in cls.methods if cls is not None else ():
            if method.name == name:
                return f"{name}({method.takes})"
    for note in (error.text, *error.notes):
        said = re.search(
            rf"(?:candidate: |function )['‘](?:[^'’(]*?[\s:&*])?{re.escape(name)}(\([^'’]*\))", note
        )
        if said is not None and f"{name}&" not in said[1]:
            return f"{name}{_plain_parameters(said[1])}"
    for cls in known:
        for method in cls.methods:
            if method.name == name:
                return f"{name}({method.takes})"
        if cls.name == name and cls.made_of:
            return f"{name}({cls.made_of[0]})"
    return None


def _plain_parameters(text: str) -> str:
    text = re.sub(r"\{aka [^}]*\}", "", text.split(" [with")[0])
    return re.sub(r"\s+", " ", plain_types(text)).replace(" ,", ",")


def _in_braces(name: str, form: str | None, code: Code, error: CompilerError) -> str | None:
    """Return the call with its values in braces, where the function takes a list."""
    if form is None or not re.match(
        rf"{re.escape(name)}\((?:const )?(?:vector|std::vector|initializer_list)<", form
    ):
        return None
    given = re.search(rf"\b{re.escape(name)}\(([^(){{}}]*)\)", code.line(error))
    return f"Write {name}({{{given[1] if given else '...'}}}): it takes a list in braces."


def _base_without_arguments(name: str, call: str, error: CompilerError, code: Code) -> Found | None:
    """Explain a constructor that does not hand its arguments to its base class."""
    if not call.endswith(f"{name}::{name}()"):
        return None
    lines = code.files.get(error.file or "", "").splitlines()[max(0, (error.line or 1) - 2) : error.line]
    derived = re.search(
        r"(?:explicit\s+)?(\w+)\(([^():]*?(\w+))\)\s*\{?\s*$", "\n".join(lines).rstrip(" {\n")
    )
    if derived is None or derived[1] == name:
        return None
    text = f"The constructor of {derived[1]} does not give {name} its arguments."
    return Found("WRONG_ARITY", text, f"Write {derived[1]}({derived[2]}) : {name}({derived[3]}).")


def uncalled(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a member function that is named and not called."""
    del error, code
    name = match[1].split("(")[0].split("::")[-1].split()[-1]
    return Found("UNKNOWN_MEMBER", f"{name} is a function and is not called here.", f"Write {name}().")


def deleted(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain an object that is made without what it needs, or copied where it cannot be."""
    del error
    name = match[1].split("(")[0].split("::")[-1]
    cls = class_named(match[1].split("(")[0].rpartition("::")[0], classes(code))
    made_of = cls.made_of[0] if cls is not None and cls.made_of else None
    empty = "()" in match[1]
    text = f"{name} cannot be made without arguments." if empty else f"{name} cannot be copied or used so."
    taken = type_name(made_of.rpartition(" ")[0]).split("::")[-1] if made_of else None
    giver = next((c.accessor(taken) for c in header_classes("host") if taken and c.accessor(taken)), None)
    of = f", for example {name}(context->{giver.name}())" if giver is not None and code.side == "host" else ""
    remedy = f"Give its arguments: {name}({made_of}){of}." if empty and made_of else None
    return Found("WRONG_ARGUMENTS", text, remedy or (None if empty else "Pass it by reference or pointer."))


def _wrong_count(name: str, counts: list[str], form: str | None) -> Found:
    wants = sorted(
        {int(m[1]) for n in counts if (m := re.search(r"expects (?:at least )?(\d{1,9}) argument", n))}
    )
    given = re.search(r"(\d+) provided", counts[0])
    told = " or ".join(filter(None, [", ".join(map(str, wants[:-1])), str(wants[-1])]))
    sentence = f"{name} takes {told} arguments, {given[1] if given else 'another number'} are given."
    short = given is not None and int(given[1]) < max(wants)
    last = _LAST.get(name) if short else None
    return Found("WRONG_ARITY", sentence, last or (f"Write {form}." if form else None))


def _tensor_or_number(name: str, arguments: list[str]) -> Found | None:
    """Explain Muls with two tensors, Mul with a number, and tensors of different types."""
    card = cards().get(name)
    if card is None or card.family not in _ARITHMETIC or len(arguments) < 3:
        return None
    arguments = [a.removeprefix("const ") for a in arguments]
    tensors = [a.startswith("LocalTensor") for a in arguments[:3]]
    of_tensors, of_number = name.removesuffix("s"), name + "s"
    if card.family == "vector scalar" and all(tensors):
        other = signature(of_tensors)
        remedy = f"For two tensors write {other}." if other else f"Write {card.signatures[0]}."
        return Found(
            "WRONG_ARGUMENTS", f"{name} takes a number as its third argument, a tensor is given.", remedy
        )
    if card.family == "vector binary" and tensors == [True, True, False]:
        other = signature(of_number) or LATER_CHIPS.get(of_number)
        remedy = f"For a tensor and a number write {other}." if other else f"Write {card.signatures[0]}."
        return Found(
            "WRONG_ARGUMENTS", f"{name} takes a tensor as its third argument, a number is given.", remedy
        )
    types = [a.rstrip("& ") for a, tensor in zip(arguments, tensors, strict=False) if tensor]
    if len(set(types)) > 1 and not name.endswith("Cast"):  # AddReluCast has two by design
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
