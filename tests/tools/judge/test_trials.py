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


def test_a_task_with_its_own_checker_keeps_its_inputs() -> None:
    own = TASK.model_copy(update={"own_checker": True})
    assert {p.distribution for p in plan(own, TASK.cases[0], 5, nonce(1))} == {"task"}
