"""One stage of one attempt: announced, paid through the ledger, recorded."""

from collections.abc import Callable
from typing import Any, TypeVar

from akgen.agents.budget import Spent, remaining
from akgen.agents.calls.context import CallContext, use_context
from akgen.agents.calls.tracing import span, stage_span
from akgen.agents.roles import Usage
from akgen.graph.deps import Context
from akgen.graph.state import SampleState
from akgen.graph.store.ledger import Paid
from akgen.graph.store.records import Stage
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome

T = TypeVar("T", bound=Frozen)
ON_DEVICE: tuple[Stage, ...] = ("test", "profile")


class Step:
    """Construct it when the stage begins, `pay` for its effect, say `done` when it ended."""

    def __init__(self, stage: Stage, state: SampleState, context: Context) -> None:
        self.stage = stage
        self.attempt = state["attempt"]
        self.here = context.sample(state["sample"], state["task"].name)
        self._spent = state["spent"]
        self._call_context = CallContext(
            run=context.run,
            task=state["task"].name,
            sample=state["sample"],
            attempt=self.attempt,
            node=stage,
            left=remaining(context.budget, state["spent"]),
        )
        self._seconds = 0.0
        self.here.log.say("stage", attempt=self.attempt, stage=stage, status="start")

    def pay(
        self,
        inputs: dict[str, Any],
        model: type[T],
        act: Callable[[], T],
        usable: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """Act once for these inputs, however often the process dies in between."""
        with use_context(self._call_context), span(*stage_span(self._call_context)):
            paid: Paid[T] = self.here.ledger.once(self.stage, inputs, model, act, usable)
        self._seconds = paid.seconds
        if paid.reused:
            self.here.log.say("reused", attempt=self.attempt, stage=self.stage)
        return paid.value

    def done(self, text: str, outcome: Outcome | None, usage: Usage | None = None) -> Spent:
        """Record how the stage ended; return what the sample has spent by now."""
        self.here.log.say(
            "stage",
            attempt=self.attempt,
            stage=self.stage,
            status="done",
            outcome=outcome,
            seconds=round(self._seconds, 3),
            text=text,
        )
        return self._spent.plus(
            usage=usage,
            wall_s=self._seconds,
            device_s=self._seconds if self.stage in ON_DEVICE else 0.0,
        )
