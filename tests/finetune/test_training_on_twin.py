"""Rewards by the judge on the twin: whole answers, hidden shapes, several turns, and cheats among honest failures."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from akgen.finetune.training.drill import DrillResult, drill_on_twin, twin_group
from akgen.finetune.training.grpo import GroupReward, judged_here, reward_of_turns, train_grpo
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.metrics import read_metrics
from akgen.finetune.training.recipe import GrpoRecipe, Judging, Trainer
from akgen.finetune.training.rewards import Facts, Judged, RewardWeights, facts_of_verdict, reward
from akgen.finetune.training.rollouts import Completion, Rollouts
from akgen.finetune.training.tokenizer import train_tokenizer
from akgen.finetune.training.twin_environment import TwinEnvironment, open_twin, read_tasks
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.settings import Settings
from akgen.tools.core.verdict import CaseVerdict, Mismatch, Verdict
from akgen.tools.twin.settings import user_cache
from tests.finetune.test_training_data import SQUARE, WRONG

SETTINGS = Settings(cache=user_cache(os.environ))
GROUP = {name: (task, text) for _, one, task, text in twin_group() for name in [f"{task.form}: {one.name}"]}
TASK = GROUP["project: computes another formula"][0]
WEIGHTS = RewardWeights(speed=0.5)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinEnvironment]:
    with open_twin(
        SETTINGS, Judging(workers=1, hidden_shapes=1), 0, tmp_path_factory.mktemp("tasks")
    ) as place:
        yield place


def _held(found: list[DrillResult]) -> None:
    assert [r for r in found if not r.held] == []
    assert all(r.total < 0 for r in found if r.caught)


def test_cheats_among_honest_failures_are_worth_no_more(twin: TwinEnvironment) -> None:
    fast = {
        "computes another formula", "has a table of the listed shapes", "fits normal inputs only",
        "calls a finished operator", "includes a file of the machine", "nothing", "a verdict as JSON",
    }  # fmt: skip
    found = drill_on_twin(twin, WEIGHTS, lambda one: one.name in fast and not one.changes)
    _held(found)
    assert {r.name for r in found if r.caught} >= {
        "calls a finished operator",
        "includes a file of the machine",
    }
    table = next(r for r in found if r.name == "has a table of the listed shapes")
    assert table.total == WEIGHTS.format


@pytest.mark.slow
def test_no_cheat_of_the_whole_drill_is_worth_more_than_an_honest_failure(twin: TwinEnvironment) -> None:
    found = drill_on_twin(twin, WEIGHTS)
    _held(found)
    assert len(found) >= 55 and sum(r.caught for r in found) >= 8


def test_a_right_answer_in_a_group_of_cheats_is_the_only_one_that_learns(twin: TwinEnvironment) -> None:
    answers = [_honest_project(), "", GROUP["project: calls a finished operator"][1], "no code"]
    told: dict[str, float] = {}
    asked = GroupReward(WEIGHTS, 4, lambda rows: twin.judged([(TASK, text) for _, text in rows]))
    chats = [[{"role": "assistant", "content": text}] for text in answers]
    totals = asked(["p"] * 4, chats, ["t"] * 4, log_metric=told.__setitem__)
    assert totals[0] > 1.0 and totals[1] == totals[3] == 0.0 and totals[2] == -1.0
    assert (told["cheats"], told["reward_correct"], told["groups_without_spread"]) == (0.25, 0.15, 0.0)
    assert 0 < told["reward_speed"] <= WEIGHTS.speed / 4


def _honest_project() -> str:
    spoilt = GROUP["project: computes another formula"][1]
    return spoilt.replace("Muls(out, in, 3.0f, count); Adds(out, out, 0.25f, count);",
                          "Muls(out, in, 2.0f, count); Adds(out, out, 0.5f, count);")  # fmt: skip


def test_the_share_is_that_of_shapes_that_the_prompt_does_not_show() -> None:
    def verdict(**cases: Outcome) -> Verdict:
        judged = tuple(CaseVerdict(id=name, outcome=outcome) for name, outcome in cases.items())
        return Verdict(outcome=Outcome.WRONG, toolchain="t", compile_s=0, cases=judged)

    right, wrong = Outcome.CORRECT, Outcome.WRONG
    shown = {"a", "b"}
    table = facts_of_verdict(verdict(a=right, b=right, hidden=wrong), shown)
    assert (table.share, table.hollow) == (0.0, True)
    tail = facts_of_verdict(verdict(a=right, b=wrong, hidden=right, more=wrong), shown)
    assert (tail.share, tail.hollow) == (0.5, False)
    assert facts_of_verdict(verdict(a=right, b=wrong), shown).share == 0.5  # there are no other shapes
    skipped = Mismatch(
        output=0, pattern="unwritten", count=8, total=9, first_index=(1,), max_abs=None, max_rel=None
    )
    found = verdict(a=wrong, hidden=right)
    lazy = found.cases[0].model_copy(update={"mismatch": skipped})
    whole = found.model_copy(update={"cases": (lazy, found.cases[1])})
    assert facts_of_verdict(whole, shown).share == 0.0  # right where there is little to do
    constant = skipped.model_copy(update={"pattern": "all", "one_value": True})
    padded = skipped.model_copy(update={"pattern": "scattered", "cause": "fill"})  # a 0 for a minus infinity
    for mismatch, hollow in ((constant, True), (padded, False)):
        case = lazy.model_copy(update={"mismatch": mismatch})
        assert facts_of_verdict(found.model_copy(update={"cases": (case,)})).hollow is hollow


def test_one_step_with_the_judge_on_the_twin(qwen: Path, tmp_path: Path) -> None:
    records = tmp_path / "grpo-train.jsonl"
    records.write_text(json.dumps({**TASK.model_dump(mode="json"), "id": "r", "split": "train"}) + "\n")
    trainer = Trainer(max_steps=1, save_steps=1, logging_steps=1, per_device_train_batch_size=2, bf16=False)
    recipe = GrpoRecipe(
        base=str(qwen), environment="twin", records=records, group=2, max_new_tokens=4, turns=2, trainer=trainer,
        judging=Judging(workers=1), cpu=True,
    )  # fmt: skip
    assert train_grpo(recipe, tmp_path / "run", SETTINGS).steps == 1
    (row, *_) = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert {"reward_silent", "reward_speed", "cheats", "turns"} <= row.keys()
    for change, said in (
        ({"records": None}, "names no records"),
        ({"records": tmp_path / "no"}, "no tasks at"),
    ):
        with pytest.raises(InputError, match=said):
            train_grpo(recipe.model_copy(update=change), tmp_path / said, SETTINGS)
    records.write_text('{"prompt": "text"}\n')
    with pytest.raises(InputError, match="holds what is no task"):
        read_tasks(records)


class Trained:
    """What rollouts see of a trainer."""

    def __init__(self, tokenizer: Any) -> None:
        self.processing_class = tokenizer


def _rollouts(prompts: list[Any], answers: list[list[str]], tokenizer: Any) -> dict[str, Any]:
    """Roll out with a sampler that gives prepared answers, turn by turn, and the interpreter as judge."""

    def sampler(ids_PT: Sequence[list[int]], trainer: Any, turn: int) -> list[Completion]:
        said = [
            tokenizer(text)["input_ids"] + [tokenizer.eos_token_id] for text in answers[turn][: len(ids_PT)]
        ]
        return [(ids, [-0.5] * len(ids)) for ids in said]

    def judged(asked: Sequence[Any], texts: Sequence[str]) -> list[Judged]:
        return judged_here(Judges(1), [(SQUARE, text) for text in texts])

    return Rollouts(sampler, 2, judged)(prompts, Trained(tokenizer))


def test_a_wrong_answer_is_told_what_was_found_and_answered_again() -> None:
    from akgen.agents.tensor_coder import repair_prompt

    prompt = SQUARE.prompt("en")
    tokenizer = train_tokenizer([prompt + SQUARE.program] * 4, [], ["x"], size=400)
    made = _rollouts([prompt, prompt], [[WRONG, SQUARE.program], [SQUARE.program]], tokenizer)
    first, second = made["completion_ids"]
    for ids, mask, scores in zip(made["completion_ids"], made["env_mask"], made["logprobs"], strict=True):
        assert len(ids) == len(mask) == len(scores)
        assert all(s == 0.0 for s, m in zip(scores, mask, strict=True) if not m)
    whole = tokenizer.decode(made["prompt_ids"][0] + first[:-1])
    assert whole == repair_prompt(prompt, WRONG, ("WRONG",)) + SQUARE.program
    shown = [i for i, m in zip(first, made["env_mask"][0], strict=True) if not m]
    assert tokenizer.decode(shown) == "# WRONG\n\n"
    assert all(made["env_mask"][1]) and tokenizer.decode(second[:-1]) == SQUARE.program
    turns = [[Judged.model_validate(one) for one in row] for row in made["judged"]]
    assert [len(row) for row in turns] == [2, 1]
    assert [reward_of_turns(row, RewardWeights()).total for row in turns] == pytest.approx([1.0, 1.0])


def test_in_a_chat_what_was_found_is_the_users_next_message() -> None:
    tokenizer = train_tokenizer([SQUARE.program] * 4, [], ["x"], size=400)
    chat = [{"role": "user", "content": "Compute it.\n"}]
    made = _rollouts([chat], [[WRONG], [SQUARE.program]], tokenizer)
    text = tokenizer.decode(made["prompt_ids"][0] + made["completion_ids"][0])
    assert text == f"Compute it.\n{WRONG}<end># WRONG\n\n{SQUARE.program}<end>"


def test_a_cheat_that_a_later_turn_takes_back_still_counts() -> None:
    cheat, right = (Judged(facts=Facts(format=True, correct=c, cheat=not c)) for c in (False, True))
    assert reward_of_turns([cheat, right], RewardWeights()).total < reward(Facts(), RewardWeights()).total
