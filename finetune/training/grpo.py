"""Group-relative policy optimisation: the model samples, our tools judge, and the reward's parts are logged apart.

Where a group's rewards are all equal its advantages are zero: it teaches nothing, and is counted.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.metrics import MetricsFile
from akgen.finetune.training.pairs import TensorPair, read_pairs, splits
from akgen.finetune.training.recipe import GrpoRecipe, save_recipe
from akgen.finetune.training.rewards import PARTS, Reward, RewardWeights, facts_of_program, reward, spread
from akgen.finetune.training.rollouts import ServedRollouts
from akgen.finetune.training.sft import MODEL, Trained, finish, last_state, loaded, lora_of, trainer_options

Judge = Callable[[TensorPair, str], Reward]


def train_grpo(recipe: GrpoRecipe, folder: Path) -> Trained:
    """Train, or go on where a killed run stopped. Raises InputError for records or models that cannot be used."""
    save_recipe(recipe, folder)
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    pairs = splits(read_pairs(recipe.pairs))["train"][: recipe.tasks]
    model, tokenizer = loaded(recipe.base)
    rows = Dataset.from_list(
        [{"prompt": p.prompt(recipe.form), "pair": json.dumps(p.model_dump(mode="json"))} for p in pairs]
    )
    config = GRPOConfig(
        **trainer_options(recipe.trainer, folder, recipe.seed, cpu=recipe.cpu), beta=recipe.beta,
        num_generations=recipe.group, max_completion_length=recipe.max_new_tokens,
        temperature=recipe.temperature, top_p=recipe.top_p, epsilon=recipe.clip,
    )  # fmt: skip
    served = ServedRollouts(recipe.rollouts, folder) if recipe.rollouts is not None else None
    trainer = GRPOTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer,
        reward_funcs=GroupReward(recipe.weights, recipe.group, judged_here), peft_config=lora_of(recipe.lora),
        callbacks=[MetricsFile(folder / "metrics.jsonl")], rollout_func=served,
    )  # fmt: skip
    done = trainer.train(resume_from_checkpoint=last_state(folder))
    finish(trainer, tokenizer, folder)
    return Trained(
        model=folder / MODEL, records=len(pairs), kinds={"task": len(pairs)}, too_long=0, steps=done.global_step,
        loss=done.training_loss, parameters=sum(p.numel() for p in model.parameters()),
    )  # fmt: skip


def judged_here(pair: TensorPair, text: str, weights: RewardWeights | None = None) -> Reward:
    """Judge in this process, which no answer can reach: programs are data to it."""
    return reward(facts_of_program(ProgramEnvironment.of(pair).judged(text)), weights or RewardWeights())


class GroupReward:
    """What TRL calls with the completions of whole groups. Answers that were cut by the limit are worth nothing."""

    __name__ = "reward"

    def __init__(
        self, weights: RewardWeights, group: int, judge: Callable[[TensorPair, str, RewardWeights], Reward]
    ) -> None:
        self._weights, self._group, self._judge = weights, group, judge

    def __call__(
        self, prompts: Sequence[str], completions: Sequence[str], pair: Sequence[str], log_metric: Any = None,
        **more: Any,
    ) -> list[float]:  # fmt: skip
        del prompts, more
        found: list[Reward] = []
        known: dict[tuple[str, str], Reward] = {}
        for text, task in zip(completions, pair, strict=True):
            if (task, text) not in known:
                one = TensorPair.model_validate(json.loads(task))
                known[task, text] = self._judge(one, text, self._weights)
            found.append(known[task, text])
        totals = [r.total for r in found]
        groups = [totals[k : k + self._group] for k in range(0, len(totals), self._group)]
        if log_metric is not None:
            for part in PARTS:
                log_metric(f"reward_{part}", sum(r.parts[part] for r in found) / len(found))
            log_metric("groups_without_spread", sum(not spread(g) for g in groups) / len(groups))
        return totals
