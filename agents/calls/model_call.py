"""What is kept of every request to a chat model: enough to replay it, to add up its cost, and to learn from it."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from pydantic import Field

from akgen.tools.core.frozen import Frozen

# How a reply ended: by itself; at its length limit; refused by the server or the model; beyond every limit of size;
# or not at all, because the prompt is too long for the model, or the run's budget stopped it.
Ended = Literal["stop", "length", "refused", "too_large", "too_long", "budget"]


class Usage(Frozen):
    """What a model call cost. `cost` is in the currency of the prices that the run was given."""

    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            seconds=self.seconds + other.seconds,
            cost=self.cost + other.cost,
        )


class Sampling(Frozen):
    """How replies are drawn, for each attempt; the last value holds for those after it.

    The values are those that the released models were evaluated with.
    """

    temperature: tuple[float, ...] = Field(default=(0.7,), min_length=1)
    top_p: tuple[float, ...] = Field(default=(0.9,), min_length=1)
    max_tokens: int = 16_384

    def at(self, attempt: int) -> dict[str, float]:
        """Return temperature and top_p of an attempt; the first is 1."""
        return {
            "temperature": self.temperature[min(attempt, len(self.temperature)) - 1],
            "top_p": self.top_p[min(attempt, len(self.top_p)) - 1],
        }


class Price(Frozen):
    """Per million tokens, in any one currency."""

    input: float = 0.0
    output: float = 0.0

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


class CallLimits(Frozen):
    """What all model calls of a run together may cost. None is no limit; `seconds` are those of the calls."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def used_up(self, spent: Usage) -> str | None:
        """Return which limit is reached, as a sentence with both numbers, or None."""
        tokens = spent.input_tokens + spent.output_tokens
        if self.tokens is not None and tokens >= self.tokens:
            return f"The run's model calls used {tokens} of {self.tokens} tokens."
        if self.cost is not None and spent.cost >= self.cost:
            return f"The run's model calls cost {spent.cost:.4g} of {self.cost:g}."
        if self.seconds is not None and spent.seconds >= self.seconds:
            return f"The run's model calls took {spent.seconds:.0f} of {self.seconds:g} s."
        return None


class Reply(Frozen):
    """One candidate. `usage` is its share of the request's: shares add up to the whole."""

    sample: int
    text: str  # with its thought in <think> tags
    ended: Ended
    finish: str | None = None  # the server's word
    usage: Usage
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


Turn = tuple[Literal["system", "user", "assistant"], str]


class ModelRequest(Frozen):
    """What is asked, for which samples. `key` is what the call is found by later."""

    key: str
    role: str
    attempt: int
    turn: int
    samples: tuple[int, ...]
    messages: tuple[Turn, ...]
    json_schema: dict[str, Any] | None = None


class ModelCall(Frozen):
    """One request and its replies; `failed` says why there are none."""

    key: str  # of the request, without sample, model and parameters: what a replay finds it by
    run: str | None = None  # these three are None outside of a run
    task: str | None = None
    node: str | None = None
    role: str
    attempt: int
    turn: int
    model: str
    endpoint: str
    prompt_sha256: str
    parameters: dict[str, float | int | str | bool | None]
    at: datetime
    tries: int
    usage: Usage
    replies: tuple[Reply, ...] = ()
    prompt_token_ids: tuple[int, ...] | None = None
    failed: str | None = None

    @property
    def samples(self) -> tuple[int, ...]:
        return tuple(reply.sample for reply in self.replies)


class CallStore(Protocol):
    """Where a run keeps its calls. Several threads and processes write side by side."""

    def known(self, key: str, sample: int) -> bool:
        """Say whether a call holds a reply for this sample."""
        ...

    def take(self, key: str, sample: int) -> ModelCall | None:
        """Return the call that holds a reply for this sample, or None."""
        ...

    def keep(self, call: ModelCall) -> None:
        """Put a call on disk. Raises InfraError."""
        ...

    def total(self) -> Usage:
        """Return what all calls of the run cost until now."""
        ...


class InMemoryCallStore:
    """Calls where no run is kept: replies wait until they are taken, and asking once more asks anew."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], ModelCall] = {}
        self._total = Usage()

    def known(self, key: str, sample: int) -> bool:
        return (key, sample) in self._waiting

    def take(self, key: str, sample: int) -> ModelCall | None:
        return self._waiting.pop((key, sample), None)

    def keep(self, call: ModelCall) -> None:
        self._waiting |= {(call.key, sample): call for sample in call.samples}
        self._total = self._total.plus(call.usage)

    def total(self) -> Usage:
        return self._total


def prompt_digest(messages: Sequence[tuple[str, str]]) -> str:
    return hashlib.sha256(json.dumps(messages).encode()).hexdigest()


def call_key(
    task: str | None, role: str, attempt: int, turn: int, messages: Sequence[tuple[str, str]], aside: str
) -> str:
    """Return what a request is found by.

    `aside` is the part of the prompt that says what may still be spent: seconds differ from run to run.
    """
    kept = [(who, text.replace(aside, "") if aside else text) for who, text in messages]
    return hashlib.sha256(json.dumps([task, role, attempt, turn, kept]).encode()).hexdigest()


def shares(whole: int, weights: list[int]) -> list[int]:
    """Divide tokens by weight so that the parts add up to the whole."""
    total = sum(weights)
    if total == 0:
        weights, total = [1] * len(weights), len(weights)
    ends = [whole * sum(weights[: i + 1]) // total for i in range(len(weights))]
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
