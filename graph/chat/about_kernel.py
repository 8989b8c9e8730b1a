"""Say of the kernel in hand what it takes, how long, what binds it and whether it is right: all of it from its run."""

from collections.abc import Callable
from typing import NamedTuple

from akgen.agents.plan import Tiling
from akgen.agents.prompts.advice import advice_for
from akgen.agents.requests.language import Language
from akgen.graph.chat.texts import said
from akgen.graph.chat.translated import translated
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import TaskStore, sources_of
from akgen.tools.core.project import KernelProject


class KernelAnswer(NamedTuple):
    """What is said, and source text that is shown with it."""

    text: str
    code: str = ""


def about_kernel(asked: str, place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    """Answer what `asked_of_kernel` found, of a finished task."""
    return _ANSWERS[asked](place, solution, language)


def profile_lines(place: TaskStore, solution: Solution, language: Language) -> list[str]:
    """Say where the time went, and what would save some: a line for the whole, one for each pipe, the advice."""
    profile = solution.profile
    if profile is None:
        return [said("no_timeline", language)]
    lines, whole = [translated(profile.summary(), language)], max(profile.time_us, 1e-9)
    for pipe in profile.pipes:
        busy, stalled = pipe.busy_us / whole, pipe.stalled_us / whole
        shares = f"busy {busy:4.0%}  stalled {stalled:4.0%}"
        lines.append(f"{pipe.pipe:<5} {shares}  {pipe.instructions} instructions")
    project = KernelProject(op_type="", kernel="", files=sources_of(place.folder, solution.project))
    lines += advice_for(profile, project)
    return lines + ([f"timeline: {solution.page}"] if solution.page else [])


def _profile(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    return KernelAnswer("\n".join(profile_lines(place, solution, language)))


def _code(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    return KernelAnswer(said("kernel_of", language, task=solution.task), place.kernel(solution))


def _host(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    files = sources_of(place.folder, solution.project)
    host = [f"// {path}\n{text}" for path, text in sorted(files.items()) if path.startswith("op_host/")]
    if not host:
        return KernelAnswer(said("no_host", language, task=solution.task), place.kernel(solution))
    return KernelAnswer(said("host_of", language, task=solution.task), "\n".join(host))


def _tiling(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    found = _tiling_of(place, solution)
    if found is None:
        return KernelAnswer(said("no_tiling", language, task=solution.task))
    cores = solution.profile.cores if solution.profile else found.block_dim
    lines = [said("tiling", language, tiling=found, cores=cores)]
    lines += [f"  {b.name}: {b.space}, {b.copies} x {b.size_bytes} B" for b in found.buffers]
    return KernelAnswer("\n".join(lines))


def _tiling_of(place: TaskStore, solution: Solution) -> Tiling | None:
    attempts = place.sample(solution.sample).attempts()
    own = next((a for a in attempts if a.number == solution.attempt), None)
    return own.plan.tiling if own is not None and own.plan is not None else None


def _verdict(_place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    verdict = solution.verdict
    trials = sum(case.trials for case in verdict.cases)
    lines = [
        said("verdict_of", language, outcome=solution.outcome, toolchain=solution.toolchain, trials=trials)
    ]
    lines.append(translated(verdict.summary(), language))
    lines += [translated(verdict.drawn.sentence, language)] if verdict.drawn else []
    return KernelAnswer("\n".join(lines))


_ANSWERS: dict[str, Callable[[TaskStore, Solution, Language], KernelAnswer]] = {
    "code": _code, "host": _host, "tiling": _tiling, "profile": _profile, "verdict": _verdict,
}  # fmt: skip
