"""A change of structure, or why a place that looks slow was left."""

from typing import Literal

from akgen.tools.core.frozen import Frozen

RewriteKind = Literal["vector", "transfer", "hoist", "buffers", "barrier"]


class Rewrite(Frozen):
    """`source` is the whole file after the change; None where `problem` says why the place was left."""

    kind: RewriteKind
    line: int
    text: str = ""
    share: float = 1.0  # of the places of its kind that it changes
    source: str | None = None
    problem: str | None = None
