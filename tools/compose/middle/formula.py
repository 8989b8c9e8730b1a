"""A loop nest as formulas that a person reads: one line per step."""

import math

from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.dsl.expr import BinaryOp, Const, Expr, Name, binary, call
from akgen.tools.dsl.show import show

_INFIX: dict[str, BinaryOp] = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
    "ne": "!=", "and": "and", "or": "or",
}  # fmt: skip


def formulas(template: SymbolicNest, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> list[str]:
    """Return the nest's values as short assignments, constants and single-use steps written in place."""
    uses: dict[int, int] = {}
    for v in template.values:
        for a in v.args:
            uses[a] = uses.get(a, 0) + 1
    for s in template.nest.stores:
        uses[s.value] = uses.get(s.value, 0) + 1
    final = {s.value for s in template.nest.stores}
    said: dict[int, Expr] = {}
    lines: list[str] = []
    for i, v in enumerate(template.values):
        formula = _formula(template, i, [said[a] for a in v.args], inputs)
        simple = v.op in ("load", "const", "count", "inv_count", "iota")
        if simple or (uses.get(i, 0) <= 1 and (len(show(formula)) <= 60 or i in final)):
            said[i] = formula
            continue
        name = f"step{len(lines) + 1}"  # tiles are called otherwise
        lines.append(f"{name} = {show(formula)}")
        said[i] = Name(id=name)
    for s in template.nest.stores:
        lines.append(f"{f'temp{s.temp}' if s.output is None else outputs[s.output]} = {show(said[s.value])}")
    return lines


def _infinite(e: Expr) -> Name | None:
    if isinstance(e, Const) and isinstance(e.value, float) and math.isinf(e.value):
        return Name(id="inf" if e.value > 0 else "-inf")
    return None


def _formula(template: SymbolicNest, index: int, args: list[Expr], inputs: tuple[str, ...]) -> Expr:
    """Return a value as an expression for people; its functions and names need not be the DSL's."""
    v, constant = template.values[index], template.constants[index]
    match v.op:
        case "load":
            assert v.origin is not None
            at = v.origin.input
            name, address = f"temp{v.origin.temp}" if at is None else inputs[at], template.addresses[index]
            if args:
                return Name(id=f"{name}[{', '.join(map(show, args))}]")
            return call("padded", Name(id=name)) if address is not None and address.guards else Name(id=name)
        case "const" | "count" | "inv_count":
            assert constant is not None
            return _infinite(constant) or constant
        case "iota":
            return Name(id=f"position{list(v.deps)}")
        case "reduce":
            return call(str(v.kind), args[0], Name(id=f"axes {list(v.over)}"))
        case "scan":
            order = "backwards along" if v.reverse else "along"
            return call(f"running_{v.kind}", args[0], Name(id=f"{order} axis {v.over[0]}"))
        case "and" if Const(value=True) in args or Const(value=1) in args:
            return args[0] if args[1] in (Const(value=True), Const(value=1)) else args[1]
        case "sort_values" | "sort_places":
            return call(
                v.op.replace("sort", "sorted"), args[0], Name(id="ascending" if v.reverse else "descending")
            )
        case op if op in _INFIX:
            return binary(_INFIX[op], args[0], args[1])
        case "contract" | "contract_groups":
            return call(v.op, *args, Name(id=f"axes {list(v.over)}"))
        case "neg":
            return -args[0]
        case "cast":
            return call(str(v.dtype), args[0])
        case op:
            return call(op, *args)
