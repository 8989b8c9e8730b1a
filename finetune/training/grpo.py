"""Group-relative policy optimisation: the model samples, our tools judge, and the reward's parts are logged apart.

Where a group's rewards are all equal its advantages are zero: it teaches nothing, and is counted.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from akgen.agents.tensor_coder import findings_told
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.pairs import TensorPair, fresh_tasks
from akgen.finetune.training.recipe import GrpoRecipe, save_recipe
from akgen.finetune.training.rewards import (
    PARTS,
    Judged,
    Reward,
    RewardWeights,
    facts_of_program,
    reward,
    spread,
)
from akgen.finetune.training.rollouts import Rollouts, ServedSampler, sampled_here
from akgen.finetune.training.sft import Trained, loaded, need_chat_template, run_trainer, trainer_options
from akgen.finetune.training.twin_environment import open_twin, read_tasks
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

# Says what became of answers, each beside the name of its task.
JudgeAnswers = Callable[[Sequence[tuple[str, str]]], list[Judged]]


def train_grpo(recipe: GrpoRecipe, folder: Path, settings: Settings | None = None) -> Trained:
    """Train, or go on where a killed run stopped; the twin needs `settings`.

    Raises InputError for records or models that cannot be used.
    """
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    save_recipe(recipe, folder)
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    with ExitStack() as ending:
        prompts, judge = _environment(recipe, folder, settings, ending)
        model, tokenizer = loaded(recipe.base)
        if recipe.environment == "twin":
            need_chat_template(tokenizer)
        config = GRPOConfig(
            **trainer_options(recipe.trainer, folder, recipe.seed, cpu=recipe.cpu), beta=recipe.beta,
            num_generations=recipe.group, max_completion_length=recipe.max_new_tokens,
            temperature=recipe.temperature, top_p=recipe.top_p, epsilon=recipe.clip,
        )  # fmt: skip
        return run_trainer(
            GRPOTrainer, folder, model, tokenizer, recipe, args=config, kinds={"task": len(prompts)},
            data=recipe.records or recipe.pairs,
            train_dataset=Dataset.from_list([{"prompt": p, "task": name} for name, p in prompts.items()]),
            reward_funcs=GroupReward(recipe.weights, recipe.group, judge),
            rollout_func=_rollouts(recipe, folder, prompts, judge, config.world_size),
        )  # fmt: skip


def _environment(
    recipe: GrpoRecipe, folder: Path, settings: Settings | None, ending: ExitStack
) -> tuple[dict[str, Any], JudgeAnswers]:
    """Return the prompts by the names of their tasks, and what judges answers to them."""
    if recipe.environment == "interpreter":
        if recipe.pairs is None:
            raise InputError("The recipe names no pairs.", "Write pairs: FILE, of akgen train pairs.")
        pairs = {p.digest: p for p in fresh_tasks(recipe.pairs, recipe.skip, recipe.tasks)}
        prompts: dict[str, Any] = {name: pair.prompt(recipe.form) for name, pair in pairs.items()}
        judges = ending.enter_context(Judges())
        return prompts, lambda answers: judged_here(judges, [(pairs[name], text) for name, text in answers])
    if recipe.records is None:
        raise InputError(
            "The recipe names no records.", "Write records: FILE, of akgen data export --format trl."
        )
    tasks = {f"{t.task}/{t.form}": t for t in read_tasks(recipe.records)[: recipe.tasks]}
    if settings is None:
        raise InputError("The twin judges with the settings of this machine.", "Train with akgen train grpo.")
    twin = ending.enter_context(open_twin(settings, recipe.judging, recipe.seed, folder / "tasks"))
    asked = {name: [m.model_dump() for m in task.prompt] for name, task in tasks.items()}
    return asked, lambda answers: twin.judged([(tasks[name], text) for name, text in answers])


def _rollouts(
    recipe: GrpoRecipe, folder: Path, prompts: Mapping[str, Any], judge: JudgeAnswers, processes: int
) -> Rollouts | None:
    """Return what samples in TRL's stead; None where its own does: a turn, with parts of a model in each process."""
    if recipe.rollouts is None and recipe.turns == 1 and processes > 1:
        return None
    named = {json.dumps(prompt): name for name, prompt in prompts.items()}
    sampler = sampled_here if recipe.rollouts is None else ServedSampler(recipe.rollouts, folder)
    return Rollouts(
        sampler, recipe.turns,
        lambda asked, texts: judge([(named[json.dumps(p)], t) for p, t in zip(asked, texts, strict=True)]),
    )  # fmt: skip


def judged_here(judges: Judges, answers: Sequence[tuple[TensorPair, str]]) -> list[Judged]:
    """Judge programs by the interpreter, which no answer can reach: programs are data to it."""
    made = []
    for found in judges.judged(answers):
        facts = facts_of_program(found)
        said = " ".join(findings_told(found.diagnostics, found.outcome))
        made.append(Judged(facts=facts, told=None if facts.correct else f"# {said}\n\n"))
    return made


def reward_of_turns(turns: Sequence[Judged], weights: RewardWeights) -> Reward:
    """Return what the last of a rollout's answers is worth; one that cheats in any turn is a cheat."""
    facts = turns[-1].facts
    return reward(facts.model_copy(update={"cheat": any(t.facts.cheat for t in turns)}), weights)


class GroupReward:
    """What TRL calls with the completions of whole groups; equal answers to a task are judged once.

    Rollouts of several turns bring what was judged, as `judged`.
    """

    __name__ = "reward"

    def __init__(self, weights: RewardWeights, group: int, judge: JudgeAnswers) -> None:
        self._weights, self._group, self._judge = weights, group, judge

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[Any], task: Sequence[str], judged: Any = None,
        log_metric: Any = None, **more: Any,
    ) -> list[float]:  # fmt: skip
        del prompts, more
        if judged is None:
            texts = [c if isinstance(c, str) else (c[-1]["content"] or "") for c in completions]
            answers = list(zip(task, texts, strict=True))
            once = list(dict.fromkeys(answers))
            known = dict(zip(once, self._judge(once), strict=True))
            turns = [[known[answer]] for answer in answers]
        else:
            turns = [[Judged.model_validate(one) for one in row] for row in judged]
        found = [reward_of_turns(t, self._weights) for t in turns]
        totals = [r.total for r in found]
        groups = [totals[k : k + self._group] for k in range(0, len(totals), self._group)]
        if log_metric is not None:
            for part in PARTS:
                log_metric(f"reward_{part}", sum(r.parts[part] for r in found) / len(found))
            log_metric("cheats", sum(any(o.facts.cheat for o in t) for t in turns) / len(turns))
            log_metric("turns", sum(map(len, turns)) / len(turns))
            log_metric("groups_without_spread", sum(not spread(g) for g in groups) / len(groups))
        return totals
