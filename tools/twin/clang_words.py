"""Say in g++'s words what clang++ says in its own, so that one set of rules reads both.

No phrase of clang's that is looked for here is one of g++'s. What clang leaves out (the types of a call's arguments) is
not made up.
"""

import re
from collections.abc import Sequence

from akgen.tools.twin.compiler_text import CompilerError

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
