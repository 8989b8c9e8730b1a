"""Where a kernel's tensors come from: their element types, their buffers, and room for temporary ones beside them."""

import re
from collections.abc import Mapping

from tree_sitter import Node

from akgen.tools.rewrite.cxx import Edit, Source, argument_nodes, around, read_call, within
from akgen.tools.rewrite.expressions import Unreadable

_LOCAL = re.compile(r"(?:AscendC::)?LocalTensor<\s*([\w:]+)\s*>")
_ONE_BLOCK = 32  # bytes


def tensor_types(source: Source, function: Node) -> dict[str, str]:
    """Return the element type of each local tensor that a function declares or is given."""
    found = {}
    for declared in within(function, "declaration", "parameter_declaration"):
        kind = declared.child_by_field_name("type")
        dtype = _LOCAL.fullmatch(source.text(kind)) if kind is not None else None
        for declarator in declared.children_by_field_name("declarator") if dtype is not None else ():
            name = next(
                iter([declarator] if declarator.type == "identifier" else within(declarator, "identifier"))
            )
            assert dtype is not None
            found[source.text(name)] = dtype[1].split("::")[-1]
    return found


def _buffers(source: Source, function: Node) -> dict[str, str]:
    """Return the queue or buffer that each local tensor was taken from."""
    found = {}
    for declared in within(function, "init_declarator"):
        name, value = declared.child_by_field_name("declarator"), declared.child_by_field_name("value")
        call = read_call(source, value) if value is not None else None
        if name is not None and call is not None and call.name in ("AllocTensor", "DeQue", "Get"):
            found[source.text(name)] = call.receiver
    return found


class Scope:
    """A function and the class around it."""

    def __init__(self, source: Source, node: Node) -> None:
        function = around(node, "function_definition")
        if function is None:
            raise Unreadable("it stands in no function")
        self.source, self.function = source, function
        self.holder = around(function, "class_specifier", "struct_specifier")
        self.dtypes: Mapping[str, str] = tensor_types(source, function)
        self._buffers = _buffers(source, function)
        self._added: dict[str, str] = {}  # name of a new buffer -> its length in bytes
        self._beside = self._like = ""

    def like(self, tensor: str) -> None:
        """Let temporary tensors be as long as this one's buffer."""
        self._beside = self._buffers.get(tensor, "")
        self._like = tensor

    def scratch(self, dtype: str, number: int) -> str:
        """Name a temporary tensor; the same number and type is the same one.

        Raises Unreadable where the length of what it shall be like is not in sight.
        """
        init = self._find_init()
        if init is None:
            raise Unreadable(f"the length of {self._like}'s buffer is not in sight")
        length = self.source.text(argument_nodes(init)[-1])
        own = next((d for t, d in self.dtypes.items() if self._buffers.get(t) == self._beside), dtype)
        if own != dtype:
            length = f"({length}) / sizeof({own}) * sizeof({dtype})"
        return self.buffer(f"scratch{dtype.title().replace('_', '')}{number}", length)

    def block(self, name: str) -> str:
        """Name a buffer of one block, for a result that the scalar unit reads."""
        return self.buffer(name, str(_ONE_BLOCK))

    def buffer(self, name: str, length: str) -> str:
        self._added[name] = length
        return name

    def declared(self, dtypes: Mapping[str, str]) -> list[str]:
        """Return the lines that take the new buffers as tensors, with the element type of each."""
        return [
            f"LocalTensor<{dtypes[name]}> {name} = {name}Buf.Get<{dtypes[name]}>();" for name in self._added
        ]

    def edits(self) -> list[Edit]:
        """Return what declares and places the new buffers: members of the class, and InitBuffer beside the tensor's."""
        if not self._added:
            return []
        init, member = self._find_init(), self._find_member()
        if init is None or member is None:
            raise Unreadable("there is no class with a pipe to hold a temporary buffer")
        statement = around(init, "expression_statement")
        call = read_call(self.source, init)
        assert statement is not None and call is not None
        arrow = "->" if f"{call.receiver}->" in self.source.text(init) else "."
        known = self.source.data.decode()
        fresh = {n: length for n, length in self._added.items() if f" {n}Buf;" not in known}
        placed = "".join(
            f"\n        {call.receiver}{arrow}InitBuffer({n}Buf, {length});" for n, length in fresh.items()
        )
        members = "".join(f"\n    TBuf<TPosition::VECCALC> {n}Buf;" for n in fresh)
        return [(statement.end_byte, statement.end_byte, placed), (member.end_byte, member.end_byte, members)]

    def _find_init(self) -> Node | None:
        """Find the InitBuffer of the buffer beside which room is wanted."""
        for call in within(self.holder or self.source.root, "call_expression"):
            read = read_call(self.source, call)
            if read and read.name == "InitBuffer" and read.arguments and read.arguments[0] == self._beside:
                return call
        return None

    def _find_member(self) -> Node | None:
        for field in within(self.holder, "field_declaration") if self.holder is not None else ():
            if re.search(rf"\b{re.escape(self._beside)}\b", self.source.text(field)):
                return field
        return None
