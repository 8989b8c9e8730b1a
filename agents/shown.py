"""What a prompt showed of what is known."""

from typing import Literal

from akgen.tools.frozen import Frozen


class ContextItem(Frozen):
    """One thing that a prompt showed. `used` says whether the code that came names it; None if that says nothing."""

    kind: Literal["card", "pattern", "experience"]
    name: str
    tokens: int
    used: bool | None = None
