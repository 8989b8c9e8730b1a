"""A chat model that reads its replies from a file: the loop's rehearsal partner, for tests and for bug reports.

The file is JSONL; each line is a reply: {"role": "planner" | "coder", "text": ..., "attempt": N?}. A line without
`attempt` counts within its role: the first answers attempt 1, the next attempt 2. A line with `turn` answers when an
attempt is asked again in the same exchange; without one, the model insists on what it said first. The model keeps no
position, so a resumed run gets the reply that the interrupted one would have got.
"""

from pathlib import Path
from typing import Any, ClassVar, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import TypeAdapter, ValidationError

from akgen.agents.models.features import Feature
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import MOST_RECORDING_BYTES, Count, Finite, first_fault, read_text


class ScriptedReply(Frozen):
    """One scripted reply."""

    role: Literal["planner", "coder", "critic", "chat"]
    text: str
    attempt: int | None = None
    sample: int | None = None  # None answers every sample
    turn: int = 1
    finish: Literal["stop", "length", "content_filter"] = "stop"
    token_ids: tuple[Count, ...] = ()
    logprobs: tuple[Finite, ...] = ()
    input_tokens: Count = 0
    output_tokens: Count = 0


class ScriptedChatModel(BaseChatModel):
    """Answers by role and attempt, which the caller gives as metadata."""

    features: ClassVar[frozenset[Feature]] = frozenset(("n", "tokens"))

    path: Path
    lines: tuple[ScriptedReply, ...]

    @classmethod
    def read(cls, path: Path) -> "ScriptedChatModel":
        """Read a script.

        Raises InputError with the line that cannot be used.
        """
        text = read_text(path, most_bytes=MOST_RECORDING_BYTES)
        one, lines = TypeAdapter(ScriptedReply), []
        for number, row in enumerate(text.split("\n"), start=1):
            if not row.strip():
                continue
            try:
                lines.append(one.validate_json(row))
            except ValidationError as problem:
                raise InputError(
                    f"The script {path}, line {number}: {first_fault(problem)}.",
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
        del messages, stop
        known = (run_manager.metadata or {}) if run_manager else {}
        role, attempt, sample = known.get("role"), known.get("attempt", 1), known.get("sample", 0)
        turn = known.get("turn", 1)
        wanted = known.get("samples") or range(sample, sample + (kwargs.get("n") or 1))
        lines = [self._find(role, attempt, number, turn) for number in wanted]
        if lines[0] is None:
            raise InputError(
                f"The script {self.path} has no reply for the {role}'s attempt {attempt}.",
                "Add a line for it, or allow fewer attempts with --attempts.",
            )
        # A sample that the script does not know is not answered; whoever needs it asks again and is told.
        return ChatResult(generations=[_generation(line) for line in lines if line is not None])

    def _find(self, role: str | None, attempt: int, sample: int, turn: int) -> ScriptedReply | None:
        mine = [x for x in self.lines if x.role == role and x.sample in (None, sample)]
        first = [line for line in mine if line.turn == 1]
        later = next((x for x in mine if x.turn == turn != 1 and x.attempt in (None, attempt)), None)
        if later is not None:
            return later
        for position, line in enumerate(first, start=1):
            if (line.attempt or position) == attempt:
                return line
        return None


def _generation(line: ScriptedReply) -> ChatGeneration:
    usage = UsageMetadata(
        input_tokens=line.input_tokens,
        output_tokens=line.output_tokens,
        total_tokens=line.input_tokens + line.output_tokens,
    )
    told: dict[str, Any] = {"finish_reason": line.finish}
    if line.token_ids:
        told |= {"token_ids": list(line.token_ids), "logprobs": list(line.logprobs)}
    return ChatGeneration(message=AIMessage(content=line.text, usage_metadata=usage, response_metadata=told))
