"""What a timeline suggests: the bottleneck rules of knowledge/ applied to a profile."""

from akgen.knowledge.hints import BottleneckRule, bottleneck_rules
from akgen.tools.profile import PipeTime, Profile


def advice_for(profile: Profile) -> tuple[str, ...]:
    """Return the advice of every rule that applies, in the rules' order."""
    texts = (_advice(rule, profile) for rule in bottleneck_rules())
    return tuple(text for text in texts if text is not None)


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
