"""Run an OpDef constructor from op_host, and take down what it declares.

The host toolchain does this by compiling; here it must be known before anything is compiled, because the binding
orders a call's arguments by it.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from akgen.bench.npukb.cpp.interpreter import Interpreter, Unknown
from akgen.bench.npukb.cpp.list_methods import list_method
from akgen.bench.npukb.cpp.parser import parse
from akgen.tools.core.dtypes import BY_GE_NAME
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import read_text

AttrType = Literal["bool", "int", "float", "str", "list_int", "list_float", "list_bool"]
_ATTRS: dict[str, AttrType] = {
    "Bool": "bool", "Int": "int", "Float": "float", "String": "str", "ListInt": "list_int",
    "ListFloat": "list_float", "ListBool": "list_bool",
}  # fmt: skip
_KINDS: dict[str, Literal["required", "optional", "dynamic"]] = {
    "REQUIRED": "required", "OPTIONAL": "optional", "DYNAMIC": "dynamic"
}  # fmt: skip


@dataclass
class _Param:
    name: str
    kind: str = "REQUIRED"
    dtypes: list[Any] = field(default_factory=list)
    scalar: bool = False  # passed as aclScalar or aclScalarList
    value_depend: bool = False


@dataclass
class _Attr:
    name: str
    type: AttrType | None = None
    required: bool = True
    default: AttrValue = None


@dataclass(frozen=True)
class Declared:
    """An OpDef as its source declares it. `scalars` are the inputs that Python passes as numbers."""

    spec: OpSpec
    scalars: frozenset[str]


class _OpDefLibrary:
    """Stands for `this` inside the constructor; unknown configuration calls are accepted and ignored."""

    def __init__(self) -> None:
        self.inputs: list[_Param] = []
        self.outputs: list[_Param] = []
        self.attrs: list[_Attr] = []
        self.tiling = False

    def launch(self, name: str, args: list[Any]) -> None:
        raise Unknown(f"a launch of {name} with {len(args)} arguments")

    def constant(self, name: str) -> Any:
        return self if name == "this" else name.rpartition("::")[2]

    def call(self, name: str, args: list[Any]) -> Any:
        if name in ("Input", "Output", "Attr", "AICore"):
            return self.method(self, name, args)
        return None

    def method(self, owner: Any, name: str, args: list[Any]) -> Any:
        match owner:
            case _OpDefLibrary():
                return self._declare(name, args)
            case _Param():
                return _param(owner, name, args)
            case _Attr():
                return _attr(owner, name, args)
            case list():
                return list_method(owner, name, args)
        return owner

    def _declare(self, name: str, args: list[Any]) -> Any:
        match name:
            case "Input" | "Output":
                param = _Param(args[0])
                (self.inputs if name == "Input" else self.outputs).append(param)
                return param
            case "Attr":
                self.attrs.append(_Attr(args[0]))
                return self.attrs[-1]
            case "SetTiling":
                self.tiling = True
        return self


def read_opdef(path: Path, op_type: str) -> Declared:
    """Read the OpDef of `op_type` from a C++ file. Raises InputError if it is not there or cannot be read."""
    try:
        return _declared(path, op_type)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
        text = f"{path} cannot be read as an OpDef: {shown(str(problem))}."
        raise InputError(text, "Check that the checkout is complete.") from problem


def _declared(path: Path, op_type: str) -> Declared:
    unit = parse(read_text(path), path.name)
    if op_type not in unit.constructors:
        raise InputError(
            f"{path} defines no OpDef named {op_type}.", "Check the class that OP_ADD registers."
        )
    library = _OpDefLibrary()
    Interpreter(unit, library, path.name).call(unit.constructors[op_type], [op_type])
    spec = OpSpec(
        op_type=op_type,
        inputs=tuple(_param_spec(p) for p in library.inputs),
        outputs=tuple(_param_spec(p) for p in library.outputs),
        attrs=tuple(_attr_spec(a) for a in library.attrs),
        has_tiling=library.tiling,
    )
    return Declared(spec, frozenset(p.name for p in library.inputs if p.scalar))


def _param(param: _Param, name: str, args: list[Any]) -> _Param:
    match name:
        case "ParamType":
            param.kind = args[0]
        case "DataType" | "DataTypeList":
            param.dtypes = list(args[0])
        case "Scalar" | "ScalarList":
            param.scalar = True
        case "ValueDepend":
            param.value_depend = True
    return param


def _attr(attr: _Attr, name: str, args: list[Any]) -> _Attr:
    if name == "AttrType":
        attr.required = args[0] == "REQUIRED"
    elif name in _ATTRS:
        attr.type = _ATTRS[name]
        if args:
            attr.default = tuple(args[0]) if isinstance(args[0], list) else args[0]
    return attr


def _param_spec(param: _Param) -> ParamSpec:
    known = [BY_GE_NAME[d] for d in param.dtypes if d in BY_GE_NAME]
    return ParamSpec(
        name=param.name,
        kind=_KINDS[param.kind],
        dtypes=tuple(known) if len(known) == len(param.dtypes) else (),
        value_depend=param.value_depend,
    )


def _attr_spec(attr: _Attr) -> AttrSpec:
    return AttrSpec(name=attr.name, type=attr.type or "int", required=attr.required, default=attr.default)
