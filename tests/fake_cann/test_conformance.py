"""The conformance suite as docs/npu.md runs it on a machine with CANN: a shell's settings, and nothing else."""

import os
import sys
from pathlib import Path

import pytest

from akgen.tools.process.program import run
from tests.fake_cann.machine import Rehearsal

ROOT = Path(__file__).resolve().parents[2]
SUITE = "tests/conformance/test_toolchain.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("only", "least"),
    [("poison", 1), ("test", 11)],
    ids=["poison", "all"],
)
def test_the_conformance_suite_passes(machine: Rehearsal, only: str, least: int) -> None:
    argv = [sys.executable, "-m", "pytest", "-vv", "-m", "cann", SUITE, "-k", only, "-p", "no:cacheprovider"]
    done = run(argv, cwd=ROOT, timeout_s=900, env={**os.environ, **machine.env})
    assert done.ok, done.out[-3000:] + done.err
    assert done.out.count(" PASSED") >= least and "SKIPPED" not in done.out, done.out
