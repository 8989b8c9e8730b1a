"""The cards of what a known-good kernel calls are in its prompt.

`make recall` prints the share over the built-in tasks, the modules of tests/user_modules and, with AKGEN_NPUKB_ROOT,
NPUKernelBench's references.

The known-good kernel is the composed one; retrieval sees the task and its trace, never the kernel.
"""

import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pytest

from akgen.agents.composer.model_free import ModelFree
from akgen.agents.prompts.retrieval import TOKENS, retrieve, traced_operations
from akgen.bench.resolve import resolve_task
from akgen.bench.suites import suite_folders
from akgen.knowledge.cards import cards
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.core.task import Case, Reference, Task

MODULES = Path(__file__).resolve().parents[1] / "user_modules"
LEAST = 0.95


class Found(NamedTuple):
    task: str
    called: frozenset[str]
    missing: frozenset[str]
    tokens: int


@pytest.mark.slow
def test_of_a_sample_of_tasks_the_called_interfaces_are_in_the_prompt() -> None:
    # by their names' digests, so that a new module does not change which others are in the sample
    modules = sorted(_tasks(str(MODULES)), key=lambda task: crc32(task.name.encode()))
    found = [f for t in [*_tasks("builtin")][::9] + modules[:4] if (f := _found(t))]
    assert len(found) >= 7
    assert recall(found) >= LEAST, [(f.task, sorted(f.missing)) for f in found if f.missing]


@pytest.mark.slow
def test_of_all_tasks_the_called_interfaces_are_in_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    root = os.environ.get("AKGEN_NPUKB_ROOT")
    suites = {"builtin": None, str(MODULES): None} | ({"npukb": Path(root)} if root else {})
    for suite, folder in suites.items():
        found = [f for task in _tasks(suite, folder) if (f := _found(task))]
        share, tokens = recall(found), sum(f.tokens for f in found) / len(found)
        with capsys.disabled():
            print(
                f"\n{Path(suite).name}: {len(found)} kernels, recall {share:.1%}, {tokens:.0f} tokens on average"
            )
            for f in sorted(found, key=lambda f: -len(f.missing))[:3]:
                print(f"  {f.task} lacks {', '.join(sorted(f.missing)) or 'nothing'}")
        assert max(f.tokens for f in found) <= TOKENS
        assert share >= LEAST, f"{Path(suite).name} alone"


def called_in(text: str) -> set[str]:
    """Return the cards of what code calls: methods after a point or arrow; nothing that it defines itself."""
    code = re.sub(r"//.*|/\*(?s:.*?)\*/|\"[^\"\n]*\"", "", text)
    words = set(re.findall(r"\w+", code))
    own = set(re.findall(r"\b(?:void|bool|float|int\w*|uint\w*|auto|T)\s+(\w+)\(", code))
    methods = set(re.findall(r"(?:\.|->)\s*(?:template\s+)?(\w+)\s*[<(]", code)) - own
    plain = set(re.findall(r"(?<![\w.>])([A-Za-z_]\w*)\s*[<({]", code)) - own
    plain |= (
        set(re.findall(r"\b([A-Z]\w+)(?:<[^;()]*>)?\s+\w+\s*[;({=]", code)) - own
    )  # a variable of that class
    return {
        name
        for name, card in cards().items()
        if (
            set(name.split("::")[:-1]) <= words and name.split("::")[-1] in methods
            if "::" in name
            else name in plain or (name in methods and card.frame != "vector")
        )
    }


def recall(found: list[Found]) -> float:
    called = sum(len(f.called) for f in found)
    return 1 - sum(len(f.missing) for f in found) / called


def _tasks(suite: str, root: Path | None = None) -> Iterator[Task]:
    """Yield a suite's tasks, each with its smallest case."""
    for folder in suite_folders(suite, root).values():
        task = resolve_task(str(folder))
        yield task.only((min(task.cases, key=lambda c: c.size_bytes or 0).id,))


def _found(task: Task) -> Found | None:
    """Compare a composed kernel's calls with the cards shown; None where the composer has no kernel."""
    traces: dict[tuple[str, bool], TracedGraph] = {}

    def trace(reference: Reference, case: Case, *, altered: bool = False) -> TracedGraph:
        if (case.id, altered) not in traces:
            from akgen.tools.compose.front.trace import trace as traced
            from akgen.tools.compose.front.trace_altered import trace_altered

            loaded = importlib.import_module(reference.loader).load(reference, case)
            traces[case.id, altered] = (trace_altered if altered else traced)(loaded)
        return traces[case.id, altered]

    free = ModelFree(trace=trace)
    plan = free.plan(task, None, 0).plan
    if plan is None:
        return None
    project = free.write(task, plan, None, None, 0).project
    if project is None:
        return None
    called = called_in("\n".join(project.files[path] for path in project.kernel_files))
    chosen = retrieve(task, None, None, called=traced_operations(trace)(task))
    missing = called - {card.name for card in chosen.cards}
    return Found(task.name, frozenset(called), frozenset(missing), sum(s.tokens for s in chosen.shown))
