"""Samples of a model of transformers, in batches: each prompt is read once, and rows that have ended are dropped.

`generate` reads a prompt once for each of its samples, copies all keys and values at every token, and computes rows
that have ended until the longest one has. On a CPU that is most of the time of a small model.
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache, TemperatureLogitsWarper, TopPLogitsWarper
from transformers.cache_utils import DynamicLayer

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
