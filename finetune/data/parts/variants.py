"""One kernel written in several ways for one shape, each judged and timed: what the other parts explain and compare."""

import random
import re
from collections.abc import Iterator, Mapping

from akgen.agents.composer.solver import Solved as HostDecision
from akgen.agents.plan import Tiling
from akgen.finetune.data.verifier import SolvedTask, Verifier
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import Chip
from akgen.tools.core.call import Call, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.dsl import DslError
from akgen.tools.dsl.parse import parse

_ROWS, _COLUMNS = (128, 256, 512), (256, 512, 1024)
_LOAD = re.compile(r"^ +load\([^\n]*\)\n", re.M)
WAYS: dict[str, tuple[Knobs, str]] = {
    "single buffering": (Knobs(buffers=1), "Copies in and out wait for the vector unit, and it for them."),
    "short tiles": (Knobs(tile_length=128), "Every tile costs its latency anew, and there are many of them."),
    "many pieces": (Knobs(pieces=16), "A share cut into 16 tiles pays for the start of each."),
    "one core": (Knobs(cores=1), "All the work is one core's; the others are idle."),
    "few cores": (Knobs(cores=6), "Six cores do what all of them could share."),
}
REDUNDANT = "redundant copies"
_WHY_REDUNDANT = "Each tile is copied in twice; the second copy moves the same bytes again."


class WrittenWay(Frozen):
    """A way to write the kernel. `tiling` is what its host decided, checked against the cores that ran."""

    way: str  # "as chosen" for the composer's own
    why: str
    dsl: str
    solved: SolvedTask
    tiling: Tiling | None
    key: int
    values: dict[str, str]  # of the tiling struct

    @property
    def time_us(self) -> float:
        return self.solved.verdict.total_us or 0.0

    @property
    def profile(self) -> Profile:
        found = self.solved.verdict.slowest
        assert found is not None  # of a correct kernel
        return found


def one_shape(operator: Operator, task: Task, rng: random.Random) -> Task:
    """Return the task with one case, a longer one where its inputs' shapes allow it."""
    case = next(c for c in task.cases if c.id == "blocks")
    shape = [rng.choice(_ROWS), rng.choice(_COLUMNS)]
    if operator.family == "product" or len(case.params["shape"] or ()) != 2:  # type: ignore[arg-type]
        shape = case.params["shape"]  # type: ignore[assignment]
    only = Case(id="fixed", params={**case.params, "shape": shape})
    return task.model_copy(update={"cases": (only,), "mode": Mode.STATIC})


def variants(verifier: Verifier, task: Task, rng: random.Random, chip: Chip, ways: int) -> list[WrittenWay]:
    """Return the composer's own way first, then others that are correct too; empty if its own is not."""
    own = verifier.solved(task)
    if not isinstance(own, SolvedTask) or own.verdict.outcome is not Outcome.CORRECT:
        return []
    call = verifier.judge.describe(task)
    found = [_variant("as chosen", "", own, call, chip)]
    for way in rng.sample(sorted(WAYS), ways):
        knobs, why = WAYS[way]
        other = verifier.solved(task, knobs)
        if isinstance(other, SolvedTask) and all(other.dsl != v.dsl for v in found if v):
            found.append(_variant(way, why, other, call, chip))
    for text in _copied_twice(own.dsl):
        verdict = verifier.judged_dsl(text, task)
        twice = own.model_copy(update={"dsl": text, "verdict": verdict})
        found.append(_variant(REDUNDANT, _WHY_REDUNDANT, twice, call, chip))
    return [v for v in found if v is not None]


def _variant(way: str, why: str, solved: SolvedTask, call: Call, chip: Chip) -> WrittenWay | None:
    """Return a variant; None if it is not correct, or if other cores ran than its host decided."""
    profile = solved.verdict.slowest
    if solved.verdict.outcome is not Outcome.CORRECT or profile is None:
        return None
    try:
        decided = _decided(solved.dsl, call, chip)
    except DslError:
        return None
    if profile.cores != decided.launched.cores:
        return None
    values = {
        name: f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in decided.scalars.items()
    }
    tiling = decided.tiling()
    return WrittenWay(
        way=way, why=why, dsl=solved.dsl, solved=solved, tiling=tiling, key=decided.launched.key, values=values
    )  # fmt: skip


def _decided(text: str, call: Call, chip: Chip) -> HostDecision:
    program = parse(text)
    metas: Mapping[str, TensorMeta] = {
        name: meta
        for name, meta in (
            *zip(program.host.inputs, call.inputs, strict=True),
            *zip(program.host.outputs, (o.meta for o in call.outputs), strict=True),
        )
        if isinstance(meta, TensorMeta)
    }
    return HostDecision(program, metas, {}, chip.core_aiv)


def _copied_twice(text: str) -> Iterator[str]:
    """Yield the program with the copies of its first block doubled, if it has any."""
    match = _LOAD.search(text)
    if match is not None:
        yield text[: match.end()] + match[0] + text[match.end() :]
