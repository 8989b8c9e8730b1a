"""What a chat model can be asked for, beyond a conversation."""

from typing import Literal

from langchain_core.language_models import BaseChatModel

# a seed; several answers to one request; a JSON schema; token ids and log probabilities; a time limit for one request
Feature = Literal["seed", "n", "schema", "tokens", "within"]


def features_of(model: BaseChatModel) -> frozenset[Feature]:
    """Return what the model says of itself; of a package's model, whether it has a field named seed."""
    told: frozenset[Feature] | None = getattr(model, "features", None)
    if told is not None:
        return told
    return frozenset(("seed",)) if "seed" in type(model).model_fields else frozenset()
