"""From what the user wrote after --model to a chat model.

`openai:NAME` (with --base-url: vLLM or any compatible server), `scripted:FILE`, `replay:FILE`, `record:FILE:MODEL`, or
`KIND:REST` where a package registers KIND under the entry point group `akgen.models`.
"""

from importlib.metadata import entry_points
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from akgen.agents.models.replay import RecordingChatModel, ReplayChatModel
from akgen.agents.models.scripted import ScriptedChatModel
from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InputError

COMPOSER = "composer"  # the embedded planner and coder; not a chat model
GROUP = "akgen.models"
_KINDS = "composer, openai:NAME, scripted:FILE, replay:FILE, record:FILE:MODEL"


class ModelOptions(Frozen):
    """What an endpoint is asked with. The sampling values are those the released models were evaluated with."""

    base_url: str | None = None
    api_key: SecretStr | None = None
    temperature: float = 0.7
    top_p: float = 0.9
    max_tokens: int = 16_384
    timeout_s: float = 600.0
    seed: int = 0
    tries: int = 5  # of a request, before the endpoint counts as down


def resolve_model(spec: str, options: ModelOptions) -> BaseChatModel:
    """Return the chat model that `spec` names.

    Raises InputError for an unknown kind, a missing name or an unreadable file.
    """
    kind, _, rest = spec.partition(":")
    if not rest:
        raise InputError(f"The model {spec!r} cannot be used.", f"Known forms are {_KINDS}.")
    if kind == "openai":
        return _openai(rest, options)
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
    return options.base_url or spec


def _openai(name: str, options: ModelOptions) -> BaseChatModel:
    from langchain_openai import ChatOpenAI  # half a second of imports, only for those who need it

    # A local server takes any key but the client insists on one.
    key = options.api_key or SecretStr("none" if options.base_url else "")
    if not key.get_secret_value():
        raise InputError(
            "The model needs a key.", "Set AKGEN_API_KEY, or give --base-url for a local server."
        )
    return ChatOpenAI(
        model=name,
        base_url=options.base_url,
        api_key=key,
        temperature=options.temperature,
        top_p=options.top_p,
        max_completion_tokens=options.max_tokens,
        timeout=options.timeout_s,
        seed=options.seed,
        max_retries=0,
    )
