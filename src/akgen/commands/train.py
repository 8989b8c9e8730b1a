"""`akgen train`: from pairs to a model that is measured."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError

if TYPE_CHECKING:
    from akgen.finetune.training.evaluate import Evaluation
    from akgen.finetune.training.sft import Trained

Config = Annotated[Path, typer.Argument(help="The recipe, a YAML file.")]
Out = Annotated[
    Path, typer.Argument(help="The run's folder; the same command again goes on where it stopped.")
]
Change = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE, a field of the recipe, as trainer.max_steps=10."),
]
Pairs = Annotated[Path, typer.Argument(help="A file that `akgen train pairs` wrote.")]
Model = Annotated[Path, typer.Argument(help="A folder with a model and its tokenizer.")]


def pairs(
    file: Annotated[
        Path, typer.Argument(help="The file, JSON lines; held-out tasks go into tasks/ beside it.")
    ],
    count: Annotated[int, typer.Option(min=1, help="How many operators are drawn.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The seed: the same one gives the same pairs.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="How many processes verify them.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Draw tasks with the tensor programs that solve them, and held-out ones as suites; goes on where it stopped."""
    from akgen.finetune.training.pairs import read_pairs, splits, write_pairs

    terminal = Terminal(as_json)
    with terminal.people.status("drawing pairs") as status:
        made = write_pairs(file, seed, count, lambda done: status.update(f"{done} of {count} pairs"), workers)
    parts = {name: len(found) for name, found in splits(read_pairs(file)).items()}
    terminal.line(f"{made} pairs in {file}: {', '.join(f'{n} {name}' for name, n in parts.items())}")
    terminal.result({"file": str(file), "pairs": made, "splits": parts})


def tokenizer(config: Config, out: Out, change: Change = None, as_json: AsJson = False) -> None:
    """Train the tokenizer of a recipe, and say how long records are in it."""
    from akgen.finetune.training.recipe import SftRecipe, read_recipe
    from akgen.finetune.training.sft import tokenizer_of

    found = tokenizer_of(read_recipe(config, SftRecipe, _changes(change)), out)
    terminal = Terminal(as_json)
    terminal.line(
        f"{found.entries} entries; a record has {found.median} tokens in the median, {found.p90} at the ninetieth "
        f"percentile, {found.most} at most"
    )
    terminal.result(found)


def sft(config: Config, out: Out, change: Change = None, as_json: AsJson = False) -> None:
    """Train on answers, from scratch or further, as the recipe CONFIG says."""
    from akgen.finetune.training.recipe import SftRecipe, read_recipe
    from akgen.finetune.training.sft import train_sft

    _told(train_sft(read_recipe(config, SftRecipe, _changes(change)), out), as_json)


def preferences(
    model: Model,
    pairs: Pairs,
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    tasks: Annotated[
        int | None, typer.Option(min=1, help="How many training tasks; all unless given.")
    ] = None,
    skip: Annotated[
        int, typer.Option(min=0, help="How many training tasks come before: the model was trained on them.")
    ] = 0,
    samples: Annotated[int, typer.Option(min=1, help="How many samples of each.")] = 8,
    temperature: Annotated[float, typer.Option(min=0, help="Of the samples.")] = 0.9,
    steps: Annotated[
        bool, typer.Option("--steps", help="Reject the data's answer with one step of a wrong sample.")
    ] = False,
    seed: Annotated[int, typer.Option(help="The seed.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Sample from a model and write pairs of a correct answer and one that computes wrongly."""
    from akgen.agents.models.local import Checkpoint
    from akgen.finetune.training.judges import Judges
    from akgen.finetune.training.pairs import fresh_tasks
    from akgen.finetune.training.preferences import sampled_preferences, write_preferences

    asked = fresh_tasks(pairs, skip, tasks)
    with Judges() as judges:
        found = sampled_preferences(
            Checkpoint.load(model, accelerated=True), asked, n=samples, seed=seed, temperature=temperature,
            steps=steps, judges=judges,
        )  # fmt: skip
        count = write_preferences(found, out)
    terminal = Terminal(as_json)
    terminal.line(f"{count} preferences of {len(asked)} tasks in {out}")
    terminal.result({"file": str(out), "preferences": count, "tasks": len(asked)})


def mine(
    run: Annotated[Path, typer.Argument(help="The folder of a run: `akgen solve`, or a bench run.")],
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    least_margin: Annotated[float, typer.Option(min=1.0, help="Of two times, slower over faster.")] = 1.1,
    as_json: AsJson = False,
) -> None:
    """Write a recorded run's preferences: correct before wrong, and fast before slow where both are correct."""
    from akgen.finetune.training.preferences import read_preferences, run_preferences, write_preferences

    write_preferences(run_preferences(run, least_margin=least_margin), out)
    found = read_preferences(out)
    faster = sum(p.kind == "faster" for p in found)
    terminal = Terminal(as_json)
    terminal.line(f"{len(found)} preferences in {out}, {faster} of them of a faster kernel")
    terminal.result({"file": str(out), "preferences": len(found), "faster": faster})


def dpo(config: Config, out: Out, change: Change = None, as_json: AsJson = False) -> None:
    """Train on preferences, as the recipe CONFIG says."""
    from akgen.finetune.training.preferences import train_dpo
    from akgen.finetune.training.recipe import DpoRecipe, read_recipe

    _told(train_dpo(read_recipe(config, DpoRecipe, _changes(change)), out), as_json)


def grpo(
    context: typer.Context, config: Config, out: Out, change: Change = None, as_json: AsJson = False
) -> None:
    """Train on rewards of the model's own samples, as the recipe CONFIG says."""
    from akgen.finetune.training.grpo import train_grpo
    from akgen.finetune.training.recipe import GrpoRecipe, read_recipe

    _told(train_grpo(read_recipe(config, GrpoRecipe, _changes(change)), out, context.obj), as_json)


def iterate(config: Config, out: Out, change: Change = None, as_json: AsJson = False) -> None:
    """Sample, verify, keep and retrain, as the recipe CONFIG says."""
    from akgen.finetune.training.experiments import iterate as run
    from akgen.finetune.training.recipe import IterateRecipe, read_recipe

    rounds = run(read_recipe(config, IterateRecipe, _changes(change)), out)
    terminal = Terminal(as_json)
    for one in rounds:
        terminal.line(
            f"round {one.number}: {one.solved} of {one.asked} tasks solved, {one.kept} answers kept, "
            f"trained on {one.trained.records} records"
        )
    terminal.result({"rounds": [one.model_dump(mode="json") for one in rounds]})


def ablate(
    config: Config,
    out: Out,
    change: Change = None,
    only: Annotated[
        str | None, typer.Option(help='One variant ("whole": the recipe itself), to share the work.')
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train variants of a recipe for as many steps, and measure each."""
    from akgen.finetune.training.experiments import ablate as run
    from akgen.finetune.training.recipe import AblateRecipe, read_recipe

    found = run(read_recipe(config, AblateRecipe, _changes(change)), out, only)
    terminal = Terminal(as_json)
    for one in found:
        terminal.line(f"{one.name}, {one.split}: {_rates(one.result)}")
        for d in one.differences:
            terminal.line(
                f"  ER@{d.k} {d.difference:+.3f} [{d.low:+.3f}, {d.high:+.3f}] beside the whole (p = {d.p:.3g})"
            )
    terminal.result({"variants": [one.model_dump(mode="json") for one in found]})


def evaluate(
    model: Model,
    pairs: Pairs,
    split: Annotated[str, typer.Option(help="compositions, families or train.")] = "compositions",
    tasks: Annotated[int, typer.Option(min=1, help="How many tasks.")] = 60,
    samples: Annotated[int, typer.Option(min=1, help="How many samples of each.")] = 10,
    form: Annotated[str, typer.Option(help="How tasks are worded: en, zh or code.")] = "en",
    temperature: Annotated[float, typer.Option(min=0, help="0 takes the likeliest token each time.")] = 0.7,
    repair: Annotated[bool, typer.Option("--repair", help="Ask again once for what failed.")] = False,
    world: Annotated[bool, typer.Option("--world", help="Ask for outcomes of programs instead.")] = False,
    out: Annotated[Path | None, typer.Option(help="Keep the evaluation in this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model on held-out tasks without a compiler: CR@k, ER@k, with intervals."""
    from akgen.agents.models.local import Checkpoint
    from akgen.finetune.training.evaluate import (
        evaluate as run,
    )
    from akgen.finetune.training.evaluate import (
        held_out,
        predicted_outcomes,
        save_evaluation,
    )
    from akgen.finetune.training.judges import Judges

    terminal = Terminal(as_json)
    if split not in ("compositions", "families", "train") or form not in ("en", "zh", "code"):
        raise InputError(f"There is no split {split!r} in form {form!r}.", "See akgen train evaluate --help.")
    asked = held_out(pairs, split, tasks)  # type: ignore[arg-type]
    checkpoint = Checkpoint.load(model, accelerated=True)
    if world:
        seen = predicted_outcomes(checkpoint, asked)
        terminal.line(
            f"outcomes of {seen.programs} programs: {seen.accuracy:.3f} [{seen.low:.3f}, {seen.high:.3f}] predicted, "
            f"{seen.majority:.3f} are the most frequent one (paired permutation p = {seen.p:.3g})"
        )
        terminal.result(seen)
        return
    with Judges() as judges:
        found = run(
            checkpoint, str(model), asked, split, n=samples, form=form, temperature=temperature, repair=repair,  # type: ignore[arg-type]
            judges=judges,
        )  # fmt: skip
    if out is not None:
        save_evaluation(found, out)
    terminal.line(f"{len(found.tasks)} tasks of {split}: {_rates(found)}")
    terminal.result(found)


def compare(
    first: Annotated[Path, typer.Argument(help="A file that `akgen train evaluate --out` wrote.")],
    second: Annotated[Path, typer.Argument(help="Another one of the same tasks.")],
    as_json: AsJson = False,
) -> None:
    """Say whether two evaluations differ: paired permutation test, interval."""
    from akgen.finetune.training.evaluate import Evaluation, compare_evaluations
    from akgen.tools.core.untrusted import read_model

    remedy = "Write one with akgen train evaluate --out."
    found = compare_evaluations(read_model(Evaluation, first, remedy), read_model(Evaluation, second, remedy))
    terminal = Terminal(as_json)
    for d in found:
        terminal.line(
            f"ER@{d.k}: second less first {d.difference:+.3f} [{d.low:+.3f}, {d.high:+.3f}] over {d.tasks} tasks "
            f"(paired permutation p = {d.p:.3g})"
        )
    terminal.result({"differences": [d.model_dump(mode="json") for d in found]})


def drill(
    context: typer.Context,
    pairs: Annotated[
        Path | None, typer.Argument(help="A file that `akgen train pairs` wrote, for tensor programs.")
    ] = None,
    twin: Annotated[
        bool, typer.Option("--twin", help="Judge kernels, tile programs and replies on the twin as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put known cheats into groups of honest failures. Exit 0 if none is rewarded above these."""
    import tempfile

    from akgen.finetune.training.drill import drill as run
    from akgen.finetune.training.drill import drill_on_twin
    from akgen.finetune.training.pairs import read_pairs
    from akgen.finetune.training.recipe import Judging
    from akgen.finetune.training.rewards import RewardWeights
    from akgen.finetune.training.twin_environment import open_twin

    if pairs is None and not twin:
        raise InputError("There is nothing to try cheats on.", "Give a file of pairs, or --twin.")
    weights, terminal = RewardWeights(), Terminal(as_json)
    found = [r for pair in read_pairs(pairs)[:20] for r in run(pair, weights)] if pairs else []
    if twin:
        with (
            terminal.people.status("judging cheats on the twin"),
            tempfile.TemporaryDirectory(prefix="akgen-drill-") as folder,
            open_twin(context.obj, Judging(), 0, Path(folder)) as place,
        ):
            on_twin = drill_on_twin(place, weights)
        found += on_twin
        for r in on_twin:
            terminal.line(f"{r.total:6.2f}  {'called a cheat' if r.caught else '':14}  {r.route}: {r.name}")
    broken = [r for r in found if not r.held]
    terminal.line(
        f"{len(found)} cheats tried, {sum(r.caught for r in found)} called a cheat, {len(broken)} rewarded above an "
        "honest failure"
    )
    for r in broken:
        terminal.line(f"  {r.name}: {r.total:.2f} above {r.honest_failure:.2f}")
    terminal.result({"tried": len(found), "rewarded": [r.model_dump(mode="json") for r in broken]})
    finish(not broken)


def _changes(change: list[str] | None) -> dict[str, Any]:
    """Read NAME=VALUE. Raises InputError for another form."""
    found: dict[str, Any] = {}
    for text in change or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text!r} has no value.", "Write --set trainer.max_steps=10.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _told(trained: "Trained", as_json: bool) -> None:
    terminal = Terminal(as_json)
    kinds = ", ".join(f"{n} {name}" for name, n in sorted(trained.kinds.items()))
    terminal.line(
        f"{trained.steps} steps on {trained.records} records ({kinds}); {trained.too_long} were too long; "
        f"{trained.parameters:,} parameters in {trained.model}"
    )
    terminal.result(trained)


def _rates(found: "Evaluation") -> str:
    parts = []
    for name, rates in (("CR", found.compiles), ("ER", found.correct), ("ER after repair", found.repaired)):
        parts += [f"{name}@{r.k} {r.value:.3f} [{r.low:.3f}, {r.high:.3f}]" for r in rates]
    return ", ".join(parts)
