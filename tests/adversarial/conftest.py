"""The real compiler, launcher and judge, and an honest project that the hostile ones are made from.

At the end of a run stands a tally of the attacks.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import akgen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

HERE = Path(__file__).resolve().parent
HONEST = Path(akgen.__file__).parent / "finetune/training/cheats/scale_shift"
KERNEL = "op_kernel/scale_shift.cpp"
HOST = "op_host/scale_shift.cpp"


class Court:
    """Judge the honest project with pieces put in at its marks: `// TOP`, `// ENTRY`, `// COMPUTE`, `// HOST`."""

    def __init__(self, judge: Judge, folder: Path) -> None:
        self.judge = judge
        self.folder = folder
        self.honest = KernelProject.read_from(HONEST, "ScaleShift", "scale_shift")
        self.task = Task(
            name="scale_shift",
            suite="file",
            category="elementwise",
            op_type="ScaleShift",
            kernel="scale_shift",
            reference=Reference(loader="akgen.tools.reference.module_loader", path=HERE / "reference.py"),
            cases=tuple(Case(id=str(n), params={"n": n}) for n in (1000, 33)),
        )

    def kernel(self, *, trials: int = 1, **pieces: str) -> Verdict:
        """Put `entry="..."` after `// ENTRY` of the kernel, and so on; `compute` replaces the computation."""
        return self.files({KERNEL: self._filled(KERNEL, pieces)}, trials=trials)

    def host(self, *, trials: int = 1, **pieces: str) -> Verdict:
        return self.files({HOST: self._filled(HOST, pieces)}, trials=trials)

    def files(self, files: dict[str, str], *, trials: int = 1, **more: Any) -> Verdict:
        project = self.honest.model_copy(update={"files": {**self.honest.files, **files}})
        return self.judge.judge(project, self.task, work=self.folder, trials=trials, **more)

    def _filled(self, path: str, pieces: dict[str, str]) -> str:
        text = self.honest.files[path]
        for mark, piece in pieces.items():
            assert text.count(f"// {mark.upper()}\n") == 1
            if mark == "compute":
                before, rest = text.split("// COMPUTE\n")
                text = before + piece + rest[rest.index("// END") :]
            else:
                text = text.replace(f"// {mark.upper()}\n", piece + "\n")
        return text


@pytest.fixture(scope="session")
def toolchain() -> TwinToolchain:
    """Return the user's; with AKGEN_SECCOMP_ONLY in the environment without namespaces and Landlock."""
    only = bool(os.environ.get("AKGEN_SECCOMP_ONLY"))
    chain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), seccomp_only=only))
    chain.prepare(lambda line: None)
    assert not only or chain.sandbox_missing() == ("namespaces", "Landlock")
    return chain


@pytest.fixture(scope="session")
def open_toolchain() -> TwinToolchain:
    """Return one that does not seal kernels: the sandbox alone has to hold them."""
    chain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), seal=False))
    chain.prepare(lambda line: None)
    return chain


@pytest.fixture
def court(toolchain: TwinToolchain, reference: ReferenceWorker, tmp_path: Path) -> Court:
    return Court(Judge(toolchain, reference, run_timeout_s=10.0), tmp_path / "work")


@pytest.fixture
def old_kernel(reference: ReferenceWorker, tmp_path: Path) -> Court:
    """A court whose sandbox has neither Landlock nor namespaces, as on Linux 5.10."""
    chain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), seal=False, seccomp_only=True))
    chain.prepare(lambda line: None)
    assert chain.sandbox_missing() == ("namespaces", "Landlock", "seal")
    return Court(Judge(chain, reference, run_timeout_s=10.0), tmp_path / "work")


@pytest.fixture
def hurried(toolchain: TwinToolchain, reference: ReferenceWorker) -> Judge:
    """A judge that gives a launch one second."""
    return Judge(toolchain, reference, run_timeout_s=1.0)


@pytest.fixture
def codes() -> Callable[[Verdict], set[str]]:
    """Collect the codes of every finding in a verdict."""
    return lambda verdict: {
        d.code for d in (*verdict.diagnostics, *(d for c in verdict.cases for d in c.diagnostics))
    }


@pytest.fixture
def attacked(
    court: Court, codes: Callable[[Verdict], set[str]], record_property: Callable[[str, Any], None]
) -> Callable[..., Verdict]:
    """Judge a hostile kernel for the tally: `kind` of attack, and the pieces of the kernel."""

    def judged(kind: str, **pieces: str) -> Verdict:
        record_property("attack", kind)
        verdict = court.kernel(**pieces)
        record_property("outcome", str(verdict.outcome))
        record_property("findings", len(codes(verdict)))
        return verdict

    return judged


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the attacks of this run. One without an outcome broke the judge: a fault of the machine."""
    kinds: Counter[str] = Counter()
    bad = {"accepted": 0, "findings erased": 0, "machine faults": 0}
    for result in ("passed", "failed"):
        for report in terminalreporter.getreports(result):
            said = dict(report.user_properties)
            if report.when != "call" or "attack" not in said:
                continue
            kinds[said["attack"]] += 1
            bad["machine faults"] += "outcome" not in said
            bad["accepted"] += said.get("outcome") == Outcome.CORRECT
            bad["findings erased"] += said.get("findings") == 0
    if kinds:
        place = "without namespaces and Landlock" if os.environ.get("AKGEN_SECCOMP_ONLY") else "whole sandbox"
        tried = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        ended = ", ".join(f"{count} {what}" for what, count in bad.items())
        user = "root" if os.geteuid() == 0 else "user " + str(os.geteuid())
        terminalreporter.write_line(f"red team, {user}, {place}: {tried}: {ended}")
