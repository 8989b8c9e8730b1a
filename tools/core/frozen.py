"""The base of every value that crosses a file."""

from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter


class Frozen(BaseModel):
    """An immutable value; unknown fields are refused, absent is None."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=False, ser_json_inf_nan="strings"
    )


_ANY: TypeAdapter[Any] = TypeAdapter(Any, config=ConfigDict(ser_json_inf_nan="strings"))


def json_text(value: object, *, indent: int | None = None) -> str:
    """Return a value, models and plain values alike, as JSON that any parser reads: no NaN or Infinity in it."""
    return _ANY.dump_json(value, indent=indent).decode()
