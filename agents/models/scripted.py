"""A chat model that reads its replies from a file: the loop's rehearsal partner, for tests and for bug reports.

The file is JSONL; each line is a reply: {"role": "planner" | "coder", "text": ..., "attempt": N?}. A line without
`attempt` counts within its role: the first answers attempt 1, the next attempt 2. The model keeps no position, so a
resumed run gets the reply that the interrupted one would have got.
"""

from pathlib import Path
from typing import Any, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import TypeAdapter, ValidationError

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InputError


class Line(Frozen):
    """One scripted reply."""

    role: Literal["planner", "coder", "chat"]
    text: str
    attempt: int | None = None
    sample: int | None = None  # None answers every sample
    input_tokens: int = 0
    output_tokens: int = 0


class ScriptedChatModel(BaseChatModel):
    """Answers by role and attempt, which the caller gives as metadata."""

    path: Path
    lines: tuple[Line, ...]

    @classmethod
    def read(cls, path: Path) -> "ScriptedChatModel":
        """Read a script.

        Raises InputError with the line that cannot be used.
        """
        try:
            text = path.read_text()
        except OSError as problem:
            raise InputError(
                f"The script {path} cannot be read: {problem.strerror}.", "Check the path."
            ) from problem
        one, lines = TypeAdapter(Line), []
        for number, row in enumerate(text.splitlines(), start=1):
            if not row.strip():
                continue
            try:
                lines.append(one.validate_json(row))
            except ValidationError as problem:
                raise InputError(
                    f"The script {path}, line {number}: {problem.errors()[0]['msg']}.",
                    'Each line is an object such as {"role": "coder", "text": "..."}.',
                ) from problem
        return cls(path=path, lines=tuple(lines))

    @property
    def _llm_type(self) -> str:
        return "akgen-scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del messages, stop, kwargs
        known = (run_manager.metadata or {}) if run_manager else {}
        role, attempt, sample = known.get("role"), known.get("attempt", 1), known.get("sample", 0)
        line = self._find(role, attempt, sample)
        if line is None:
            raise InputError(
                f"The script {self.path} has no reply for the {role}'s attempt {attempt}.",
                "Add a line for it, or allow fewer attempts with --attempts.",
            )
        usage = {
            "input_tokens": line.input_tokens,
            "output_tokens": line.output_tokens,
            "total_tokens": line.input_tokens + line.output_tokens,
        }
        message = AIMessage(content=line.text, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _find(self, role: str | None, attempt: int, sample: int) -> Line | None:
        mine = [x for x in self.lines if x.role == role and x.sample in (None, sample)]
        for position, line in enumerate(mine, start=1):
            if (line.attempt or position) == attempt:
                return line
        return None
