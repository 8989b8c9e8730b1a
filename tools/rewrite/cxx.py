"""C++ as tree-sitter reads it: nodes, calls, counted loops, and edits of the text that they stand in."""

import re
from collections.abc import Iterator, Sequence

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from akgen.tools.core.frozen import Frozen

_ATTRIBUTES = re.compile(rb"\b(?:__aicore__|__global__|__gm__|__ubuf__|__inline__|__attribute__\(\(\w+\)\))")
_PARSER = Parser(Language(tree_sitter_cpp.language()))

Edit = tuple[int, int, str]  # first byte, byte behind the last, what stands there instead


class Counted(Frozen):
    """`for (T variable = first; variable < end; variable += step)`, all as the text says them."""

    variable: str
    first: str
    end: str
    step: str

    @property
    def count(self) -> str:
        """Return how many values the loop covers, as an expression."""
        return self.end if self.first == "0" else f"({self.end}) - ({self.first})"


class Source:
    """One file. The chip's attributes, which are no C++, are blanked before it is parsed; offsets stay."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self.root = _PARSER.parse(_ATTRIBUTES.sub(lambda m: b" " * len(m[0]), self.data)).root_node

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode()

    def line(self, node: Node) -> int:
        return node.start_point[0] + 1

    def edited(self, edits: Sequence[Edit]) -> str:
        """Return the text with all edits made. They must not overlap."""
        data = self.data
        for start, end, text in sorted(edits, reverse=True):
            before, behind = data[:start], data[end:]
            first, last = before.rfind(b"\n") + 1, behind.find(b"\n") + 1
            if not text and not before[first:].strip() and last and not behind[:last].strip():
                before, behind = before[:first], behind[last:]  # nothing is left of the line
            data = before + text.encode() + behind
        return data.decode()

    def indented(self, node: Node, lines: Sequence[str]) -> str:
        """Join lines as they stand where a statement stands."""
        first = self.data.rfind(b"\n", 0, node.start_byte) + 1
        return ("\n" + self.data[first : node.start_byte].decode()).join(lines)

    def counted(self, loop: Node) -> Counted | None:
        """Read the head of a `for`; None unless it counts upwards to an end that it does not reach."""
        found = _HEAD.fullmatch(" ".join(self.text(loop).split("{")[0].split()))
        body = loop.child_by_field_name("body")
        if body is not None and body.type != "compound_statement":
            head = self.data[loop.start_byte : body.start_byte].decode()
            found = _HEAD.fullmatch(" ".join(head.split()))
        if found is None or len({found["variable"], found["again"], found["moved"] or found["bumped"]}) != 1:
            return None
        return Counted(
            variable=found["variable"], first=found["first"], end=found["end"], step=found["step"] or "1"
        )


_HEAD = re.compile(
    r"for \( ?(?:const )?[\w:]+ (?P<variable>\w+) ?= ?(?P<first>[^;]+?) ?; ?(?P<again>\w+) ?< ?(?P<end>[^;]+?) ?; ?"
    r"(?:(?P<moved>\w+) ?(?:\+\+|\+= ?(?P<step>[^;]+?))|\+\+ ?(?P<bumped>\w+)) ?\) ?"
)


def within(node: Node, *types: str) -> Iterator[Node]:
    """Yield the nodes of these types below a node, in the order of the text."""
    for child in node.named_children:
        if child.type in types:
            yield child
        yield from within(child, *types)


def around(node: Node, *types: str) -> Node | None:
    """Return the nearest node of these types that holds this one."""
    parent = node.parent
    while parent is not None and parent.type not in types:
        parent = parent.parent
    return parent


def statements(body: Node) -> list[Node]:
    """Return the statements of a loop's or function's body, comments aside."""
    if body.type != "compound_statement":
        return [body]
    return [child for child in body.named_children if child.type != "comment"]


class CppCall(Frozen):
    """`receiver.name<...>(arguments)`; `receiver` is empty for a function."""

    name: str
    receiver: str
    arguments: tuple[str, ...]


def read_call(source: Source, node: Node) -> CppCall | None:
    """Read a call, or a statement that is one."""
    if node.type == "expression_statement" and len(node.named_children) == 1:
        node = node.named_children[0]
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None:
        return None
    receiver = ""
    if function.type == "field_expression":
        held, field = function.child_by_field_name("argument"), function.child_by_field_name("field")
        assert held is not None and field is not None
        receiver, function = source.text(held), field
    name = function.child_by_field_name("name") or function
    return CppCall(
        name=source.text(name).split("::")[-1].split("<")[0],
        receiver=receiver,
        arguments=tuple(source.text(a) for a in argument_nodes(node)),
    )


def argument_nodes(call: Node) -> list[Node]:
    held = call.child_by_field_name("arguments")
    return [] if held is None else [child for child in held.named_children if child.type != "comment"]


def mentions(text: str, name: str) -> bool:
    """Say whether an expression uses a name."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
