"""The machine of the rehearsal, once for all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.tools.twin.toolchain import TwinToolchain
from tests.fake_cann.machine import Rehearsal, rehearsal_machine
from tests.fake_cann.scene import Scene, chain_on, project
from tests.fake_cann.tree import build_libraries


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_libraries(tmp_path_factory.mktemp("rehearsal_libraries"))


@pytest.fixture(scope="session")
def machine(
    twin: TwinToolchain, fake_libraries: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rehearsal]:
    with rehearsal_machine(twin, fake_libraries, tmp_path_factory.mktemp("rehearsal")) as made:
        yield made


@pytest.fixture(scope="session")
def scene(machine: Rehearsal, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    chain = chain_on(machine.env)
    chain.prepare(print)
    built = chain.compile(project(""), [], tmp_path_factory.mktemp("known_good"))
    assert built.outcome is None, built.diagnostics
    return Scene(machine, chain, built, tmp_path_factory.mktemp("scene"))
