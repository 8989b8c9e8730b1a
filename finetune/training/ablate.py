"""Variants of one recipe at equal compute, each measured on held-out tasks and compared with the first one."""

from pathlib import Path
from typing import Any

from akgen.agents.models.local import Checkpoint
from akgen.finetune.operators.splits import Split
from akgen.finetune.training.evaluate import (
    Evaluation,
    EvaluationDifference,
    compare_evaluations,
    evaluate,
    held_out,
    save_evaluation,
)
from akgen.finetune.training.recipe import AblateRecipe, SftRecipe, save_recipe
from akgen.finetune.training.sft import MODEL, train_sft
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

SPLITS: tuple[Split, ...] = ("compositions", "families")


class Ablation(Frozen):
    """A variant's results, and how they differ from those of the whole recipe."""

    name: str
    split: Split
    result: Evaluation
    differences: tuple[EvaluationDifference, ...] = ()


def ablate(recipe: AblateRecipe, folder: Path) -> list[Ablation]:
    """Train and measure every variant that is not done; "whole" is the recipe as it is."""
    if recipe.sft.data.pairs is None:
        raise InputError("An ablation needs data.pairs.", "Held-out tasks are drawn from it.")
    if recipe.sft.trainer.max_steps < 1:
        raise InputError("An ablation needs trainer.max_steps.", "It is what makes the compute equal.")
    save_recipe(recipe, folder)
    found: dict[tuple[str, Split], Ablation] = {}
    for name, changes in {"whole": {}, **recipe.variants}.items():
        place = folder / name
        train_sft(changed(recipe.sft, changes), place)
        for split in SPLITS:
            file = place / f"{split}.json"
            if not file.is_file():
                tasks = held_out(recipe.sft.data.pairs, split, recipe.tasks)
                checkpoint = Checkpoint.load(place / MODEL)
                save_evaluation(evaluate(checkpoint, name, tasks, split, n=recipe.samples), file)
            result = Evaluation.model_validate_json(file.read_text())
            whole = found.get(("whole", split))
            differences = tuple(compare_evaluations(whole.result, result)) if whole else ()
            found[name, split] = Ablation(name=name, split=split, result=result, differences=differences)
    return list(found.values())


def changed(recipe: SftRecipe, changes: dict[str, Any]) -> SftRecipe:
    """Return the recipe with other values at dotted names. Raises InputError for a name that it does not have."""
    raw = recipe.model_dump(mode="json")
    for name, value in changes.items():
        *path, last = name.split(".")
        place = raw
        for part in path:
            place = place.get(part, {})
        if last not in place:
            raise InputError(
                f"A recipe has no field {name!r}.", "Name fields as data.part or trainer.max_steps."
            )
        place[last] = value
    return SftRecipe.model_validate(raw)
