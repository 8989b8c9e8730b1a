"""The reward-hacking drill: every known way to look right without being it, in groups with honest failures.

Tensor programs are data to the interpreter, so what is tried on that route are texts. Kernels, tile programs and
replies are judged on the twin, in the very environment that pays for rollouts.
"""

import platform
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from akgen.agents.prompts import render
from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.pairs import TensorPair
from akgen.finetune.training.rewards import Facts, RewardWeights, facts_of_program, reward
from akgen.finetune.training.twin_environment import JudgedTask, TwinEnvironment
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import KernelProject
from akgen.tools.core.untrusted import parse_json, read_model

CHEATS = Path(__file__).parent / "cheats"
_HONEST = CHEATS / "scale_shift"  # a correct project, a correct tile program, and their task
Route = Literal["tensor program", "tile program", "project", "reply"]


class Candidate(Frozen):
    """An answer of the drill. `text` of a tensor program holds {inputs} for the lines that declare the inputs and
    {first} for the first one's name; pieces stand at the marks of the honest project; changes are old and new texts.
    """

    name: str
    honest: bool = False  # an honest failure, which a group has beside the cheats
    text: str = ""
    kernel: dict[str, str] = Field(default={})
    host: dict[str, str] = Field(default={})
    changes: dict[str, tuple[tuple[str, str], ...]] | tuple[tuple[str, str], ...] = ()
    machine: str | None = None  # whose code it holds


class DrillResult(Frozen):
    """A cheat's reward beside that of an honest answer that compiles, and computes wrongly in every case."""

    route: Route
    name: str
    total: float
    honest_failure: float
    caught: bool = False  # called a cheat: worth less than the least honest failure
    held: bool


def known_cheats(file: str = "tensor_programs") -> list[Candidate]:
    """Return a route's candidates, those for this machine."""
    rows = parse_json((CHEATS / f"{file}.json").read_bytes())
    found = [Candidate.model_validate(row) for row in rows]
    return [c for c in found if c.machine in (None, platform.machine())]


def drill(pair: TensorPair, weights: RewardWeights) -> list[DrillResult]:
    """Judge each cheat on a task; it holds if none is worth more than an honest program with wrong numbers."""
    place = ProgramEnvironment.of(pair)
    honest = reward(Facts(format=True, compiles=True, silent=True), weights).total
    first = pair.inputs.split(":")[0]
    found = []
    for cheat in known_cheats():
        text = cheat.text.replace("{inputs}", pair.inputs).replace("{first}", first)
        facts = facts_of_program(place.judged(text))
        found.append(_result("tensor program", cheat.name, facts, weights, {honest}))
    return found


def twin_group() -> Iterator[tuple[Route, Candidate, JudgedTask, str]]:
    """Yield every candidate for the twin with its task and the answer that a model would give."""
    task = read_model(JudgedTask, _HONEST / "task.json", "Install AKGen again.")
    project = KernelProject.read_from(_HONEST, task.op_type, task.kernel)
    program = (_HONEST / "program.txt").read_text(encoding="utf-8")
    for one in known_cheats("kernels"):
        yield "project", one, task, render("answer", project=_spoilt(project, one))
    tile = task.model_copy(update={"form": "dsl"})
    for one in known_cheats("tile_programs"):
        assert isinstance(one.changes, tuple)
        yield "tile program", one, tile, f"```python\n{_changed(program, one.changes)}```\n"
    for one in known_cheats("replies"):
        yield "reply", one, task, one.text.replace("{reference}", task.reference)


def drill_on_twin(
    twin: TwinEnvironment, weights: RewardWeights, wanted: Callable[[Candidate], bool] = lambda _: True
) -> list[DrillResult]:
    """Judge honest failures and cheats in one group; none may be worth more than an honest kernel with wrong numbers.

    At least one honest failure is `wanted`.
    """
    group = [row for row in twin_group() if wanted(row[1])]
    judged = [one.facts for one in twin.judged([(task, text) for _, _, task, text in group])]
    honest = {reward(f, weights).total for f, (_, one, _, _) in zip(judged, group, strict=True) if one.honest}
    return [
        _result(route, one.name, facts, weights, honest)
        for facts, (route, one, _, _) in zip(judged, group, strict=True)
        if not one.honest
    ]


def _result(route: Route, name: str, facts: Facts, weights: RewardWeights, honest: set[float]) -> DrillResult:
    total = reward(facts, weights).total
    least = min(0.0, *honest) if len(honest) > 1 else 0.0
    held = total < least if facts.cheat else not facts.correct and total <= max(honest)
    return DrillResult(
        route=route, name=name, total=total, honest_failure=max(honest), caught=facts.cheat, held=held
    )


def _spoilt(project: KernelProject, cheat: Candidate) -> KernelProject:
    files = dict(project.files)
    for path, pieces in (
        (f"op_kernel/{project.kernel}.cpp", cheat.kernel),
        (f"op_host/{project.kernel}.cpp", cheat.host),
    ):
        files[path] = _filled(files[path], pieces)
    changes: Mapping[str, tuple[tuple[str, str], ...]] = (
        cheat.changes if isinstance(cheat.changes, dict) else {}
    )
    for path, changed in changes.items():
        files[path] = _changed(files[path], changed)
    return project.model_copy(update={"files": files})


def _filled(text: str, pieces: Mapping[str, str]) -> str:
    """Put pieces at the marks of a file, and `compute` in the place of the computation; host code has no TOP."""
    for mark, piece in pieces.items():
        at = f"// {mark.upper()}\n"
        if mark == "compute":
            before, rest = text.split(at)
            text = f"{before}{piece}\n        {rest[rest.index('// END') :]}"
        elif at in text:
            text = text.replace(at, f"{piece}\n")
        else:
            text = f"{piece}\n{text}"
    return text


def _changed(text: str, changes: tuple[tuple[str, str], ...]) -> str:
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text
