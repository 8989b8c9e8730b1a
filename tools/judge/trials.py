"""The hidden trials of a case: their seeds and distributions, and their files, made one ahead of their use."""

import hashlib
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from akgen.tools.core.call import Poison
from akgen.tools.core.task import Case, Distribution, Task
from akgen.tools.reference.client import ReferenceWorker, SampleFiles

ORDER: tuple[Distribution, ...] = ("normal", "extreme", "sparse", "uniform", "constant")
MOST_BEFORE = 12  # launches before one on other inputs; how many is drawn
_AFTER_EXTREME = tuple(one for one in ORDER if one != "extreme")


class TrialPlan(NamedTuple):
    """One trial: what to draw."""

    number: int
    seed: int
    distribution: Distribution
    poison: Poison = Poison(seed=0)
    launches_before: int = 1  # in the same process, where it is launched after others
    last_core_first: bool = False


def nonce(seed: int | None) -> str:
    """Return the secret that all seeds of a verdict derive from; fixed by `seed` where a run must be repeatable."""
    return secrets.token_hex(16) if seed is None else f"seed {seed}"


def plan(task: Task, case: Case, trials: int, secret: str, *, leads: bool = False) -> tuple[TrialPlan, ...]:
    """Return the trials of one case. The first has the task's own inputs; a distribution comes in turn for the others.

    The turn starts at another place for each case, so that a task's cases together see all distributions. The case
    that `leads` a verdict has extreme values in its second trial, for no verdict may go without them. A task with its
    own checker keeps to its own inputs: its checker is made for those.
    """
    start = int.from_bytes(_digest(secret, task.name, case.id, "order")[:4], "little")
    plans = []
    for number in range(trials):
        seed = int.from_bytes(_digest(secret, task.name, case.id, str(number))[:6], "little")
        own = number == 0 or task.own_checker
        turns = _AFTER_EXTREME if leads else ORDER
        distribution: Distribution = turns[(start + number) % len(turns)]
        if own or (leads and number == 1):
            distribution = "task" if own else "extreme"
        drawn = int.from_bytes(_digest(secret, task.name, case.id, str(number), "poison")[:6], "little")
        before = 1 + _digest(secret, task.name, case.id, str(number), "before")[0] % MOST_BEFORE
        plans.append(
            TrialPlan(number, seed, distribution, Poison(seed=drawn), before, last_core_first=number == 1)
        )
    return tuple(plans)


def plan_once(task: Task, case: Case, secret: str, *, relaunched: bool) -> tuple[TrialPlan, ...]:
    """Return the one trial of a case; where it is `relaunched`, a second one of the task's own inputs for that."""
    first, second = plan(task, case, 2, secret)
    return (first, second._replace(distribution="task")) if relaunched else (first,)


def drawing_seed(task: Task, secret: str, what: str = "shapes") -> int:
    """Return the seed that shapes beside the listed ones are drawn from."""
    return int.from_bytes(_digest(secret, task.name, what)[:6], "little")


Step = tuple[Case, TrialPlan]


@dataclass(frozen=True)
class Prepared:
    """One trial's folders and files. `candidate` is all that the toolchain is told of."""

    candidate: Path
    expected: Path
    trial: SampleFiles


class TrialFiles:
    """Make the files of each step in the reference process; ask for them in the order of the steps."""

    def __init__(
        self,
        reference: ReferenceWorker,
        task: Task,
        steps: Sequence[Step],
        work: Path,
        *,
        again: bool = False,
    ) -> None:
        """`again`: other projects will be judged on the same steps."""
        self._again = again
        self._reference, self._task, self._work = reference, task, work
        self._rest: Iterator[Step] = iter(steps)
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._ahead: tuple[Step, Future[Prepared]] | None = None
        self.before: Prepared | None = (
            None  # the step before, whose inputs are still there if it was asked for so
        )
        self._advance()

    @contextmanager
    def of(self, case: Case, plan: TrialPlan, *, keep: bool = False) -> Iterator[Prepared]:
        """Yield the files of a step and remove them after. Steps before it that were not asked for are left out.

        `keep`: its inputs stay for the next step, in `before`.
        """
        while self._ahead is not None and self._ahead[0] != (case, plan):
            self._drop(self._ahead[1])
            self._advance()
        assert self._ahead is not None, "steps are asked for in their order"
        prepared = self._ahead[1].result()
        self._advance()
        try:
            yield prepared
        finally:
            self._forget()
            if keep:
                self.before = prepared
                shutil.rmtree(prepared.expected, ignore_errors=True)
            else:
                _remove(prepared)

    def __enter__(self) -> "TrialFiles":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._forget()
        if self._ahead is not None:
            self._drop(self._ahead[1])
        self._pool.shutdown()

    def _forget(self) -> None:
        if self.before is not None:
            _remove(self.before)
            self.before = None

    def _advance(self) -> None:
        step = next(self._rest, None)
        self._ahead = None if step is None else (step, self._pool.submit(self._make, step))

    def _drop(self, future: "Future[Prepared]") -> None:
        if not future.cancel() and future.exception() is None:
            _remove(future.result())

    def _make(self, step: Step) -> Prepared:
        case, plan = step
        name = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', case.id)}-{plan.number}"
        candidate, expected = self._work / "candidate" / name, self._work / "expected" / name
        trial = self._reference.sample(
            self._task.reference,
            case,
            plan.seed,
            plan.distribution,
            inputs=candidate / "in",
            expected=expected,
            again=self._again,
        )
        return Prepared(candidate, expected, trial)


def _remove(prepared: Prepared) -> None:
    for folder in (prepared.candidate, prepared.expected):
        shutil.rmtree(folder, ignore_errors=True)


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()
