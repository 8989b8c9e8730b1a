"""Loops over single elements or short pieces, said in vector instructions."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from akgen.tools.rewrite.cxx import Counted, Edit, Source, mentions, read_call, statements, within
from akgen.tools.rewrite.expressions import Reader, Term, Unreadable, VectorCode
from akgen.tools.rewrite.scope import Scope
from akgen.tools.rewrite.values import Rewrite

_FOLDS = {
    "+": ("ReduceSum", "{} + {}"),
    "max": ("ReduceMax", "({0} > {1} ? {0} : {1})"),
    "min": ("ReduceMin", "({0} < {1} ? {0} : {1})"),
}


def vector_loops(text: str) -> Iterator[Rewrite]:
    """Yield the file with one loop over single elements replaced by vector instructions, for each that can be."""
    source = Source(text)
    for loop in within(source.root, "for_statement"):
        head, body = source.counted(loop), loop.child_by_field_name("body")
        if head is None or body is None or "etValue(" not in source.text(body):
            continue
        if any(True for _ in within(body, "for_statement", "while_statement")):
            continue
        try:
            edits = _vectorised(source, loop, head, statements(body))
        except Unreadable as why:
            yield Rewrite(kind="vector", line=source.line(loop), problem=str(why))
            continue
        yield Rewrite(
            kind="vector",
            line=source.line(loop),
            text="vector instructions instead of a loop over elements",
            source=source.edited(edits),
        )


def _vectorised(source: Source, loop: Node, head: Counted, body: list[Node]) -> list[Edit]:
    if head.step != "1":
        raise Unreadable("it does not take one element after another")
    scope = Scope(source, loop)
    reader = Reader(source, head.variable, scope.dtypes)
    lines: list[str] = []
    dtypes: dict[str, str] = {}

    def scratch(dtype: str, number: int) -> str:
        name = scope.scratch(dtype, number)
        dtypes[name] = dtype
        return name

    ended = False
    for statement in body:
        if ended:
            raise Unreadable("it goes on after its result")
        if statement.type == "declaration":
            for declared in within(statement, "init_declarator"):
                name, value = (
                    declared.child_by_field_name("declarator"),
                    declared.child_by_field_name("value"),
                )
                assert name is not None and value is not None
                reader.locals[source.text(name)] = reader.read(value)
            continue
        writer = VectorCode(head.count, scratch)
        call = read_call(source, statement)
        if call is not None and call.name == "SetValue" and call.receiver in scope.dtypes:
            value = statement.named_children[0].child_by_field_name("arguments")
            assert value is not None
            term, into = reader.read(value.named_children[1]), call.receiver
            if term.op == "scalar":
                target = reader.element(into, call.arguments[0])
                lines.append(
                    f"Duplicate({target}, static_cast<{scope.dtypes[into]}>({term.text}), {head.count});"
                )
            else:
                _own_type(term, scope.dtypes[into])
                scope.like(into)
                writer.write(term, reader.element(into, call.arguments[0]))
                lines += writer.lines
            ended = statement is body[-1]
            continue
        lines += _fold(source, scope, reader, writer, statement, head, dtypes)
        ended = True
    if not lines:
        raise Unreadable("it stores nothing")
    lines = [*scope.declared(dtypes), *lines]
    block = source.indented(loop, ["{", *("    " + line for line in lines), "}"])
    return [(loop.start_byte, loop.end_byte, block), *scope.edits()]


def _own_type(term: Term, dtype: str) -> None:
    if term.dtype != dtype:
        raise Unreadable(f"{term.dtype} is stored as {dtype}")


def _fold(
    source: Source,
    scope: Scope,
    reader: Reader,
    writer: VectorCode,
    statement: Node,
    head: Counted,
    dtypes: dict[str, str],
) -> list[str]:
    """Say a sum, maximum or minimum over the loop as one reduction."""
    total, operator, value = _folded(source, statement)
    term = reader.read(value)
    if term.op == "scalar" or term.dtype not in ("float", "half"):
        raise Unreadable("what it sums up is no tensor of float or half")
    tensor = next(t for t in scope.dtypes if re.match(rf"{t}\b", _first_tensor(term)))
    scope.like(tensor)
    held = writer.write(term)
    work, result = scope.scratch(term.dtype, 9), scope.block("foldedValue")
    dtypes |= {work: term.dtype, result: term.dtype}
    instruction, joined = _FOLDS[operator]
    got = f"static_cast<decltype({total})>({result}.GetValue(0))"
    return [
        *writer.lines,
        f"{instruction}({result}, {held}, {work}, {head.count});",
        "{",
        "    const auto folded = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));",
        "    SetFlag<HardEvent::V_S>(folded);",
        "    WaitFlag<HardEvent::V_S>(folded);",
        "}",
        f"{total} = {joined.format(total, got)};",
    ]


def _first_tensor(term: Term) -> str:
    return (
        term.text if term.op == "tensor" else next(filter(None, (_first_tensor(p) for p in term.parts)), "")
    )


def _folded(source: Source, statement: Node) -> tuple[str, str, Node]:
    """Read `t += e`, `t = t + e`, `t = max(t, e)`, `t = e > t ? e : t` or `if (e > t) t = e`."""
    text = source.text(statement)
    if statement.type == "if_statement":
        condition, then = (
            statement.child_by_field_name("condition"),
            statement.child_by_field_name("consequence"),
        )
        found = re.fullmatch(r"\((.+?) ([<>])=? (.+)\)", source.text(condition)) if condition else None
        inner = statements(then)[0] if then is not None and len(statements(then)) == 1 else None
        if found is None or inner is None or statement.child_by_field_name("alternative") is not None:
            raise Unreadable(f"`{text.splitlines()[0]}` has no vector form here")
        total, value = _assigned(source, inner, "=")
        if (found[1], found[3]) != (source.text(value), total):
            raise Unreadable(f"`{text.splitlines()[0]}` has no vector form here")
        return total, "max" if found[2] == ">" else "min", value
    try:
        total, value = _assigned(source, statement, "+=")
        return total, "+", value
    except Unreadable:
        total, value = _assigned(source, statement, "=")
    if re.match(rf"{re.escape(total)} \+ ", source.text(value)) and value.type == "binary_expression":
        first, other = value.named_children
        if source.text(first) == total:
            return total, "+", other
    call = read_call(source, value)
    if call is not None and call.name in ("max", "min", "fmaxf", "fminf") and total in call.arguments:
        held = value.child_by_field_name("arguments")
        assert held is not None
        other = next(n for n in held.named_children if source.text(n) != total)
        return total, "max" if "max" in call.name else "min", other
    found = re.fullmatch(r"(.+?) ([<>])=? (.+?) \? (.+?) : (.+)", source.text(value))
    if found and {found[1], found[3]} == {found[4], found[5]} and total in (found[1], found[3]):
        most = (found[2] == ">") == (found[1] == found[4])
        wanted = found[1] if found[3] == total else found[3]
        node = next(n for n in within(value, "call_expression", "identifier") if source.text(n) == wanted)
        return total, "max" if most else "min", node
    raise Unreadable(f"`{text}` has no vector form here")


def _assigned(source: Source, statement: Node, operator: str) -> tuple[str, Node]:
    inner = statement.named_children[0] if statement.type == "expression_statement" else statement
    left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    sign = inner.child_by_field_name("operator")
    if inner.type != "assignment_expression" or left is None or right is None or sign is None:
        raise Unreadable(f"`{source.text(statement)}` has no vector form here")
    if source.text(sign) != operator or left.type != "identifier":
        raise Unreadable(f"`{source.text(statement)}` has no vector form here")
    return source.text(left), right


def whole_calls(text: str) -> Iterator[Rewrite]:
    """Yield the file with one loop over short pieces of tensors made one call of each instruction."""
    source = Source(text)
    for loop in within(source.root, "for_statement"):
        head, body = source.counted(loop), loop.child_by_field_name("body")
        if head is None or body is None:
            continue
        lines = [_whole(source, statement, head) for statement in statements(body)]
        if lines and all(lines):
            edit = (loop.start_byte, loop.end_byte, source.indented(loop, [line for line in lines if line]))
            yield Rewrite(
                kind="vector",
                line=source.line(loop),
                text="one call of each instruction instead of one for each piece",
                source=source.edited([edit]),
            )


def _whole(source: Source, statement: Node, head: Counted) -> str | None:
    """Return a call on all elements, if this is one on a piece: `Api(a[i], b[i], C)` in a loop that adds C to i."""
    call = read_call(source, statement)
    if call is None or call.receiver or len(call.arguments) < 2 or call.name in ("DataCopy", "DataCopyPad"):
        return None
    piece = call.arguments[-1]
    if head.step == piece:
        offset, count = head.variable, head.count
    elif head.step == "1":
        offset, count = f"{head.variable} * {piece}", f"({head.count}) * {piece}"
    else:
        return None
    moved = re.compile(rf"\[(?:(.+) \+ )?{re.escape(offset)}\]$")
    operands = [moved.sub(lambda m: f"[{m[1]}]" if m[1] else "", a) for a in call.arguments[:-1]]
    if operands == list(call.arguments[:-1]) or any(mentions(a, head.variable) for a in operands):
        return None
    name = source.text(statement).split("(")[0]
    return f"{name}({', '.join(operands)}, {count});"
