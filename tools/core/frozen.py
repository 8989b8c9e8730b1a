"""The base of every value that crosses a file."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable value; unknown fields are refused, absent is None."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=False, ser_json_inf_nan="strings"
    )
