"""Split a compiler's text into its errors, in g++'s words, each with the project's line that led to it.

The compiler reports an error of a call at the header's line; what counts is the place in the project. One set of rules
reads both compilers, so clang++'s words become g++'s: no phrase of clang's that is looked for here is one of g++'s.
What clang leaves out (the types of a call's arguments) is not made up.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_LOCATED = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?\s+"
    r"(?P<kind>fatal error|error|note|warning): ?(?P<text>.*)$"
)
_REQUIRED = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?:\d+:)?\s+(?:recursively )?required (?:from|by)"
)
_INCLUDED = re.compile(r"^\s*(?:In file included )?from (?P<file>[^\s:]+):(?P<line>\d{1,9})")
_CONTEXT = re.compile(
    r"^In file included from |: In (?:instantiation|substitution|function|member function|lambda) "
)
_LINK = re.compile(r"undefined reference to [`'](?P<name>[^']+)'")
_ASKED = re.compile(r"(?:^|[\s:])(?P<file>[^\s:]+):(?P<line>\d{1,9}):$")  # what stands before it
MOST_LINE_CHARACTERS = 8192  # a project chooses the names in a message


class CompilerError(NamedTuple):
    """One error of the compiler with the project's place that caused it; `notes` are the lines that belong to it."""

    text: str
    file: str | None
    line: int | None
    notes: tuple[str, ...]
    column: int | None = None  # where the project's own line is meant


# Why a candidate of a call that matches nothing is none: g++ says so as an error beside the call's own.
_OF_A_CANDIDATE = re.compile(r"no type named ['‘]type['’] in ['‘]struct std::enable_if<")


def errors(stderr: str, is_project_file: Callable[[str], bool]) -> list[CompilerError]:
    """Split the compiler's text into errors."""
    out: list[CompilerError] = []
    own = True  # the last error stands in the project's text
    origin: tuple[str, int] | None = None  # the project's line that the next error will be about
    for whole in stderr.splitlines():
        line = whole[:MOST_LINE_CHARACTERS]
        if _CONTEXT.search(line):
            origin = None
        required = _REQUIRED.match(line) or _INCLUDED.match(line)
        if required and is_project_file(required["file"]):
            # The innermost place is named first: there stands what the project wrote.
            origin = origin or _place(required)
            continue
        located = _LOCATED.match(line)
        if located and out and _OF_A_CANDIDATE.match(located["text"]):
            out[-1] = out[-1]._replace(notes=(*out[-1].notes, located["text"]))
        elif located and located["kind"] in ("error", "fatal error"):
            own = is_project_file(located["file"])
            place = _place(located) if own else origin
            at_file, at_line = place or (None, None)
            own = is_project_file(located["file"]) and located["column"] is not None
            column = int(located["column"]) if own else None
            out.append(CompilerError(located["text"], at_file, at_line, (), column))
            origin = None
        elif (link := _LINK.search(line)) is not None:
            asked = _ASKED.search((line[: link.start()].split() or [""])[-1])
            place = _place(asked) if asked and is_project_file(_relative(asked["file"])) else None
            at_file, at_line = place or (None, None)
            out.append(CompilerError(f"undefined reference to '{link['name']}'", at_file, at_line, ()))
        elif out and located and located["kind"] == "note":
            # What stands in a macro of a header has its place where the project writes the macro.
            used = not own and located["text"].startswith("in expansion of macro")
            if (out[-1].file is None or used) and is_project_file(located["file"]):
                own = True
                file, number = _place(located)
                out[-1] = out[-1]._replace(file=file, line=number)
            out[-1] = out[-1]._replace(notes=(*out[-1].notes, located["text"]))
    return out


def _place(match: re.Match[str]) -> tuple[str, int]:
    return _relative(match["file"]), int(match["line"])


def _relative(file: str) -> str:
    return file.removeprefix("./")


_Q = r"'([^']+)'(?: \(aka '[^']+'\))?"
_ERRORS: Sequence[tuple[str, str]] = (
    (r"^static assertion failed due to requirement .*?: AKGEN:", "static assertion failed: AKGEN:"),
    (r"^'([^']+)' file not found.*", r"\1: No such file or directory"),
    (r"^no (?:member|type|template) named '([^']+)' in namespace '([^']+)'", r"'\1' is not a member of '\2'"),
    (r"^no (?:member|type|template) named '([^']+)' in '([^']+)'", r"'\2' has no member named '\1'"),
    (r"^no template named '([^']+)'", r"'\1' does not name a template type"),
    (r"^no namespace named '([^']+)'", r"'\1' is not a namespace-name"),
    (r"^unknown type name '([^']+)'", r"'\1' does not name a type"),
    (r"^use of undeclared identifier '([^']+)'", r"'\1' was not declared in this scope"),
    (r"^no matching constructor for initialization of '([^']+)'", r"no matching function for call to '\1'"),
    (r"^no matching function for call to object of type '([^']+)'", r"no match for call to '\1'"),
    (rf"^no viable conversion from {_Q} to {_Q}", r"conversion from '\1' to non-scalar type '\2' requested"),
    (
        rf"^cannot initialize .*?of type {_Q} with an? .*?of type {_Q}",
        r"invalid conversion from '\2' to '\1'",
    ),
    (rf"^incompatible .* conversion .*ing to {_Q} from {_Q}", r"invalid conversion from '\2' to '\1'"),
    (rf"^assigning to {_Q} from incompatible type {_Q}", r"cannot convert '\2' to '\1' in assignment"),
    (
        rf"^non-constant-expression cannot be narrowed from type {_Q} to {_Q}",
        r"narrowing conversion of a value from '\1' to '\2'",
    ),
    (
        rf"^constant expression evaluates to (\S+) which cannot be narrowed to type {_Q}",
        r"narrowing conversion of '\1' from 'constant' to '\2'",
    ),
    (rf"^type {_Q} cannot be narrowed to {_Q}", r"narrowing conversion of a value from '\1' to '\2'"),
    (rf"^(\w+_cast) from {_Q} to {_Q}", r"invalid \1 from type '\2' to type '\3'"),
    (rf"^C-style cast from {_Q} to {_Q}", r"invalid cast from type '\1' to type '\2'"),
    (r"^((?:non-const )?(?:lvalue |rvalue )?reference .* (?:cannot|could not) bind )", r"cannot bind: \1"),
    (r"^no viable overloaded '([^']+)'", r"no match for 'operator\1'"),
    (r"^invalid argument type '([^']+)' to unary expression", r"invalid operands, of type '\1'"),
    (r"^invalid digit '([^']+)' in decimal constant", r"invalid suffix '\1' on integer constant"),
    (r"^extraneous ", "expected no "),
    (r"^unterminated function-like macro invocation", "unterminated argument list invoking macro"),
)
_NOTES: Sequence[tuple[str, str]] = (
    (r", but no arguments were provided", ", but 0 arguments were provided"),
    (r"requires (at least )?(?:single )?argument '", r"requires \g<1>1 argument '"),
    (
        r"requires (at least )?(?:at most )?(\d+) arguments?.*, but (\d+)(?: arguments?)? w\w+ provided",
        r"candidate expects \g<1>\2 arguments, \3 provided",
    ),
    (r"couldn't infer template argument", "couldn't deduce template parameter"),
    (r"could not match '([^']+)' against '([^']+)'", r"mismatched types '\1' and '\2'"),
)
_ARITY = re.compile(r"^too (few|many) arguments to function call")
_DECLARED = re.compile(r"^'([^']+)' declared here")


def in_gcc_words(error: CompilerError) -> CompilerError:
    """Return the error as g++ would tell it; as it is where g++ told it, or says it alike."""
    notes = tuple(_rewritten(note, _NOTES) for note in error.notes)
    return error._replace(text=_text(error), notes=notes)


def _text(error: CompilerError) -> str:
    arity = _ARITY.match(error.text)
    if arity is not None:  # clang names the function in a note
        named = [m[1] for note in error.notes if (m := _DECLARED.match(note))]
        return f"too {arity[1]} arguments to function '{named[0]}'" if named else error.text
    if error.text == "expected '}'" and "to match this '{'" in error.notes:
        return "expected '}' at end of input"
    return _rewritten(error.text, _ERRORS)


def _rewritten(text: str, rules: Sequence[tuple[str, str]]) -> str:
    for pattern, instead in rules:
        text = re.sub(pattern, instead, text)
    return text
