"""The base of every value that crosses a file, and what is worked out of one immutable value once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, TypeAdapter


class Frozen(BaseModel):
    """An immutable value; unknown fields are refused, absent is None."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=False, ser_json_inf_nan="strings"
    )


class InstanceOf:
    """Annotate a field whose values our own code makes: an instance of one of the bases, taken as it is.

    pydantic's own InstanceOf also prepares to parse the type, which for a tree of many classes takes most of the time
    that importing them takes, each class holding all others.
    """

    def __init__(self, *bases: type) -> None:
        self.bases = bases

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return what pydantic_core's `is_instance_schema` does; `handler` would make the schema of the type itself."""
        del source, handler
        return {"type": "is-instance", "cls": self.bases[0] if len(self.bases) == 1 else self.bases}


_ANY: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan="strings"))


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return a value, models and plain values alike, as JSON that any parser reads: no NaN or Infinity in it."""
    return _ANY.dump_json(value, indent=indent).decode()


Part = TypeVar("Part", bound=Frozen)
Made = TypeVar("Made")


def kept(function: Callable[[Part], Made]) -> Callable[[Part], Made]:
    """Return the function, called once for each object and kept as long as it lives; an equal object is another one.

    So a kernel's extents and lifetimes are found once, though it is checked for each combination of dtypes.
    """
    known: dict[int, tuple[ref[Any], Made]] = {}

    @wraps(function)
    def known_or_made(part: Part) -> Made:
        key = id(part)
        found = known.get(key)
        if found is not None and found[0]() is part:
            return found[1]
        made = function(part)
        known[key] = ref(part, lambda _: known.pop(key, None)), made
        return made

    return known_or_made
