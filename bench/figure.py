"""A measured figure beside its target."""

from typing import Literal

from akgen.tools.core.frozen import Frozen


class Figure(Frozen):
    """`target` is an upper bound, or a lower one for what should be many."""

    name: str
    value: float
    target: float
    unit: Literal["ratio", "s", "ms", "MB", "per hour"]
    detail: str

    @property
    def holds(self) -> bool:
        return self.value >= self.target if self.unit == "per hour" else self.value <= self.target
