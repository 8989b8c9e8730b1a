"""Beam search in steps: what is developed next, what a judged candidate brought, when to stop.

Two drivers share it. `akgen optimise` runs it in a loop, with a beam of several and several candidates of each. The
graph's `--tune` is its greedy form: a beam of one, one candidate for each attempt; its rollout is a sample's attempts.
"""

from akgen.agents.search.candidates import Member, Proposal, SearchStep
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.verdict import Verdict

AT_THE_ROOFLINE = 0.9  # share of the roofline from which on there is nothing worth trying
LEAST_GAIN = 1.01  # a change that brings less is not worth its risk


def at_the_roofline(profile: Profile | None) -> bool:
    """Say whether a kernel is so near the roofline that the search for a faster one ends."""
    return profile is not None and profile.roofline_share >= AT_THE_ROOFLINE


def gain_of(before_us: float | None, after_us: float | None) -> float | None:
    """Return the time before over the time after; None where one of them is not known."""
    return before_us / after_us if before_us and after_us else None


class BeamSearch:
    """The fastest correct kernels so far, and every candidate that was judged. The driver proposes and judges."""

    def __init__(self, start: Member, width: int) -> None:
        self.beam = [start]
        self.steps: list[SearchStep] = []
        self._width, self._round = width, 1
        self._begun, self._found = 0, list[Member]()

    def take(self, parent: Member, proposal: Proposal, verdict: Verdict | None) -> SearchStep:
        """Note what became of a candidate, and keep it if it is faster than its parent by enough."""
        project, outcome, gain = proposal.project, Outcome.NO_CODE, None
        if verdict is not None:
            outcome = verdict.outcome
            gain = gain_of(parent.time_us, verdict.mean_us()) if outcome is Outcome.CORRECT else None
        kept = gain is not None and gain >= LEAST_GAIN
        step = SearchStep(
            round=self._round,
            hypothesis=proposal.hypothesis,
            outcome=outcome,
            time_us=verdict.mean_us() if verdict else None,
            time_source=verdict.time_source if verdict else None,
            gain=round(gain, 4) if gain is not None else None,
            kept=kept,
            digest=project.digest if project else None,
            problem=_problem(proposal, verdict),
        )
        self.steps.append(step)
        if kept and project is not None and verdict is not None:
            better = Member(
                project=project,
                verdict=verdict,
                knobs=proposal.knobs,
                other_rounding=proposal.other_rounding,
                changes=(*parent.changes, proposal.hypothesis.text),
            )
            self._found.append(better)
        return step

    def end_round(self) -> str | None:
        """Let the fastest into the beam; say why the search ends, or None if another round may bring something."""
        tried, found = len(self.steps) - self._begun, self._found
        self.beam = _fastest([*self.beam, *found], self._width)
        self._begun, self._found = len(self.steps), []
        self._round += 1
        if not tried:
            return "nothing is left to try"
        return self.over() if found else "a round brought nothing"

    def over(self) -> str | None:
        """Say that the fastest kernel is at the roofline; None if it is not."""
        profile = self.beam[0].slowest
        if profile is None or not at_the_roofline(profile):
            return None
        return f"the slowest case is at {profile.roofline_share:.0%} of the roofline"


def _problem(proposal: Proposal, verdict: Verdict | None) -> str | None:
    if verdict is None:
        return proposal.problem
    return None if verdict.outcome is Outcome.CORRECT else verdict.why()


def _fastest(members: list[Member], count: int) -> list[Member]:
    """Return the fastest kernels; of several that take the same time only the first, for they are twins."""
    different: dict[str, Member] = {}
    for member in sorted(members, key=lambda m: m.time_us):
        different.setdefault(f"{member.time_us:.4g}", member)
    return list(different.values())[:count]
