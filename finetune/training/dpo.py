"""Direct preference optimisation on correct over wrong answers, and, by latency, on fast over slow ones."""

from collections import Counter
from pathlib import Path

import torch

from akgen.finetune.training.preferences import read_preferences
from akgen.finetune.training.recipe import DpoRecipe, save_recipe
from akgen.finetune.training.sft import Trained, loaded, run_trainer, trainer_options
from akgen.tools.core.outcome import InputError


def train_dpo(recipe: DpoRecipe, folder: Path) -> Trained:
    """Train, or go on where a killed run stopped. Raises InputError for records or models that cannot be used."""
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    save_recipe(recipe, folder)
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    wanted = [
        p for p in read_preferences(recipe.preferences)
        if p.kind in recipe.kinds and (p.kind == "correct" or p.margin >= recipe.least_margin)
    ]  # fmt: skip
    if not wanted:
        raise InputError(
            "No preference is of these kinds and margins.", "Lower least_margin, or give others."
        )
    model, tokenizer = loaded(recipe.base)
    if len({p.system is None for p in wanted}) > 1:
        raise InputError("Some preferences are chats and some are not.", "Train on each kind by itself.")
    rows = Dataset.from_list([p.row() for p in wanted])
    losses = {"sigmoid": 1.0, "sft": recipe.sft_weight} if recipe.sft_weight else {"sigmoid": 1.0}
    config = DPOConfig(
        **trainer_options(recipe.trainer, folder, recipe.seed, cpu=recipe.cpu), beta=recipe.beta,
        loss_type=list(losses), loss_weights=list(losses.values()), max_length=recipe.max_tokens,
        precompute_ref_log_probs=recipe.lora is None,
    )  # fmt: skip
    return run_trainer(
        DPOTrainer, folder, model, tokenizer, recipe.lora, args=config, train_dataset=rows,
        data=recipe.preferences, kinds=Counter(p.kind for p in wanted),
    )  # fmt: skip
