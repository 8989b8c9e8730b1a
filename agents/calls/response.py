"""Turn what LangChain hands back into the replies that a run keeps."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from akgen.agents.calls.model_call import Ended, Price, Reply, Usage, shares

CHARACTERS_PER_TOKEN = 4  # an estimate, for servers that report no usage: a token budget must still hold


def replies_of(
    result: LLMResult, samples: Sequence[int], prompt_characters: int, seconds: float, price: Price
) -> tuple[Reply, ...]:
    """Return one reply per candidate, for these samples in order; their usage adds up to the request's."""
    messages = [g.message for g in result.generations[0] if isinstance(g, ChatGeneration)]
    candidates = [m for m in messages if isinstance(m, AIMessage)][: len(samples)]
    texts = [_text(m) for m in candidates]
    counts = _counts(result, candidates, texts, prompt_characters)
    found = []
    for message, text, sample, (asked, said) in zip(candidates, texts, samples, counts, strict=False):
        told = message.response_metadata
        usage = Usage(
            input_tokens=asked,
            output_tokens=said,
            seconds=told.get("seconds", seconds / len(candidates)),
            cost=price.of(asked, said),
        )
        found.append(
            Reply(
                sample=sample,
                text=text,
                ended=_ended(told),
                finish=told.get("finish_reason"),
                usage=usage,
                token_ids=_tuple(told.get("token_ids")),
                logprobs=_tuple(told.get("logprobs")),
            )
        )
    return tuple(found)


def prompt_ids_of(result: LLMResult) -> tuple[int, ...] | None:
    """Return the prompt as the server counted it, where it says so."""
    first = result.generations[0][0] if result.generations[0] else None
    if not isinstance(first, ChatGeneration):
        return None
    return _tuple(first.message.response_metadata.get("prompt_token_ids"))


def _text(message: AIMessage) -> str:
    """Return the reply; a thought that the server split off is put back in front, a refusal stands for the text."""
    said = str(message.text) or str(message.response_metadata.get("refusal") or "")
    thought = message.additional_kwargs.get("reasoning_content")
    if not thought:
        return said
    # A thought that never ended leaves nothing to say: it stays open, as the model left it.
    cut = not said and message.response_metadata.get("finish_reason") == "length"
    return f"<think>{thought}" if cut else f"<think>{thought}</think>\n{said}"


def _ended(told: Mapping[str, Any]) -> Ended:
    if "ended" in told:  # a replay knows it
        return cast(Ended, told["ended"])
    if told.get("refusal") or told.get("finish_reason") == "content_filter":
        return "refused"
    return "length" if told.get("finish_reason") in ("length", "max_tokens") else "stop"


def _counts(
    result: LLMResult, candidates: Sequence[AIMessage], texts: Sequence[str], prompt_characters: int
) -> list[tuple[int, int]]:
    """Return (input, output) tokens of each candidate."""
    whole = _told(result)
    own = [m.usage_metadata for m in candidates]
    if all(u is not None for u in own) and (len(own) == 1 or whole is None):
        return [(u["input_tokens"], u["output_tokens"]) for u in own if u is not None]
    if whole is None:
        said = [len(text) // CHARACTERS_PER_TOKEN for text in texts]
        asked = shares(prompt_characters // CHARACTERS_PER_TOKEN, [1] * len(texts))
        return list(zip(asked, said, strict=True))
    ids = [len(m.response_metadata.get("token_ids") or ()) for m in candidates]
    weights = ids if sum(ids) == whole[1] else [len(text) for text in texts]
    return list(zip(shares(whole[0], [1] * len(texts)), shares(whole[1], weights), strict=True))


def _told(result: LLMResult) -> tuple[int, int] | None:
    """Return the request's tokens as the server counted them; packages name them in two ways."""
    usage = (result.llm_output or {}).get("token_usage") or {}
    asked = usage.get("input_tokens", usage.get("prompt_tokens"))
    said = usage.get("output_tokens", usage.get("completion_tokens"))
    return None if asked is None or said is None else (asked, said)


def _tuple(values: Any) -> tuple[Any, ...] | None:
    return tuple(values) if values else None
