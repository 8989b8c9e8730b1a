"""What is said of each schedule: in kernels, in the chain of thought and in the plan. One table, texts.json."""

from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from akgen.tools.compose.back.schedules.base import Kind
from akgen.tools.core.frozen import Frozen


class ScheduleText(Frozen):
    """How the schedule runs, why it is taken, what the cores divide among them, why nothing simpler does."""

    how: str
    why: str
    shares: str
    instead: str | None = None


@cache
def schedule_texts() -> dict[Kind, ScheduleText]:
    """Return the texts of every schedule."""
    text = (Path(__file__).parent / "texts.json").read_text()
    return TypeAdapter(dict[Kind, ScheduleText]).validate_json(text)
