"""The operator's interface as the generated project declares it: names, kinds, dtype columns, attributes."""

import keyword
from collections.abc import Sequence

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec

_TAKEN = frozenset(
    [
        "min",
        "max",
        "abs",
        "sqrt",
        "exp",
        "log",
        "pow",
        "float",
        "int",
        "bool",
        "len",
        "range",
        "prod",
        "fit_tile",
        "workspace",
        "declare",
        "core_num",
        "ceil_div",
        "align_up",
        "load",
        "store",
        "read",
        "fill",
        "cast",
        "copy",
        "where",
        "iota",
        "broadcast",
        "mask",
        "cores",
        "tile",
        "row_tile",
        "lane_tile",
        "lane_tiles",
        "per_core",
        "float32",
        "float16",
        "bfloat16",
        "int32",
        "int16",
        "int64",
        "int8",
        "uint8",
        "double",
        "char",
        "short",
        "long",
        "register",
        "auto",
        "signed",
        "unsigned",
        "default",
        "switch",
        "case",
        "template",
        "typename",
        "new",
        "delete",
        "this",
        "operator",
        "namespace",
        "union",
        "struct",
        "const",
        "static",
    ]
)
_FLOATS = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)


class Interface(Frozen):
    """`op` is what the OpDef says; `input_names` and `output_names` are the host function's parameters."""

    op: OpSpec
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    attr_names: tuple[str, ...]
    input_kinds: tuple[str, ...]  # Tensor, OptionalTensor, TensorList
    output_kinds: tuple[str, ...]  # Output, OutputList


def interface(op_type: str, cases: Sequence[TracedGraph], *, widened: bool = True) -> Interface:
    """Return the interface that serves all these cases; `widened`, other float types in the same places, too."""
    first = cases[0]
    count = len(first.inputs)
    if any(len(c.inputs) != count or len(c.aliases) != len(first.aliases) for c in cases):
        raise Unsupported("interface", "the cases differ in their numbers of inputs or outputs")
    used: set[str] = set()
    inputs = legal_names(first.input_names or tuple(f"x{i}" for i in range(count)), used)
    outputs = _output_names(first, inputs, used)
    attr_names = tuple(_legal(n, used) for n, _ in first.attrs)
    listed = [any(isinstance(c.inputs[i], tuple) for c in cases) for i in range(count)]
    absent = [any(c.inputs[i] is None for c in cases) for i in range(count)]
    out_listed = [any(o.output == k and o.element is not None for c in cases for o in c.outputs)
                  for k in range(len(outputs))]  # fmt: skip
    columns = _columns(cases, widened=widened)
    op = OpSpec(
        op_type=op_type,
        inputs=tuple(
            ParamSpec(
                name=n,
                kind="dynamic" if listed[i] else "optional" if absent[i] else "required",
                dtypes=tuple(c[i] for c in columns),
            )
            for i, n in enumerate(inputs)
        ),
        outputs=tuple(
            ParamSpec(
                name=n.removesuffix("_ref") if first.aliases[k] is not None else n,
                kind="dynamic" if out_listed[k] else "required",
                dtypes=tuple(c[count + k] for c in columns),
            )
            for k, n in enumerate(outputs)
        ),
        attrs=tuple(_attr(n, [c.attrs[k][1] for c in cases]) for k, n in enumerate(attr_names)),
    )
    kinds = tuple(
        "TensorList" if listed[i] else "OptionalTensor" if absent[i] else "Tensor" for i in range(count)
    )
    return Interface(
        op=op, input_names=inputs, output_names=outputs, attr_names=attr_names, input_kinds=kinds,
        output_kinds=tuple("OutputList" if v else "Output" for v in out_listed),
    )  # fmt: skip


def legal_names(given: Sequence[str], used: set[str]) -> tuple[str, ...]:
    """Return names that programs and C++ can use, none of them among `used`, to which they are added."""
    return tuple(_legal(n, used) for n in given)


def _legal(name: str, used: set[str]) -> str:
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "x"
    if not text[0].isalpha():
        text = f"x{text}"
    if keyword.iskeyword(text) or text in _TAKEN:
        text += "_"
    base, k = text, 1
    while text in used:
        k += 1
        text = f"{base}{k}"
    used.add(text)
    return text


def _output_names(first: TracedGraph, inputs: tuple[str, ...], used: set[str]) -> tuple[str, ...]:
    names: list[str] = []
    given = first.output_names or ()
    for k, alias in enumerate(first.aliases):
        if alias is not None:
            names.append(f"{inputs[alias]}_ref")
        else:
            fallback = f"y{k}" if len(first.aliases) > 1 else "y"
            names.append(_legal(given[k] if k < len(given) else fallback, used))
    return tuple(names)


def _dtype_of(value: TensorMeta | tuple[TensorMeta, ...] | None) -> DType | None:
    if isinstance(value, tuple):
        return value[0].dtype if value else None
    return None if value is None else value.dtype


def _columns(cases: Sequence[TracedGraph], *, widened: bool) -> list[tuple[DType, ...]]:
    """Return the dtype combinations of inputs then outputs: those of the cases, then the same in every float type."""
    rows: list[list[DType | None]] = []
    for c in cases:
        outs: list[DType | None] = []
        for k in range(len(c.aliases)):
            outs.append(next((o.dtype for o in c.outputs if o.output == k), c.output_dtypes[k]))
        rows.append([*(_dtype_of(m) for m in c.inputs), *outs])
    columns: dict[tuple[DType, ...], None] = {}
    for row in rows:
        floats = [d for d in row if d is not None and d.is_float]
        spare = floats[0] if floats else DType.FLOAT32
        full = tuple(
            d if d is not None else next((r[i] for r in rows if r[i] is not None), None) or spare
            for i, d in enumerate(row)
        )
        columns[full] = None
    patterns = {tuple(d.is_float for d in full) for full in columns}
    for full in list(columns):
        if len(patterns) > 1 or not widened:
            break  # the host tells kinds of numbers apart by the cases' dtypes; others would be misled
        kinds = {d for d in full if d.is_float}
        if len(kinds) == 1 and DType.FLOAT64 not in kinds:
            for wanted in _FLOATS:
                columns[tuple(wanted if d.is_float else d for d in full)] = None
    return list(columns)


def _attr(name: str, values: Sequence[AttrValue]) -> AttrSpec:
    first = values[0]
    if all(isinstance(v, bool) for v in values):
        return AttrSpec(name=name, type="bool", default=first)
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return AttrSpec(name=name, type="int", default=first)
    if all(isinstance(v, (int, float)) for v in values):
        assert isinstance(first, (int, float))
        return AttrSpec(name=name, type="float", default=float(first))
    if all(isinstance(v, str) for v in values):
        return AttrSpec(name=name, type="str", default=first)
    if all(isinstance(v, tuple) for v in values):
        items = [x for v in values if isinstance(v, tuple) for x in v]
        if all(isinstance(x, bool) for x in items) and items:
            return AttrSpec(name=name, type="list_bool", default=first)
        if all(isinstance(x, int) for x in items):
            return AttrSpec(name=name, type="list_int", default=first)
        return AttrSpec(name=name, type="list_float", default=first)
    raise Unsupported("attribute", f"the attribute {name} has values of several types, or none")
