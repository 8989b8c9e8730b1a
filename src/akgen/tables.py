"""Tables for people: verdicts, attempts, timelines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from akgen.tools.outcome import Outcome
from akgen.tools.profile import Profile
from akgen.tools.verdict import CaseVerdict, Verdict

if TYPE_CHECKING:
    from akgen.graph.records import Attempt
    from akgen.graph.sessions import Session


def verdict_table(verdict: Verdict) -> Table:
    """Return one row per case and the caption that names the toolchain."""
    table = Table(caption=f"judged on {verdict.toolchain}", caption_justify="left")
    for name in ("case", "outcome"):
        table.add_column(name)
    for name in ("max abs error", "max rel error", "time, us", "roofline"):
        table.add_column(name, justify="right")
    table.add_column("bound by")
    for case in verdict.cases:
        table.add_row(*_case_row(case))
    return table


def attempts_table(attempts: "Sequence[Attempt]") -> Table:
    """Return one row per attempt of a sample: how it ended and what was decided."""
    table = Table()
    table.add_column("attempt", justify="right")
    table.add_column("outcome")
    table.add_column("then")
    table.add_column("why", overflow="fold")
    for attempt in attempts:
        decision = attempt.decision
        table.add_row(
            str(attempt.number), _outcome(attempt.verdict.outcome), decision.action, Text(decision.why)
        )
    return table


def sessions_table(found: "Sequence[Session]") -> Table:
    """Return one row per conversation, as they are given."""
    table = Table()
    for name in ("id", "last said", "model"):
        table.add_column(name, no_wrap=True)
    table.add_column("requests", justify="right")
    table.add_column("began with", overflow="ellipsis", no_wrap=True)
    for session in found:
        table.add_row(
            session.id,
            f"{session.last_at:%Y-%m-%d %H:%M}",
            session.model,
            str(session.requests),
            Text(session.first),
        )
    return table


def profile_lines(profile: Profile) -> list[str]:
    """Say what the timeline of one launch shows."""
    lines = [
        f"{profile.duration_us:.1f} us {profile.source} on {profile.cores} cores, "
        f"{profile.roofline_share:.0%} of the roofline, bound by {profile.bound}"
    ]
    if profile.model_error:
        lines.append(f"the time model's error: {profile.model_error}")
    return lines


def _case_row(case: CaseVerdict) -> list[Text | str]:
    profile = case.profile
    return [
        Text(case.id),
        _outcome(case.outcome),
        _number(case.max_abs, ".3g"),
        _number(case.max_rel, ".3g"),
        _number(case.predicted_us, ".1f"),
        _number(profile.roofline_share if profile else None, ".0%"),
        profile.bound if profile else "",
    ]


def _outcome(outcome: Outcome) -> Text:
    return Text(outcome.value, style="green" if outcome is Outcome.CORRECT else "red")


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
