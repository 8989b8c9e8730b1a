"""Record what a chat model replies, and replay it without the model: from a tape, or from a run's folder."""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any, ClassVar

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult

from akgen.agents.calls.model_call import ModelCall, Reply
from akgen.agents.models.features import Feature, features_of
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import MOST_RECORDING_BYTES, read_json_lines, read_model


def request_key(messages: list[BaseMessage], metadata: dict[str, Any], sample: int) -> str:
    """Return the SHA-256 of a request: its messages, and which sample, attempt and turn asks."""
    asked = {"role": metadata.get("role"), "sample": sample, "attempt": metadata.get("attempt")}
    if metadata.get("turn", 1) > 1:
        asked["turn"] = metadata["turn"]
    said = [[m.type, m.content] for m in messages]
    return hashlib.sha256(json.dumps([asked, said], sort_keys=True).encode()).hexdigest()


def _samples(metadata: dict[str, Any], n: int | None) -> list[int]:
    first = metadata.get("sample", 0)
    return list(metadata.get("samples") or range(first, first + (n or 1)))


def _read(path: Path) -> dict[str, AIMessage]:
    """Return the recorded replies by key; a torn last line is left out."""
    found = {}
    remedy = "Record one with --model record:FILE:MODEL."
    for line in read_json_lines(path, remedy):
        try:
            found[str(line["key"])] = AIMessage.model_validate(line["reply"])
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise InputError(f"{path} is not a recording: {shown(str(problem))}.", remedy) from problem
    return found


class ReplayChatModel(BaseChatModel):
    """Answers from a recording, and nothing else.

    `replies` are found by the request's messages (a tape), `calls` by the key of the call and its sample (a run).
    """

    features: ClassVar[frozenset[Feature]] = frozenset(("n", "tokens"))

    path: Path
    replies: dict[str, AIMessage] = {}  # noqa: RUF012 (a pydantic field)
    calls: dict[tuple[str, int], AIMessage] = {}  # noqa: RUF012

    @classmethod
    def read(cls, path: Path) -> "ReplayChatModel":
        """Read a recording: a tape, or the folder of a run.

        Raises InputError if it is missing or something else.
        """
        try:
            if path.is_dir():
                return cls(path=path, calls=read_run(path))
            return cls(path=path, replies=_read(path))
        except OSError as problem:
            raise InputError(
                f"The recording {path} cannot be read: {problem.strerror}.",
                f"Record one with --model record:FILE:MODEL, or give a run's folder with {CALLS}/.",
            ) from problem

    @property
    def _llm_type(self) -> str:
        return "akgen-replay"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop
        metadata = (run_manager.metadata or {}) if run_manager else {}
        found: list[ChatGeneration] = []
        for sample in _samples(metadata, kwargs.get("n")):
            reply = self.calls.get((metadata.get("key", ""), sample))
            reply = reply or self.replies.get(request_key(messages, metadata, sample))
            if reply is None and not found:
                raise InputError(
                    f"The recording {self.path} has no reply to this request "
                    f"({metadata.get('role')}, attempt {metadata.get('attempt')}).",
                    "Record it again: the task, the prompts or the toolchain's findings have changed.",
                )
            if reply is None:
                break  # whoever needs it asks again, and is told
            found.append(ChatGeneration(message=reply))
        return ChatResult(generations=found)


class RecordingChatModel(BaseChatModel):
    """Asks another model and appends each exchange to a file; what is already recorded is not asked again."""

    path: Path
    inner: BaseChatModel

    @property
    def features(self) -> frozenset[Feature]:
        return features_of(self.inner)

    @property
    def _llm_type(self) -> str:
        return "akgen-recording"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        metadata = (run_manager.metadata or {}) if run_manager else {}
        keys = [request_key(messages, metadata, sample) for sample in _samples(metadata, kwargs.get("n"))]
        known = _read(self.path) if self.path.is_file() else {}
        if all(key in known for key in keys):
            return ChatResult(generations=[ChatGeneration(message=known[key]) for key in keys])
        asked = self.inner.generate([messages], stop=stop, metadata=metadata, **kwargs)
        generations = [g for g in asked.generations[0] if isinstance(g, ChatGeneration)]
        lines = [
            json.dumps({"key": key, "role": metadata.get("role"), "reply": g.message.model_dump(mode="json")})
            for key, g in zip(keys, generations, strict=False)
        ]
        self._append(lines)
        return ChatResult(generations=generations, llm_output=asked.llm_output)

    def _combine_llm_outputs(self, llm_outputs: list[dict[str, Any] | None]) -> dict[str, Any]:
        return next((told for told in llm_outputs if told), {})

    def _append(self, lines: list[str]) -> None:
        """Append under a lock (samples run side by side); a torn end that a crash left is cut off."""
        try:
            with self.path.open("ab+") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX)
                handle.seek(0)
                data = handle.read()
                handle.truncate(data.rfind(b"\n") + 1)
                handle.write("".join(line + "\n" for line in lines).encode())
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as problem:
            raise InfraError(
                f"The recording {self.path} cannot be written: {problem.strerror}.", "Choose another file."
            ) from problem


CALLS = "calls"  # the folder below a run's; docs/run_store.md


def read_run(folder: Path) -> dict[tuple[str, int], AIMessage]:
    """Return the reply to every call, by the call's key and the sample.

    Raises InputError if the folder holds no calls, or if one cannot be read.
    """
    found: dict[tuple[str, int], AIMessage] = {}
    for path in sorted((folder / CALLS).glob("*.json")):
        call = read_call(path)
        found |= {(call.key, reply.sample): _message(call, reply) for reply in call.replies}
    if not found:
        raise InputError(
            f"{folder} holds no model calls.", "Give the folder of a run that was made with a model."
        )
    return found


def recorded_model(folder: Path) -> str | None:
    """Return which model a run's calls were made to; None if it holds none."""
    for path in sorted((folder / CALLS).glob("*.json")):
        return read_call(path).model
    return None


def read_call(path: Path) -> ModelCall:
    """Read one call. Raises InputError."""
    remedy = "It was damaged or written by another version of AKGen."
    return read_model(ModelCall, path, remedy, most_bytes=MOST_RECORDING_BYTES, finite=False)


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
