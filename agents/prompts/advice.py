"""What a timeline suggests: changes that were simulated, the largest gain first, and the rules of knowledge/.

What the code does already is not suggested, nor what the author cannot change: how inputs lie in memory.
"""

import re

from akgen.knowledge.hints import BottleneckRule, bottleneck_rules, change_hints
from akgen.tools.core.profile import Prediction, Profile
from akgen.tools.core.project import KernelProject, without_comments

WORTH_TELLING = 0.03  # a simulated gain below is within what the model cannot tell
MOST_TOLD = 3


# A bottleneck rule that is of use only where the code has these words.
_ABOUT = {"scalar_loop": re.compile(r"\b(?:GetValue|SetValue)\b")}
_QUEUE = re.compile(r"\bInitBuffer\s*\(\s*[^,;()]+,\s*([\w:]+)\s*,[^;]*\)\s*;")
_OWN_MEMORY = re.compile(r"\b(?:GetUserWorkspace|aclrtMalloc)\b")


def advice_for(profile: Profile, project: KernelProject | None = None) -> tuple[str, ...]:
    """Return what helps, the best first: simulated gains with their size, then every rule that applies.

    A rule gives way where its change was simulated: its gain is told, or there is none. With the `project`, what its
    code does already is left out.
    """
    idle = not_to_suggest(profile, project)
    simulated = {p.change for p in profile.what_if}
    texts = [_simulated(p, profile) for p in worth_telling(profile, project)[:MOST_TOLD]]
    code = _code(project) if project is not None else None
    rules = (
        _advice(rule, profile)
        for rule in bottleneck_rules()
        if rule.change not in simulated
        and rule.change not in idle
        and (code is None or rule.id not in _ABOUT or _ABOUT[rule.id].search(code))
    )
    return (*texts, *(text for text in rules if text is not None))


def worth_telling(profile: Profile, project: KernelProject | None = None) -> tuple[Prediction, ...]:
    """Return the simulated changes that gain enough and are open to the code's author, the best first."""
    idle = not_to_suggest(profile, project)
    return tuple(p for p in profile.what_if if p.gain >= WORTH_TELLING and p.change not in idle)


def not_to_suggest(profile: Profile, project: KernelProject | None) -> frozenset[str]:
    """Return the changes that this code makes already, or that are not its author's to make."""
    found: set[str] = set()
    for would in profile.what_if:
        longer = would.change == "larger_tiles" and not would.fits  # there is no room for them
        if longer or (would.change == "more_cores" and would.cores <= profile.cores):
            found.add(would.change)
    code = _code(project) if project is not None else ""
    tensors = len(re.findall(r"\bSetGlobalBuffer\s*\(", code))
    loads = sum(p.instructions for p in profile.pipes if p.pipe == "MTE2")
    if 0 < loads <= profile.cores * max(1, tensors - 1):
        found.add("larger_tiles")  # a core copies each input once: its tile is all that it has to do
    if project is None:
        return frozenset(found)
    queues = [_number(count, code) for count in _QUEUE.findall(code)]
    if queues and all(count is not None and count > 1 for count in queues):
        found.add("double_buffer")
    if len(re.findall(r"\bCast\s*[(<]", code)) <= tensors:
        found.add("casts")  # each tensor is converted once at most
    if not _OWN_MEMORY.search(code):
        found.add("aligned_rows")  # rows of inputs and outputs lie as they are given
    return frozenset(found)


def _code(project: KernelProject) -> str:
    return "\n".join(without_comments(project.files[path]) for path in project.kernel_files)


def _number(text: str, code: str) -> int | None:
    """Return the number that an expression of one word stands for: a literal, or a constant of the code."""
    if text.isdecimal():
        return int(text)
    name = re.escape(text.rpartition("::")[2])
    told = re.search(
        rf"\b(?:constexpr|const)\b[^;=()]*\b{name}\s*=\s*(\d+)|#[ \t]*define[ \t]+{name}[ \t]+(\d+)", code
    )
    return int(told[1] or told[2]) if told else None


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
        busy, stalled = pipe.shares
        if rule.busy_above is not None and busy <= rule.busy_above:
            return None
        if rule.stalled_above is not None and stalled <= rule.stalled_above:
            return None
    return rule.advice.format(
        roofline=profile.roofline_share, imbalance=profile.core_imbalance, busy=busy, stalled=stalled
    )
