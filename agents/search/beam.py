"""The search for a faster kernel as a pure state machine: whose change is tried next, what it brought, why it ends.

Two drivers share it; they propose and judge, and keep the kernels themselves. `akgen optimise` runs it in a loop, with
a beam of several and several candidates of each. The graph's `--tune` is its greedy form, one candidate for each
attempt: its rollout goes on from the latest correct kernel, and each node finds the state again in the sample's
checkpointed history.
"""

import math

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.verdict import Verdict

AT_THE_ROOFLINE = 0.9  # share of the roofline from which on there is nothing worth trying
LEAST_GAIN = 1.01  # a change that brings less is not worth its risk


class SearchRules(Frozen):
    """How far and how broadly to search."""

    width: int  # kernels that are developed side by side
    each: int  # candidates of each of them in a round
    limit: int  # candidates that may be judged in all
    greedy: bool = False  # a correct candidate takes its parent's place whatever it brought


def greedy(limit: int) -> SearchRules:
    """Return the rules of a rollout: one kernel, one change at a time."""
    return SearchRules(width=1, each=1, limit=limit, greedy=True)


class BeamEntry(Frozen):
    """A correct kernel as the search sees it; its driver knows the sources by the number."""

    number: int
    time_us: float | None  # geometric mean over the cases
    roofline_share: float | None = None  # of the case that takes longest

    @classmethod
    def of(cls, number: int, verdict: Verdict) -> "BeamEntry":
        """Return a judged kernel's entry."""
        profile = verdict.slowest
        share = profile.roofline_share if profile else None
        return cls(number=number, time_us=verdict.mean_us(), roofline_share=share)


class Expand(Frozen):
    """The next move: judge at most `count` changes to this kernel."""

    entry: BeamEntry
    count: int


class Stop(Frozen):
    """The last move."""

    why: str


class SearchState(Frozen):
    """Where a search stands. Every method returns a new state and looks at nothing else."""

    rules: SearchRules
    beam: tuple[BeamEntry, ...]
    judged: int = 0  # candidates so far
    turn: int = 0  # which kernel of the beam is expanded
    round: int = 1
    begun: int = 0  # candidates that were judged before this round
    found: tuple[BeamEntry, ...] = ()  # what this round brought
    ended: str | None = None

    @property
    def left(self) -> int:
        """Return how many candidates may still be judged."""
        return max(0, self.rules.limit - self.judged)

    def move(self) -> Expand | Stop:
        """Return what to do next. The roofline is looked at when a round begins."""
        why = self.ended or (self._at_the_roofline() if self.turn == 0 else None)
        if why is None and self.left == 0:
            why = self._at_the_limit()
        if why is not None:
            return Stop(why=why)
        return Expand(entry=self.beam[self.turn], count=min(self.rules.each, self.left))

    def gain(self, candidate: BeamEntry | None) -> float | None:
        """Return the time of the kernel that is expanded over the candidate's; None where one is not known."""
        before, after = self.beam[self.turn].time_us, candidate.time_us if candidate else None
        return before / after if before and after else None

    def keeps(self, candidate: BeamEntry | None) -> bool:
        """Say whether a candidate is faster by enough to be developed, or takes its parent's place in any case."""
        gain = self.gain(candidate)
        return candidate is not None and (self.rules.greedy or (gain is not None and gain >= LEAST_GAIN))

    def take(self, candidate: BeamEntry | None) -> "SearchState":
        """Count a candidate that was judged, and keep it if it is worth it; None is one that is not correct."""
        found = (*self.found, candidate) if candidate is not None and self.keeps(candidate) else self.found
        return self.model_copy(update={"judged": self.judged + 1, "found": found})

    def expanded(self) -> "SearchState":
        """Go on to the beam's next kernel, or end the round."""
        if self.turn + 1 == len(self.beam):
            return self._end_round(self._barren())
        if self.left == 0:
            return self._end_round(self._at_the_limit())
        return self.model_copy(update={"turn": self.turn + 1})

    def stop(self, why: str) -> "SearchState":
        """End the search for a reason of the driver's, with what this round has brought."""
        return self._end_round(why)

    def _barren(self) -> str | None:
        """Say why a round was the last one: nothing was tried, or nothing was won. A rollout has patience."""
        if self.judged == self.begun:
            return "nothing is left to try"
        return None if self.found or self.rules.greedy else "a round brought nothing"

    def _end_round(self, ended: str | None) -> "SearchState":
        """Let the fastest into the beam."""
        beam = _fastest([*self.beam, *self.found], self.rules.width)
        if self.rules.greedy:
            beam = self.found[-1:] or self.beam
        fresh = {"turn": 0, "round": self.round + 1, "begun": self.judged, "found": ()}
        return self.model_copy(update={**fresh, "beam": beam, "ended": ended})

    def _at_the_limit(self) -> str:
        return f"{self.judged} of {self.rules.limit} attempts are used"

    def _at_the_roofline(self) -> str | None:
        share = self.beam[0].roofline_share
        if share is None or share < AT_THE_ROOFLINE:
            return None
        return f"the slowest case is at {share:.0%} of the roofline"


def _fastest(entries: list[BeamEntry], count: int) -> tuple[BeamEntry, ...]:
    """Return the fastest kernels; of several that take the same time only the first, for they are twins."""
    different: dict[str, BeamEntry] = {}
    for entry in sorted(entries, key=_time_us):
        different.setdefault(f"{_time_us(entry):.4g}", entry)
    return tuple(different.values())[:count]


def _time_us(entry: BeamEntry) -> float:
    return math.inf if entry.time_us is None else entry.time_us
