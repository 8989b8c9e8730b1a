"""Tensor program text to data. The text is Python syntax, parsed with `ast` and never executed."""

import ast
from collections.abc import Sequence

from akgen.tools.compose.tensor_program.ir import (
    CASTS,
    FORMS,
    Form,
    Prefix,
    TensorInput,
    TensorOp,
    TensorProgram,
)
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.untrusted import read_python
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import Const, Expr, Func, Name, names_in, walk
from akgen.tools.dsl.parse_expr import Names, fail, parse_expr

MOST_LINES = 2_000
_NO_TENSORS = Names(host=False, tensors=frozenset())
_SIZES = frozenset({"min", "max", "ceil_div", "align_up"})


def parse_tensor_program(text: str) -> TensorProgram:
    """Return the program. Raises DslError with every line's first finding if the text is not one."""
    try:
        module = read_python(text)
    except SyntaxError as e:
        raise DslError(
            (finding("TENSOR_SYNTAX", e.lineno or 0, f"The text cannot be read: {e.msg}."),)
        ) from e
    if len(module.body) > MOST_LINES:
        raise DslError((finding("TENSOR_SYNTAX", MOST_LINES, f"A program has at most {MOST_LINES} lines."),))
    reader = _Reader()
    for node in module.body:
        try:
            reader.line(node)
        except DslError as e:
            reader.found += [_in_this_language(d) for d in e.diagnostics]
    if not reader.found and not reader.results:
        reader.found.append(finding("TENSOR_SYNTAX", len(text.splitlines()), "The program has no `return`."))
    if not reader.found and not reader.inputs:
        reader.found.append(finding("TENSOR_SYNTAX", 1, "The program declares no input, as in `x: [M, N]`."))
    if reader.found:
        raise DslError(tuple(reader.found))
    return TensorProgram(
        inputs=tuple(reader.inputs), ops=tuple(reader.ops), results=tuple(reader.results), text=text
    )


def _in_this_language(d: Diagnostic) -> Diagnostic:
    """Return a finding of the expression parser, which speaks of the tile DSL, under the code that it has here."""
    return d if d.code.startswith("TENSOR_") else finding("TENSOR_SYNTAX", d.line or 0, d.text)


class _Reader:
    """Lines that were read, and the names that they set."""

    def __init__(self) -> None:
        self.inputs: list[TensorInput] = []
        self.ops: list[TensorOp] = []
        self.results: list[str] = []
        self.found: list[Diagnostic] = []
        self.known: set[str] = set()  # values
        self.sizes: set[str] = set()  # symbols

    def line(self, node: ast.stmt) -> None:
        if self.results:
            raise fail("TENSOR_SYNTAX", node, "Nothing follows `return`.")
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.List(elts=dims), value=None):
                self._input(node, name, dims)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=op)) as call):
                if name in self.sizes:
                    raise fail("TENSOR_SYNTAX", node, f"`{name}` is a length already.")
                try:
                    self.ops.append(self._op(call, name, op))
                finally:
                    self.known.add(name)  # so that one fault is told once
            case ast.Return(value=ast.Name(id=name)):
                self._return(node, [name])
            case ast.Return(value=ast.Tuple(elts=parts)) if all(isinstance(p, ast.Name) for p in parts):
                self._return(node, [p.id for p in parts if isinstance(p, ast.Name)])
            case _:
                if isinstance(node, ast.Assign):
                    self.known |= {t.id for t in node.targets if isinstance(t, ast.Name)}
                text = f"`{ast.unparse(node)[:60]}` is no line of a tensor program."
                raise fail("TENSOR_SYNTAX", node, text)

    def _input(self, node: ast.stmt, name: str, dims: Sequence[ast.expr]) -> None:
        if self.ops:
            raise fail("TENSOR_SYNTAX", node, "Inputs stand before the first operation.")
        if name in self.known:
            raise fail("TENSOR_SYNTAX", node, f"The input `{name}` is declared twice.")
        self.known.add(name)
        parts = self._dims(dims)
        for part, place in zip(parts, dims, strict=True):
            if isinstance(part, Name):
                self.sizes.add(part.id)
            elif part != "..." and not (isinstance(part, Const) and type(part.value) is int):
                raise fail("TENSOR_SYNTAX", place, "A length of an input is a name or a number.")
        self.inputs.append(TensorInput(name=name, dims=parts, line=node.lineno))

    def _dims(self, dims: Sequence[ast.expr]) -> tuple[Expr | Prefix, ...]:
        parts: list[Expr | Prefix] = []
        for k, d in enumerate(dims):
            if isinstance(d, ast.Constant) and d.value is ...:
                if k:
                    raise fail("TENSOR_SYNTAX", d, "`...` stands first, for any number of leading lengths.")
                parts.append("...")
            else:
                parts.append(_size(d))
        return tuple(parts)

    def _return(self, node: ast.stmt, names: list[str]) -> None:
        for name in names:
            self._value_known(node, name)
        self.results = names

    def _value_known(self, node: ast.AST, name: str) -> None:
        if name not in self.known:
            raise fail("TENSOR_UNKNOWN_NAME", node, f"`{name}` is not set before this line.")

    def _op(self, call: ast.Call, name: str, op: str) -> TensorOp:
        form = FORMS.get(op)
        if form is None:
            raise fail("TENSOR_UNKNOWN_OP", call, f"There is no operation `{op}`.")
        args = list(call.args)
        least, most = form.values
        count = len(args) if most is None else min(most, len(args))
        if count < least:
            raise fail("TENSOR_ARITY", call, f"`{op}` takes {_how_many(form)}, not {len(args)} arguments.")
        values = tuple(self._value(a) for a in args[:count])
        rest = args[count:]
        fields: dict[str, object] = {}
        if form.dims or form.dtype:
            if len(rest) != 1:
                raise fail("TENSOR_ARITY", call, f"`{op}` takes {_how_many(form)}.")
            fields = self._shape_or_type(rest[0], form)
        else:
            fewest, largest = form.numbers
            if len(rest) < fewest or (largest is not None and len(rest) > largest):
                raise fail(
                    "TENSOR_ARITY", call, f"`{op}` takes {_how_many(form)}, not {len(args)} arguments."
                )
            fields["numbers"] = tuple(self._known_size(r) for r in rest)
        fields["options"] = tuple(self._option(k, form, op) for k in call.keywords)
        return TensorOp.model_validate(
            {"name": name, "op": op, "values": values, "line": call.lineno, **fields}
        )

    def _shape_or_type(self, node: ast.expr, form: Form) -> dict[str, object]:
        if form.dims:
            if not isinstance(node, ast.List):
                raise fail("TENSOR_SYNTAX", node, "A shape is written in brackets, as [M, N].")
            for part in node.elts:
                if not (isinstance(part, ast.Constant) and part.value is ...):
                    self._known_size(part)
            return {"dims": self._dims(node.elts)}
        if not isinstance(node, ast.Name) or node.id not in CASTS:
            raise fail("TENSOR_DTYPE", node, f"`{ast.unparse(node)[:40]}` is none of {', '.join(CASTS)}.")
        return {"dtype": CASTS[node.id]}

    def _value(self, node: ast.expr) -> Name | Const:
        match node:
            case ast.Name(id=name):
                self._value_known(node, name)
                return Name(id=name)
            case ast.Constant() | ast.UnaryOp():
                return _number(node)
            case _:
                text = f"`{ast.unparse(node)[:60]}` stands where a name or a number must: one operation to a line."
                raise fail("TENSOR_SYNTAX", node, text)

    def _known_size(self, node: ast.expr) -> Expr:
        size = _size(node)
        for name in sorted(names_in(size)):
            if name not in self.sizes:
                raise fail("TENSOR_UNKNOWN_NAME", node, f"No input has a length `{name}`.")
        return size

    def _option(self, keyword: ast.keyword, form: Form, op: str) -> tuple[str, Expr]:
        if keyword.arg is None or keyword.arg not in form.options:
            raise fail("TENSOR_ARITY", keyword.value, f"`{op}` has no option `{keyword.arg}`.")
        if isinstance(keyword.value, ast.Constant | ast.UnaryOp):
            return keyword.arg, _number(keyword.value)
        return keyword.arg, self._known_size(keyword.value)


def _how_many(form: Form) -> str:
    least, most = form.values
    values = f"{least}" if least == most else f"at least {least}"
    more = (
        " and a shape"
        if form.dims
        else " and a type"
        if form.dtype
        else " and numbers"
        if form.numbers[0]
        else ""
    )
    return f"{values} value{'' if values == '1' else 's'}{more}"


def _number(node: ast.expr) -> Const:
    value = parse_expr(node, _NO_TENSORS)
    if not isinstance(value, Const):
        raise fail("TENSOR_SYNTAX", node, f"`{ast.unparse(node)[:60]}` is no number.")
    return value


def _size(node: ast.expr) -> Expr:
    """Return an integer expression of lengths."""
    value = parse_expr(node, _NO_TENSORS)
    for e in walk(value):
        if isinstance(e, Func) and e.name not in _SIZES:
            raise fail("TENSOR_SYNTAX", node, f"`{e.name}` is not used in lengths.")
        if isinstance(e, Const) and type(e.value) is not int:
            raise fail("TENSOR_SYNTAX", node, "A length is a whole number.")
    return value
