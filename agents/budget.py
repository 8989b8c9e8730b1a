"""What a run may spend and what it has spent; visible to the agents that spend it."""

from akgen.agents.calls.model_call import Usage
from akgen.tools.core.frozen import Frozen


class Budget(Frozen):
    """Limits of one sample, looked at between stages. None is no limit.

    `device_s` counts seconds on the toolchain's device: those of test and profile. `cost` is in the currency of the
    model's prices.
    """

    attempts: int = 4
    tokens: int | None = None
    cost: float | None = None
    wall_s: float | None = None
    device_s: float | None = None


class Spent(Frozen):
    """What a sample has used. `wall_s` is the sum of its stages, so a resumed run counts the same.

    `output_tokens` are among `tokens`.
    """

    attempts: int = 0
    tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    wall_s: float = 0.0
    device_s: float = 0.0

    def plus(
        self,
        *,
        attempts: int = 0,
        usage: Usage | None = None,
        wall_s: float = 0.0,
        device_s: float = 0.0,
    ) -> "Spent":
        used = usage or Usage()
        return Spent(
            attempts=self.attempts + attempts,
            tokens=self.tokens + used.input_tokens + used.output_tokens,
            output_tokens=self.output_tokens + used.output_tokens,
            cost=self.cost + used.cost,
            wall_s=round(self.wall_s + wall_s, 6),
            device_s=round(self.device_s + device_s, 6),
        )


def remaining(budget: Budget, spent: Spent) -> Budget:
    """Return what is left, never below zero."""
    return Budget(
        attempts=max(0, budget.attempts - spent.attempts),
        tokens=None if budget.tokens is None else max(0, budget.tokens - spent.tokens),
        cost=None if budget.cost is None else max(0.0, budget.cost - spent.cost),
        wall_s=None if budget.wall_s is None else max(0.0, budget.wall_s - spent.wall_s),
        device_s=None if budget.device_s is None else max(0.0, budget.device_s - spent.device_s),
    )


def exhausted(budget: Budget, spent: Spent, *, besides_attempts: bool = False) -> str | None:
    """Return which limit is used up, as half a sentence with both numbers, or None.

    `besides_attempts` leaves the number of attempts out: an attempt that has begun may end.
    """
    left = remaining(budget, spent)
    if left.attempts == 0 and not besides_attempts:
        return f"{spent.attempts} of {budget.attempts} attempts are used"
    if left.tokens == 0:
        return f"{spent.tokens} of {budget.tokens} tokens are used"
    if left.cost == 0:
        return f"{spent.cost:.4g} of {budget.cost:g} are spent"
    if left.wall_s == 0:
        return f"{spent.wall_s:.1f} of {budget.wall_s} s are used"
    if left.device_s == 0:
        return f"{spent.device_s:.1f} of {budget.device_s} s on the device are used"
    return None


def parse_budget(text: str, attempts: int) -> Budget:
    """Read `tokens=20000,cost=1.5,wall=600,device=60`; `attempts` comes from its own option.

    Raises ValueError with one sentence when a name or number cannot be used.
    """
    fields = {"tokens": "tokens", "cost": "cost", "wall": "wall_s", "device": "device_s"}
    values: dict[str, float] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, number = part.partition("=")
        if name not in fields:
            raise ValueError(f"{name!r} is not a budget; known are {', '.join(fields)}.")
        try:
            value = float(number)
        except ValueError:
            raise ValueError(f"The budget {part!r} needs a number after '='.") from None
        if not 0 < value < float("inf"):
            raise ValueError(f"The budget {part!r} must be a number above zero.")
        values[fields[name]] = value
    tokens = values.pop("tokens", None)
    return Budget(attempts=attempts, tokens=None if tokens is None else int(tokens), **values)
