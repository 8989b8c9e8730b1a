"""Host code that does more than tile, on the tree: what it leaves in the worker, and launches that leave work out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.toolchain import Build, Launch, RunOptions
from tests.fake_cann.driver import IN_PROCESS
from tests.fake_cann.scene import Scene, call_in, project, right
from tests.sampled import sampled

NOTHING, ENDED = 0, 8


@pytest.fixture(scope="module")
def hostile(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Build the known-good kernel with host code that is what the fault `hostile` says."""
    whole = project("")
    host = Path(__file__).with_name("in_process.h").read_text()
    made = whole.model_copy(update={"files": {**whole.files, IN_PROCESS: host}})
    build = scene.chain.compile(made, [], tmp_path_factory.mktemp("hostile"))
    assert build.outcome is None, build.diagnostics
    return build


@pytest.fixture
def mended(scene: Scene) -> Iterator[None]:
    yield
    scene.machine.driver.mend()


def _run(scene: Scene, hostile: Build, folder: Path, mode: int, trace: bool = False) -> Launch:
    if mode != NOTHING:
        scene.machine.driver.runtime_fault("hostile", mode)
    return scene.chain.run(hostile, call_in(folder / "in"), folder / "run", RunOptions(trace=trace))


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("mode", [NOTHING, ENDED])
def test_host_code_that_leaves_nothing_is_no_cheat(
    scene: Scene, hostile: Build, tmp_path: Path, mode: int
) -> None:
    launch = _run(scene, hostile, tmp_path, mode)
    assert launch.outcome is None and right(launch), launch.diagnostics


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize(
    ("mode", "words"),
    sampled(
        [
            (1, "that runs its code"),
            (2, "that goes on computing"),
            (3, "machine code that no file holds"),
            (4, "changed machine code of libascendcl.so"),
            (5, "a launch that was timed computed something else"),
            (6, "a launch that was timed computed something else"),
        ],
        3,
    ),
    ids=["thread", "spinning", "made code", "changed code", "empty later", "every second empty"],
)
def test_what_host_code_leaves_is_a_cheat(
    scene: Scene, hostile: Build, tmp_path: Path, mode: int, words: str
) -> None:
    launch = _run(scene, hostile, tmp_path, mode)
    assert launch.outcome is Outcome.CHEAT
    assert words in launch.diagnostics[0].text and launch.diagnostics[0].remedy
    assert launch.outputs == () and launch.time_us is None


@pytest.mark.usefixtures("mended")
def test_a_profiled_launch_that_leaves_work_out_is_a_cheat(
    scene: Scene, hostile: Build, tmp_path: Path
) -> None:
    launch = _run(scene, hostile, tmp_path, 7, trace=True)
    assert launch.outcome is Outcome.CHEAT
    assert "a launch that was profiled computed something else" in launch.diagnostics[0].text
