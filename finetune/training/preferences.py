"""Preferences, and direct preference optimisation (DPO) on them.

A correct answer stands before one that fits and computes wrongly, or before a correct one that is slower. Answers that
do not compile are never the rejected ones: as the paper found, a model then unlearns what compiles.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from akgen.agents.models.local import Checkpoint
from akgen.finetune.harvest import exchanges, first_prompt
from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.evaluate import MOST_NEW_TOKENS
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.pairs import PromptForm, TensorPair
from akgen.finetune.training.recipe import DpoRecipe, save_recipe
from akgen.finetune.training.records import answer_of
from akgen.finetune.training.sft import Trained, loaded, run_trainer, trainer_options
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.untrusted import read_json_lines


class Preference(Frozen):
    """Two answers to one prompt. `margin` is by how much the chosen one is better: the slower time over the faster one,
    or, of a wrong answer, the share of cases that it gets wrong."""

    task: str
    system: str | None = None  # of a chat; None: the prompt is continued as it is
    prompt: str
    chosen: str
    rejected: str
    kind: Literal["correct", "faster"] = "correct"
    margin: float

    def row(self) -> dict[str, Any]:
        """Return what TRL reads: texts, or a chat and its two answers."""
        if self.system is None:
            return {"prompt": self.prompt, "chosen": self.chosen, "rejected": self.rejected}
        told = [{"role": "system", "content": self.system}] if self.system else []
        answers = {k: [{"role": "assistant", "content": getattr(self, k)}] for k in ("chosen", "rejected")}
        return {"prompt": [*told, {"role": "user", "content": self.prompt}], **answers}


class TimedAnswer(Frozen):
    """An answer with what the judge said of it."""

    text: str
    outcome: Outcome
    share: float = 0.0
    time_us: float | None = None


def sampled_preferences(
    checkpoint: Checkpoint, pairs: Sequence[TensorPair], *, n: int, form: PromptForm = "en", seed: int = 0,
    temperature: float = 0.9, thought: bool = True, steps: bool = False, judges: Judges | None = None,
) -> Iterator[Preference]:  # fmt: skip
    """Yield what a checkpoint's own samples give; where none is correct, the pair's program is chosen.

    With `steps`, the data's answer is chosen, and what is rejected differs from it by one step of a wrong sample.
    Without `judges`, this process judges.
    """
    judges = judges or Judges(workers=1)
    ordered = sorted(pairs, key=lambda p: len(p.program))
    for start in range(0, len(ordered), checkpoint.batch):
        group = ordered[start : start + checkpoint.batch]
        sampled = checkpoint.sample(
            [p.prompt(form) for p in group], n, temperature=temperature, top_p=1.0, max_new_tokens=MOST_NEW_TOKENS,
            seed=seed + start,
        )  # fmt: skip
        texts_of = [list(dict.fromkeys(s.text for s in samples if s.ended)) for samples in sampled]
        verdicts = iter(
            judges.judged([(p, t) for p, texts in zip(group, texts_of, strict=True) for t in texts])
        )
        for pair, texts in zip(group, texts_of, strict=True):
            place = ProgramEnvironment.of(pair)
            answers = []
            for text, found in zip(texts, verdicts, strict=False):
                answers.append(TimedAnswer(text=text, outcome=found.outcome, share=found.share))
            gold = answer_of(pair, form) if thought else pair.program
            if steps:
                wrong = [a.text for a in answers if a.outcome is Outcome.WRONG]
                yield from step_preferences(pair.name, pair.prompt(form), gold, wrong, place)
                continue
            answers.append(TimedAnswer(text=gold, outcome=Outcome.CORRECT, share=1.0))
            yield from preferences_of(pair.name, pair.prompt(form), answers, most=1)


def step_preferences(
    task: str, prompt: str, gold: str, wrong: Iterable[str], place: ProgramEnvironment
) -> Iterator[Preference]:
    """Yield for each wrong sample the data's answer before the same with the first step that went wrong there.

    A step is a thought and its lines. All that comes after it is alike in both, so that no more than the step is told
    apart (as in Step-DPO, arXiv 2406.18629). No rejected answer comes twice, and each fits its task.
    """
    right, seen = answer_steps(gold), set[str]()
    for sample in wrong:
        for k, (own, other) in enumerate(zip(right, answer_steps(sample), strict=False)):
            if own == other:
                continue
            rejected = "".join([*right[:k], other, *right[k + 1 :]])
            found = place.judged(rejected)
            if found.outcome is Outcome.CORRECT:
                continue  # another way to say the same: the mistake comes later
            if found.outcome is Outcome.WRONG and rejected not in seen:
                seen.add(rejected)
                yield Preference(
                    task=task, prompt=prompt, chosen=gold, rejected=rejected, margin=1.0 - found.share
                )
            break


def answer_steps(answer: str) -> list[str]:
    """Part an answer into the lines before its first thought, each thought with its lines, and the last line."""
    *lines, last = answer.splitlines(keepends=True) or [""]
    parts = [""]
    for line in lines:
        if line.startswith("#"):
            parts.append("")
        parts[-1] += line
    return [*parts, last]


def run_preferences(run: Path, *, least_margin: float = 1.1) -> Iterator[Preference]:
    """Yield what a recorded run gives: attempts that were asked the same, by verdict and by their kernels' time.

    Raises InputError if the folder holds no run.
    """
    groups: dict[tuple[str, str], tuple[str, list[TimedAnswer]]] = {}
    for one in exchanges(run):
        verdict = one.attempt.verdict
        right = sum(c.outcome is Outcome.CORRECT for c in verdict.cases)
        answer = TimedAnswer(
            text=one.answer, outcome=one.outcome, share=right / len(verdict.cases) if verdict.cases else 0.0,
            time_us=verdict.mean_us(correct=True),
        )  # fmt: skip
        groups.setdefault((one.task.name, first_prompt(one)), (one.system, []))[1].append(answer)
    for (task, user), (system, answers) in groups.items():
        for found in preferences_of(task, user, answers, least_margin=least_margin):
            yield found.model_copy(update={"system": system})


def preferences_of(
    task: str, prompt: str, answers: Sequence[TimedAnswer], *, most: int = 4, least_margin: float = 1.1
) -> Iterator[Preference]:
    """Yield pairs of one task's answers: right before wrong, and fast before slow by at least the margin."""
    right = [a for a in answers if a.outcome is Outcome.CORRECT]
    wrong = [a for a in answers if a.outcome is Outcome.WRONG]
    for chosen, rejected in zip(right * len(wrong), wrong[:most], strict=False):
        yield Preference(
            task=task, prompt=prompt, chosen=chosen.text, rejected=rejected.text, margin=1.0 - rejected.share
        )
    timed = sorted((a for a in right if a.time_us), key=lambda a: a.time_us or 0.0)
    for fast, slow in zip(timed, reversed(timed), strict=False):
        ratio = (slow.time_us or 0.0) / (fast.time_us or 1.0)
        if ratio < least_margin:
            break
        yield Preference(
            task=task, prompt=prompt, chosen=fast.text, rejected=slow.text, kind="faster", margin=ratio
        )


def write_preferences(found: Iterator[Preference], file: Path) -> int:
    """Write a file of JSON lines; return how many."""
    count = 0
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        for one in found:
            out.write(json.dumps(one.model_dump(mode="json"), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_preferences(file: Path) -> list[Preference]:
    """Return a file's preferences. Raises InputError if it holds none."""
    remedy = "Write them with akgen train preferences."
    if not file.is_file():
        raise InputError(f"There are no preferences at {file}.", remedy)
    found = [Preference.model_validate(row) for row in read_json_lines(file, remedy)]
    if not found:
        raise InputError(f"{file} holds no preferences.", remedy)
    return found


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
        DPOTrainer, folder, model, tokenizer, recipe, args=config, train_dataset=rows,
        data=recipe.preferences, kinds=Counter(p.kind for p in wanted),
    )  # fmt: skip
