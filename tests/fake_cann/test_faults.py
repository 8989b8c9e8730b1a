"""Faults on the tree: each ends as stated, and none is scored against a kernel. `make rehearsal` tries all of them."""

import pytest

from akgen.tools.core.toolchain import RunOptions
from tests.fake_cann.faults import CHEAP, FAULTS, Fault, happens
from tests.fake_cann.scene import Scene, call_in


def _each(fault: Fault) -> object:
    return pytest.param(fault, id=fault.name, marks=() if fault.name in CHEAP else pytest.mark.slow)


@pytest.mark.parametrize("fault", [_each(f) for f in FAULTS])
def test_a_fault_ends_as_stated(scene: Scene, fault: Fault) -> None:
    _, wrong = happens(fault, scene)
    assert wrong == []


@pytest.mark.parametrize("columns", ["newer", pytest.param("older", marks=pytest.mark.slow)])
def test_profiles_of_older_and_newer_profilers_read_alike(scene: Scene, columns: str) -> None:
    scene.machine.driver.build_fault("msprof", columns)
    at = scene.at(columns)
    launch = at.chain.run(at.built, call_in(at.folder / "in"), at.folder / "run", RunOptions(trace=True))
    scene.machine.driver.mend()
    assert launch.profile is not None and launch.outcome is None
    assert launch.profile.cores >= 1
    assert any(p.busy_us > 0 for p in launch.profile.pipes)
