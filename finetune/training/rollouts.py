"""Rollouts by a vLLM server: prompts as token ids, tokens with log probabilities back, the newest adapter hot-loaded.

The server runs elsewhere (`akgen serve`, with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1). One that dies stops the run with one
sentence; the run goes on from its last checkpoint when the command is given again.
"""

from pathlib import Path
from typing import Any

import httpx

from akgen.finetune.training.recipe import Served
from akgen.tools.core.outcome import InfraError

_REMEDY = "Start the server again, then give the same command: training goes on from its last checkpoint."


class ServedRollouts:
    """What TRL calls for completions; adapters are saved and loaded after every `sync_steps` steps."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served, self._folder = served, folder
        self._client = httpx.Client(base_url=served.base_url, timeout=served.timeout_s)
        self._synced = -1
        self._name = served.model

    def __call__(self, prompts: list[Any], trainer: Any) -> dict[str, Any]:
        """Return token ids and log probabilities of one completion for each prompt; TRL repeats the prompts."""
        self._sync(trainer)
        ids = [trainer.processing_class(p)["input_ids"] for p in prompts]
        asked = {
            "model": self._name, "prompt": ids, "max_tokens": trainer.args.max_completion_length,
            "temperature": trainer.args.temperature, "top_p": trainer.args.top_p, "logprobs": 0,
            "return_token_ids": True, "seed": trainer.args.seed + trainer.state.global_step,
        }  # fmt: skip
        answer = self._post("/completions", asked)
        choices = sorted(answer.get("choices", []), key=lambda c: c["index"])
        if len(choices) != len(prompts) or any("token_ids" not in c for c in choices):
            raise InfraError(
                "The server's answer holds no token ids for every prompt.", "Serve with vLLM 0.10 or newer."
            )
        return {
            "prompt_ids": ids,
            "completion_ids": [c["token_ids"] for c in choices],
            "logprobs": [c["logprobs"]["token_logprobs"] for c in choices],
        }

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
