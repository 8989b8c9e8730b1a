"""The programs composed for a few tasks stay as they are; a wanted change is made in programs/ too.

Those of all built-in tasks are read back from their text as they were built.
"""

from pathlib import Path

import pytest

from akgen.agents.composer.model_free import ModelFree
from akgen.bench import builtin
from akgen.bench.resolve import resolve_task
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import Composition, compose
from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.parse import parse
from akgen.tools.reference.module_loader import load
from tests.sampled import sampled

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.dsl"))
TURNED = Knobs(cores=7, pieces=3, tile_length=300, buffers=1)


def composed(name: str) -> Composition:
    task = resolve_task(name)
    traces = [trace(load(task.reference, case)) for case in (task.cases[0], task.cases[-1])]
    return compose(task.op_type, task.kernel, traces, task.description)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_program_of_a_task_stays_as_it_is(path: Path) -> None:
    plan = ModelFree().plan(resolve_task(path.stem), None, 0).plan
    assert plan is not None
    assert plan.dsl == path.read_text()


@pytest.mark.parametrize("name", sampled(builtin.names(), 10))
def test_a_program_is_read_back_from_its_text_as_it_was_built(name: str) -> None:
    composition = composed(name)
    for built in (composition, composition.tuned(TURNED)):
        assert parse(built.dsl) == built.program
