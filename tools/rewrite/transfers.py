"""Copies between global memory and UB: rows in one transfer, and what never changes loaded once."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from akgen.tools.rewrite.cxx import Counted, Edit, Source, around, mentions, read_call, statements, within
from akgen.tools.rewrite.expressions import Unreadable
from akgen.tools.rewrite.scope import tensor_types
from akgen.tools.rewrite.values import Rewrite

_SUBSCRIPT = re.compile(r"(?P<tensor>\w+)\[(?P<index>.+)\]")
_ONE_ROW = re.compile(r"(?:DataCopyExtParams\s*)?\{\s*1\s*,(?P<bytes>.+?),\s*0\s*,\s*0\s*(?:,\s*0\s*)?\}")

_QUEUE_STEPS = {"AllocTensor", "EnQue", "DeQue", "FreeTensor"}


def merged_transfers(text: str) -> Iterator[Rewrite]:
    """Yield the file with one loop over rows, each copied for itself, made one transfer of all rows."""
    source = Source(text)
    for loop in within(source.root, "for_statement"):
        head, body = source.counted(loop), loop.child_by_field_name("body")
        if head is None or body is None or "DataCopy" not in source.text(body):
            continue
        inner = statements(body)
        call = read_call(source, inner[-1]) if inner else None
        if (
            call is None
            or call.name not in ("DataCopy", "DataCopyPad")
            or head.first != "0"
            or head.step != "1"
        ):
            continue
        try:
            line = _merged(source, inner, head)
        except Unreadable as why:
            yield Rewrite(kind="transfer", line=source.line(loop), problem=str(why))
            continue
        edit = (loop.start_byte, loop.end_byte, line)
        yield Rewrite(
            kind="transfer",
            line=source.line(loop),
            text="one transfer of all rows instead of one for each",
            source=source.edited([edit]),
        )


def _merged(source: Source, inner: list[Node], head: Counted) -> str:
    call = read_call(source, inner[-1])
    assert call is not None
    named = {}
    for statement in inner[:-1]:
        declared = re.fullmatch(
            r"(?:const )?DataCopyExtParams (\w+) ?=? ?(\{.+\});", source.text(statement), re.S
        )
        if declared is None:
            raise Unreadable("it does more for each row than copy it")
        named[declared[1]] = declared[2]
    to, from_ = (_stride(argument, head.variable) for argument in call.arguments[:2])
    if call.name == "DataCopy":
        if len(call.arguments) != 3 or not to[1] == from_[1] == call.arguments[2]:
            raise Unreadable("its rows do not lie one behind the other")
        return f"DataCopy({to[0]}, {from_[0]}, ({head.count}) * ({to[1]}));"
    row = _ONE_ROW.fullmatch(" ".join(named.get(call.arguments[2], call.arguments[2]).split()))
    if row is None or mentions(row["bytes"], head.variable):
        raise Unreadable("its rows differ, or have gaps of their own")
    length, loads = row["bytes"].strip(), len(call.arguments) == 4
    (on_chip, near), (outside, far) = (to, from_) if loads else (from_, to)
    function = around(inner[-1], "function_definition")
    dtype = tensor_types(source, function).get(on_chip.split("[")[0]) if function is not None else None
    if dtype is None:
        raise Unreadable(f"the type of {on_chip} is not in sight")
    gap_outside = f"static_cast<uint32_t>({far} * sizeof({dtype}) - {length})"
    if f"{far} * sizeof({dtype})" in length:
        gap_outside = "0"
    gap_on_chip = f"static_cast<uint32_t>(({near} * sizeof({dtype}) - ({length} + 31) / 32 * 32) / 32)"
    gaps = f"{gap_outside}, {gap_on_chip}" if loads else f"{gap_on_chip}, {gap_outside}"
    if not length.startswith("static_cast<uint32_t>("):
        length = f"static_cast<uint32_t>({length})"
    params = f"DataCopyExtParams{{static_cast<uint16_t>({head.count}), {length}, {gaps}, 0}}"
    operands = (on_chip, outside) if loads else (outside, on_chip)
    return f"DataCopyPad({', '.join([*operands, params, *call.arguments[3:]])});"


def _stride(operand: str, variable: str) -> tuple[str, str]:
    """Split `t[base + r * stride]` into `t[base]` and `stride`."""
    found = _SUBSCRIPT.fullmatch(operand)
    terms = _sum(found["index"]) if found else []
    mine = [term for term in terms if mentions(term, variable)]
    if found is None or len(mine) != 1:
        raise Unreadable(f"`{operand}` does not move by rows")
    factors = [f.strip() for f in mine[0].strip("()").split("*")]
    others = [f for f in factors if f != variable]
    if len(others) + 1 != len(factors) or any(mentions(f, variable) for f in others):
        raise Unreadable(f"`{operand}` does not move by rows")
    base = " + ".join(term for term in terms if term not in mine)
    return f"{found['tensor']}[{base}]" if base else found["tensor"], " * ".join(others) or "1"


def _sum(index: str) -> list[str]:
    """Split an expression at the `+` that stand in no parentheses."""
    terms, depth = [""], 0
    for letter in index:
        depth += (letter in "([") - (letter in ")]")
        if letter == "+" and depth == 0:
            terms.append("")
        else:
            terms[-1] += letter
    return [term.strip() for term in terms]


def hoisted_calls(text: str) -> Iterator[Rewrite]:
    """Yield the file with one call, whose arguments do not depend on the loop around it, made once before the loop."""
    source = Source(text)
    for loop in within(source.root, "for_statement"):
        body = loop.child_by_field_name("body")
        head = source.counted(loop)
        if body is None or head is None:
            continue
        local = {head.variable} | {
            source.text(n) for d in within(body, "declaration") for n in within(d, "identifier")
        }
        for statement in statements(body):
            call = read_call(source, statement)
            if call is None or call.receiver or call.name not in _balanced_functions(source):
                continue
            if local & set(re.findall(r"\w+", " ".join(call.arguments))):
                continue
            moved = source.text(statement)
            yield Rewrite(
                kind="hoist",
                line=source.line(statement),
                text=f"{call.name} once, before the loop",
                source=source.edited(
                    [
                        (loop.start_byte, loop.start_byte, source.indented(loop, [moved, ""])),
                        (statement.start_byte, statement.end_byte, ""),
                    ]
                ),
            )


def _balanced_functions(source: Source) -> set[str]:
    """Return the file's functions that take and free what they use of queues themselves, so that they can be moved."""
    found = set()
    for function in within(source.root, "function_definition"):
        declared, body = function.child_by_field_name("declarator"), function.child_by_field_name("body")
        if declared is None or body is None:
            continue
        done: dict[str, set[str]] = {}
        for node in within(body, "call_expression"):
            call = read_call(source, node)
            if call is not None and call.name in _QUEUE_STEPS:
                done.setdefault(call.receiver, set()).add(call.name)
        if all(steps == _QUEUE_STEPS for steps in done.values()):
            found.add(source.text(declared).split("(")[0].split()[-1])
    return found


def hoisted_loads(text: str) -> Iterator[Rewrite]:
    """Yield the file with one queue, whose data are the same each time, loaded once before the work begins."""
    source = Source(text)
    for holder in within(source.root, "class_specifier", "struct_specifier"):
        process = _function(source, holder, "Process")
        if process is None:
            continue
        for queue in re.findall(r"TQue<\s*(?:\w+::)*VECIN\s*,[^>]*>\s*(\w+)\s*;", source.text(holder)):
            edits = _hoisted(source, holder, process, queue)
            if edits:
                yield Rewrite(
                    kind="hoist",
                    line=source.line(holder),
                    text=f"{queue} loaded once instead of in each round",
                    source=source.edited(edits),
                )


def _function(source: Source, holder: Node, name: str) -> Node | None:
    for function in within(holder, "function_definition"):
        declared = function.child_by_field_name("declarator")
        if declared is not None and source.text(declared).startswith(f"{name}("):
            return function
    return None


def _hoisted(source: Source, holder: Node, process: Node, queue: str) -> list[Edit] | None:
    uses = [n for n in within(holder, "identifier", "field_identifier") if source.text(n) == queue]
    calls = {}
    for use in uses:
        node = around(use, "call_expression")
        call = read_call(source, node) if node is not None else None
        if (
            node is not None
            and call is not None
            and (call.receiver == queue or call.arguments[:1] == (queue,))
        ):
            if call.name in calls:
                return None  # taken more than once: not ours to move
            calls[call.name] = node
    if set(calls) != {"InitBuffer", "AllocTensor", "EnQue", "DeQue", "FreeTensor"}:
        return None
    if around(calls["AllocTensor"], "function_definition") == around(calls["DeQue"], "function_definition"):
        return None  # it is one function's own affair: `hoisted_calls`
    first, last = around(calls["AllocTensor"], "declaration"), around(calls["EnQue"], "expression_statement")
    if first is None or last is None or first.parent != last.parent or first.parent is None:
        return None
    moved = [n for n in first.parent.named_children if first.start_byte <= n.start_byte <= last.start_byte]
    loading = around(calls["AllocTensor"], "function_definition")
    outer = around(loading, "for_statement") if loading is not None else None
    inside = source.data[first.start_byte : last.end_byte].decode()
    if (
        outer is not None
        or loading is None
        or _local_names(source, loading, first) & set(re.findall(r"\w+", inside))
    ):
        return None
    body = process.child_by_field_name("body")
    freed = around(calls["FreeTensor"], "expression_statement")
    declared = next(
        (f for f in within(holder, "field_declaration") if re.search(rf"\b{queue}\b", source.text(f))), None
    )
    init = read_call(source, calls["InitBuffer"])
    if body is None or freed is None or declared is None or init is None or len(init.arguments) != 3:
        return None
    if re.search(r",", source.text(declared).split(">")[-1]):
        return None  # declared together with others
    kept = "\n        ".join(source.text(n) for n in moved[:-1]).replace(
        f"{queue}.AllocTensor", f"{queue}.Get"
    )
    event = "loaded" + queue[:1].upper() + queue[1:]
    load = (
        f"\n        {kept}\n        const auto {event} = static_cast<event_t>("
        "GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));\n"
        f"        SetFlag<HardEvent::MTE2_V>({event});\n        WaitFlag<HardEvent::MTE2_V>({event});"
    )
    deque = calls["DeQue"].child_by_field_name("function")
    assert deque is not None
    count = calls["InitBuffer"].child_by_field_name("arguments")
    assert count is not None
    named = [c for c in count.named_children if c.type != "comment"]
    return [
        (body.start_byte + 1, body.start_byte + 1, load),
        (first.start_byte, last.end_byte, ""),
        (freed.start_byte, freed.end_byte, ""),
        (deque.start_byte, deque.end_byte, source.text(deque).replace("DeQue", "Get")),
        (named[0].end_byte, named[1].end_byte, ""),
        (declared.start_byte, declared.end_byte, f"TBuf<TPosition::VECCALC> {queue};"),
    ]


def _local_names(source: Source, function: Node, before: Node) -> set[str]:
    """Return a function's parameters and the locals that it declares before a place."""
    names = {source.text(p).split()[-1].lstrip("*&") for p in within(function, "parameter_declaration")}
    for declared in within(function, "declaration"):
        if declared.end_byte <= before.start_byte:
            names |= {source.text(n) for n in within(declared, "identifier")}
    return names
