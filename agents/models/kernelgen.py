"""KernelGen-LM in the form that it was trained on: one raw completion, whose answer begins inside its thought."""

from typing import Any, ClassVar

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata

from akgen.agents.models.completion import Completion, CompletionChoice
from akgen.agents.models.features import Feature
from akgen.agents.models.served import ServedChatModel
from akgen.agents.prompts import raw_text

THINK = "<think>"


class KernelGenChatModel(ServedChatModel):
    """Speaks /v1/completions. A conversation becomes one user turn: the models know no other.

    Not covered: JSON schemas, for a grammar would forbid the thought that every answer begins with.
    """

    features: ClassVar[frozenset[Feature]] = frozenset(("seed", "n", "tokens", "within"))
    extensions: bool = True

    @property
    def _llm_type(self) -> str:
        return "akgen-kernelgen"

    def _path(self) -> str:
        return "completions"

    def _asked(self, messages: list[BaseMessage]) -> dict[str, Any]:
        said = "\n\n".join(str(m.text).strip() for m in messages if str(m.text).strip())
        before, after = raw_text("kernelgen_frame.txt").split("%s")
        return {"prompt": before + said + after}

    def _extended(self) -> dict[str, Any]:
        return {"logprobs": 0, "return_token_ids": True}

    def _message(self, choice: CompletionChoice, whole: Completion, usage: UsageMetadata | None) -> AIMessage:
        message = super()._message(choice, whole, usage)
        return message.model_copy(update={"content": THINK + choice.text})
