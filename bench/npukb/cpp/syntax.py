"""The syntax tree that the parser produces and the interpreter runs; the nodes bear the names of Clang's."""

from dataclasses import dataclass, field

from akgen.tools.core.outcome import InputError


@dataclass(frozen=True)
class Type:
    """`std::vector<at::Tensor>&`: the qualified name, template arguments, whether it is a reference."""

    name: str
    args: tuple["Type", ...] = ()
    reference: bool = False
    pointer: bool = False


@dataclass(frozen=True)
class AstNode:
    line: int


@dataclass(frozen=True)
class LiteralExpr(AstNode):
    value: int | float | bool | str | None


@dataclass(frozen=True)
class DeclRefExpr(AstNode):
    """`torch::empty_like`, `std::vector<int64_t>`; arguments are those of the last part."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True)
class InitListExpr(AstNode):
    """A braced list."""

    items: tuple[AstNode, ...]


@dataclass(frozen=True)
class UnaryOperator(AstNode):
    op: str  # "!", "-", "+", "*", "&", "++", "--", "post++", "post--"
    operand: AstNode


@dataclass(frozen=True)
class BinaryOperator(AstNode):
    op: str
    left: AstNode
    right: AstNode


@dataclass(frozen=True)
class ConditionalOperator(AstNode):
    condition: AstNode
    yes: AstNode
    no: AstNode


@dataclass(frozen=True)
class AssignOperator(AstNode):
    op: str  # "=", "+=", ...
    target: AstNode
    value: AstNode


@dataclass(frozen=True)
class CallExpr(AstNode):
    function: AstNode
    args: tuple[AstNode, ...]


@dataclass(frozen=True)
class MemberExpr(AstNode):
    owner: AstNode
    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True)
class SubscriptExpr(AstNode):
    owner: AstNode
    index: AstNode


@dataclass(frozen=True)
class ParmVarDecl:
    type: Type
    name: str
    default: AstNode | None = None


@dataclass(frozen=True)
class CompoundStmt(AstNode):
    body: tuple[AstNode, ...]


@dataclass(frozen=True)
class LambdaExpr(AstNode):
    params: tuple[ParmVarDecl, ...]
    body: CompoundStmt


@dataclass(frozen=True)
class VarDecl(AstNode):
    """One declared name. `init` is `= e`, `{...}`; `args` is the constructor form `T x(a, b)`."""

    type: Type
    name: str
    init: AstNode | None = None
    args: tuple[AstNode, ...] | None = None


@dataclass(frozen=True)
class IfStmt(AstNode):
    condition: AstNode
    yes: AstNode
    no: AstNode | None


@dataclass(frozen=True)
class ForStmt(AstNode):
    start: AstNode | None
    condition: AstNode | None
    step: AstNode | None
    body: AstNode


@dataclass(frozen=True)
class RangeForStmt(AstNode):
    type: Type
    name: str
    items: AstNode
    body: AstNode


@dataclass(frozen=True)
class SwitchStmt(AstNode):
    """Labels and statements in order; a label is None for `default`."""

    subject: AstNode
    labels: tuple[tuple[AstNode | None, int], ...]  # (label, index of the first statement after it)
    body: tuple[AstNode, ...]


@dataclass(frozen=True)
class ReturnStmt(AstNode):
    value: AstNode | None


@dataclass(frozen=True)
class ThrowExpr(AstNode):
    value: AstNode


@dataclass(frozen=True)
class BreakStmt(AstNode):
    pass


@dataclass(frozen=True)
class FunctionDecl:
    name: str
    params: tuple[ParmVarDecl, ...]
    body: CompoundStmt


@dataclass(frozen=True)
class TranslationUnit:
    """What one file defines."""

    functions: dict[str, FunctionDecl] = field(default_factory=dict)
    constructors: dict[str, FunctionDecl] = field(default_factory=dict)  # of classes derived from OpDef
    globals: tuple[VarDecl, ...] = ()
    exports: dict[str, str] = field(default_factory=dict)  # Python name -> C++ function
    refused: dict[str, InputError] = field(default_factory=dict)  # functions that could not be read
