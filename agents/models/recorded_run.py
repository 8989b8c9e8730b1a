"""A run's folder as a recording: the replies that its model calls brought."""

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic import ValidationError

from akgen.agents.calls.model_call import ModelCall, Reply
from akgen.tools.core.outcome import InputError

CALLS = "calls"  # the folder below a run's; docs/run_store.md


def read_run(folder: Path) -> dict[tuple[str, int], AIMessage]:
    """Return the reply to every call, by the call's key and the sample.

    Raises InputError if the folder holds no calls, or if one cannot be read.
    """
    found: dict[tuple[str, int], AIMessage] = {}
    for path in sorted((folder / CALLS).glob("*.json")):
        try:
            call = ModelCall.model_validate_json(path.read_text())
        except ValidationError as problem:
            raise InputError(
                f"{path} is not a model call: {problem.errors()[0]['msg']}.",
                "It was damaged or written by another version of AKGen.",
            ) from problem
        found |= {(call.key, reply.sample): _message(call, reply) for reply in call.replies}
    if not found:
        raise InputError(
            f"{folder} holds no model calls.", "Give the folder of a run that was made with a model."
        )
    return found


def recorded_model(folder: Path) -> str | None:
    """Return which model a run's calls were made to; None if it holds none."""
    for path in sorted((folder / CALLS).glob("*.json")):
        return ModelCall.model_validate_json(path.read_text()).model
    return None


def _message(call: ModelCall, reply: Reply) -> AIMessage:
    told: dict[str, Any] = {"finish_reason": reply.finish, "seconds": reply.usage.seconds}
    if reply.ended in ("refused", "too_large", "too_long"):
        told["ended"] = reply.ended
    for name, value in (
        ("token_ids", reply.token_ids),
        ("logprobs", reply.logprobs),
        ("prompt_token_ids", call.prompt_token_ids),
    ):
        if value is not None:
            told[name] = list(value)
    asked, said = reply.usage.input_tokens, reply.usage.output_tokens
    usage = UsageMetadata(input_tokens=asked, output_tokens=said, total_tokens=asked + said)
    return AIMessage(content=reply.text, usage_metadata=usage, response_metadata=told)
