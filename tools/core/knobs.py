"""What somebody may set about how a kernel is cut, whoever writes it: a person in a conversation, or a search."""

from typing import Literal

from pydantic import Field

from akgen.tools.core.frozen import Frozen


class Knobs(Frozen):
    """Wishes about the tiling; None leaves the choice to the planner. Lengths are in elements."""

    cores: int | None = Field(default=None, ge=1)  # at most so many cores
    grain: int | None = Field(default=None, ge=64)  # a core takes at least so many elements
    tile_length: int | None = Field(default=None, ge=1)  # of the largest tile, at most
    pieces: int | None = Field(default=None, ge=1)  # tiles that a core's share is cut into
    buffers: Literal[1, 2] | None = None  # 1 switches double buffering off
    schedule: str | None = None  # which of the planner's own ways to run the loops

    def joined(self, later: "Knobs") -> "Knobs":
        """Return these with everything that the later ones say."""
        return Knobs(**{**self.model_dump(exclude_none=True), **later.model_dump(exclude_none=True)})

    @property
    def empty(self) -> bool:
        return not self.model_dump(exclude_none=True)

    def __str__(self) -> str:
        said = {
            "cores": "at most {} cores", "grain": "at least {} elements per core",
            "tile_length": "tiles of at most {} elements", "pieces": "{} tiles per core", "buffers": "{} buffers",
            "schedule": "schedule {}",
        }  # fmt: skip
        return ", ".join(
            said[name].format(value) for name, value in self.model_dump(exclude_none=True).items()
        )
