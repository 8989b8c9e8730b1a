"""What a person wants, as far as it is known: a chain of operators, PyTorch code or a task; types, shapes, wishes.

And what a text was understood as, or the question that it leaves.
"""

from typing import Any, Literal

from pydantic import Field, model_validator

from akgen.knowledge.operators import Value
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs

Missing = Literal["operator", "dtype", "attribute", "shape"]
Operand = int | float | Literal["tensor", "bias", "first"]
Shape = tuple[int, ...]
_MOST_LABEL = 60
_HISTORY = {"said", "earlier"}


class Held(Frozen):
    """What a tensor of a formula or of code holds that is not any number: "entries" below a limit, "positive"."""

    draw: str
    limit: str = "10"
    dtype: DType | None = None  # of whole numbers, where that is not int64


class RequestSource(Frozen):
    """What to compute, where it is no chain of operators."""

    kind: Literal["code", "task"]
    name: str  # for people and for file names
    text: str  # PyTorch source text; of a task, its name or folder
    entry: str | None = None  # the class or function that computes; None where Model is there
    arguments: tuple[str, ...] | None = None  # tensors that a function takes
    brings: Literal["nothing", "inputs_of_shape", "inputs"] = "nothing"  # get_inputs(params), get_inputs()
    said: str | None = None  # of what a chat model wrote: the words that it wrote it from
    holds: dict[str, Held] = Field(default_factory=dict)  # of a function's tensors that are not any numbers


class ChainStep(Frozen):
    """One operator of a chain; its first tensor is what the step before it returned."""

    operator: str  # a name of the catalogue; "formula" where there is one
    attributes: dict[str, Value] = Field(default_factory=dict)  # what was said, under PyTorch's names
    operands: tuple[Operand, ...] = ()  # beside the first; tensors of their own unless said
    formula: str | None = (
        None  # Python over the tensors named in `variables`; "first" in a later one is the input
    )
    variables: tuple[str, ...] = ()
    holds: dict[str, Held] = Field(default_factory=dict)  # of a formula: its tensors that are not any numbers
    index_dtype: DType | None = None  # of its indices, where that is not int64


class Request(Frozen):
    """What is known of what a person wants."""

    steps: tuple[ChainStep, ...] = ()
    source: RequestSource | None = None
    dtypes: tuple[DType, ...] = ()
    assumed: bool = False  # nobody said the type; it is what `assumed` takes then
    shapes: tuple[tuple[Shape, ...], ...] = ()  # of each case: of each tensor in order, or one for all
    sizes: dict[str, int] = Field(
        default_factory=dict
    )  # sizes that were named before there was a shape: batch, heads
    axes: tuple[str, ...] = ()  # what the first tensor's axes were called: b, t, c
    dynamic: bool | None = None  # one kernel for all shapes
    knobs: Knobs | None = None
    every_result: bool = False  # not the last step's alone
    returned: tuple[int, ...] = ()  # the steps whose results are returned, in order; none: the last one's
    said: tuple[str, ...] = ()  # the turns that say all of it, one after the other
    earlier: tuple["Request", ...] = ()  # what was known before the last turns, the newest last

    def __eq__(self, other: object) -> bool:
        """Compare what is wanted, however it was said."""
        if not isinstance(other, Request):
            return NotImplemented
        names = Request.model_fields.keys() - _HISTORY
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @model_validator(mode="before")
    @classmethod
    def _written_earlier(cls, values: Any) -> Any:
        """Read a request of an earlier version: one operator, dtype, shape, axis."""
        if not isinstance(values, dict) or not {"operator", "dtype", "shape", "axis"} & values.keys():
            return values
        new = {k: v for k, v in values.items() if k not in ("operator", "dtype", "shape", "axis")}
        if (name := values.get("operator")) is not None:
            axis = values.get("axis")
            said = {} if axis is None else {"dim": None if axis == "all" else axis}
            new["steps"] = ({"operator": name, "attributes": said},)
        new["dtypes"] = () if values.get("dtype") is None else (values["dtype"],)
        new["shapes"] = () if values.get("shape") is None else ((tuple(values["shape"]),),)
        return new

    @property
    def complete(self) -> bool:
        """Say whether the code brings its own inputs."""
        return self.source is not None and self.source.brings == "inputs"

    @property
    def empty(self) -> bool:
        return self == Request()

    @property
    def name(self) -> str | None:
        """Return what is to be computed, in a word."""
        return self.source.name if self.source else "_".join(s.operator for s in self.steps) or None

    @property
    def shape(self) -> Shape | None:
        """Return the first tensor's shape in the first case."""
        return self.shapes[0][0] if self.shapes else None

    @property
    def label(self) -> str:
        """Return a name for the request, fit for a file."""
        parts = [str(self.name)[:_MOST_LABEL].strip("_")]
        for step in self.steps:
            parts += [
                f"{name.replace('_', '')}{_in_a_name(value)}"
                for name, value in sorted(step.attributes.items())
            ][:3]
        parts += [d.value for d in self.dtypes]
        parts += ["x".join(map(str, shapes[0])) for shapes in self.shapes[:3]]
        parts += ["dynamic"] if self.dynamic else []
        if self.knobs is not None:
            values = self.knobs.model_dump(exclude_none=True)
            parts += [f"{name[0]}{value}" for name, value in values.items()]
        return "_".join(parts)


def _in_a_name(value: Value) -> str:
    text = "x".join(map(str, value)) if isinstance(value, tuple) else "all" if value is None else str(value)
    return "".join(c for c in text.replace("-", "m").replace(".", "p") if c.isalnum())


Exchange = tuple[tuple[str, str], ...]  # what the person said and what the model asked, in turns


class ParsedRequest(Frozen):
    """A text, understood. With a problem, the request is what was known before; the problem is a sentence."""

    request: Request
    problem: str | None = None
    kind: Literal["unclear", "refused"] | None = None
    offer: str | None = None  # the text with what was probably meant, where there is such a guess
    exchange: Exchange = ()  # with a chat model, which waits for an answer
