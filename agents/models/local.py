"""A checkpoint in this process, for models small enough for it: prompts as they were in training, samples in batches.

The folder is what training writes: a transformers model with its tokenizer. There is no chat form: what is asked is the
last message, and the model goes on from there. Larger models belong behind vLLM (`akgen serve`).

Several samples are drawn as a batch: each prompt is read once, and rows that have ended are dropped.
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
from transformers import DynamicCache, TemperatureLogitsWarper, TopPLogitsWarper
from transformers.cache_utils import DynamicLayer

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.features import Feature
from akgen.tools.core.outcome import InputError

_SPARE = 64  # tokens of room that a layer's keys and values get at a time
_ENDED = 0.125  # of the rows: they are dropped when so many have ended, since dropping copies the others
# Tokens with the end mark, if there is one; their log probabilities.
Continued = tuple[list[int], list[float]]


class _RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values [rows, heads, tokens, width] in front of spare room; they are copied when it is used up."""

    keys: torch.Tensor
    values: torch.Tensor
    _rooms: tuple[torch.Tensor, torch.Tensor] | None = None

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start = self.get_seq_length()
        end = start + key_states.shape[-2]
        if self._rooms is None or self._rooms[0].shape[-2] < end:
            keys, values = (
                s.new_empty((*s.shape[:-2], end + _SPARE, s.shape[-1])) for s in (key_states, value_states)
            )
            if start:
                keys[..., :start, :], values[..., :start, :] = self.keys, self.values
            self._rooms = keys, values
        keys, values = self._rooms
        keys[..., start:end, :], values[..., start:end, :] = key_states, value_states
        self.keys, self.values = keys[..., :end, :], values[..., :end, :]
        return self.keys, self.values

    def batch_repeat_interleave(self, repeats: int) -> None:
        super().batch_repeat_interleave(repeats)
        self._rooms = None

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        super().batch_select_indices(indices)
        self._rooms = None


def continued_rows(
    model: Any, ids_PT: Sequence[Sequence[int]], n: int, *, temperature: float, top_p: float, max_new_tokens: int,
    pad: int, end: int, seed: int,
) -> list[Continued]:  # fmt: skip
    """Return n continuations of each row of tokens, those of a row beside each other.

    Temperature 0 takes the likeliest token each time. Log probabilities are those before temperature and top_p.
    """
    width = max(map(len, ids_PT))
    tokens_PT = torch.tensor([[pad] * (width - len(row)) + list(row) for row in ids_PT], device=model.device)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in ids_PT], device=model.device)
    cache = _cache(model)
    found: list[Continued] = [([], []) for _ in range(n * len(ids_PT))]
    accelerators = [] if model.device.type == "cpu" else [model.device]
    with torch.random.fork_rng(accelerators, device_type=model.device.type), torch.inference_mode():
        torch.manual_seed(seed)
        places = (mask.cumsum(1) - 1).clamp(min=0)
        logits = _read(model, cache, tokens_PT, mask, places).repeat_interleave(n, 0)
        cache.batch_repeat_interleave(n)
        mask, places = mask.repeat_interleave(n, 0), places[:, -1:].repeat_interleave(n, 0)
        rows = torch.arange(len(found))  # of which found entry each computed row is; -1: it has ended
        for step in range(max_new_tokens):
            drawn = _drawn(logits, temperature, top_p)
            said = torch.log_softmax(logits, -1).gather(1, drawn[:, None])[:, 0]
            for row, token, score in zip(rows.tolist(), drawn.tolist(), said.tolist(), strict=True):
                if row >= 0:
                    found[row][0].append(token)
                    found[row][1].append(score)
            rows = torch.where(drawn.cpu() == end, -1, rows)
            left = torch.nonzero(rows >= 0)[:, 0]
            if not len(left) or step == max_new_tokens - 1:
                break
            if len(left) <= (1 - _ENDED) * len(rows):
                rows, left = rows[left], left.to(model.device)
                drawn, mask, places = drawn[left], mask[left], places[left]
                cache.batch_select_indices(left)
            mask, places = torch.cat([mask, mask.new_ones(len(mask), 1)], 1), places + 1
            logits = _read(model, cache, drawn[:, None], mask, places)
    return found


def _cache(model: Any) -> Any:
    cache = DynamicCache(config=model.config)
    cache.layers = [_RoomyLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


def _read(
    model: Any, cache: Any, tokens: torch.Tensor, mask: torch.Tensor, places: torch.Tensor
) -> torch.Tensor:
    """Return the logits [rows, vocabulary] after the last token."""
    logits: torch.Tensor = model(
        input_ids=tokens, attention_mask=mask, position_ids=places, cache=cache, use_cache=True, logits_to_keep=1
    ).logits  # fmt: skip
    return logits[:, -1].float()


def _drawn(logits: torch.Tensor, temperature: float, top_p: float) -> torch.Tensor:
    """Return a token for each row."""
    if temperature <= 0:
        return logits.argmax(-1)
    if temperature != 1:
        logits = TemperatureLogitsWarper(temperature)(None, logits)
    if top_p < 1:
        logits = TopPLogitsWarper(top_p)(None, logits)
    return torch.multinomial(torch.softmax(logits, -1), 1)[:, 0]


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
