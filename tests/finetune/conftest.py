"""One chunk of records, made once, with the judge that made it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.finetune.data.build import BuildConfig, ChunkDone, ChunkJob
from akgen.finetune.data.chunk import PARTS
from akgen.finetune.data.worker import make_chunk
from akgen.finetune.operators.tasks import drawn
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain

SEED = 11
OPERATORS = tuple(drawn(SEED, 4, ("pointwise", "reduction", "loss", "broadcast")))
CONFIG = BuildConfig(
    seed=SEED, families=("pointwise", "reduction", "loss", "broadcast"), parts=PARTS, generator="test"
)


@pytest.fixture(scope="session")
def judge(twin: TwinToolchain, reference: ReferenceWorker) -> Iterator[Judge]:
    yield Judge(twin, reference)


@pytest.fixture(scope="session")
def built(
    judge: Judge, twin: TwinToolchain, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ChunkDone]:
    """Return a folder with one chunk of three operators, and what was said of it."""
    folder = tmp_path_factory.mktemp("built")
    job = ChunkJob(chunk="00000", kind="operators", operators=OPERATORS)
    return folder, make_chunk(job, CONFIG, judge, twin, folder)
