"""Every system call that a kernel has no use for is refused by number or by argument, and each attempt is recorded."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import Finished, run
from tests.sampled import sampled

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "tools" / "twin" / "src"
OLD_KERNEL = {**MINIMAL_ENV, "AKGEN_SECCOMP_ONLY": "1"}  # neither Landlock nor namespaces, as Linux 5.10
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")


@pytest.fixture(scope="module")
def attacker() -> Iterator[Path]:
    """The program with all attacks, in a folder that everybody may enter and write."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "system_calls"
        command = ["g++", "-std=c++20", "-I", SOURCES, "-o", program]
        done = run([*command, HERE / "system_calls.cpp", SOURCES / "lockdown.cpp"], cwd=folder, timeout_s=120)
        assert done.ok, done.err
        folder.chmod(0o777)
        yield program


def make(
    attacker: Path, stage: str, attack: str, *, front: tuple[str, ...] = (), env: dict[str, str]
) -> tuple[Finished, list[str]]:
    """Lock down, make one call; return how that ended and the codes that were reported."""
    report = attacker.parent / "report"
    report.unlink(missing_ok=True)
    done = run([*front, attacker, report, stage, attack], cwd=attacker.parent, timeout_s=20, env=env)
    return done, [json.loads(line)["code"] for line in report.read_text().splitlines() if line]


@pytest.mark.parametrize("env", sampled([MINIMAL_ENV, OLD_KERNEL], 2), ids=["this_kernel", "old_kernel"])
@pytest.mark.parametrize("front", [(), pytest.param(NOBODY, marks=as_root)], ids=["as_is", "nobody"])
def test_every_attempt_is_refused_and_recorded(
    attacker: Path, front: tuple[str, ...], env: dict[str, str]
) -> None:
    listed = run([attacker, "list"], cwd=attacker.parent, timeout_s=20).out.splitlines()
    rows = [line.split("\t") for line in listed]
    assert len(rows) > 200
    stages = [(stage, *row[1:]) for row in rows for stage in ("open", "seal") if stage >= row[0]]
    missed = []
    for stage, code, attack in stages:
        done, codes = make(attacker, stage, attack, front=front, env=env)
        if (codes, done.rc) != ([code], 86):
            missed.append((stage, attack, codes, done.ending, done.out))
    assert missed == []


def test_an_old_kernel_is_what_it_claims(attacker: Path) -> None:
    folder = attacker.parent / "sandbox"
    folder.mkdir()
    sources = (SOURCES / "sandbox" / "main.cpp", SOURCES / "lockdown.cpp")
    done = run(["g++", "-std=c++17", "-o", folder / "akgen_sandbox", *sources], cwd=folder, timeout_s=120)
    assert done.ok, done.err
    said = run([folder / "akgen_sandbox", "--state"], cwd=folder, timeout_s=20, env=OLD_KERNEL).out
    state = json.loads(said)
    assert state["seccomp"] and state["landlock_abi"] == 0 and not state["network_namespace"]
    assert state["missing"] == "namespaces Landlock"
    shutil.rmtree(folder)
