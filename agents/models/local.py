"""A checkpoint in this process, for models small enough for it: prompts as they were in training, samples in batches.

The folder is what training writes: a transformers model with its tokenizer. There is no chat form: what is asked is the
last message, and the model goes on from there. Larger models belong behind vLLM (`akgen serve`).
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import torch
import transformers
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.continuation import continued_rows
from akgen.agents.models.features import Feature
from akgen.tools.core.outcome import InputError

PROCESSOR_BATCH, ACCELERATOR_BATCH = 24, 256  # prompts
MOST_NEW_TOKENS = 1024  # a program in the language of training is far shorter


class Sampled(NamedTuple):
    """One completion: its text without the end mark, its tokens with it, and their log probabilities."""

    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    ended: bool  # by the model itself, not by the limit


class Checkpoint:
    """A model and its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer

    @classmethod
    def load(cls, folder: Path, *, accelerated: bool = False) -> "Checkpoint":
        """Load a folder, onto this machine's accelerator if it has one and that is wanted.

        Raises InputError if the folder holds no model with a tokenizer.
        """
        if not (folder / "config.json").is_file():
            raise InputError(f"{folder} holds no model.", "Give the folder that training wrote.")
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                folder, local_files_only=True, dtype=torch.float32
            )
        except (OSError, ValueError, KeyError) as problem:
            raise InputError(
                f"The model in {folder} cannot be loaded: {problem}.", "Train or copy it again."
            ) from problem
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        model.train(False)
        if accelerated and torch.accelerator.is_available():
            model.to(torch.accelerator.current_accelerator())
        return cls(model, tokenizer)

    @property
    def batch(self) -> int:
        """Say how many prompts are sampled together: on an accelerator a step takes as long for many as for few."""
        return PROCESSOR_BATCH if self.model.device.type == "cpu" else ACCELERATOR_BATCH

    def sample(
        self,
        prompts: Sequence[str],
        n: int,
        *,
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        seed: int,
    ) -> list[list[Sampled]]:
        """Return n completions of each prompt; temperature 0 takes the likeliest token each time."""
        ids: list[list[int]] = self.tokenizer(list(prompts))["input_ids"]
        return self.continued(
            ids, n, temperature=temperature, top_p=top_p, max_new_tokens=max_new_tokens, seed=seed
        )  # fmt: skip

    def continued(
        self, ids: Sequence[Sequence[int]], n: int, *, temperature: float, top_p: float, max_new_tokens: int,
        seed: int,
    ) -> list[list[Sampled]]:  # fmt: skip
        """Return n completions of each row of tokens, as `sample` does of texts."""
        rows = continued_rows(
            self.model, ids, n, temperature=temperature, top_p=top_p, max_new_tokens=max_new_tokens,
            pad=self.tokenizer.pad_token_id, end=self.tokenizer.eos_token_id, seed=seed,
        )  # fmt: skip
        samples = [self._sampled(*row) for row in rows]
        return [samples[k * n : (k + 1) * n] for k in range(len(ids))]

    def _sampled(self, ids: list[int], logprobs: list[float]) -> Sampled:
        ended = ids[-1:] == [self.tokenizer.eos_token_id]
        text = self.tokenizer.decode(ids[: len(ids) - ended], skip_special_tokens=True)
        return Sampled(text, tuple(ids), tuple(logprobs), ended)


class LocalChatModel(BaseChatModel):
    """Answers in this process, one request at a time."""

    features: ClassVar[frozenset[Feature]] = frozenset(("seed", "n", "tokens"))

    folder: Path
    temperature: float = 0.7
    top_p: float = 0.9
    max_tokens: int = MOST_NEW_TOKENS
    seed: int = 0

    _checkpoint: Checkpoint = PrivateAttr()
    _one_at_a_time: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @classmethod
    def load(cls, folder: Path, sampling: Sampling, seed: int) -> "LocalChatModel":
        """Load a checkpoint. Raises InputError if there is none."""
        most = min(sampling.max_tokens, MOST_NEW_TOKENS)
        made = cls(folder=folder, max_tokens=most, seed=seed, **sampling.at(1))
        made._checkpoint = Checkpoint.load(folder)
        return made

    @property
    def _llm_type(self) -> str:
        return "akgen-local"

    def sampling(self) -> dict[str, float | int | None]:
        return {
            "temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens, "seed": self.seed,
        }  # fmt: skip

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager
        asked = {**self.sampling(), **{k: v for k, v in kwargs.items() if v is not None}}
        with self._one_at_a_time:
            (samples,) = self._checkpoint.sample(
                [messages[-1].text], int(asked.get("n") or 1), temperature=float(asked["temperature"]),
                top_p=float(asked["top_p"]), max_new_tokens=int(asked["max_tokens"]), seed=int(asked["seed"]),
            )  # fmt: skip
        prompt = self._checkpoint.tokenizer(messages[-1].text)["input_ids"]
        return ChatResult(generations=[_generation(s, prompt) for s in samples])


def _generation(sampled: Sampled, prompt: list[int]) -> ChatGeneration:
    told = {
        "finish_reason": "stop" if sampled.ended else "length", "token_ids": list(sampled.token_ids),
        "logprobs": list(sampled.logprobs), "prompt_token_ids": prompt,
    }  # fmt: skip
    usage = UsageMetadata(
        input_tokens=len(prompt),
        output_tokens=len(sampled.token_ids),
        total_tokens=len(prompt) + len(sampled.token_ids),
    )
    return ChatGeneration(
        message=AIMessage(content=sampled.text, response_metadata=told, usage_metadata=usage)
    )
