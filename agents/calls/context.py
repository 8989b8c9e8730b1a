"""Where a decider is called from: the run, the task, the stage, and what may still be spent.

The graph sets it around each stage, so that deciders need not hand it on and nothing outside the graph has to know it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from akgen.agents.budget import Budget
from akgen.tools.core.frozen import Frozen


class CallContext(Frozen):
    """None where nothing is known: outside of the graph."""

    run: str | None = None
    task: str | None = None
    sample: int | None = None
    attempt: int | None = None
    node: str | None = None
    left: Budget | None = None  # of the sample, when the stage began


_NOW: ContextVar[CallContext] = ContextVar("call_context", default=CallContext())  # noqa: B039 (frozen)


def call_context() -> CallContext:
    return _NOW.get()


@contextmanager
def use_context(now: CallContext) -> Iterator[None]:
    """Set the call context for this thread until the end of the block."""
    token = _NOW.set(now)
    try:
        yield
    finally:
        _NOW.reset(token)
