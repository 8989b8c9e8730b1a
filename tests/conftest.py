"""The twin, built once per machine, a reference process, and signals as a terminal would have them."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.reference_process import reference_process


def pytest_configure() -> None:
    """Let programs that tests start be interrupted, also where the tests run in a shell's background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # what collecting tests makes is kept


def pytest_collection_finish() -> None:
    """Leave fifteen thousand tests, and all that they import, out of every later collection of garbage."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_npu_stays() -> Iterator[None]:
    """Let no later test of the process import a `torch_npu` that a test installed: transformers would use it."""
    yield
    for name in ("torch_npu", "torch_npu.npu"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.fixture(scope="session")
def reference() -> ReferenceWorker:
    return reference_process()
