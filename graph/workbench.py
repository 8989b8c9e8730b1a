"""Toolchain, reference process and judge of one process: what candidates are made and measured on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from akgen.tools.core.call import Call
from akgen.tools.core.task import Case, Task
from akgen.tools.core.toolchain import Progress, Toolchain
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker


@dataclass(frozen=True)
class Tools:
    """A prepared toolchain with the judge that uses it, and the reference process that both ask."""

    toolchain: Toolchain
    judge: Judge
    reference: ReferenceWorker

    def describe(self, task: Task) -> Call:
        """Return the task's interface, as its first case has it."""
        return self.reference.describe(task.reference, task.cases[0])

    def largest(self, task: Task) -> Case:
        """Return the case with the most input and output: the one that a profile takes."""
        return max(task.cases, key=lambda c: self.reference.describe(task.reference, c).size_bytes)


@contextmanager
def open_tools(toolchain: Toolchain, progress: Progress) -> Iterator[Tools]:
    """Prepare the toolchain and start the reference process; both end with the context.

    Raises InfraError when the machine lacks what the toolchain needs.
    """
    with ReferenceWorker() as reference:
        reference.start()  # its imports overlap with the toolchain's preparation
        toolchain.prepare(progress)
        yield Tools(toolchain=toolchain, judge=Judge(toolchain, reference), reference=reference)
