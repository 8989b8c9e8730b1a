"""A chat model behind an OpenAI-compatible server: vLLM, a hosted service, or anything that speaks the same.

Answers are streamed where the server does so: limits of time and size, and leaving in the middle, rest on that.

KernelGen-LM is asked in the form that it was trained on: one raw completion, whose answer begins inside its thought.
"""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, ClassVar, get_args

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr, SecretStr

from akgen.agents.models.completion import Assembly, Completion, CompletionChoice
from akgen.agents.models.faults import TOO_LONG, EndpointFault, unknown_part
from akgen.agents.models.features import Feature
from akgen.agents.models.http_client import HttpClient
from akgen.agents.prompts import raw_text

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}
TOKEN_CHARACTERS = 32  # more than any real text has, for each token asked for
TOKEN_BYTES = 2048  # of a streamed event with ids and logprobs
FLOOR_BYTES = 1 << 16
ANY_TOKENS = 1 << 17  # where no limit was asked for


class ServedChatModel(BaseChatModel):
    """Speaks /v1/chat/completions.

    `extensions` asks for what vLLM adds: token ids and log probabilities of the chosen tokens.
    """

    features: ClassVar[frozenset[Feature]] = frozenset(get_args(Feature))

    served_name: str
    base_url: str
    api_key: SecretStr | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    timeout_s: float = 600.0  # of a whole answer, and of silence
    connections: int = 16
    extensions: bool = False
    hosted: bool = False  # knows `max_completion_tokens`, not `max_tokens`

    _wire: HttpClient = PrivateAttr()
    _unknown: frozenset[str] = PrivateAttr(default=frozenset())  # parts of requests that the server refused

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        self._wire = HttpClient(
            self.base_url, self.api_key, idle_s=self.timeout_s, connections=self.connections
        )

    @property
    def _llm_type(self) -> str:
        return "akgen-served"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.served_name, "base_url": self.base_url, **self.sampling()}

    def sampling(self) -> dict[str, float | int | None]:
        """Return what the model is asked with unless a request says otherwise."""
        names = ("temperature", "top_p", "max_tokens", "seed")
        return {n: v for n in names if (v := getattr(self, n)) is not None}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        together = Assembly(self._tokens(kwargs) * TOKEN_CHARACTERS + FLOOR_BYTES)
        with closing(self._events(messages, stop, kwargs)) as events:  # who listens may leave by raising
            for event in events:
                for index, text, thought in together.add(event):
                    if run_manager is not None and index == 0 and (thought or text):
                        run_manager.on_llm_new_token(thought + text)
        done = together.done()
        told = _usage(done)
        generations = [
            ChatGeneration(message=self._message(choice, done, told if len(done.choices) == 1 else None))
            for choice in done.choices
        ]
        return ChatResult(generations=generations, llm_output={"token_usage": told, "model_name": done.model})

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """Yield one answer as it comes; `n` is not looked at."""
        asked = {**kwargs, "n": 1}
        together = Assembly(self._tokens(asked) * TOKEN_CHARACTERS + FLOOR_BYTES)
        with closing(self._events(messages, stop, asked)) as events:
            for event in events:
                for _, text, thought in together.add(event):
                    if not text and not thought:
                        continue
                    extra = {"reasoning_content": thought} if thought else {}
                    chunk = ChatGenerationChunk(message=AIMessageChunk(content=text, additional_kwargs=extra))
                    if run_manager is not None:
                        run_manager.on_llm_new_token(thought + text, chunk=chunk)
                    yield chunk
        done = together.done()
        last = AIMessageChunk(
            content="",
            usage_metadata=_usage(done),
            response_metadata=_told(done.choices[0], done),
            chunk_position="last",
        )
        yield ChatGenerationChunk(message=last)

    def _combine_llm_outputs(self, llm_outputs: list[dict[str, Any] | None]) -> dict[str, Any]:
        return next((told for told in llm_outputs if told), {})

    def _events(
        self, messages: list[BaseMessage], stop: list[str] | None, asked: dict[str, Any]
    ) -> Generator[dict[str, Any], None, None]:
        """Ask, and once more without what the server says that it does not know."""
        within_s = asked.get("within_s") or self.timeout_s
        while True:
            body = self._body(messages, stop, asked)
            limit_bytes = self._tokens(body) * TOKEN_BYTES + FLOOR_BYTES
            if self.hosted and "max_tokens" in body:
                body["max_completion_tokens"] = body.pop("max_tokens")
            sent = self._wire.post(self._path(), body, within_s=within_s, limit_bytes=limit_bytes)
            try:
                with closing(sent):
                    yield from sent
                return
            except EndpointFault as fault:
                unknown = unknown_part(fault, body.keys() - self._unknown)
                if unknown is None and fault.status in (400, 413) and TOO_LONG.search(fault.text):
                    raise EndpointFault("too_long", fault.text, status=fault.status) from fault
                if unknown is None:
                    raise
                self._unknown = self._unknown | {unknown}

    def _body(
        self, messages: list[BaseMessage], stop: list[str] | None, asked: dict[str, Any]
    ) -> dict[str, Any]:
        body = {"model": self.served_name, "stream": True, "stream_options": {"include_usage": True}}
        body |= self._asked(messages) | self.sampling()
        body |= {k: v for k, v in asked.items() if v is not None and k not in ("within_s", "schema")}
        if self.extensions:
            body |= self._extended()
        if asked.get("schema") is not None:
            schema = asked["schema"]
            named = {"name": schema.get("title", "answer"), "schema": schema, "strict": not self.hosted}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        if stop:
            body["stop"] = stop
        return {k: v for k, v in body.items() if k not in self._unknown}

    def _tokens(self, asked: dict[str, Any]) -> int:
        """Return how many tokens all choices together may have."""
        return int(asked.get("max_tokens") or self.max_tokens or ANY_TOKENS) * int(asked.get("n") or 1)

    def _path(self) -> str:
        return "chat/completions"

    def _asked(self, messages: list[BaseMessage]) -> dict[str, Any]:
        return {"messages": [{"role": _ROLES.get(m.type, m.type), "content": m.text} for m in messages]}

    def _extended(self) -> dict[str, Any]:
        return {"logprobs": True, "return_token_ids": True}

    def _message(self, choice: CompletionChoice, whole: Completion, usage: UsageMetadata | None) -> AIMessage:
        extra: dict[str, Any] = {"reasoning_content": choice.thought} if choice.thought else {}
        return AIMessage(
            content=choice.text,
            additional_kwargs=extra,
            response_metadata=_told(choice, whole),
            usage_metadata=usage,
        )


def _told(choice: CompletionChoice, whole: Completion) -> dict[str, Any]:
    """Return what the run store keeps beside the text."""
    told = {
        "finish_reason": choice.finish,
        "model_name": whole.model,
        "refusal": choice.refusal,
        "token_ids": list(choice.token_ids) if choice.token_ids else None,
        "logprobs": list(choice.logprobs) if choice.logprobs else None,
        "prompt_token_ids": list(whole.prompt_token_ids) if whole.prompt_token_ids else None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _usage(done: Completion) -> UsageMetadata | None:
    if done.input_tokens is None or done.output_tokens is None:
        return None
    return UsageMetadata(
        input_tokens=done.input_tokens,
        output_tokens=done.output_tokens,
        total_tokens=done.input_tokens + done.output_tokens,
    )


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
