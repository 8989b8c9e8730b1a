"""A machine that has the tree, its driver and a cache of its own beside this machine's twin."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from akgen.tools.twin.settings import user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.fake_cann.driver import Driver, driver
from tests.fake_cann.tree import build_driver, build_tree

_OF_TWIN = ("runtime", "host", "kernel", "chips", "objects")  # packages and answers are the machine's own


class Rehearsal(NamedTuple):
    """What the machine's user's shell exports, and the driver."""

    home: Path
    driver: Driver
    env: Mapping[str, str]


@contextmanager
def rehearsal_machine(twin: TwinToolchain, libraries: Path, folder: Path) -> Iterator[Rehearsal]:
    """Set the machine up below `folder`."""
    shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
    exchange = Path(tempfile.mkdtemp(prefix="akgen-rehearsal-", dir=shared))  # candidates may write there
    home = build_tree(folder / "ascend-toolkit", libraries, exchange)
    (folder / "nodes").mkdir()
    (folder / "nodes" / "davinci0").touch()
    cache = folder / "cache"
    cache.mkdir()
    (cache / "evicted").touch()  # nothing of this machine's twin is to be counted or removed through it
    for name in _OF_TWIN:
        of_twin = user_cache(os.environ) / name
        of_twin.mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(of_twin)
    env = {
        "ASCEND_HOME_PATH": str(home),
        "AKGEN_CACHE": str(cache),
        "AKGEN_NPU_NODES": str(folder / "nodes"),
        "AKGEN_NPU_DRIVER": str(build_driver(folder / "Ascend" / "driver")),
        "AKGEN_RUNS": str(folder / "runs"),
        "PATH": f"{home}/bin:{os.environ['PATH']}",
    }
    try:
        with driver(twin, exchange) as running:
            yield Rehearsal(home, running, env)
    finally:
        shutil.rmtree(exchange, ignore_errors=True)
