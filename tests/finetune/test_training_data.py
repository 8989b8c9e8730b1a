"""Pairs, records, tokenizer, rewards and the drill: what models are trained on is right, and cheats are not paid."""

import itertools
import json
import random
from pathlib import Path

import pytest

from akgen.agents.tensor_coder import SPOKEN, spoken
from akgen.finetune.training.drill import drill, known_cheats
from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.pairs import TensorPair, drawn_pairs, read_pairs, splits, write_pairs
from akgen.finetune.training.preferences import TimedAnswer, preferences_of
from akgen.finetune.training.recipe import DataRecipe, SftRecipe, read_recipe, save_recipe
from akgen.finetune.training.records import (
    faulty,
    misread,
    outcome_said,
    training_records,
    with_thought,
    world_records,
)
from akgen.finetune.training.rewards import Facts, RewardWeights, facts_of_program, reward
from akgen.finetune.training.sft import LengthBatches
from akgen.finetune.training.tokenizer import train_tokenizer
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.core.outcome import InputError, Outcome
from tests.finetune.conftest import Pairs

SQUARE = TensorPair(
    name="square_sum", family="reduction", difficulty=1, digest="d", composition="square; sum", inputs="x: [M, N]",
    said={
        "en": "t0 is the square of x. The result t1 is the sum of t0 over each row.",
        "zh": "t0是x的平方。结果t1是t0的和。",
    },
    code="t0 = x * x\nt1 = t0.sum(dim=-1)\nreturn t1",
    program="x: [M, N]\nt0 = mul(x, x)\nt1 = reduce_sum(t0, 1)\nt1 = reshape(t1, [M])\nreturn t1\n",
)  # fmt: skip
WRONG = SQUARE.program.replace("mul(x, x)", "abs(x)")


def test_most_drawn_operators_have_a_program_and_it_is_right_where_it_is_judged(many_pairs: Pairs) -> None:
    assert len(many_pairs) >= 24
    right = [p for p in many_pairs if ProgramEnvironment.of(p).judged(p.program).outcome is Outcome.CORRECT]
    assert len(right) >= len(many_pairs) - 1  # a reference may not be finite on other inputs
    assert all(p.program.startswith(p.inputs) for p in many_pairs)


def test_a_stopped_file_goes_on_without_its_half_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    write_pairs(file, 3, 6)
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    file.write_text("".join(lines[:3]) + lines[3][:40])
    write_pairs(file, 3, 6)
    assert sorted(file.read_text().splitlines()) == sorted(whole.splitlines())
    held = [p for p in read_pairs(file) if p not in splits(read_pairs(file))["train"]]
    assert len(list((tmp_path / "tasks").glob("*/*/task.json"))) == len(held) > 0


def test_however_many_processes_verify_pairs_they_are_the_same() -> None:
    assert list(drawn_pairs(5, 24, workers=2)) == list(drawn_pairs(5, 24))


def test_no_held_out_composition_is_trained_on(many_pairs: Pairs) -> None:
    found = splits(many_pairs)
    met = {p.composition for p in found["train"]}
    assert not met & {p.composition for s in ("compositions", "families") for p in found[s]}  # type: ignore[index]
    assert not {p.family for p in found["train"]} & {p.family for p in found["families"]}


def test_verdicts_come_by_stage() -> None:
    place = ProgramEnvironment.of(SQUARE)
    for text, outcome, code in (
        (SQUARE.program, Outcome.CORRECT, None),
        (WRONG, Outcome.WRONG, None),
        (SQUARE.program.replace("[M]", "[N]"), Outcome.COMPILE_ERROR, "TENSOR_SHAPE"),
        (SQUARE.program.replace("reduce_sum", "sum"), Outcome.COMPILE_ERROR, "TENSOR_UNKNOWN_OP"),
    ):
        found = place.judged(text)
        assert (found.outcome, found.diagnostics[0].code if found.diagnostics else None) == (outcome, code)


def test_faults_are_mostly_faults_and_records_teach_their_repair(many_pairs: Pairs) -> None:
    rng = random.Random(1)
    bad = [faulty(p.program, rng) for p in many_pairs]
    judged = [ProgramEnvironment.of(p).judged(b).outcome for p, b in zip(many_pairs, bad, strict=True)]
    assert sum(o is not Outcome.CORRECT for o in judged) > len(many_pairs) / 2
    records = list(training_records(many_pairs, DataRecipe(repairs=0.5, world=0.3), 0))
    assert records == list(training_records(many_pairs, DataRecipe(repairs=0.5, world=0.3), 0))
    assert {"repair", "world", "task en"} <= {r.kind for r in records}
    for record in records:
        parse_tensor_program(record.completion)
    outcomes = [outcome_said(r.completion) for r in world_records(many_pairs, 0)]
    assert "" not in outcomes and len(set(outcomes)) > 2
    assert [outcome_said(text) for text in ("", "return t0", "t0 = exp(x)\n# WRONG\n")] == ["", "", "WRONG"]


def test_a_model_hears_the_names_that_it_was_trained_with_whatever_a_task_calls_its_inputs(
    many_pairs: Pairs,
) -> None:
    inputs, told, program = spoken(
        "prediction: [M, N]\ny: [N]", "t0 is prediction times y. x is free.", "t0 = mul(prediction, y)\n"
    )
    assert inputs == "y: [M, N]\nz: [N]"
    assert told == "t0 is y times z. x is free."
    assert program == "t0 = mul(y, z)\n"
    assert {line.split(":")[0] for p in many_pairs for line in p.inputs.splitlines()} <= set(SPOKEN)


def test_an_attempt_that_misread_a_step_has_its_thought_and_lines_of_another_task(many_pairs: Pairs) -> None:
    rng = random.Random(2)
    told = [with_thought(p, p.said["en"]) for p in many_pairs]
    made = [misread(a, b, rng) for a, b in zip(told, reversed(told), strict=True)]
    assert misread(SQUARE.program, told[0], rng) is None
    changed = [(p, m) for p, a, m in zip(many_pairs, told, made, strict=True) if m is not None and m != a]
    assert len(changed) > len(many_pairs) / 2
    judged = [ProgramEnvironment.of(p).judged(m) for p, m in changed]
    assert sum(v.outcome is not Outcome.CORRECT for v in judged) > len(changed) / 2
    assert any(v.outcome is Outcome.WRONG for v in judged), "some misread attempts fit their task"


def test_each_step_is_said_again_before_its_lines_in_every_wording(many_pairs: Pairs) -> None:
    assert with_thought(SQUARE, SQUARE.said["en"]) == (
        "x: [M, N]\n# t0 is the square of x.\nt0 = mul(x, x)\n# The result t1 is the sum of t0 over each row.\n"
        "t1 = reduce_sum(t0, 1)\nt1 = reshape(t1, [M])\nreturn t1\n"
    )
    for pair in many_pairs:
        for told in (*pair.said.values(), pair.code):
            thought = with_thought(pair, told)
            assert thought.count("# ") == len(pair.code.splitlines()) - 1
            assert [
                line for line in thought.splitlines() if not line.startswith("#")
            ] == pair.program.splitlines()
    assert with_thought(SQUARE, "It squares.") == SQUARE.program


def test_every_text_survives_the_tokenizer_and_names_are_whole(many_pairs: Pairs) -> None:
    texts = [p.prompt("en") + p.program for p in many_pairs] * 4
    made = train_tokenizer(
        texts, [p.said["en"] for p in many_pairs], {"x", "y", "z"}, size=1200, min_frequency=2
    )
    for text in (*texts[:5], SQUARE.prompt("zh"), "nothing like it: ×\n"):
        assert made.decode(made(text)["input_ids"]) == text
    pieces = [made.decode([i]) for i in made(SQUARE.prompt("en") + SQUARE.program)["input_ids"]]
    assert "t0" in pieces and "x" in pieces and " = mul(" in pieces
    assert len(pieces) < 60


def test_speed_is_paid_for_correct_answers_only_and_a_cheat_is_below_every_failure() -> None:
    weights = RewardWeights(speed=1.0)
    honest = [
        reward(Facts(format=f, compiles=c, silent=c, share=s, roofline_share=1.0), weights).total
        for f, c, s in ((False, False, 0), (True, False, 0), (True, True, 0), (True, True, 0.66))
    ]
    cheat = reward(
        Facts(format=True, compiles=True, share=1, correct=True, roofline_share=1, cheat=True), weights
    )
    assert cheat.total < min(honest) and honest == sorted(honest)
    right = Facts(format=True, compiles=True, share=1, correct=True)
    slow, fast = (reward(right.model_copy(update={"roofline_share": r}), weights).total for r in (0.2, 0.9))
    assert max(honest) < slow < fast


def test_no_known_cheat_is_worth_more_than_an_honest_failure(many_pairs: Pairs) -> None:
    assert len(known_cheats()) >= 15
    for pair in (SQUARE, *many_pairs[:4]):
        assert [r for r in drill(pair, RewardWeights()) if not r.held] == []


def test_an_answer_that_computes_nothing_is_paid_for_its_form_alone() -> None:
    place = ProgramEnvironment.of(
        SQUARE.model_copy(update={"program": "x: [M, N]\nt0 = mul(x, x)\nreturn t0\n"})
    )
    worth = {
        name: reward(facts_of_program(place.judged(f"x: [M, N]\n{lines}")), RewardWeights()).total
        for name, lines in (
            ("copy", "return x\n"), ("zeros", "t0 = mul(x, 0.0)\nreturn t0\n"), ("wrong", "t0 = abs(x)\nreturn t0\n"),
        )
    }  # fmt: skip
    assert worth["copy"] == worth["zeros"] == RewardWeights().format < worth["wrong"]


def test_preferences_put_right_before_wrong_and_fast_before_slow() -> None:
    answers = [
        TimedAnswer(text="slow", outcome=Outcome.CORRECT, share=1, time_us=30.0),
        TimedAnswer(text="fast", outcome=Outcome.CORRECT, share=1, time_us=10.0),
        TimedAnswer(text="wrong", outcome=Outcome.WRONG, share=0.25),
        TimedAnswer(text="broken", outcome=Outcome.COMPILE_ERROR),
    ]
    found = list(preferences_of("t", "p", answers))
    assert [(p.chosen, p.rejected, p.kind, p.margin) for p in found] == [
        ("slow", "wrong", "correct", 0.75), ("fast", "slow", "faster", 3.0)
    ]  # fmt: skip


def test_a_recipe_is_kept_and_another_one_refused_in_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text("data: {pairs: pairs.jsonl}\ntrainer: {max_steps: 5}\n")
    recipe = read_recipe(file, SftRecipe, {"trainer.max_steps": 7})
    assert recipe.trainer.max_steps == 7
    save_recipe(recipe, tmp_path / "run")
    save_recipe(recipe, tmp_path / "run")
    with pytest.raises(InputError, match="another recipe"):
        save_recipe(recipe.model_copy(update={"seed": 1}), tmp_path / "run")
    kept = tmp_path / "run" / "recipe.yaml"  # of a version without a field that has its default
    kept.write_text("".join(line for line in kept.read_text().splitlines(True) if "threads" not in line))
    save_recipe(recipe, tmp_path / "run")
    for text, said in (
        ("data: {}\nlearning: 1\n", "learning"),
        ("- 1\n", "no fields"),
        ("a: [", "cannot be read"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=said):
            read_recipe(file, SftRecipe)


def test_damaged_pairs_are_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    with pytest.raises(InputError, match="no pairs"):
        read_pairs(file)
    file.write_text(json.dumps(SQUARE.model_dump()) + '\n{"name": 1}\n')
    with pytest.raises(InputError, match="no pair"):
        read_pairs(file)


def test_a_programs_reward_has_its_parts() -> None:
    found = reward(facts_of_program(ProgramEnvironment.of(SQUARE).judged(WRONG)), RewardWeights())
    assert (
        found.parts["compile"] > 0
        and found.parts["correct"] == 0
        and found.total == sum(found.parts.values())
    )


def test_batches_are_alike_in_length_and_come_in_any_order() -> None:
    lengths = [3 + k * k % 97 for k in range(1003)]
    sampler = LengthBatches(lengths, 8, seed=1)
    order = list(sampler)
    assert sorted(order) == list(range(len(lengths)))
    batches = [[lengths[i] for i in order[at : at + 8]] for at in range(0, len(order), 8)]
    assert sum(max(b) * len(b) for b in batches) < 1.1 * sum(lengths)
    shorter = sum(b[0] < a[0] for a, b in itertools.pairwise(batches[:-1]))
    assert 0.3 < shorter / len(batches) < 0.7
    assert list(sampler) == order  # as a run that goes on needs it
    sampler.set_epoch(1)
    assert list(sampler) != order
