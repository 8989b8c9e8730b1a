"""Read what a captured graph returns: which returned value is which operator output."""

from collections.abc import Callable, Mapping, Sequence

import torch

from akgen.tools.compose.front.record import CapturedGraph
from akgen.tools.compose.front.traced import Ref, TracedNode, TracedOutput
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.reference.nested import flat_outputs
from akgen.tools.reference.protocol import Binding, Sample


class TraceOutputs:
    """The returned values of a graph whose nodes have been read. `drawn` gives one draw of the task's own inputs.

    `takes_lists` says that an argument of the reference is a list; `positions` gives, for an operator input, elements
    of the list and the flattened positions of the arguments that they are.
    """

    def __init__(
        self,
        capture: CapturedGraph,
        binding: Binding,
        nodes: Sequence[TracedNode],
        refs: Mapping[str, Ref],
        drawn: Callable[[], Sample],
        takes_lists: bool,
        positions: Mapping[int, list[tuple[int | None, int]]],
    ) -> None:
        self._capture = capture
        self._binding = binding
        self._nodes = nodes
        self._refs = refs
        self._drawn = drawn
        self._takes_lists = takes_lists
        self._positions = positions

    def _returned(self) -> list[Ref]:
        """Return what the reference returns, flattened; None and numbers are left out."""
        return [self._refs[name] for name in self._capture.returned]

    def dtypes(self) -> list[DType]:
        """Return the dtype of each operator output: the declared one, else what the reference returns."""
        declared = self._binding.output_dtypes
        refs = self._returned()
        found: list[DType] = []
        for k, dtype in enumerate(declared):
            if dtype is not None:
                found.append(dtype)
                continue
            if k >= len(refs):
                raise Unsupported("outputs", _differ(len(declared), len(refs)))
            meta = self._nodes[refs[k].node].metas[refs[k].part]
            if meta is None:
                raise Unsupported("scalar output", "the reference returns a Python number")
            found.append(meta.dtype)
        return found

    def read(self) -> tuple[TracedOutput, ...]:
        """Return the operator's outputs. Raises Unsupported if the reference's cannot be told apart."""
        refs, dtypes = self._returned(), self.dtypes()
        if self._takes_lists and len(dtypes) == 1 and self._capture.returns_list:
            return tuple(
                TracedOutput(ref=ref, output=0, element=k, dtype=dtypes[0]) for k, ref in enumerate(refs)
            )
        places = self._places(refs, len(dtypes))
        plain = [
            TracedOutput(ref=refs[place], output=k, dtype=dtypes[k])
            for k, place in enumerate(places)
            if place is not None
        ]
        missing = (k for k, place in enumerate(places) if place is None)
        return (*(o for k in missing for o in self._overwritten(k, dtypes[k])), *plain)

    def _overwritten(self, output: int, dtype: DType) -> list[TracedOutput]:
        """Return the tensors of a list that the reference writes to, for an output in the place of that list."""
        alias = self._binding.aliases[output]
        last = {k: self._refs[name] for k, name in self._capture.written}
        places = [] if alias is None else self._positions.get(alias, [])
        return [
            TracedOutput(ref=last[place], output=output, element=element, dtype=dtype)
            for element, place in places
            if element is not None and place in last
        ]

    def _places(self, refs: list[Ref], count: int) -> list[int | None]:
        """Return which returned value each operator output is; None for an output that the reference does not have."""
        if len(refs) == 1 and count == 1:
            return [0]
        if self._binding.in_order:
            if len(refs) != count:
                raise Unsupported("outputs", _differ(count, len(refs)))
            return list(range(count))
        sample = self._drawn()
        expected = list(sample.expected)
        returned = getattr(getattr(sample, "drawn", None), "returned", None)
        values = [v for v in flat_outputs(returned) if isinstance(v, torch.Tensor)]
        if len(values) != len(refs):
            if len(refs) == count:
                return list(range(count))
            raise Unsupported("outputs", _differ(count, len(refs)))
        places: list[int | None] = []
        for want in expected:
            place = None
            if isinstance(want, torch.Tensor):
                place = next((j for j, v in enumerate(values) if j not in places and _equal(v, want)), None)
                if place is None:
                    raise Unsupported("outputs", "an operator output is not among what the reference returns")
            places.append(place)
        return places


def _differ(outputs: int, tensors: int) -> str:
    if not tensors:
        return "the reference returns no tensor"
    return f"the reference returns {tensors} tensors, and the operator has {outputs} outputs"


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.numel() != b.numel():
        return False
    wide = torch.complex128 if a.is_complex() or b.is_complex() else torch.float64
    x, y = a.detach().reshape(-1).to(wide), b.detach().reshape(-1).to(wide)
    return bool(torch.allclose(x, y, rtol=1e-6, atol=1e-9, equal_nan=True))
