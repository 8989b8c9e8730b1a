"""Supervised fine-tuning: records, packing without contact, loss on the answers alone; full weights or adapters.

TRL takes seconds to import: that is done where training begins. `transformers` imports what is named, when it is.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError

from akgen.finetune.data.certify import FILE as CERTIFICATE
from akgen.finetune.training.metrics import draw_metrics, metrics_file
from akgen.finetune.training.muon import Muon
from akgen.finetune.training.pairs import read_pairs, splits
from akgen.finetune.training.recipe import (
    DataRecipe,
    FromScratch,
    Lora,
    SftRecipe,
    Trainer,
    Trains,
    save_recipe,
)
from akgen.finetune.training.records import PromptRecord, training_records
from akgen.finetune.training.tokenizer import train_tokenizer
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.untrusted import read_json_lines

MODEL, STATE = "model", "state"
_SORTED = 50  # batches whose records are put in the order of their lengths
_UNWRITTEN = re.compile(  # what the system, torch and safetensors say of a disk that is full
    r"No space left|File too large|Disk quota|Read-only file system|failed writing|unexpected pos|iostream error"
)


class Trained(Frozen):
    """What a run left: where the model lies, and on how much it was trained."""

    model: Path
    records: int
    kinds: dict[str, int]
    too_long: int
    steps: int
    loss: float | None = None
    parameters: int


def train_sft(recipe: SftRecipe, folder: Path) -> Trained:
    """Train, or go on where a killed run stopped. Raises InputError for records or models that cannot be used."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    save_recipe(recipe, folder)
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    records = records_of(recipe.data, recipe.seed, recipe.base)
    model, tokenizer = model_of(recipe.base, records, recipe, folder)
    kept, too_long = _short_enough(records, tokenizer, recipe.data.max_tokens)
    rows = Dataset.from_list([{"prompt": r.prompt, "completion": r.completion} for r in kept])
    packs = recipe.packed_tokens > 0
    config = SFTConfig(
        **trainer_options(recipe.trainer, folder, recipe.seed, cpu=recipe.cpu), packing=packs,
        packing_strategy="bfd", max_length=recipe.packed_tokens or recipe.data.max_tokens,
        completion_only_loss=True,
    )  # fmt: skip

    class ByLength(SFTTrainer):  # type: ignore[misc]
        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            lengths = [len(ids) for ids in (train_dataset or self.train_dataset)["input_ids"]]
            together = self.args.train_batch_size * self.args.gradient_accumulation_steps
            return LengthBatches(lengths, together, recipe.seed)

    make = SFTTrainer if packs else ByLength
    return run_trainer(
        make, folder, model, tokenizer, recipe, args=config, train_dataset=rows,
        data=recipe.data.records or recipe.data.pairs, kinds=Counter(r.kind for r in kept), too_long=too_long,
    )  # fmt: skip


class LengthBatches(torch.utils.data.Sampler[int]):  # type: ignore[misc, unused-ignore]
    """Indices of records: each `batch` that follow one another are alike in length, and the batches come in any order.

    A batch of unlike records is half padding. (The grouping of transformers goes from long to short, again and again.)
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self.lengths, self.batch, self.seed, self.epoch = lengths, batch, seed, 0

    def __len__(self) -> int:
        return len(self.lengths)

    def set_epoch(self, epoch: int) -> None:
        """Draw another order; a run that goes on draws the same one again."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        drawn = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
        order = torch.randperm(len(self), generator=drawn).tolist()
        spans = range(0, len(self), self.batch * _SORTED)
        alike = [
            i
            for at in spans
            for i in sorted(order[at : at + self.batch * _SORTED], key=self.lengths.__getitem__)
        ]
        batches = [alike[at : at + self.batch] for at in range(0, len(alike), self.batch)]
        whole = len(self) // self.batch  # what is left over comes last
        for k in torch.randperm(whole, generator=drawn).tolist():
            yield from batches[k]
        yield from alike[whole * self.batch :]


def records_of(recipe: DataRecipe, seed: int, base: str | FromScratch) -> list[PromptRecord]:
    """Return the records to train on: what was held out is not among them.

    Raises InputError for a file whose rows have no prompt and completion, or for chats and a model without their form.
    """
    if recipe.records is not None:
        if not recipe.records.is_file():
            raise InputError(
                f"There are no records at {recipe.records}.", "Write them with akgen data export."
            )
        rows = list(read_json_lines(recipe.records, "Each line is an object with prompt and completion."))
        chats = any(isinstance(row.get("prompt"), list) for row in rows)
        tokenizer = loaded_tokenizer(str(base)) if chats else None
        return [_given(row, tokenizer) for row in rows]
    if recipe.pairs is None:
        raise InputError("The recipe names no data.", "Give data.pairs or data.records.")
    pairs = splits(read_pairs(recipe.pairs))["train"]
    return list(training_records(pairs[: max(1, round(len(pairs) * recipe.part))], recipe, seed))


def _given(row: dict[str, Any], tokenizer: Any) -> PromptRecord:
    """Return a row of a file; chats are put into the model's own form."""
    prompt, answer = row.get("prompt"), row.get("completion")
    if isinstance(prompt, list) and isinstance(answer, list):
        need_chat_template(tokenizer)
        text = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
        prompt, answer = text, "".join(str(m["content"]) for m in answer)
    if not isinstance(prompt, str) or not isinstance(answer, str):
        raise InputError("A record has no prompt and completion.", "Export for TRL: akgen data export.")
    return PromptRecord(prompt=prompt, completion=answer, kind=str(row.get("kind") or "given"))


def need_chat_template(tokenizer: Any) -> None:
    """Raise InputError for a tokenizer that has no form for chats."""
    if tokenizer.chat_template is None:
        raise InputError(
            "The tokenizer has no chat template, and the records are chats.", "Take one that has one."
        )


def model_of(
    base: str | FromScratch, records: Sequence[PromptRecord], recipe: SftRecipe, folder: Path
) -> tuple[Any, Any]:
    """Return the model to train, and its tokenizer, which a model from scratch gets of the records."""
    if isinstance(base, str):
        return loaded(base)
    tokenizer = _own_tokenizer(base, records, folder)
    torch.manual_seed(recipe.seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=base.hidden, intermediate_size=base.intermediate,
        num_hidden_layers=base.layers, num_attention_heads=base.heads, num_key_value_heads=base.heads,
        max_position_embeddings=base.context, tie_word_embeddings=True, pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config), tokenizer


def _own_tokenizer(base: FromScratch, records: Sequence[PromptRecord], folder: Path) -> Any:
    """Train a tokenizer on the records, once for a run."""
    state = folder / "tokenizer"
    if (state / "tokenizer.json").is_file():
        return transformers.AutoTokenizer.from_pretrained(state, local_files_only=True)
    texts = [r.prompt + r.completion for r in records]
    names = {line.split(":")[0] for t in texts for line in t.split("\n\n")[0].splitlines()}
    told = [r.prompt for r in records if r.kind != "task code"]
    tokenizer = train_tokenizer(texts, told, names, size=base.vocabulary)
    tokenizer.save_pretrained(str(state))
    return tokenizer


class TokenLengths(Frozen):
    """Of the records of a recipe, in the tokens of its tokenizer."""

    entries: int
    median: int
    p90: int
    most: int


def tokenizer_of(recipe: SftRecipe, folder: Path) -> TokenLengths:
    """Train the recipe's tokenizer, or load its base's. Raises InputError as training does."""
    records = records_of(recipe.data, recipe.seed, recipe.base)
    own = isinstance(recipe.base, FromScratch)
    tokenizer = _own_tokenizer(recipe.base, records, folder) if own else loaded(str(recipe.base))[1]  # type: ignore[arg-type]
    lengths = sorted(len(tokenizer(r.prompt + r.completion)["input_ids"]) for r in records)
    return TokenLengths(
        entries=len(tokenizer),
        median=lengths[len(lengths) // 2],
        p90=lengths[len(lengths) * 9 // 10],
        most=lengths[-1],
    )


def loaded_tokenizer(base: str) -> Any:
    """Load a tokenizer of this machine. Raises InputError if it is not there."""
    try:
        return transformers.AutoTokenizer.from_pretrained(base, local_files_only=True)
    except (OSError, ValueError) as problem:
        said = str(problem).splitlines()[0]
        raise InputError(
            f"The tokenizer of {base} cannot be loaded: {said}", "Give a model's folder."
        ) from problem


def loaded(base: str) -> tuple[Any, Any]:
    """Load a model of this machine with its tokenizer. Raises InputError if it is not there."""
    tokenizer = loaded_tokenizer(base)
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(
            base, local_files_only=True, dtype=torch.float32
        )
    except (OSError, ValueError) as problem:
        said = str(problem).splitlines()[0]
        raise InputError(
            f"The model {base} cannot be loaded: {said}", "Give a folder with weights and tokenizer."
        ) from problem
    return model, tokenizer


def trainer_options(t: Trainer, folder: Path, seed: int, *, cpu: bool) -> dict[str, Any]:
    """Return what all trainers are told."""
    named = t.model_dump(exclude={"more", "warmup_ratio", "optimizer"})
    here = not cpu and torch.accelerator.is_available()
    bf16 = t.bf16 if t.bf16 is not None else here or multiplies_bf16(torch.cpu.get_capabilities())
    return {
        **named, "bf16": bf16, "warmup_steps": t.warmup_ratio, "output_dir": str(folder / STATE), "seed": seed,
        "use_cpu": cpu, "report_to": ["tensorboard"], "save_total_limit": 2, "disable_tqdm": True,
        "optim": "adamw_torch_fused", **t.more,
    }  # fmt: skip


def multiplies_bf16(processor: Mapping[str, Any]) -> bool:
    """Say of torch's list of a processor's instructions whether bf16 products are among them.

    Where they are not, torch computes them a number at a time: a step then takes ten times as long as in float32.
    """
    return any(processor.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def lora_of(lora: Lora | None) -> Any:
    """Return peft's options for adapters, None for whole weights."""
    if lora is None:
        return None
    from peft import LoraConfig

    target = lora.target if isinstance(lora.target, str) else list(lora.target)
    return LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=target,
        task_type="CAUSAL_LM",
    )


def _muon_of(model: Any, recipe: Trains) -> Muon | None:
    """Return the optimizer of a recipe that asks for Muon; None where the trainer makes its own."""
    if recipe.trainer.optimizer != "muon":
        return None
    if recipe.lora is not None:
        raise InputError("Muon trains whole weights, not adapters.", "Leave lora or trainer.optimizer out.")
    return Muon(model, lr=recipe.trainer.learning_rate, weight_decay=recipe.trainer.weight_decay)


def last_state(folder: Path) -> str | None:
    """Return the last whole checkpoint of a run that was stopped: one that was being written has no trainer state."""
    found = [p for p in (folder / STATE).glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return str(max(found, key=lambda p: int(p.name.split("-")[1]))) if found else None


def run_trainer(
    make: Callable[..., Any], folder: Path, model: Any, tokenizer: Any, recipe: Trains, *,
    data: Path | None, kinds: Mapping[str, int], too_long: int = 0, **given: Any,
) -> Trained:  # fmt: skip
    """Train, or go on after the last checkpoint; save the model, adapters merged, and draw the run's course.

    The certificate that lies beside the file of `data`, else the one of the model that was begun with, goes with the
    model. Raises InfraError if the disk refuses; what was saved before stays, and the same call goes on from there.
    """
    try:
        return _run(make, folder, model, tokenizer, recipe, data, kinds, too_long, given)
    except (OSError, RuntimeError, SafetensorError) as problem:
        if not _UNWRITTEN.search(str(problem)):
            raise
        raise InfraError(
            f"{folder} cannot be written: {str(problem).splitlines()[0]}.",
            "Make room, then give the same command: training goes on from its last checkpoint.",
        ) from problem


def _run(
    make: Callable[..., Any], folder: Path, model: Any, tokenizer: Any, recipe: Trains, data: Path | None,
    kinds: Mapping[str, int], too_long: int, given: dict[str, Any],
) -> Trained:  # fmt: skip
    base = Path(str(model.config.name_or_path or folder))
    trainer = make(
        model=model, processing_class=tokenizer, peft_config=lora_of(recipe.lora),
        optimizers=(_muon_of(model, recipe), None), callbacks=[metrics_file(folder / "metrics.jsonl")], **given,
    )  # fmt: skip
    done = trainer.train(resume_from_checkpoint=last_state(folder))
    model = trainer.accelerator.unwrap_model(trainer.model)
    if hasattr(model, "merge_and_unload"):
        model.save_pretrained(str(folder / "adapter"))
        model = model.merge_and_unload()
    model.save_pretrained(str(folder / MODEL))
    tokenizer.save_pretrained(str(folder / MODEL))
    shipped = [p / CERTIFICATE for p in (*([data.parent] if data else []), base)]
    if (certificate := next((p for p in shipped if p.is_file()), None)) is not None:
        write_whole(folder / MODEL / CERTIFICATE, certificate.read_text(encoding="utf-8"))
    draw_metrics(folder / "metrics.jsonl", folder / "metrics.svg")
    return Trained(
        model=folder / MODEL, records=sum(kinds.values()), kinds=dict(kinds), too_long=too_long,
        steps=done.global_step, loss=done.training_loss, parameters=sum(p.numel() for p in model.parameters()),
    )  # fmt: skip


def _short_enough(
    records: Sequence[PromptRecord], tokenizer: Any, most: int
) -> tuple[list[PromptRecord], int]:
    """Leave out what is too long: TRL would cut it, quietly. Raises InputError if nothing is left."""
    lengths = (
        tokenizer([r.prompt + r.completion for r in records], add_special_tokens=False)["input_ids"]
        if records
        else []
    )
    kept = [r for r, ids in zip(records, lengths, strict=True) if len(ids) < most]
    if not kept:
        raise InputError(
            f"None of {len(records)} records is shorter than {most} tokens.",
            "Raise data.max_tokens, or give others.",
        )
    return kept, len(records) - len(kept)
