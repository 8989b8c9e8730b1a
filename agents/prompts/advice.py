"""What a timeline suggests: changes that were simulated, the largest gain first, and the rules of knowledge/."""

from akgen.knowledge.hints import BottleneckRule, bottleneck_rules, change_hints
from akgen.tools.core.profile import PipeTime, Prediction, Profile

WORTH_TELLING = 0.03  # a simulated gain below is within what the model cannot tell
MOST_TOLD = 3


def advice_for(profile: Profile) -> tuple[str, ...]:
    """Return what helps, the best first: simulated gains with their size, then every rule that applies.

    A rule gives way where its change was simulated: its gain is told, or there is none.
    """
    worth = [p for p in profile.what_if if p.gain >= WORTH_TELLING]
    simulated = {p.change for p in profile.what_if}
    texts = [_simulated(p, profile) for p in worth[:MOST_TOLD]]
    rules = (_advice(rule, profile) for rule in bottleneck_rules() if rule.change not in simulated)
    return (*texts, *(text for text in rules if text is not None))


def _simulated(found: Prediction, profile: Profile) -> str:
    hint = change_hints()[found.change]
    room = (
        ""
        if found.fits
        else " The buffers do not fit beside each other at this tile length: shorten the tiles as well."
    )
    return (
        f"{hint.advice} Simulated with the instructions of this launch: {found.duration_us:.3g} us instead of "
        f"{profile.time_us:.3g} ({found.gain:.0%} less).{room}"
    )


def _advice(rule: BottleneckRule, profile: Profile) -> str | None:
    if rule.bound and profile.bound not in rule.bound:
        return None
    if rule.roofline_below is not None and profile.roofline_share >= rule.roofline_below:
        return None
    busy = stalled = 0.0
    if rule.pipe is not None:
        pipe = next((p for p in profile.pipes if p.pipe == rule.pipe), None)
        if pipe is None:
            return None
        busy, stalled = _shares(pipe)
        if rule.busy_above is not None and busy <= rule.busy_above:
            return None
        if rule.stalled_above is not None and stalled <= rule.stalled_above:
            return None
    return rule.advice.format(
        roofline=profile.roofline_share, imbalance=profile.core_imbalance, busy=busy, stalled=stalled
    )


def _shares(pipe: PipeTime) -> tuple[float, float]:
    whole = pipe.busy_us + pipe.stalled_us + pipe.idle_us
    return (pipe.busy_us / whole, pipe.stalled_us / whole) if whole > 0 else (0.0, 0.0)
