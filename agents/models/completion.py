"""What an OpenAI-compatible server answers, put together from one document or from the events of a stream."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from akgen.agents.models.faults import EndpointFault
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import Count, Finite

MOST_CHOICES = 10_000


class CompletionChoice(Frozen):
    """One candidate. `finish` is the server's word: stop, length, content_filter, ..."""

    text: str
    thought: str | None = None  # what the server split off as reasoning
    refusal: str | None = None
    finish: str | None = None
    token_ids: tuple[Count, ...] | None = None
    logprobs: tuple[Finite, ...] | None = None  # of the tokens that were chosen


class Completion(Frozen):
    """All candidates of one request."""

    choices: tuple[CompletionChoice, ...]
    model: str | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None  # over all choices
    prompt_token_ids: tuple[Count, ...] | None = None


class Assembly:
    """Collects events; the same for chat and for raw completions, for streams and for whole answers.

    `most_characters` bounds the text of all choices together: a server may ignore how many tokens it was asked for.
    """

    def __init__(self, most_characters: int) -> None:
        self._room = self._most_characters = most_characters
        self._parts: dict[int, _Part] = {}
        self._model: str | None = None
        self._usage: dict[str, Any] = {}
        self._prompt_ids: list[int] | None = None

    def add(self, event: dict[str, Any]) -> list[tuple[int, str, str]]:
        """Take an event in; return what it brought as (choice, text, thought).

        Raises EndpointFault for a document of another form.
        """
        with _of_this_form():
            return self._take(event)

    def _take(self, event: dict[str, Any]) -> list[tuple[int, str, str]]:
        self._model = event.get("model") or self._model
        self._usage = event.get("usage") or self._usage
        self._prompt_ids = event.get("prompt_token_ids") or self._prompt_ids
        choices = event.get("choices")
        if not isinstance(choices, list):
            raise EndpointFault(
                "unreadable", f"the answer has no choices but {', '.join(event) or 'nothing'}"
            )
        brought = []
        for raw in choices:
            if not isinstance(raw, dict):
                raise EndpointFault("unreadable", "a choice of the answer is no object")
            self._prompt_ids = raw.get("prompt_token_ids") or self._prompt_ids
            index = int(raw.get("index") or 0)
            if not 0 <= index < MOST_CHOICES:
                raise EndpointFault("unreadable", f"the answer has a choice {index}")
            text, thought = self._parts.setdefault(index, _Part()).add(raw)
            self._room -= len(text) + len(thought)
            if self._room < 0:
                raise EndpointFault(
                    "too_large", f"the answer has more than {self._most_characters} characters"
                )
            brought.append((index, text, thought))
        return brought

    def done(self) -> Completion:
        """Return the whole. Raises EndpointFault if a choice has no end, or there is none."""
        if not self._parts:
            raise EndpointFault("unreadable", "the answer has no choices")
        if any(part.finish is None for part in self._parts.values()):
            raise EndpointFault("cut", "the answer ended before its end")
        with _of_this_form():
            return Completion(
                choices=tuple(part.choice() for _, part in sorted(self._parts.items())),
                model=self._model,
                input_tokens=self._usage.get("prompt_tokens"),
                output_tokens=self._usage.get("completion_tokens"),
                prompt_token_ids=tuple(self._prompt_ids) if self._prompt_ids else None,
            )


@contextmanager
def _of_this_form() -> Iterator[None]:
    """Turn what a document of another form leads to into a fault of the endpoint."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as problem:
        text = "the answer is JSON of another form than a completion's"
        raise EndpointFault("unreadable", text) from problem


class _Part:
    """One choice, growing."""

    def __init__(self) -> None:
        self.finish: str | None = None
        self._text: list[str] = []
        self._thought: list[str] = []
        self._refusal: list[str] = []
        self._ids: list[int] = []
        self._logprobs: list[float] = []

    def add(self, raw: dict[str, Any]) -> tuple[str, str]:
        message = raw.get("delta") or raw.get("message") or {}
        text = _string(raw.get("text") or message.get("content"))
        thought = _string(message.get("reasoning_content") or message.get("reasoning"))
        self._text.append(text)
        self._thought.append(thought)
        self._refusal.append(_string(message.get("refusal")))
        self._ids += raw.get("token_ids") or ()
        self._logprobs += _logprobs(raw.get("logprobs"))
        whole = "stop" if "message" in raw else None  # some servers give whole answers no reason
        self.finish = raw.get("finish_reason") or self.finish or whole
        return text, thought

    def choice(self) -> CompletionChoice:
        return CompletionChoice(
            text="".join(self._text),
            thought="".join(self._thought) or None,
            refusal="".join(self._refusal) or None,
            finish=self.finish,
            token_ids=tuple(self._ids) or None,
            logprobs=tuple(self._logprobs) or None,
        )


def _string(value: Any) -> str:
    """Return a text; of a list of content parts, their texts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_string(part.get("text")) for part in value if isinstance(part, dict))
    raise EndpointFault("unreadable", f"the answer's text is a JSON {type(value).__name__}")


def _logprobs(raw: Any) -> list[float]:
    """Return the chosen tokens' log probabilities, in the chat form or in that of raw completions."""
    if not isinstance(raw, dict):
        return []
    if raw.get("content"):
        return [float(token["logprob"]) for token in raw["content"]]
    return [float(value) for value in raw.get("token_logprobs") or () if value is not None]
