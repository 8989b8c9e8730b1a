"""What a reference loader gives. A loader is a module with `load(reference, case) -> LoadedCase`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from akgen.tools.core.call import Attr, ClassCall
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Distribution
from akgen.tools.reference.nested import Path

Tensor = Any  # torch.Tensor; this file does not import torch


@dataclass(frozen=True)
class InputSpec:
    """Where an operator input comes from: a forward argument or a parameter/buffer of the model."""

    kind: Literal["arg", "state"]
    index: int | None = None  # of the forward argument
    path: Path = ()  # inside the argument, where it is a tuple or a dictionary
    key: str | None = None  # of the model's state


@dataclass(frozen=True)
class Binding:
    """How the reference's Python call maps to the operator's interface, in OpDef order."""

    inputs: tuple[InputSpec | None, ...]  # None: an optional input that is absent
    attrs: tuple[Attr, ...]
    aliases: tuple[int | None, ...]  # per output: the input that it overwrites
    output_dtypes: tuple[DType | None, ...]  # None: as the reference returns it
    input_names: tuple[str, ...] | None = None  # names for a generated OpDef, where the task gives them
    output_names: tuple[str, ...] | None = None
    const_inputs: tuple[int, ...] = ()  # inputs whose values the tiling function may read (Call.const_values)
    zeroed_outputs: tuple[int, ...] = ()  # outputs that the caller clears before the launch
    model: ClassCall | None = None
    in_order: bool = True  # outputs are what the reference returns, one after the other


@dataclass(frozen=True)
class Work:
    """What a run of the reference shows of the work that every sound kernel has to do."""

    computed: tuple[bool, ...]  # per output: arithmetic made its values, they were not only moved
    least: int  # operations on up to eight bytes that no algorithm can do without
    # (bytes of an operand's element, multiplications) of the products of matrices, as the reference makes them
    products: tuple[tuple[int, int], ...] = ()
    bytes_read: int = 0  # of the inputs, that no algorithm can leave unread


@dataclass(frozen=True)
class Sample:
    """One trial's values. A list stands for a DYNAMIC input or output."""

    inputs: Sequence[Tensor | Sequence[Tensor] | None]  # bound, in OpDef order, in the operator's dtypes
    expected: Sequence[Tensor | Sequence[Tensor] | None]
    """Golden values, float64 where the loader can; None for an output that is not compared."""
    returned: Sequence[Tensor | Sequence[Tensor]]
    """What the reference itself returns, in its own dtype; where `expected` is None (an output that the reference
    does not have), any tensor of the output's shape and dtype."""
    bounds: Sequence[Tensor | Sequence[Tensor | None] | None] | None = None
    """Per output, how far a sound computation in the task's precision may be off, in float32; None: not known."""
    work: Work | None = None
    """None: nobody looked."""
    args: Sequence[Any] | None = None
    """What the reference's model was called with; None: it cannot be called again."""
    binding: Binding | None = None
    """Where the draw decides over it (a random attribute); None: the case's."""
    gives_places: bool = False
    """Places in an order are among the outputs: `chosen` says which others are as good."""


class LoadedCase(Protocol):
    """A reference on one case, ready to make samples.

    One that can do so for less also has `described(seed)`: a sample of the task's own distribution whose golden values
    are not worked out, off which the call's shapes, dtypes and attributes are read.
    """

    model: Any  # torch.nn.Module in eval mode
    example_args: tuple[Any, ...]  # forward arguments, as torch.export needs them
    binding: Binding

    def sample(self, seed: int, distribution: Distribution) -> Sample:
        """Make inputs from this seed and run the reference; deterministic in (seed, distribution)."""
        ...

    def inputs_of(self, seed: int) -> Sequence[Any]:
        """Return the inputs of a sample of the task's own distribution, where it can without running the reference."""
        ...

    def chosen(self, sample: Sample, outputs: Sequence[Tensor]) -> Sample | None:
        """Return what is expected of a candidate with these outputs, where a sample gives places; None: the same."""
        ...

    def check(self, sample: Sample, outputs: Sequence[Tensor | Sequence[Tensor]]) -> str | None:
        """Apply the task's own precision check; return None if it passes, else one sentence."""
        ...
