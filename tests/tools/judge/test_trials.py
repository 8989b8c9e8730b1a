"""Hidden seeds differ between verdicts, and a task's cases together see every distribution."""

from pathlib import Path

from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.judge.trials import ORDER, nonce, plan

TASK = Task(
    name="t",
    suite="file",
    op_type="T",
    kernel="t",
    reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("r.py")),
    cases=tuple(Case(id=str(i)) for i in range(12)),
)


def test_seeds_are_fresh_unless_fixed() -> None:
    def once(seed: int | None) -> list[int]:
        secret = nonce(seed)
        return [p.seed for c in TASK.cases for p in plan(TASK, c, 3, secret)]

    assert once(None) != once(None)
    assert once(7) == once(7)
    assert once(7) != once(8)
    assert len(set(once(7))) == 36


def test_the_first_trial_has_the_tasks_inputs_and_the_others_take_turns() -> None:
    secret = nonce(5)
    plans = [plan(TASK, c, 3, secret) for c in TASK.cases]
    assert all(p[0].distribution == "task" for p in plans)
    seen = {t.distribution for p in plans for t in p[1:]}
    assert seen == set(ORDER)


def test_every_verdict_of_several_trials_has_extreme_values() -> None:
    for seed in range(20):
        for trials in (2, 3, 6):
            kinds = [p.distribution for p in plan(TASK, TASK.cases[0], trials, nonce(seed), leads=True)]
            assert kinds[:2] == ["task", "extreme"] and "extreme" not in kinds[2:]
    later = {plan(TASK, TASK.cases[0], 3, nonce(s), leads=True)[2].distribution for s in range(40)}
    assert later == set(ORDER) - {"extreme"}


def test_a_task_with_its_own_checker_keeps_its_inputs() -> None:
    own = TASK.model_copy(update={"own_checker": True})
    assert {p.distribution for p in plan(own, TASK.cases[0], 5, nonce(1))} == {"task"}


def test_what_a_seed_draws_stays_the_same() -> None:
    """A run with a seed can be repeated with a later version: its inputs are derived in the same way."""
    found = plan(TASK, TASK.cases[3], 4, nonce(7))
    assert [p.number for p in found] == [0, 1, 2, 3]
    assert [p.seed for p in found] == [133073315245417, 112642974689966, 132750974960464, 56289476054894]
    assert [p.distribution for p in found] == ["task", "constant", "normal", "extreme"]


def test_the_secret_of_a_verdict_has_128_bits() -> None:
    assert len(nonce(None)) == 32 and int(nonce(None), 16) >= 0


def test_other_tasks_cases_and_secrets_have_other_seeds() -> None:
    case = TASK.cases[0]
    other = TASK.model_copy(update={"name": "u"})
    drawn = [plan(task, c, 1, s)[0].seed for task, c, s in (
        (TASK, case, "a"), (TASK, case, "b"), (other, case, "a"), (TASK, TASK.cases[1], "a"),
    )]  # fmt: skip
    assert len(set(drawn)) == 4
    assert all(0 <= seed < 2**48 for seed in drawn)
