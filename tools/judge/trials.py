"""Which hidden inputs a case gets: seeds that the candidate cannot know, and a distribution for each trial."""

import hashlib
import secrets
from typing import NamedTuple

from akgen.tools.core.task import Case, Distribution, Task

ORDER: tuple[Distribution, ...] = ("normal", "extreme", "sparse", "uniform", "constant")


class TrialPlan(NamedTuple):
    """One trial: what to draw."""

    number: int
    seed: int
    distribution: Distribution


def nonce(seed: int | None) -> str:
    """Return the secret that all seeds of a verdict derive from; fixed by `seed` where a run must be repeatable."""
    return secrets.token_hex(16) if seed is None else f"seed {seed}"


def plan(task: Task, case: Case, trials: int, secret: str) -> tuple[TrialPlan, ...]:
    """Return the trials of one case. The first has the task's own inputs; a distribution comes in turn for the others.

    The turn starts at another place for each case, so that a task's cases together see all distributions. A task
    with its own checker keeps to its own inputs: its checker is made for those.
    """
    start = int.from_bytes(_digest(secret, task.name, case.id, "order")[:4], "little")
    plans = []
    for number in range(trials):
        seed = int.from_bytes(_digest(secret, task.name, case.id, str(number))[:6], "little")
        own = number == 0 or task.own_checker
        distribution: Distribution = "task" if own else ORDER[(start + number) % len(ORDER)]
        plans.append(TrialPlan(number, seed, distribution))
    return tuple(plans)


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()
