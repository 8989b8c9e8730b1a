"""A pipeline timeline in text: what each pipe did with the time, and when, for as many columns as there are."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from akgen.agents.prompts.advice import advice_for
from akgen.tables import profile_lines
from akgen.tools.core.profile import Profile
from akgen.tools.timeline.trace import Lane, lanes

LABEL = 6
MOST_CORES = 4
_LEVELS = " ▁▂▃▄▅▆▇█"
_COLOURS = {
    "S": "grey62", "MTE2": "dodger_blue1", "MTE1": "cyan", "M": "magenta", "V": "green3", "FIX": "yellow3",
    "MTE3": "dark_orange",
}  # fmt: skip


class Timeline:
    """Renders a profile to the width that it gets."""

    def __init__(self, profile: Profile, title: str) -> None:
        self._profile, self._title = profile, title
        trace = profile.trace
        self._lanes = lanes(trace) if trace is not None and trace.is_file() else ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console
        width = max(10, options.max_width - LABEL - 2)
        yield Text(self._title, style="bold")
        for line in profile_lines(self._profile):
            yield Text(line, style="dim" if "error" in line else "")
        yield Text("")
        yield from self._shares(width)
        for core in list(dict.fromkeys(lane.core for lane in self._lanes))[:MOST_CORES]:
            yield Text("")
            yield from self._core(core, [lane for lane in self._lanes if lane.core == core], width)
        for advice in advice_for(self._profile):
            yield Text("")
            yield Text(advice, style="italic")

    def _shares(self, width: int) -> Iterator[Text]:
        whole = max(self._profile.time_us, 1e-9)
        yield Text.assemble(("all cores: ", "bold"), ("█ busy  ", ""), ("▒ stalled  ", ""), ("· idle", "dim"))
        for pipe in self._profile.pipes:
            busy = round(width * min(1.0, pipe.busy_us / whole))
            stalled = min(width - busy, round(width * min(1.0, pipe.stalled_us / whole)))
            colour = _COLOURS[pipe.pipe]
            yield Text.assemble(
                (f"{pipe.pipe:<{LABEL}}", colour),
                ("█" * busy, colour),
                ("▒" * stalled, f"dim {colour}"),
                ("·" * (width - busy - stalled), "grey30"),
            )

    def _core(self, core: str, mine: Sequence[Lane], width: int) -> Iterator[Text]:
        end = max((s.start_us + s.duration_us for lane in mine for s in lane.spans), default=0.0)
        if end <= 0:
            return
        yield Text.assemble((f"{core}, {end:.2f} us", "bold"))
        for lane in mine:
            levels = "".join(_LEVELS[round(share * 8)] for share in _filled(lane, end, width))
            colour = _COLOURS.get(lane.pipe, "white")
            yield Text.assemble((f"{lane.pipe:<{LABEL}}", colour), (levels, colour))


def _filled(lane: Lane, end: float, width: int) -> list[float]:
    """Return for each column how much of its time the pipe was at work."""
    step = end / width
    shares = [0.0] * width
    for span in lane.spans:
        first, last = span.start_us / step, (span.start_us + span.duration_us) / step
        for column in range(max(0, int(first)), min(width, int(last) + 1)):
            shares[column] += max(0.0, min(last, column + 1) - max(first, column))
    return [min(1.0, share) for share in shares]
