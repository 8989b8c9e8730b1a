"""The tree and its driver, with a cache of its own beside this machine's twin."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from akgen.tools.twin.settings import user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.fake_cann.driver import Driver, driver
from tests.fake_cann.tree import build_libraries, build_tree


class Rehearsal(NamedTuple):
    """A machine that has the tree: what its user's shell exports, and the driver."""

    home: Path
    driver: Driver
    env: Mapping[str, str]


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_libraries(tmp_path_factory.mktemp("rehearsal_libraries"))


@pytest.fixture(scope="session")
def machine(
    twin: TwinToolchain, fake_libraries: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rehearsal]:
    folder = tmp_path_factory.mktemp("rehearsal")
    shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
    exchange = Path(
        tempfile.mkdtemp(prefix="akgen-rehearsal-", dir=shared)
    )  # the sandbox lets candidates write there
    home = build_tree(folder / "ascend-toolkit", fake_libraries, exchange)
    (folder / "nodes").mkdir()
    (folder / "nodes" / "davinci0").touch()
    cache = folder / "cache"
    cache.mkdir()
    for name in (
        "runtime",
        "host",
        "kernel",
        "chips",
        "objects",
    ):  # the twin's; packages and answers are ours
        of_twin = user_cache(os.environ) / name
        of_twin.mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(of_twin)
    env = {
        "ASCEND_HOME_PATH": str(home),
        "AKGEN_CACHE": str(cache),
        "AKGEN_NPU_NODES": str(folder / "nodes"),
        "AKGEN_RUNS": str(folder / "runs"),
    }
    try:
        with driver(twin, exchange) as running:
            yield Rehearsal(home, running, env)
    finally:
        shutil.rmtree(exchange, ignore_errors=True)
