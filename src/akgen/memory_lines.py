"""What a report says about a run's memory."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akgen.graph.store.memory import Remembered


def memory_line(found: "Remembered | None", *, on: bool) -> str | None:
    """Say that the run used what earlier runs learnt, and what became of it; None if it did not."""
    if not on:
        return None
    if found is None:
        return "memory: on"
    return (
        f"memory: on; {found.shown} experiences shown, {found.helped} of them to an attempt that succeeded; "
        f"{len(found.learnt)} learnt"
    )
