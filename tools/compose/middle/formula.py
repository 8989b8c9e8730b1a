"""A loop nest as formulas that a person reads: one line per step."""

from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.dsl.show import show

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
          "eq": "==", "ne": "!=", "and": "and", "or": "or"}  # fmt: skip


def formulas(template: SymbolicNest, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> list[str]:
    """Return the nest's values as short assignments, constants and single-use steps written in place."""
    uses: dict[int, int] = {}
    for v in template.values:
        for a in v.args:
            uses[a] = uses.get(a, 0) + 1
    for s in template.nest.stores:
        uses[s.value] = uses.get(s.value, 0) + 1
    final = {s.value for s in template.nest.stores}
    text: dict[int, str] = {}
    lines: list[str] = []
    for i, v in enumerate(template.values):
        expression = _expression(template, i, [text[a] for a in v.args], inputs)
        simple = v.op in ("load", "const", "count", "inv_count", "iota")
        if simple or (uses.get(i, 0) <= 1 and (len(expression) <= 60 or i in final)):
            text[i] = expression
            continue
        name = f"t{len(lines)}"
        lines.append(f"{name} = {_bare(expression)}")
        text[i] = name
    for s in template.nest.stores:
        lines.append(f"{outputs[s.output]} = {_bare(text[s.value])}")
    return lines


def _expression(template: SymbolicNest, index: int, args: list[str], inputs: tuple[str, ...]) -> str:
    v = template.values[index]
    match v.op:
        case "load":
            assert v.origin is not None
            return inputs[v.origin.input]
        case "const" | "count" | "inv_count":
            constant = template.constants[index]
            return "?" if constant is None else show(constant)
        case "iota":
            return f"position{list(v.deps)}"
        case "reduce":
            return f"{v.kind}({_bare(args[0])}, axes {list(v.over)})"
        case op if op in _INFIX:
            return f"({args[0]} {_INFIX[op]} {args[1]})"
        case "neg":
            return f"(-{args[0]})"
        case "cast":
            return f"{v.dtype}({_bare(args[0])})"
        case op:
            return f"{op}({', '.join(_bare(a) for a in args)})"


def _bare(text: str) -> str:
    """Drop one pair of parentheses that encloses everything."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1]
