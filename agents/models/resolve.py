"""From what the user wrote after --model to a chat model; among them one that reads its replies from a file.

`vllm:NAME` and `kernelgen:NAME` (a vLLM server, on this machine unless --base-url says otherwise), `openai:NAME` (a
hosted model, or any compatible server with --base-url), `local:FOLDER` (a checkpoint, in this process),
`scripted:FILE`, `replay:FILE-OR-RUN`, `record:FILE:MODEL`, or `KIND:REST` where a package registers KIND under the
entry point group `akgen.models`.

The file of a scripted model is JSONL; each line is a reply: {"role": "planner" | "coder", "text": ..., "attempt": N?}.
A line without `attempt` counts within its role: the first answers attempt 1, the next attempt 2. A line with `turn`
answers when an attempt is asked again in the same exchange; without one, the model insists on what it said first. The
model keeps no position, so a resumed run gets the reply that the interrupted one would have got.
"""

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import SecretStr, TypeAdapter, ValidationError

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.features import Feature
from akgen.agents.models.replay import RecordingChatModel, ReplayChatModel, recorded_model
from akgen.agents.run_config import MODELS, SolveConfig
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.untrusted import MOST_RECORDING_BYTES, Count, Finite, first_fault, read_text

GROUP = "akgen.models"
LOCAL = "http://127.0.0.1:8000/v1"  # where `akgen serve` listens unless told otherwise
HOSTED = "https://api.openai.com/v1"
_KINDS = MODELS.rstrip(".")


class ModelOptions(Frozen):
    """What a model is made with; also what a package's function under `akgen.models` is given."""

    base_url: str | None = None
    api_key: SecretStr | None = None
    sampling: Sampling = Sampling()
    timeout_s: float = 600.0
    seed: int = 0
    tries: int = 5  # of a request, before the endpoint counts as down
    first_wait_s: float = 1.0  # between two tries; it doubles
    connections: int = 16  # at the same time, to one endpoint


def model_options(config: SolveConfig, settings: Settings) -> ModelOptions:
    """Return what the configuration and this machine's settings say about a model."""
    return ModelOptions(
        base_url=config.base_url,
        api_key=SecretStr(settings.api_key) if settings.api_key else None,
        sampling=config.sampling,
        timeout_s=settings.model_timeout_s,
        seed=config.seed,
        tries=settings.model_tries,
        first_wait_s=settings.model_wait_s,
    )


def resolve_model(spec: str, options: ModelOptions) -> BaseChatModel:
    """Return the chat model that `spec` names.

    Raises InputError for an unknown kind, a missing name or an unreadable file.
    """
    kind, _, rest = spec.partition(":")
    if not rest:
        raise InputError(f"The model {spec!r} cannot be used.", f"Known forms are {_KINDS}.")
    if kind in ("openai", "vllm", "kernelgen"):
        return _served(kind, rest, options)
    if kind == "local":
        from akgen.agents.models.local import LocalChatModel  # imports torch

        return LocalChatModel.load(Path(rest), options.sampling, options.seed)
    if kind == "scripted":
        return ScriptedChatModel.read(Path(rest))
    if kind == "replay":
        return ReplayChatModel.read(Path(rest))
    if kind == "record":
        file, _, inner = rest.partition(":")
        if not inner:
            raise InputError(f"The model {spec!r} does not say what to record.", "Write record:FILE:MODEL.")
        return RecordingChatModel(path=Path(file), inner=resolve_model(inner, options))
    for point in entry_points(group=GROUP):
        if point.name == kind:
            made = point.load()(rest, options)
            if not isinstance(made, BaseChatModel):
                raise InputError(
                    f"{point.value} gave no chat model for {spec!r}.", "See the package that brings it."
                )
            return made
    raise InputError(f"There is no kind of model named {kind!r}.", f"Known forms are {_KINDS}.")


def endpoint_name(spec: str, options: ModelOptions) -> str:
    """Return how error texts call the model's endpoint."""
    return options.base_url or (LOCAL if spec.startswith(("vllm:", "kernelgen:")) else spec)


def speaks_kernelgen(spec: str) -> bool:
    """Say whether the model is asked in KernelGen-LM's form; also where its calls are recorded or replayed."""
    kind, _, rest = spec.partition(":")
    if kind == "replay" and Path(rest).is_dir():
        return speaks_kernelgen(recorded_model(Path(rest)) or "")
    return kind == "kernelgen" or (kind == "record" and speaks_kernelgen(rest.partition(":")[2]))


def is_local(spec: str) -> bool:
    """Say whether the model is a checkpoint of our own training; also where its calls are recorded or replayed."""
    kind, _, rest = spec.partition(":")
    if kind == "replay" and Path(rest).is_dir():
        return is_local(recorded_model(Path(rest)) or "")
    return kind == "local" or (kind == "record" and is_local(rest.partition(":")[2]))


def _served(kind: str, name: str, options: ModelOptions) -> BaseChatModel:
    from akgen.agents.models.served import KernelGenChatModel, ServedChatModel

    hosted = kind == "openai" and options.base_url is None
    if hosted and options.api_key is None:
        raise InputError(
            "The model needs a key.", "Set AKGEN_API_KEY, or give --base-url for a local server."
        )
    made = KernelGenChatModel if kind == "kernelgen" else ServedChatModel
    return made(
        served_name=name,
        base_url=options.base_url or (HOSTED if hosted else LOCAL),
        api_key=options.api_key,
        **options.sampling.at(1),
        max_tokens=options.sampling.max_tokens,
        timeout_s=options.timeout_s,
        connections=options.connections,
        extensions=kind != "openai",
        hosted=hosted,
    )


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
