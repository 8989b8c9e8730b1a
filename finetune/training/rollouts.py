"""Rollouts that the trainer does not make itself: by a vLLM server, and of several turns, in which a wrong answer is
told what was found and answered again.

A server runs elsewhere (`akgen serve`, with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1): token ids in and out, log
probabilities, the newest adapter hot-loaded. One that dies stops the run with one sentence; the run goes on from its
last checkpoint when the command is given again.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx

from akgen.agents.models.local import Checkpoint
from akgen.finetune.training.recipe import Served
from akgen.finetune.training.rewards import Judged
from akgen.tools.core.outcome import InfraError

_REMEDY = "Start the server again, then give the same command: training goes on from its last checkpoint."
_ANSWER = "ANSWER_STANDS_HERE"
Completion = tuple[
    list[int], list[float]
]  # tokens with the end mark, if there is one, and their log probabilities


class Sampler(Protocol):
    def __call__(self, ids_PT: Sequence[list[int]], trainer: Any, turn: int) -> list[Completion]:
        """Return one completion for each row of tokens."""
        ...


def sampled_here(ids_PT: Sequence[list[int]], trainer: Any, turn: int) -> list[Completion]:
    """Sample with the model that is trained."""
    args, model = trainer.args, trainer.accelerator.unwrap_model(trainer.model)
    training = model.training
    model.eval()
    try:
        found = Checkpoint(model, trainer.processing_class).continued(
            ids_PT, 1, temperature=args.temperature, top_p=args.top_p, max_new_tokens=args.max_completion_length,
            seed=args.seed + 1000 * trainer.state.global_step + turn,
        )  # fmt: skip
    finally:
        model.train(training)
    return [(list(one.token_ids), list(one.logprobs)) for (one,) in found]


class ServedSampler:
    """Asks a server; adapters are saved and loaded after every `sync_steps` steps."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served, self._folder = served, folder
        self._client = httpx.Client(base_url=served.base_url, timeout=served.timeout_s)
        self._synced = -1
        self._name = served.model

    def __call__(self, ids_PT: Sequence[list[int]], trainer: Any, turn: int) -> list[Completion]:
        """Raises InfraError for a server that is gone, or gives no tokens."""
        self._sync(trainer)
        asked = {
            "model": self._name, "prompt": list(ids_PT), "max_tokens": trainer.args.max_completion_length,
            "temperature": trainer.args.temperature, "top_p": trainer.args.top_p, "logprobs": 0,
            "return_token_ids": True, "seed": trainer.args.seed + trainer.state.global_step + 100_000 * turn,
        }  # fmt: skip
        answer = self._post("/completions", asked)
        choices = sorted(answer.get("choices", []), key=lambda c: c["index"])
        if len(choices) != len(ids_PT) or any("token_ids" not in c for c in choices):
            raise InfraError(
                "The server's answer holds no token ids for every prompt.", "Serve with vLLM 0.10 or newer."
            )
        return [(list(c["token_ids"]), list(c["logprobs"]["token_logprobs"])) for c in choices]

    def _sync(self, trainer: Any) -> None:
        step = trainer.state.global_step
        if (
            step == self._synced
            or step % self._served.sync_steps
            or not hasattr(trainer.model, "peft_config")
        ):
            return
        adapter = self._folder / "adapters" / f"step-{step}"
        trainer.accelerator.unwrap_model(trainer.model).save_pretrained(str(adapter))
        name = f"step-{step}"
        self._post("/load_lora_adapter", {"lora_name": name, "lora_path": str(adapter.resolve())})
        self._name, self._synced = name, step

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._client.post(path, json=body)
            answer.raise_for_status()
            return (
                dict(answer.json())
                if answer.headers.get("content-type", "").startswith("application/json")
                else {}
            )
        except (httpx.HTTPError, ValueError) as problem:
            raise InfraError(
                f"The server at {self._served.base_url} gave no rollouts: {problem}.", _REMEDY
            ) from problem


class Rollouts:
    """What TRL calls for completions; with several turns, each answer is judged before the next one is asked for.

    `judged` says what became of answers, by prompt. What was judged goes to the rewards as the field `judged`: of
    every turn, so that a cheat that a later turn takes back still counts.
    """

    def __init__(
        self, sampler: Sampler, turns: int, judged: Callable[[Sequence[Any], Sequence[str]], list[Judged]]
    ) -> None:
        self._sampler, self._turns, self._judged = sampler, turns, judged

    def __call__(self, prompts: list[Any], trainer: Any) -> dict[str, Any]:
        """Return token ids and log probabilities of one completion for each prompt; TRL repeats the prompts."""
        tokenizer = trainer.processing_class
        prompt_ids = [_prompt_ids(tokenizer, p) for p in prompts]
        first = self._sampler(prompt_ids, trainer, 0)
        ids, logprobs = [list(c[0]) for c in first], [list(c[1]) for c in first]
        made: dict[str, Any] = {"prompt_ids": prompt_ids, "completion_ids": ids, "logprobs": logprobs}
        if self._turns == 1:
            return made
        mask = [[1] * len(row) for row in ids]
        last = [list(row) for row in ids]
        found: list[list[Judged]] = [[] for _ in prompts]
        open_rows = list(range(len(prompts)))
        for turn in range(1, self._turns + 1):
            texts = [tokenizer.decode(last[k], skip_special_tokens=True) for k in open_rows]
            said = self._judged([prompts[k] for k in open_rows], texts)
            for k, one in zip(open_rows, said, strict=True):
                found[k].append(one)
            ended = {k for k in open_rows if last[k][-1:] == [tokenizer.eos_token_id]}
            told = {k: one.told for k, one in zip(open_rows, said, strict=True) if one.told and k in ended}
            if turn == self._turns or not told:
                break
            open_rows = list(told)
            for k in open_rows:
                chat = isinstance(prompts[k], list)
                end = len(ids[k]) if chat else len(ids[k]) - 1  # a text goes on without an end mark
                between = _between(tokenizer, tokenizer.decode(last[k]), told[k] or "", chat=chat)
                ids[k][end:], mask[k][end:] = between, [0] * len(between)
                logprobs[k][end:] = [0.0] * len(between)
            again = self._sampler([prompt_ids[k] + ids[k] for k in open_rows], trainer, turn)
            for k, (more, scores) in zip(open_rows, again, strict=True):
                last[k] = list(more)
                ids[k] += more
                mask[k] += [1] * len(more)
                logprobs[k] += scores
        made["env_mask"] = mask
        made["judged"] = [[one.model_dump(mode="json") for one in row] for row in found]
        return made


def _prompt_ids(tokenizer: Any, prompt: Any) -> list[int]:
    if isinstance(prompt, str):
        return list(tokenizer(prompt)["input_ids"])
    text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _between(tokenizer: Any, answer: str, told: str, *, chat: bool) -> list[int]:
    """Return the tokens between an answer and the next one: what was found, in the form of the prompt."""
    if chat:
        turns = [("user", "?"), ("assistant", _ANSWER), ("user", told)]
        whole = tokenizer.apply_chat_template(
            [{"role": role, "content": text} for role, text in turns],
            tokenize=False,
            add_generation_prompt=True,
        )
        text = whole.split(_ANSWER, 1)[1].removeprefix(tokenizer.eos_token)
    else:
        text = ("" if answer.removesuffix(tokenizer.eos_token).endswith("\n") else "\n") + told
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
