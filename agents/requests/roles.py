"""What an axis is, batch or channels or time: its words in either language, its names in layouts, how its size is said.

`roles.json` holds the table. `layouts` finds axes by it, `sizes` finds sizes.
"""

import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import NamedTuple

_NUMBER = "{n}"  # stands for a size in the patterns of the table


class Role(NamedTuple):
    """One role of an axis.

    `words` are a pattern for "over time", empty where nobody names the axis without its size; `names` those in layouts;
    `usual` where the axis stands by the tensor's rank if nobody says, by None for any rank; `sizes` a pattern for
    "batch of 16", with `{n}` where the number stands, empty where the size is not said so.
    """

    words: str
    names: tuple[str, ...]
    usual: dict[int | None, int]
    sizes: str

    def sized(self, number: str) -> re.Pattern[str]:
        """Return what finds a size of this role, with `number` as the pattern of a number."""
        return re.compile(self.sizes.replace(_NUMBER, number))


@cache
def roles() -> dict[str, Role]:
    """Return the roles by their names, in the order in which words are looked for."""
    said = loads(files("akgen.agents.requests").joinpath("roles.json").read_text("utf-8"))
    return {
        name: Role(
            words="|".join(role.get("words", ())),
            names=tuple(role.get("names", ())),
            usual={
                None if rank == "any" else int(rank): axis for rank, axis in role.get("usual", {}).items()
            },
            sizes=f"(?:{'|'.join(role['sizes'])})" if "sizes" in role else "",
        )
        for name, role in said.items()
    }


def named_roles() -> dict[str, Role]:
    """Return the roles that are named without a size."""
    return {name: role for name, role in roles().items() if role.words}
