"""A model's words are heard while it writes them, in the thread that asks and in those that inherit its context."""

import threading
from contextvars import copy_context
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from akgen.agents.calls.conversation import streaming

WORDS = ("Split ", "the ", "rows.")


class Writing(BaseChatModel):
    """Writes three words, one after the other."""

    @property
    def _llm_type(self) -> str:
        return "writing"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        for word in WORDS:
            if run_manager is not None:
                run_manager.on_llm_new_token(word)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("".join(WORDS)))])


def _ask() -> None:
    Writing().generate([[HumanMessage("plan")]])


def test_every_word_is_heard_as_it_comes() -> None:
    heard: list[str] = []
    with streaming(heard.append):
        _ask()
    assert heard == list(WORDS)
    _ask()
    assert heard == list(WORDS)  # nobody listens any more


def test_threads_that_inherit_the_context_are_heard_and_others_are_not() -> None:
    heard: list[str] = []
    with streaming(heard.append):
        for run in (copy_context().run, lambda work: work()):
            thread = threading.Thread(target=lambda run=run: run(_ask))
            thread.start()
            thread.join()
    assert heard == list(WORDS)


def test_what_the_listener_raises_ends_the_request() -> None:
    class Enough(Exception):
        pass

    heard: list[str] = []

    def hear(word: str) -> None:
        heard.append(word)
        raise Enough

    with streaming(hear), pytest.raises(Enough):
        _ask()
    assert heard == [WORDS[0]]
