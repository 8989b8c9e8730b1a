"""What is learnt of a model's own samples: kept answers of expert iteration, preferences that differ in one step."""

import json
import random
import re
from pathlib import Path

import pytest

from akgen.finetune.training import judges as judges_module
from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.experiments import iterate, tasks_of_round
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.pairs import fresh_tasks, splits
from akgen.finetune.training.preferences import answer_steps, step_preferences
from akgen.finetune.training.recipe import DataRecipe, FromScratch, IterateRecipe, SftRecipe, Trainer
from akgen.finetune.training.records import answer_of, faulty
from akgen.finetune.training.sft import multiplies_bf16, train_sft, trainer_options
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.untrusted import read_json_lines
from tests.finetune.conftest import Pairs
from tests.finetune.test_training_data import SQUARE

STEP = Trainer(max_steps=1, per_device_train_batch_size=2, bf16=False)


def test_a_round_keeps_right_answers_of_tasks_that_are_not_yet_sure_and_tells_the_others_theirs(
    many_pairs: Pairs, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(p.model_dump()) + "\n" for p in many_pairs))
    tiny = FromScratch(hidden=16, layers=1, heads=2, intermediate=32, vocabulary=600)
    base = SftRecipe(base=tiny, data=DataRecipe(pairs=pairs), packed_tokens=128, trainer=STEP, cpu=True)
    model = train_sft(base, tmp_path / "sft").model
    train = fresh_tasks(pairs, 1, None)  # the model was trained on the first one
    half, sure, never = train[:3]
    run = tmp_path / "run"
    rows = [
        {"task": p.digest, "prompt": p.prompt("en"), "programs": [p.program] * bool(right), "right": right}
        for p, right in ((half, 0.5), (sure, 1.0), (never, 0.0))
    ]
    (run / "round-1").mkdir(parents=True)
    (run / "round-1" / "kept.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))  # it was stopped
    recipe = IterateRecipe(
        base=str(model), pairs=pairs, skip=1, repairs=0.0, tasks=4, rounds=1, samples=2, most_right=0.9, told=True,
        max_new_tokens=4, trainer=STEP, cpu=True,
    )  # fmt: skip
    with pytest.raises(InputError, match="training tasks"):
        fresh_tasks(pairs, 99, None)
    (one,) = iterate(recipe, run)
    kept = [(r["kind"], r["completion"]) for r in read_json_lines(run / "round-1" / "records.jsonl", "")]
    assert kept[:2] == [("own", half.program), ("told", answer_of(never, "en"))]
    assert kept[2] == ("told", answer_of(train[3], "en"))  # asked now; a model of one step gets nothing right
    assert (one.asked, one.solved, one.kept, one.told, one.right) == (4, 2, 1, 2, pytest.approx(0.375))
    seen = splits(many_pairs)["train"][0]
    replayed = list(read_json_lines(run / "round-1" / "records.jsonl", ""))[3:]
    operations = re.compile(r" = (\w+)\(")
    assert [(r["kind"], operations.findall(r["completion"])) for r in replayed] == [
        ("task en", operations.findall(seen.program))  # known before: no answer of a fresh task is looked at
    ]
    assert iterate(recipe, run) == [one]


def test_judges_in_processes_say_what_one_says_here(
    many_pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges_module, "_FEW", 4)
    rng = random.Random(0)
    answers = [
        (p, text) for p in many_pairs[:6] for text in (faulty(p.program, rng), p.program, p.program, "x")
    ]
    expected = [ProgramEnvironment.of(p).judged(text) for p, text in answers]
    assert len({v.outcome for v in expected}) == 3
    with Judges(2) as several:
        assert several.judged(answers) == expected == Judges(1).judged(answers)
        assert several.judged(answers[::-1]) == expected[::-1]


def test_a_task_with_its_inputs_in_another_order_is_the_same_task(many_pairs: Pairs) -> None:
    several = [p for p in many_pairs if len(set(p.inputs.splitlines())) > 1]
    firsts = set()
    for pair in several:
        for seed in range(4):
            other = pair.with_inputs_shuffled(random.Random(seed))
            assert [line[0] for line in other.inputs.splitlines()] == [
                line[0] for line in pair.inputs.splitlines()
            ]
            found = ProgramEnvironment.of(other).judged(other.program)
            assert found.outcome is Outcome.CORRECT and other.program.startswith(other.inputs)
            firsts.add(next(w for w in re.findall(r"\b[xyzwuv]\b", other.said["en"])))
    assert several and {"x", "y"} <= firsts  # a task need not begin with x


def test_a_letter_stands_for_the_length_that_comes_first() -> None:
    pair = SQUARE.model_copy(
        update={
            "inputs": "x: [M, N]\ny: [N]",
            "program": "x: [M, N]\ny: [N]\nt0 = add(x, y)\nreturn t0\n",
            "said": {"en": "The result t0 is x plus y."},
        }
    )
    orders = {pair.with_inputs_shuffled(random.Random(seed)).program for seed in range(8)}
    assert orders == {pair.program, "x: [M]\ny: [N, M]\nt0 = add(y, x)\nreturn t0\n"}


def test_a_round_asks_the_tasks_after_those_of_the_round_before(many_pairs: Pairs) -> None:
    five = many_pairs[:5]
    assert [tasks_of_round(five, 2, k) for k in (1, 2)] == [list(five[:2]), list(five[2:4])]
    assert tasks_of_round(five, 2, 3) == [five[4], five[0]]
    assert tasks_of_round(five, None, 7) == list(five) == tasks_of_round(five, 9, 2)


def test_a_rejected_answer_has_one_step_of_a_wrong_sample_and_is_wrong() -> None:
    gold = answer_of(SQUARE, "en")
    square, total = "t0 = mul(x, x)\n", "t1 = reduce_sum(t0, 1)\nt1 = reshape(t1, [M])\n"
    assert answer_steps(gold) == [
        "x: [M, N]\n", f"# t0 is the square of x.\n{square}",
        f"# The result t1 is the sum of t0 over each row.\n{total}", "return t1\n",
    ]  # fmt: skip
    misread = gold.replace(
        "# t0 is the square of x.\n" + square, "# t0 is the magnitude of x.\nt0 = abs(x)\n"
    )
    wrong = (
        misread.replace("reduce_sum", "reduce_max"),  # two steps: the first one counts
        gold.replace(square, "t0 = mul(x, x)\nt0 = mul(t0, 1.0)\n").replace(
            "reduce_sum", "reduce_max"
        ),  # the first is right, otherwise said
        gold.replace("reduce_sum(t0, 1)", "reduce_sum(t0, 0)"),  # with its step alone it fits no more
        misread,  # the same step again
        gold,
    )
    found = list(step_preferences("t", "p", gold, wrong, ProgramEnvironment.of(SQUARE)))
    assert [(p.task, p.prompt, p.chosen, p.rejected) for p in found] == [
        ("t", "p", gold, misread), ("t", "p", gold, gold.replace("reduce_sum", "reduce_max"))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("processor", "native"),
    [
        ({"avx2": True, "avx512_f": False, "avx512_bf16": False, "amx_bf16": False}, False),
        ({"avx2": True, "avx512_f": True}, False),
        ({"avx512_f": True, "avx512_bf16": True}, True),
        ({"amx_bf16": True}, True),
        ({"neon": True, "bf16": True}, True),
    ],
)
def test_bf16_is_for_processors_that_multiply_in_it(
    processor: dict[str, bool], native: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert multiplies_bf16(processor) is native
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: processor)
    assert trainer_options(Trainer(), tmp_path, 0, cpu=True)["bf16"] is native
    for asked in (True, False):
        assert trainer_options(Trainer(bf16=asked), tmp_path, 0, cpu=True)["bf16"] is asked
