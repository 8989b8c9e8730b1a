"""What a person wants, as far as it is known: an operator by name, PyTorch code or a task; types, shapes, wishes."""

from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs

Axis = int | Literal["all"]
Missing = Literal["operator", "dtype", "shape"]


class RequestSource(Frozen):
    """What to compute, where it is not an operator by name."""

    kind: Literal["code", "task"]
    name: str  # for people and for file names
    text: str  # PyTorch source text; of a task, its name or folder
    entry: str | None = None  # the class or function that computes; None where Model is there
    arguments: tuple[str, ...] | None = None  # tensors that a function takes
    brings: Literal["nothing", "inputs_of_shape", "inputs"] = "nothing"  # get_inputs(params), get_inputs()


class Request(Frozen):
    """What is known of what a person wants."""

    operator: str | None = None
    dtype: DType | None = None
    shape: tuple[int, ...] | None = None
    source: RequestSource | None = None
    axis: Axis | None = None  # of a reduction; the last one unless said
    dynamic: bool | None = None  # one kernel for all shapes
    knobs: Knobs | None = None

    def joined(self, later: "Request") -> "Request":
        """Return this request with everything that the later one says.

        Another operator keeps the type and shape in hand, not the axis and the knobs, which belong to a kernel.
        """
        other = later.operator is not None or later.source is not None
        if other and (later.operator, later.source) != (self.operator, self.source):
            return Request(
                operator=later.operator,
                source=later.source,
                dtype=later.dtype or (None if later.complete else self.dtype),
                shape=later.shape or (None if later.complete else self.shape),
                axis=later.axis,
                dynamic=self.dynamic if later.dynamic is None else later.dynamic,
                knobs=later.knobs,
            )
        knobs = self.knobs.joined(later.knobs) if self.knobs and later.knobs else later.knobs or self.knobs
        return Request(
            operator=self.operator,
            source=self.source,
            dtype=later.dtype or self.dtype,
            shape=later.shape or self.shape,
            axis=self.axis if later.axis is None else later.axis,
            dynamic=self.dynamic if later.dynamic is None else later.dynamic,
            knobs=knobs,
        )

    @property
    def complete(self) -> bool:
        return self.source is not None and self.source.brings == "inputs"

    @property
    def missing(self) -> tuple[Missing, ...]:
        """Return what must be asked for, in the order of asking."""
        if self.complete:
            return ()
        given = {"operator": self.operator or self.source, "dtype": self.dtype, "shape": self.shape}
        names: tuple[Missing, ...] = ("operator", "dtype", "shape")
        return tuple(name for name in names if given[name] is None)

    @property
    def empty(self) -> bool:
        return not self.model_dump(exclude_none=True)

    @property
    def name(self) -> str | None:
        """Return what is to be computed, in a word."""
        return self.source.name if self.source else self.operator

    @property
    def label(self) -> str:
        """Return a name for the request, fit for a file."""
        parts = [str(self.name)]
        if self.axis is not None:
            parts.append(f"axis{self.axis}".replace("-", "m"))
        parts += [self.dtype.value] if self.dtype else []
        parts += ["x".join(map(str, self.shape))] if self.shape else []
        parts += ["dynamic"] if self.dynamic else []
        if self.knobs is not None:
            values = self.knobs.model_dump(exclude_none=True)
            parts += [f"{name[0]}{value}" for name, value in values.items()]
        return "_".join(parts)
