"""Whoever watches what further launches of a call compute: each is to leave what the first one left.

Before a watched launch, outputs, what the kernel works in place on and the workspace hold again what they held before
the first: a launch that does nothing leaves that. Of the launches that left something else, one is kept, drawn at
random, for the parent to compare: the order in which cores add may differ.
"""

import secrets
from collections.abc import Mapping
from typing import Protocol


class WatchedRun(Protocol):
    """What a witness needs of a run."""

    def restore(self) -> None: ...

    def outputs(self) -> Mapping[str, bytes]: ...


class Witness:
    """Compares launches with the first one."""

    def __init__(self, run: WatchedRun, first: Mapping[str, bytes]) -> None:
        self._run, self._first = run, dict(first)
        self._others = 0
        self.other: Mapping[str, bytes] | None = (
            None  # what one of the launches left that left something else
        )

    def before(self) -> None:
        self._run.restore()

    def after(self) -> None:
        """Look at what the launch left; the stream has been waited for."""
        left = self._run.outputs()
        if left == self._first:
            return
        self._others += 1
        if secrets.randbelow(self._others) == 0:
            self.other = left
