"""Record what a chat model replies, and replay it without the model."""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from akgen.tools.outcome import InfraError, InputError


def request_key(messages: list[BaseMessage], metadata: dict[str, Any]) -> str:
    """Return the SHA-256 of a request: its messages, and which sample and attempt asks."""
    asked = {name: metadata.get(name) for name in ("role", "sample", "attempt")}
    said = [[m.type, m.content] for m in messages]
    return hashlib.sha256(json.dumps([asked, said], sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the recorded replies by key; a torn last line is left out."""
    found = {}
    for row in path.read_bytes().split(b"\n")[:-1]:
        try:
            line = json.loads(row)
            found[line["key"]] = line
        except (ValueError, KeyError, TypeError) as problem:
            raise InputError(
                f"{path} is not a recording: {problem}.", "Record one with --model record:FILE:MODEL."
            ) from problem
    return found


class ReplayChatModel(BaseChatModel):
    """Answers from a recording, and nothing else."""

    path: Path
    replies: dict[str, dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> "ReplayChatModel":
        """Read a recording.

        Raises InputError if the file is missing or something else.
        """
        try:
            return cls(path=path, replies=_read(path))
        except OSError as problem:
            raise InputError(
                f"The recording {path} cannot be read: {problem.strerror}.",
                "Record one with --model record:FILE:MODEL.",
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
        del stop, kwargs
        metadata = (run_manager.metadata or {}) if run_manager else {}
        line = self.replies.get(request_key(messages, metadata))
        if line is None:
            raise InputError(
                f"The recording {self.path} has no reply to this request "
                f"({metadata.get('role')}, attempt {metadata.get('attempt')}).",
                "Record it again: the task, the prompts or the toolchain's findings have changed.",
            )
        return ChatResult(generations=[ChatGeneration(message=AIMessage.model_validate(line["reply"]))])


class RecordingChatModel(BaseChatModel):
    """Asks another model and appends each exchange to a file; what is already recorded is not asked again."""

    path: Path
    inner: BaseChatModel

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
        key = request_key(messages, metadata)
        known = _read(self.path).get(key) if self.path.is_file() else None
        if known is not None:
            return ChatResult(generations=[ChatGeneration(message=AIMessage.model_validate(known["reply"]))])
        reply = self.inner.invoke(messages, {"metadata": metadata}, stop=stop, **kwargs)
        line = {"key": key, "role": metadata.get("role"), "reply": reply.model_dump(mode="json")}
        self._append(json.dumps(line))
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _append(self, line: str) -> None:
        """Append under a lock (samples run side by side); a torn end that a crash left is cut off."""
        try:
            with self.path.open("ab+") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX)
                handle.seek(0)
                data = handle.read()
                handle.truncate(data.rfind(b"\n") + 1)
                handle.write(line.encode() + b"\n")
                handle.flush()
                os.fsync(handle.fileno())
        except OSError as problem:
            raise InfraError(
                f"The recording {self.path} cannot be written: {problem.strerror}.", "Choose another file."
            ) from problem
