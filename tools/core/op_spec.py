"""What an operator's OpDef says: parameters, their kinds and types, attributes."""

from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

AttrValue = (
    bool
    | int
    | float
    | str
    | tuple[int, ...]
    | tuple[float, ...]
    | tuple[bool, ...]
    | tuple[tuple[int, ...], ...]
    | None
)


class ParamSpec(Frozen):
    """One input or output. `dtypes[i]` belongs to the operator's i-th supported combination."""

    name: str
    kind: Literal["required", "optional", "dynamic"] = "required"
    dtypes: tuple[DType, ...]
    formats: tuple[str, ...] = ()
    value_depend: bool = False  # the tiling function may read its values


class AttrSpec(Frozen):
    name: str
    type: Literal["bool", "int", "float", "str", "list_int", "list_float", "list_bool", "list_list_int"]
    required: bool = False
    default: AttrValue = None


class OpSpec(Frozen):
    """An operator's interface. An output that shares an input's name aliases it (macros: `<NAME>_REF`)."""

    op_type: str  # CamelCase, as OP_ADD registers it
    inputs: tuple[ParamSpec, ...]
    outputs: tuple[ParamSpec, ...]
    attrs: tuple[AttrSpec, ...] = ()
    has_tiling: bool = True  # a tiling function is registered
