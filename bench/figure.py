"""A measured figure beside its target."""

from typing import Literal

from akgen.tools.core.frozen import Frozen


class Figure(Frozen):
    """`target` is an upper bound, or a lower one for what should be many."""

    name: str
    value: float
    target: float
    unit: Literal["ratio", "s", "ms", "MB", "per hour", "times", "share"]
    detail: str

    @property
    def holds(self) -> bool:
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def at_least(self) -> bool:
        """Say whether the target is a lower bound."""
        return self.unit in ("per hour", "times", "share")
