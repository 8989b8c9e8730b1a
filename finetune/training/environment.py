"""What a tensor program is worth on a task, without a compiler: parsed, checked, run beside the task's own numbers.

It takes a hundredth of a second; the judge on the twin decides in the end. Expected numbers never leave this process.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from akgen.finetune.training.pairs import TensorPair, close
from akgen.tools.compose.front.graph import Graph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.instantiate import bind, instantiate
from akgen.tools.compose.tensor_program.ir import TensorProgram
from akgen.tools.compose.tensor_program.numeric import Array, run_graph
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.dsl import DslError
from akgen.tools.dsl.expr import Name

LENGTHS = (
    (7, 12, 5, 9),
    (16, 3, 8, 11),
    (2, 21, 6, 4),
)  # that the letters of a task's shapes stand for, by case
_REACH = 3.0
_MOST_ELEMENTS = 1 << 20  # of any value, so that no program takes all memory


class CheapVerdict(Frozen):
    """How far a program came. `share` counts the cases whose numbers are right."""

    outcome: Outcome
    diagnostics: tuple[Diagnostic, ...] = ()
    parsed: bool = False
    fits: bool = False
    share: float = 0.0
    hollow: bool = False  # wrong in every case, each time one value everywhere, or a copy of an input


class ProgramEnvironment:
    """A task with inputs and expected results on a few shapes."""

    def __init__(self, gold: TensorProgram) -> None:
        self._gold = gold

    @classmethod
    def of(cls, pair: TensorPair) -> "ProgramEnvironment":
        """Make the environment of a pair, whose program was run beside PyTorch when it was drawn."""
        return cls(parse_tensor_program(pair.program))

    @cached_property
    def _cases(self) -> list[tuple[list[TensorMeta], list[Array], tuple[Array, ...]]]:
        cases = []
        for k, lengths in enumerate(LENGTHS):
            sizes = dict(zip(self._gold.symbols, lengths * (1 + len(self._gold.symbols) // 4), strict=False))
            rng = np.random.default_rng(k)
            metas = []
            for declared in self._gold.inputs:
                shape = tuple(
                    sizes[d.id] if isinstance(d, Name) else int(getattr(d, "value", 1)) for d in declared.dims
                )
                metas.append(TensorMeta(dtype=DType.FLOAT32, shape=shape))
            given = [rng.uniform(-_REACH, _REACH, m.shape) for m in metas]
            graph = instantiate(self._gold, metas, (DType.FLOAT32,) * len(self._gold.results))
            cases.append((metas, given, _run(graph, given)))
        return cases

    def judged(self, text: str) -> CheapVerdict:
        """Say what becomes of a program."""
        try:
            program = parse_tensor_program(text)
        except DslError as error:
            return CheapVerdict(outcome=Outcome.COMPILE_ERROR, diagnostics=error.diagnostics)
        right, computed = 0, False
        try:
            graphs = []
            for metas, _, expected in self._cases:  # the form first: what does not fit once compiles nowhere
                bind(program, metas)
                graphs.append(instantiate(program, metas, (DType.FLOAT32,) * len(self._gold.results)))
                shapes = [graphs[-1].nodes[o.node].shape for o in graphs[-1].outputs]
                if shapes != [e.shape for e in expected]:
                    return CheapVerdict(outcome=Outcome.COMPILE_ERROR, parsed=True)
            for graph, (_, given, expected) in zip(graphs, self._cases, strict=True):
                got = _run(graph, given)
                right += all(map(close, got, expected))
                computed = computed or not all(_hollow(g, given) for g in got)
        except DslError as error:
            return CheapVerdict(outcome=Outcome.COMPILE_ERROR, diagnostics=error.diagnostics, parsed=True)
        except Unsupported:
            return CheapVerdict(outcome=Outcome.COMPILE_ERROR, parsed=True)
        done = right == len(self._cases)
        return CheapVerdict(
            outcome=Outcome.CORRECT if done else Outcome.WRONG,
            parsed=True,
            fits=True,
            share=right / len(self._cases),
            hollow=not right and not computed,
        )


def _run(graph: Graph, given: Sequence[Array]) -> tuple[Array, ...]:
    if any(math.prod(n.shape) > _MOST_ELEMENTS for n in graph.nodes):
        raise Unsupported("size", "a value is larger than any that the task needs")
    return run_graph(graph, given)


def _hollow(got: Array, given: Sequence[Array]) -> bool:
    """Say whether a result is one value everywhere, or one of the inputs; a single number tells nothing."""
    if got.size < 2:
        return False
    same = np.array_equal(got, np.broadcast_to(got.flat[:1], got.shape), equal_nan=True)
    return same or any(g.shape == got.shape and np.array_equal(g, got) for g in given)
