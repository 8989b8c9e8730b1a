"""The real server, for the tests that are marked `vllm`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.vllm_server import VllmServer


@pytest.fixture(scope="session")
def vllm_server() -> Iterator[VllmServer]:
    folder = os.environ.get("AKGEN_VLLM")
    if not folder:
        pytest.skip("needs vLLM: `make test-vllm` installs and starts it")
    server = VllmServer(Path(folder))
    server.start()
    yield server
    server.stop()
