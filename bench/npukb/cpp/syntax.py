"""The syntax tree: expressions and statements that the parser produces and the interpreter runs."""

from dataclasses import dataclass, field

from akgen.tools.outcome import InputError


@dataclass(frozen=True)
class Type:
    """`std::vector<at::Tensor>&`: the qualified name, template arguments, whether it is a reference."""

    name: str
    args: tuple["Type", ...] = ()
    reference: bool = False
    pointer: bool = False


@dataclass(frozen=True)
class Node:
    line: int


@dataclass(frozen=True)
class Literal(Node):
    value: int | float | bool | str | None


@dataclass(frozen=True)
class Name(Node):
    """`torch::empty_like`, `std::vector<int64_t>`; arguments are those of the last part."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Items(Node):
    """A braced list."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Unary(Node):
    op: str  # "!", "-", "+", "*", "&", "++", "--", "post++", "post--"
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Choice(Node):
    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True)
class Assign(Node):
    op: str  # "=", "+=", ...
    target: Node
    value: Node


@dataclass(frozen=True)
class Call(Node):
    function: Node
    args: tuple[Node, ...]


@dataclass(frozen=True)
class Member(Node):
    owner: Node
    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Index(Node):
    owner: Node
    index: Node


@dataclass(frozen=True)
class Param:
    type: Type
    name: str
    default: Node | None = None


@dataclass(frozen=True)
class Block(Node):
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Lambda(Node):
    params: tuple[Param, ...]
    body: Block


@dataclass(frozen=True)
class Declare(Node):
    """One declared name. `init` is `= e`, `{...}`; `args` is the constructor form `T x(a, b)`."""

    type: Type
    name: str
    init: Node | None = None
    args: tuple[Node, ...] | None = None


@dataclass(frozen=True)
class If(Node):
    condition: Node
    yes: Node
    no: Node | None


@dataclass(frozen=True)
class For(Node):
    start: Node | None
    condition: Node | None
    step: Node | None
    body: Node


@dataclass(frozen=True)
class ForEach(Node):
    type: Type
    name: str
    items: Node
    body: Node


@dataclass(frozen=True)
class Switch(Node):
    """Labels and statements in order; a label is None for `default`."""

    subject: Node
    labels: tuple[tuple[Node | None, int], ...]  # (label, index of the first statement after it)
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Return(Node):
    value: Node | None


@dataclass(frozen=True)
class Throw(Node):
    value: Node


@dataclass(frozen=True)
class Break(Node):
    pass


@dataclass(frozen=True)
class Function:
    name: str
    params: tuple[Param, ...]
    body: Block


@dataclass(frozen=True)
class Unit:
    """What one file defines."""

    functions: dict[str, Function] = field(default_factory=dict)
    constructors: dict[str, Function] = field(default_factory=dict)  # of classes derived from OpDef
    globals: tuple[Declare, ...] = ()
    exports: dict[str, str] = field(default_factory=dict)  # Python name -> C++ function
    refused: dict[str, InputError] = field(default_factory=dict)  # functions that could not be read
