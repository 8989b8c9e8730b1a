"""A training run as one YAML file; what it resolves to is kept beside the model."""

from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import yaml
from pydantic import Field, ValidationError

from akgen.finetune.training.pairs import PromptForm
from akgen.finetune.training.rewards import RewardWeights
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import first_fault

RESOLVED = "recipe.yaml"


class FromScratch(Frozen):
    """A Llama with random weights, and its tokenizer's size."""

    hidden: int = 256
    layers: int = 6
    heads: int = 4
    intermediate: int = 704
    context: int = 1024
    vocabulary: int = 4096


class Lora(Frozen):
    """Adapters instead of all weights."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    target: str | tuple[str, ...] = "all-linear"


class DataRecipe(Frozen):
    """Which records are trained on. `pairs` is a file of `akgen train pairs`; `records`, one with prompts already."""

    pairs: Path | None = None
    records: Path | None = None
    forms: dict[PromptForm, float] = Field(default={"en": 0.6, "code": 0.4})  # shares of the wordings
    thought: bool = True  # the answer says each step again, as a comment before its lines
    shuffled: bool = True  # a task's inputs come in another order each time, and so under other names
    repairs: float = Field(default=0.0, ge=0, le=1)  # share that is asked again with a faulty program
    world: float = Field(default=0.0, ge=0, le=1)  # share that asks for the outcome of a program
    part: float = Field(default=1.0, gt=0, le=1)  # of the records, for scaling curves
    repeats: int = Field(default=1, ge=1)  # each time another wording is drawn
    max_tokens: int = 1024  # longer records are left out, and counted


class Trainer(Frozen):
    """What the trainer is told; the names are TRL's and transformers'. `more` goes through as it is."""

    optimizer: Literal["adamw", "muon"] = "adamw"  # muon: whole weights alone
    learning_rate: float = 1e-3
    lr_scheduler_type: str = "cosine"
    warmup_ratio: float = 0.03
    weight_decay: float = 0.1
    max_grad_norm: float = 1.0
    num_train_epochs: float = 1.0
    max_steps: int = -1
    per_device_train_batch_size: int = 4
    gradient_accumulation_steps: int = 1
    save_steps: int = 200
    logging_steps: int = 10
    bf16: bool | None = None  # None: on accelerators, and on processors that multiply in it
    gradient_checkpointing: bool = False
    more: dict[str, Any] = Field(default={})


class Trains(Protocol):
    """What every recipe has that trains weights."""

    @property
    def trainer(self) -> Trainer: ...
    @property
    def lora(self) -> "Lora | None": ...


class SftRecipe(Frozen):
    """Supervised fine-tuning, or training from scratch."""

    kind: Literal["sft"] = "sft"
    base: str | FromScratch = FromScratch()  # a folder, a model's name on this machine, or one to be made
    lora: Lora | None = None
    data: DataRecipe
    packed_tokens: int = 512  # of a sequence into which records are packed, apart from each other
    trainer: Trainer = Trainer()
    seed: int = 0
    cpu: bool = False
    threads: int | None = None


Recipe = TypeVar("Recipe", bound=Frozen)


def read_recipe(file: Path, kind: type[Recipe], changes: dict[str, Any] | None = None) -> Recipe:
    """Read a recipe; `changes` are dotted names with values. Paths are relative to the working directory.

    Raises InputError with the first field that is wrong.
    """
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise InputError(
            f"The recipe {file} cannot be read: {problem}.", "See docs/training.md."
        ) from problem
    if not isinstance(raw, dict):
        raise InputError(f"The recipe {file} holds no fields.", "See docs/training.md.")
    for name, value in (changes or {}).items():
        *path, last = name.split(".")
        place = raw
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    try:
        return kind.model_validate(raw)
    except ValidationError as problem:
        raise InputError(f"The recipe {file}: {first_fault(problem)}.", "See docs/training.md.") from problem


def save_recipe(recipe: Frozen, folder: Path) -> None:
    """Keep what the recipe resolved to. Raises InputError where another one was trained in this folder."""
    text = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    file = folder / RESOLVED
    if file.is_file() and read_recipe(file, type(recipe)) != recipe:
        raise InputError(
            f"{folder} holds a run of another recipe.", "Take another folder, or give the same recipe."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(file, text)


class DpoRecipe(Frozen):
    """Direct preference optimisation; the paper's beta. `faster` among the kinds makes it latency-aware."""

    kind: Literal["dpo"] = "dpo"
    base: str
    preferences: Path
    kinds: tuple[Literal["correct", "faster"], ...] = ("correct",)
    least_margin: float = Field(default=1.1, gt=1)  # of times, slower over faster
    lora: Lora | None = None
    beta: float = 0.1
    # of the chosen answers' own log-likelihood beside the preference: without it small models forget both answers
    # (arXiv 2404.19733)
    sft_weight: float = Field(default=0.0, ge=0)
    max_tokens: int = 1024
    trainer: Trainer = Trainer(learning_rate=1e-6, warmup_ratio=0.1, weight_decay=0.0)
    seed: int = 0
    cpu: bool = False
    threads: int | None = None


class Served(Frozen):
    """A vLLM server that samples for the trainer."""

    base_url: str = "http://127.0.0.1:8000/v1"
    model: str
    sync_steps: int = Field(default=1, ge=1)
    timeout_s: float = 600.0


class Judging(Frozen):
    """How the twin judges answers: hidden inputs of each case, shapes beside those that a prompt names, judges.

    Six trials are the task's own inputs and every distribution once; with fewer, what fits usual inputs alone is paid.
    """

    trials: int = Field(default=6, ge=1)
    hidden_shapes: int = Field(default=2, ge=0)
    workers: int = Field(default=2, ge=1)


class GrpoRecipe(Frozen):
    """Group-relative policy optimisation; without `rollouts`, transformers samples in the trainer.

    The interpreter judges tensor programs for `pairs`; the twin, tile programs and projects for `records`, which
    `akgen data export` wrote. With two turns and more, a wrong answer is told what was found, and answered again.
    """

    kind: Literal["grpo"] = "grpo"
    base: str
    environment: Literal["interpreter", "twin"] = "interpreter"
    pairs: Path | None = None
    records: Path | None = None
    judging: Judging = Judging()
    turns: int = Field(default=1, ge=1, le=8)
    skip: int = Field(default=0, ge=0)  # of the training tasks: those that the model was trained on
    tasks: int | None = None  # how many of the training tasks; None: all
    form: PromptForm = "en"
    lora: Lora | None = None
    weights: RewardWeights = RewardWeights()
    group: int = Field(default=8, ge=2)
    beta: float = 0.0
    clip: float = 0.2
    temperature: float = 1.0
    top_p: float = 1.0
    max_new_tokens: int = 256
    rollouts: Served | None = None
    trainer: Trainer = Trainer(learning_rate=1e-5, weight_decay=0.0, per_device_train_batch_size=32)
    seed: int = 0
    cpu: bool = False
    threads: int | None = None


class IterateRecipe(Frozen):
    """Expert iteration: in every round the model's own correct answers, and `replay` times as many of the data's,
    which come from the tasks that are skipped, if any are.

    Each round asks the `tasks` that come after those of the round before, from the first one again at the file's end.
    """

    kind: Literal["iterate"] = "iterate"
    base: str
    pairs: Path
    skip: int = Field(default=0, ge=0)  # of the training tasks: those that the model was trained on
    tasks: int | None = None  # of a round; None: all
    form: PromptForm = "en"
    rounds: int = Field(default=2, ge=1)
    samples: int = Field(default=8, ge=1)
    most_kept: int = Field(default=2, ge=1)  # of a task
    most_right: float = Field(
        default=1.0, ge=0, le=1
    )  # share of right samples from which a task teaches no more
    told: bool = False  # where no sample is right, the data's own answer is kept
    replay: float = Field(default=1.0, ge=0)
    repairs: float = Field(
        default=0.1, ge=0, le=1
    )  # share of the replayed ones that is asked again, as in SFT
    temperature: float = 0.9
    max_new_tokens: int = 400
    judges: int | None = None  # processes; None: one for each core
    packed_tokens: int = 512
    trainer: Trainer = Trainer(learning_rate=3e-4)
    seed: int = 0
    cpu: bool = False
    threads: int | None = None


class AblateRecipe(Frozen):
    """One supervised recipe and what each variant changes of it (dotted names), all trained for as many steps."""

    kind: Literal["ablate"] = "ablate"
    sft: SftRecipe
    variants: dict[str, dict[str, Any]]
    tasks: int = 60  # of each split that is measured
    samples: int = 10
