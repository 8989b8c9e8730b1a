"""Load one case of an NPUKernelBench task: its reference, its inputs, and the binding of its operator.

Implements `load(reference, case) -> LoadedCase`. Runs in the reference process and when a task is traced; executes
the Python files of the user's checkout, never a candidate's code.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from akgen.bench.npukb.binding import Bound, bind, dtype_of
from akgen.bench.npukb.discovery import host_file, row_of
from akgen.bench.npukb.opdef import Declared, read_opdef
from akgen.bench.npukb.operators import Operators, RecordedLaunch
from akgen.bench.npukb.provenance import expected_outputs, source_of
from akgen.bench.npukb.rows import Row
from akgen.bench.npukb.shims import (
    TASK_ERRORS,
    benchmark_modules,
    check_precision,
    execute,
    first_line,
    seeded,
)
from akgen.bench.npukb.tensors import constant, copied, detached, flat, without_shared_nonfinite
from akgen.tools.core.op_spec import snake_case
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.reference.protocol import Binding, Sample

TOLERANCE = 1e-3  # the benchmark's default for absolute and relative error
REDRAWS = 8
_STRIDE = 1_000_003
FIRST_SEED = 0  # of the draw that a case is bound by; a description's, too
Recorded = tuple[Bound, Any, RecordedLaunch]


@dataclass(frozen=True)
class Drawn:
    """One draw: constructor and forward arguments, and what the reference returns for them."""

    init: list[Any]
    args: tuple[Any, ...]
    returned: Any


@dataclass(frozen=True)
class BenchmarkSample(Sample):
    """A sample that remembers its draw, for the task's own check."""

    drawn: Drawn = field(kw_only=True)


class BenchmarkCase:
    """One row of test_cases.csv with its modules loaded."""

    def __init__(self, folder: Path, case_id: str) -> None:
        op_type = folder.name.split("_")[0]
        self.row: Row = row_of(folder, case_id)
        self.declared: Declared = read_opdef(host_file(folder), op_type)
        self.operators = Operators(folder / "validation" / "pybind.cpp", snake_case(op_type))
        with benchmark_modules(self.operators.module):
            self.module = execute(folder / "validation" / "module.py")
            self.prepare = execute(folder / "validation" / "prepare_inputs.py")
        drawn = self._draw(FIRST_SEED)
        self.model: Any = self._model("Model", drawn.init).eval()
        self.example_args = drawn.args
        self.in_place: tuple[int, ...] = ()
        if not self.declared.spec.outputs:
            self.in_place = self._written(drawn)
        recorded = self._record(drawn)
        self.binding = self._binding(recorded[0], drawn)
        # The first sample that is asked for is nearly always this one. Where the launch was recorded before, to see
        # what it overwrites, the draw may have been changed.
        self._first = None if self.in_place or not self.declared.spec.outputs else (drawn, recorded)

    def sample(self, seed: int, distribution: Distribution) -> BenchmarkSample:
        """Draw inputs from the seed and run the reference.

        The task's own distribution is always used, except that "constant" fills every floating-point argument with
        its first value: other values may lie outside the operator's domain, which only the task knows. Inputs whose
        reference result the task's own check would refuse (a reciprocal of a drawn zero) are drawn again.
        """
        drawn, (bound, finished, launched) = self._usable(seed, distribution)
        expected = expected_outputs(
            bound, finished, drawn.returned, launched.converted, lambda outputs: self._finish(drawn, outputs)
        )
        returned = tuple(
            slot if want is None else want for slot, want in zip(bound.outputs, expected, strict=True)
        )
        return BenchmarkSample(
            inputs=bound.inputs,
            expected=expected,
            returned=returned,
            binding=self._binding(bound, drawn),  # some tasks draw an attribute, too
            drawn=drawn,
        )

    def inputs_of(self, seed: int) -> Sequence[Any]:
        """Return the inputs of a sample: only the benchmark's own binding knows them, which runs the reference."""
        return self._usable(seed, "task")[1][0].inputs

    def _usable(self, seed: int, distribution: Distribution) -> tuple[Drawn, Recorded]:
        """Return a draw whose result the task's own check accepts, if one of a few is, and its launch."""
        first, self._first = self._first, None
        for attempt in range(REDRAWS):
            known = first if seed == FIRST_SEED and attempt == 0 and distribution != "constant" else None
            if known is not None:
                drawn = known[0]
            else:
                drawn = self._draw(seed + attempt * _STRIDE, uniform_values=distribution == "constant")
            finite = all(bool(torch.isfinite(t).all()) for t in flat(drawn.returned))
            if finite or self._objection(drawn.returned, drawn.returned) is None:
                break
        return drawn, self._record(drawn) if known is None else known[1]

    def chosen(self, sample: Sample, outputs: Sequence[Any]) -> Sample | None:  # noqa: ARG002
        """Leave which places are good to the task's own check."""
        return None

    def check(self, sample: Sample, outputs: Sequence[Any]) -> str | None:
        """Run the rest of the binding on these outputs and apply the task's own precision check.

        Where that refuses even the reference's own result, for its infinities or NaN, these count as right where the
        outputs have the same, and the check decides over the rest.
        """
        if not isinstance(sample, BenchmarkSample):
            raise TypeError("the sample was not made by this case")
        returned, finished = sample.drawn.returned, self._finish(sample.drawn, outputs)
        if self._objection(returned, returned) is not None:
            returned, finished = without_shared_nonfinite(returned, finished)
        return self._objection(returned, finished)

    def _objection(self, returned: Any, finished: Any) -> str | None:
        custom = getattr(self.prepare, "custom_check_precision", None)
        try:
            with benchmark_modules(self.operators.module):
                if custom is not None:
                    result = custom(self.row, returned, finished)
                else:
                    result = check_precision(returned, finished, TOLERANCE, TOLERANCE)
        except TASK_ERRORS as e:
            return f"The task's own check cannot compare the outputs: {first_line(e)}."
        passed = result[0] if isinstance(result, tuple | list) else result
        if bool(passed):
            return None
        errors = result[1] if isinstance(result, tuple | list) and len(result) > 1 else None
        worst = errors.abs().max().item() if isinstance(errors, torch.Tensor) and errors.numel() else math.nan
        return f"The task's own precision check fails; the largest absolute error is {worst:.3g}."

    def _binding(self, bound: Bound, drawn: Drawn) -> Binding:
        return Binding(
            inputs=tuple(source_of(o, drawn.args, self.model) for o in bound.origins),
            attrs=bound.attrs,
            aliases=bound.aliases,
            output_dtypes=bound.output_dtypes,
            input_names=tuple(p.name for p in self.declared.spec.inputs),
            output_names=tuple(p.name for p in self.declared.spec.outputs),
            const_inputs=bound.const_inputs,
            zeroed_outputs=bound.zeroed_outputs,
            in_order=False,
        )

    def _draw(self, seed: int, *, uniform_values: bool = False) -> Drawn:
        try:
            with benchmark_modules(self.operators.module), seeded(seed):
                init = self.prepare.get_init_inputs(self.row, None)
                given = self.prepare.get_inputs(self.row, None)
                args = (given,) if isinstance(given, torch.Tensor) else tuple(given)
                if uniform_values:
                    args = tuple(constant(a) for a in args)
                result = self._model("Model", init)(*copied(args))
        except TASK_ERRORS as e:
            raise InputError(
                f"The reference of case {self.row['case_id']} raises {type(e).__name__}: {first_line(e)}.",
                "Check the task's module.py and prepare_inputs.py.",
            ) from e
        return Drawn(init=list(init), args=args, returned=detached(result))

    def _model(self, name: str, init: Sequence[Any]) -> Any:
        with benchmark_modules(self.operators.module):
            return getattr(self.module, name)(*copied(init))

    def _run_new(
        self, init: Sequence[Any], args: Sequence[Any], listener: Callable[[RecordedLaunch], None]
    ) -> Any:
        self.operators.listener = listener
        try:
            with benchmark_modules(self.operators.module), torch.no_grad():
                return detached(self.module.ModelNew(*init)(*args))
        finally:
            self.operators.listener = None

    def _record(self, drawn: Drawn) -> Recorded:
        """Run ModelNew on the draw itself, so that identity tells the inputs, and take down its one launch."""
        seen: list[RecordedLaunch] = []
        finished = self._run_new(drawn.init, drawn.args, seen.append)
        if len(seen) != 1:
            raise InputError(
                f"ModelNew launches {len(seen)} operators; AKGen binds tasks that launch one.",
                "Check pybind.cpp.",
            )
        bound = bind(self.declared, seen[0])
        written = tuple(bound.inputs[i] for i in self.in_place)
        bound = replace(
            bound,
            outputs=(*bound.outputs, *written),
            output_dtypes=(*bound.output_dtypes, *(dtype_of(flat(t)[0]) for t in written)),
            aliases=(*bound.aliases, *self.in_place),
        )
        return bound, finished, seen[0]

    def _written(self, drawn: Drawn) -> tuple[int, ...]:
        """Return the inputs that the operator overwrites: those whose values after the launch reach the result."""
        bound, finished, _ = self._record(drawn)
        return tuple(
            i
            for i, value in enumerate(bound.inputs)
            if value is not None and self._reaches(i, drawn, finished)
        )

    def _reaches(self, index: int, drawn: Drawn, finished: Any) -> bool:
        def disturb(launched: RecordedLaunch) -> None:
            for tensor in flat(bind(self.declared, launched).inputs[index]):
                tensor.copy_(
                    (tensor != 1).to(tensor.dtype)
                )  # differs from what was there, also for NaN and infinity

        after = self._run_new(copied(drawn.init), copied(drawn.args), disturb)
        return any(not torch.equal(a, b) for a, b in zip(flat(after), flat(finished), strict=True))

    def _finish(self, drawn: Drawn, outputs: Sequence[Any]) -> Any:
        """Return what ModelNew returns when its operator writes these outputs."""

        def fill(launched: RecordedLaunch) -> None:
            bound = bind(self.declared, launched)
            slots = [*bound.outputs, *(bound.inputs[i] for i in self.in_place)]
            for target, source in zip(flat(slots), flat(list(outputs)), strict=True):
                target.copy_(source.reshape(target.shape))

        return self._run_new(copied(drawn.init), copied(drawn.args), fill)


def load(reference: Reference, case: Case) -> BenchmarkCase:
    """Load a case. Raises InputError when the task's files are missing, cannot be read or raise."""
    return BenchmarkCase(reference.path, case.id)
