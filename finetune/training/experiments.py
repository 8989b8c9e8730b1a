"""Several trainings: expert iteration, and variants of one recipe at equal compute.

Expert iteration samples, verifies, keeps what is right, retrains; each round is a folder, and a stopped run goes on.
Variants are measured on held-out tasks and compared with the first one.
"""

import json
from collections import Counter
from collections.abc import Sequence
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
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.pairs import TensorPair, fresh_tasks, read_pairs, splits
from akgen.finetune.training.recipe import AblateRecipe, DataRecipe, IterateRecipe, SftRecipe, save_recipe
from akgen.finetune.training.records import PromptRecord, answer_of, training_records
from akgen.finetune.training.sft import MODEL, Trained, train_sft
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.untrusted import read_json_lines

SPLITS: tuple[Split, ...] = ("compositions", "families")


class IterationRound(Frozen):
    """What a round found: of `asked` tasks those that a sample solves, the own answers that were kept, and how many
    tasks were told theirs. `right` is the mean share of right samples, before the round."""

    number: int
    asked: int
    solved: int
    kept: int
    told: int = 0
    right: float | None = None
    trained: Trained


def iterate(recipe: IterateRecipe, folder: Path) -> list[IterationRound]:
    """Run the rounds that are not done. Raises InputError for data or models that cannot be used."""
    save_recipe(recipe, folder)
    pairs = fresh_tasks(recipe.pairs, recipe.skip, None)
    base, done = recipe.base, list[IterationRound]()
    for number in range(1, recipe.rounds + 1):
        place = folder / f"round-{number}"
        finished = place / "round.json"
        if finished.is_file():
            done.append(IterationRound.model_validate_json(finished.read_text()))
        else:
            done.append(_round(recipe, number, base, tasks_of_round(pairs, recipe.tasks, number), place))
            write_whole(finished, json_text(done[-1], indent=1) + "\n")
        base = str(place / "sft" / MODEL)
    return done


def tasks_of_round(pairs: Sequence[TensorPair], tasks: int | None, number: int) -> list[TensorPair]:
    """Return a round's tasks, the first round being 1: those after the ones of the round before."""
    count = min(tasks or len(pairs), len(pairs))
    return [pairs[((number - 1) * count + k) % len(pairs)] for k in range(count)]


def _round(
    recipe: IterateRecipe, number: int, base: str, pairs: Sequence[TensorPair], place: Path
) -> IterationRound:
    place.mkdir(parents=True, exist_ok=True)
    kept = place / "kept.jsonl"
    with Judges(recipe.judges) as judges:
        _sample(recipe, base, pairs, kept, judges, seed=recipe.seed + 1000 * number)
    asked = {p.digest: p for p in pairs}
    rows = [row for row in read_json_lines(kept, "Delete the round's folder.") if row["task"] in asked]
    own = [
        PromptRecord(prompt=row["prompt"], completion=program, kind="own")
        for row in rows for program in row["programs"] if row["right"] <= recipe.most_right
    ]  # fmt: skip
    told = [
        PromptRecord(prompt=row["prompt"], completion=answer_of(asked[row["task"]], recipe.form), kind="told")
        for row in rows if recipe.told and not row["programs"]
    ]  # fmt: skip
    # Answers of tasks that are new to the model are not looked at, where there are others.
    known = splits(read_pairs(recipe.pairs))["train"][: recipe.skip] or pairs
    data = DataRecipe(forms={recipe.form: 1.0}, repairs=recipe.repairs)
    replayed = list(training_records(known, data, recipe.seed + number))
    records = [*own, *told, *replayed[: round((len(own) + len(told)) * recipe.replay)]]
    file = place / "records.jsonl"
    write_whole(file, "".join(json.dumps(r.model_dump()) + "\n" for r in records))
    sft = SftRecipe(
        base=base, data=DataRecipe(records=file), packed_tokens=recipe.packed_tokens, trainer=recipe.trainer,
        seed=recipe.seed + number, cpu=recipe.cpu, threads=recipe.threads,
    )  # fmt: skip
    trained = train_sft(sft, place / "sft")
    return IterationRound(
        number=number, asked=len(pairs), solved=sum(bool(row["programs"]) for row in rows), kept=len(own),
        told=len(told),
        right=sum(row["right"] for row in rows) / len(rows), trained=trained,
    )  # fmt: skip


def _sample(
    recipe: IterateRecipe, base: str, pairs: Sequence[TensorPair], kept: Path, judges: Judges, *, seed: int
) -> None:
    """Write what each task's correct samples are; tasks that were asked before the run stopped are not asked again."""
    known = {row["task"] for row in read_json_lines(kept, "Delete it.")} if kept.is_file() else set()
    left = sorted((p for p in pairs if p.digest not in known), key=lambda p: len(p.program))
    if not left:
        return
    checkpoint = Checkpoint.load(Path(base), accelerated=not recipe.cpu)
    for start in range(0, len(left), checkpoint.batch):
        group = left[start : start + checkpoint.batch]
        sampled = checkpoint.sample(
            [p.prompt(recipe.form) for p in group], recipe.samples, temperature=recipe.temperature, top_p=1.0,
            max_new_tokens=recipe.max_new_tokens, seed=seed + start,
        )  # fmt: skip
        texts_of = [Counter(s.text for s in samples if s.ended) for samples in sampled]
        answers = [(pair, t) for pair, texts in zip(group, texts_of, strict=True) for t in texts]
        verdicts = dict(zip(((p.digest, t) for p, t in answers), judges.judged(answers), strict=True))
        with kept.open("a", encoding="utf-8") as out:
            for pair, samples, texts in zip(group, sampled, texts_of, strict=True):
                good = [t for t in texts if verdicts[pair.digest, t].outcome is Outcome.CORRECT]
                row = {
                    "task": pair.digest, "prompt": pair.prompt(recipe.form), "programs": good[: recipe.most_kept],
                    "right": sum(texts[t] for t in good) / len(samples),
                }  # fmt: skip
                out.write(json.dumps(row) + "\n")


class Ablation(Frozen):
    """A variant's results, and how they differ from those of the whole recipe."""

    name: str
    split: Split
    result: Evaluation
    differences: tuple[EvaluationDifference, ...] = ()


def ablate(recipe: AblateRecipe, folder: Path, only: str | None = None) -> list[Ablation]:
    """Train and measure every variant that is not done; "whole" is the recipe as it is.

    With `only`, that variant alone, so that several machines or processes share the work.
    """
    if recipe.sft.data.pairs is None:
        raise InputError("An ablation needs data.pairs.", "Held-out tasks are drawn from it.")
    if recipe.sft.trainer.max_steps < 1:
        raise InputError("An ablation needs trainer.max_steps.", "It is what makes the compute equal.")
    save_recipe(recipe, folder)
    found: dict[tuple[str, Split], Ablation] = {}
    variants: dict[str, dict[str, Any]] = {"whole": {}, **recipe.variants}
    if only is not None and only not in variants:
        raise InputError(f"There is no variant {only!r}.", f"There are {', '.join(variants)}.")
    for name in [only] if only is not None else variants:
        changes, place = variants[name], folder / name
        if not all((place / f"{split}.json").is_file() for split in SPLITS):
            train_sft(changed(recipe.sft, changes), place)
        for split in SPLITS:
            file = place / f"{split}.json"
            if not file.is_file():
                tasks = held_out(recipe.sft.data.pairs, split, recipe.tasks)
                checkpoint = Checkpoint.load(place / MODEL, accelerated=not recipe.sft.cpu)
                with Judges() as judges:
                    made = evaluate(
                        checkpoint, name, tasks, split, n=recipe.samples, repair=True, judges=judges
                    )
                save_evaluation(made, file)
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
