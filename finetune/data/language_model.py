"""What a local language model says of texts: how unlikely they are, and where they lie in its space."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from akgen.tools.core.outcome import InputError

Perplexity = Callable[[str], float]
Embedding = Callable[[Sequence[str]], Sequence[Sequence[float]]]
_MOST_TOKENS = 512


def perplexity_of(folder: str) -> Perplexity:
    """Return what measures a text's perplexity with a model in a folder, over 512 tokens. Raises InputError."""
    import torch
    from transformers import AutoModelForCausalLM

    model, tokens = _loaded(folder, AutoModelForCausalLM)

    def measured(text: str) -> float:
        ids = tokens(text)
        with torch.no_grad():
            return math.exp(min(60.0, float(model(input_ids=ids, labels=ids).loss)))

    return measured


def embedder(folder: str) -> Embedding:
    """Return what embeds texts with a model in a folder: the mean of its last hidden states. Raises InputError."""
    import torch
    from transformers import AutoModel

    model, tokens = _loaded(folder, AutoModel)

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        with torch.no_grad():
            states = [model(input_ids=tokens(text)).last_hidden_state for text in texts]
        return [s[0].mean(dim=0).float().tolist() for s in states]

    return embed


def _loaded(folder: str, kind: Any) -> tuple[Any, Callable[[str], Any]]:
    """Return the model in a folder, and what makes tensors of tokens of a text."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = kind.from_pretrained(folder, local_files_only=True).eval()
    except (OSError, ValueError) as problem:
        why = " ".join(str(problem).split())[:160]
        raise InputError(
            f"There is no model in {folder}: {why}.", "Give a folder with weights and tokenizer."
        ) from problem
    return model, lambda text: tokenizer(text, return_tensors="pt", truncation=True, max_length=_MOST_TOKENS)[
        "input_ids"
    ]
