"""Kernels made slow on purpose, as edits of the expert kernels: `akgen optimise` without a model makes them fast again.

Each text of the folder names the expert kernel in its first word. `make slow-kernels` searches for all of them; that
each is offered a change is tested always.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from akgen.agents.budget import Budget
from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.search.by_rules import ByRules
from akgen.bench.resolve import resolve_task
from akgen.graph.optimise import Optimised, Search
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.knowledge.patterns import Pattern, patterns
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.rewrite.all_rewrites import rewrites
from akgen.tools.twin.toolchain import TwinToolchain

FOLDER = Path(__file__).parent / "slow_kernels"
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))
REACHED = 0.8  # of the expert's speed
REACHED_BY = 0.9  # of the kernels; what stopped the search is printed for each


def _slow(name: str) -> tuple[Pattern, KernelProject]:
    text = (FOLDER / f"{name}.md").read_text()
    pattern = next(p for p in patterns() if p.name == text.split(":")[0])
    files, refused = apply_edits(pattern.files, read_edits(text, f"op_kernel/{pattern.kernel}.cpp"))
    assert refused is None, refused.text
    return pattern, _project(pattern, files)


def _project(pattern: Pattern, files: Mapping[str, str]) -> KernelProject:
    return KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=dict(files))


def _task(pattern: Pattern) -> Task:
    """Return the pattern's task with its long case, and one that shows whether the kernel is right."""
    task = resolve_task(pattern.task)
    long = Case(id="large", params=dict(pattern.large))
    return task.model_copy(update={"cases": (*task.cases[:1], long)})


def _optimised(name: str, judge: Judge, folder: Path) -> tuple[Optimised, float]:
    """Return what the search found, and the expert's time over the found kernel's (means over the cases)."""
    pattern, slow = _slow(name)
    task = _task(pattern)
    search = Search(
        judge=judge,
        proposer=ByRules(chip(DEFAULT_CHIP)),
        folder=folder,
        budget=Budget(attempts=24),
        beam=2,
        each=4,
        seed=3,
        on_step=lambda step: print(f"  {step.hypothesis.text}: {step.outcome} {step.gain}"),
    )
    found = search.run(task, slow)
    best = judge.judge(_project(pattern, pattern.files), task, work=folder / "expert", trials=1, seed=3)
    expert_us = best.mean_us()
    assert expert_us is not None
    return found, expert_us / found.after_us


@pytest.mark.parametrize("name", NAMES)
def test_a_slow_kernel_is_offered_a_change(name: str) -> None:
    pattern, slow = _slow(name)
    text = slow.files[f"op_kernel/{pattern.kernel}.cpp"]
    numbers = any("constexpr uint32_t TILE" in host for host in slow.files.values())
    assert numbers or any(rewrite.source not in (None, text) for rewrite in rewrites(text))


@pytest.mark.slow
@pytest.mark.skipif("AKGEN_SLOW_KERNELS" not in os.environ, reason="`make slow-kernels` searches for all")
def test_slow_kernels_become_as_fast_as_the_experts(
    twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    judge, reached = Judge(twin, reference), 0
    wanted = [name for name in NAMES if os.environ["AKGEN_SLOW_KERNELS"] in ("all", name)]
    for name in wanted:
        found, share = _optimised(name, judge, tmp_path / name)
        times = f"{found.before_us:.1f} us to {found.after_us:.1f}"
        print(f"{name}: {times}, {share:.2f} of the expert's speed; {found.stopped}")
        reached += share >= REACHED
    print(f"{reached} of {len(wanted)} reach {REACHED:.0%} of the expert's speed")
    assert reached >= REACHED_BY * len(wanted)
