"""The planner's thought, read from the run store as soon as its stage has ended."""

from akgen.agents.plan import Plan
from akgen.graph.store.effects import latest
from akgen.graph.store.records import Event
from akgen.graph.store.run_store import RunStore


def plan_of(store: RunStore, event: Event) -> Plan | None:
    """Return the plan if the event says that one was made."""
    if event.stage != "plan" or event.status != "done":
        return None
    from akgen.agents.roles import Planned

    found = latest(store.task(event.task).sample(event.sample).effects, "plan", Planned)
    return found.plan if found else None


def thought_of(store: RunStore, event: Event) -> list[str]:
    """Return the thought's lines, without empty ones."""
    plan = plan_of(store, event)
    return [line for line in plan.thought.splitlines() if line.strip()] if plan else []
