"""What an operator's host library says about itself: its interface, column by column, tiling structs, templates."""

from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from akgen.tools.core.dtypes import BY_GE_NAME
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec

# In the order of ASCENDC_TPL_AIV_ONLY and its kin.
KERNEL_TYPES = ("AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2")


MOST_COLUMNS = 20_000

# Host code chooses these texts, and they become fields of manifests: tabs and line ends would make others of them.
Word = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=256)]


class TemplateArguments(Frozen):
    """What a key stands for: values by name, and what the combination says of cores and tiling structure."""

    args: tuple[tuple[str, int], ...]
    kernel_type: int | None = Field(default=None, ge=0, lt=len(KERNEL_TYPES))
    tiling_struct: str | None = Field(default=None, pattern=r"^[A-Za-z_]\w*$")


class OpDefParam(Frozen):
    """One input or output as OpDef declares it; types and formats under the graph engine's names."""

    name: Word
    kind: Literal["required", "optional", "dynamic", ""]
    dtypes: tuple[Word, ...]
    formats: tuple[Word, ...]
    each_format: bool = False  # FormatList
    each_type: bool  # DataTypeList: any of them, whatever the other parameters have
    follows: Word  # takes the type of that parameter
    scalar: Literal["", "scalar", "scalar_list"]
    value_depend: bool
    init_values: tuple[float | None, ...]
    shape_depends_on_compute: bool


class HostAttr(Frozen):
    name: Word
    type: Word
    required: bool
    default: AttrValue


class HostOp(Frozen):
    op_type: Word
    inputs: tuple[OpDefParam, ...]
    outputs: tuple[OpDefParam, ...]
    attrs: tuple[HostAttr, ...]
    socs: tuple[str, ...]
    supported: bool  # an AICore config names this chip's family
    has_tiling: bool


class TilingField(Frozen):
    """One field of a tiling struct. `fields` is set for a nested struct; count 0: no array."""

    type: str
    name: str
    count: int
    bytes: int
    offset: int
    fields: "tuple[TilingField, ...] | None"
    size: int


class TilingClass(Frozen):
    """A registered tiling struct. `op_type` is `<Op>` or `<Op>_<tiling key>`."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    op_type: str
    name: str
    size: int
    fields: tuple[TilingField, ...]


class TemplateExample(Frozen):
    """A pick of template arguments that the host side declares, and its tiling key."""

    key: int
    template: TemplateArguments


class HostInfo(Frozen):
    """A built host library and what it registered."""

    library: Path
    op: HostOp | None
    ops: tuple[str, ...]  # every OpDef's type
    impls: tuple[str, ...]  # every IMPL_OP's type
    tiling_classes: tuple[TilingClass, ...]
    templates: tuple[TemplateExample, ...] = ()  # of a kernel that is a template

    @classmethod
    def from_report(cls, library: Path, report: dict[str, Any]) -> "HostInfo":
        classes = [
            {("name" if k == "class" else k): v for k, v in c.items()} for c in report["tiling_classes"]
        ]
        return cls.model_validate({**report, "tiling_classes": classes, "library": library})

    def tiling_class(self, op_type: str, key: int) -> TilingClass | None:
        """Return the struct of this tiling key, else the operator's default."""
        by_name = {c.op_type: c for c in self.tiling_classes}
        return by_name.get(f"{op_type}_{key}") or by_name.get(op_type)


def column_count(op: HostOp) -> int:
    """Return how many combinations `columns` would make: lists of types multiply."""
    params = (*op.inputs, *op.outputs)
    fixed = max((len(p.dtypes) for p in params if not p.each_type and not p.follows), default=1)
    return fixed * prod(max(1, len(p.dtypes)) for p in params if p.each_type and not p.follows)


def columns(op: HostOp) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return the supported combinations: per column (type, format) of every input, then of every output."""
    params = (*op.inputs, *op.outputs)
    fixed = max((len(p.dtypes) for p in params if not p.each_type and not p.follows), default=1)
    found: list[tuple[tuple[str, str], ...]] = []
    for i in range(fixed):
        partial: list[tuple[tuple[str, str], ...]] = [()]
        for p in params:
            choices = _choices(p, i)
            partial = [(*row, choice) for row in partial for choice in choices]
        found += [_follow(params, row) for row in partial]
    return tuple(found)


def spec_of(op: HostOp) -> OpSpec:
    """Return the interface as every room sees it. Columns with types that have no PyTorch name are left out."""
    known = [row for row in columns(op) if all(t in BY_GE_NAME for t, _ in row)]
    specs = []
    for i, p in enumerate((*op.inputs, *op.outputs)):
        specs.append(
            ParamSpec(
                name=p.name,
                kind=p.kind or "required",
                dtypes=tuple(BY_GE_NAME[row[i][0]] for row in known),
                formats=tuple(row[i][1] for row in known),
                value_depend=p.value_depend,
            )
        )
    n = len(op.inputs)
    return OpSpec(
        op_type=op.op_type,
        inputs=tuple(specs[:n]),
        outputs=tuple(specs[n:]),
        attrs=tuple(_attr(a) for a in op.attrs),
        has_tiling=op.has_tiling,
    )


def _attr(a: HostAttr) -> AttrSpec:
    return AttrSpec.model_validate(
        {"name": a.name, "type": a.type or "int", "required": a.required, "default": a.default}
    )


def _choices(p: OpDefParam, column: int) -> list[tuple[str, str]]:
    formats = p.formats or ("ND",)
    if p.follows or not p.dtypes:
        return [("", formats[min(column, len(formats) - 1)])]
    if p.each_type:
        return [(t, formats[min(k, len(formats) - 1)]) for k, t in enumerate(p.dtypes)]
    return [(p.dtypes[min(column, len(p.dtypes) - 1)], formats[min(column, len(formats) - 1)])]


def _follow(params: tuple[OpDefParam, ...], row: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    types = {p.name: t for p, (t, _) in reversed(list(zip(params, row, strict=True))) if t}
    return tuple(
        (types.get(p.follows, t) if p.follows else t, f) for p, (t, f) in zip(params, row, strict=True)
    )
