"""Hear a model's words while it writes them, without anybody in between having to hand them on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook

Hear = Callable[[str], None]


class _Hearer(BaseCallbackHandler):
    """Hands every piece of an answer on; what `hear` raises ends the request."""

    raise_error = True

    def __init__(self, hear: Hear) -> None:
        self._hear = hear

    def on_llm_new_token(self, token: str | list[str | dict[str, Any]], **kwargs: Any) -> None:
        del kwargs
        if isinstance(token, str):
            self._hear(token)


@cache
def _hearer() -> ContextVar[_Hearer | None]:
    """Return the variable that langchain looks at before every request; made known to it once."""
    variable: ContextVar[_Hearer | None] = ContextVar("akgen_hearer", default=None)
    register_configure_hook(variable, inheritable=True)
    return variable


@contextmanager
def listening(hear: Hear) -> Iterator[None]:
    """Hear what models write in this thread, and in those that inherit its context, until the end of the block."""
    token = _hearer().set(_Hearer(hear))
    try:
        yield
    finally:
        _hearer().reset(token)
