"""Stream a model's words while it writes them, without anybody in between having to hand them on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook

OnToken = Callable[[str], None]


class _TokenHandler(BaseCallbackHandler):
    """Hands every piece of an answer on; what `on_token` raises ends the request."""

    raise_error = True

    def __init__(self, on_token: OnToken) -> None:
        self._on_token = on_token

    def on_llm_new_token(self, token: str | list[str | dict[str, Any]], **kwargs: Any) -> None:
        del kwargs
        if isinstance(token, str):
            self._on_token(token)


@cache
def _handler() -> ContextVar[_TokenHandler | None]:
    """Return the variable that langchain looks at before every request; made known to it once."""
    variable: ContextVar[_TokenHandler | None] = ContextVar("akgen_token_handler", default=None)
    register_configure_hook(variable, inheritable=True)
    return variable


@contextmanager
def streaming(on_token: OnToken) -> Iterator[None]:
    """Stream what models write in this thread, and in those that inherit its context, until the end of the block."""
    token = _handler().set(_TokenHandler(on_token))
    try:
        yield
    finally:
        _handler().reset(token)
