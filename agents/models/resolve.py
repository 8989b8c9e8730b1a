"""From what the user wrote after --model to a chat model.

`vllm:NAME` and `kernelgen:NAME` (a vLLM server, on this machine unless --base-url says otherwise), `openai:NAME` (a
hosted model, or any compatible server with --base-url), `local:FOLDER` (a checkpoint, in this process),
`scripted:FILE`, `replay:FILE-OR-RUN`, `record:FILE:MODEL`, or `KIND:REST` where a package registers KIND under the
entry point group `akgen.models`.
"""

from importlib.metadata import entry_points
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.replay import RecordingChatModel, ReplayChatModel, recorded_model
from akgen.agents.models.scripted import ScriptedChatModel
from akgen.agents.run_config import MODELS, SolveConfig
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

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
    from akgen.agents.models.kernelgen import KernelGenChatModel
    from akgen.agents.models.served import ServedChatModel

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
