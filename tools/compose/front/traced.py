"""What a trace holds: core ATen calls with concrete shapes, and where each tensor comes from; traces from afar."""

from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, PlainSerializer

from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.task import Case, Reference
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.protocol import LoadedCase


class Ref(Frozen):
    """A value of an earlier node; `part` picks one of several results."""

    node: int
    part: int = 0


def _to_json(arg: Any) -> Any:
    if isinstance(arg, tuple):
        return [_to_json(a) for a in arg]
    if isinstance(arg, Ref):
        return {"node": arg.node, "part": arg.part}
    return {"dtype": arg.value} if isinstance(arg, DType) else arg


def _from_json(arg: Any) -> Any:
    if isinstance(arg, (list, tuple)):
        return tuple(_from_json(a) for a in arg)
    if isinstance(arg, dict):
        return DType(arg["dtype"]) if "dtype" in arg else Ref(**arg)
    return arg


Arg = Annotated[Any, BeforeValidator(_from_json), PlainSerializer(_to_json, when_used="json")]
"""Of a call: Ref, DType, a number, a string, None, or a tuple of these."""


class Origin(Frozen):
    """Where a load reads: an operator input (`element` is the position in a DYNAMIC list), or a workspace tensor."""

    input: int | None = None
    element: int | None = None
    temp: int | None = None


class TracedNode(Frozen):
    """One traced call. A result that is no tensor has no meta; of a number, `scalar` tells the type."""

    index: int
    kind: Literal["input", "const", "call"]
    target: str = ""  # such as "aten.add.Tensor"
    args: tuple[Arg, ...] = ()
    kwargs: tuple[tuple[str, Arg], ...] = ()
    metas: tuple[TensorMeta | None, ...] = ()
    origin: Origin | None = None
    scalar: DType | None = None  # of a call that yields a number
    values: tuple[float | int | bool, ...] | None = None  # of a small constant, flattened
    line: str | None = None  # of the user's code that makes the call


class TracedOutput(Frozen):
    """An operator output: which value, in which dtype the operator must write it."""

    ref: Ref
    output: int
    element: int | None = None
    dtype: DType


class TracedGraph(Frozen):
    """One case's trace.

    `outputs` lists only what is compared. `inputs` are the operator's inputs in OpDef order; a tuple is a list.
    """

    nodes: tuple[TracedNode, ...]
    outputs: tuple[TracedOutput, ...]
    inputs: tuple[TensorMeta | tuple[TensorMeta, ...] | None, ...]
    attrs: tuple[tuple[str, AttrValue], ...]
    aliases: tuple[int | None, ...]
    output_dtypes: tuple[DType, ...] = ()  # per operator output
    scalars: tuple[tuple[int, tuple[float, ...]], ...] = ()  # inputs made of Python numbers: (input, values)
    fixed: tuple[int, ...] = ()  # inputs whose values the trace specialised on
    input_names: tuple[str, ...] | None = None
    output_names: tuple[str, ...] | None = None

    def output_shape(self, output: int) -> tuple[int, ...] | None:
        """Return an output's shape, None where the reference does not define it, or where it is a list."""
        for o in self.outputs:
            if o.output == output and o.element is None:
                meta = self.nodes[o.ref.node].metas[o.ref.part]
                return None if meta is None else meta.shape
        return None


READS_ALTERED = "akgen.tools.compose.front.trace_altered"


class CaseTracer(Protocol):
    """Traces a case of a reference, here or in another process; `altered`, with other numbers as attributes.

    Raises Unsupported, naming what is not covered.
    """

    def __call__(self, reference: Reference, case: Case, /, *, altered: bool = False) -> TracedGraph: ...


class RemoteTrace:
    """Traces a case of a reference in a reference process. Raises Unsupported as `trace` does."""

    def __init__(self, worker: ReferenceWorker) -> None:
        self._worker = worker

    def __call__(self, reference: Reference, case: Case, /, *, altered: bool = False) -> TracedGraph:
        answer = self._worker.read(reference, case, READS_ALTERED if altered else __name__)
        if "op" in answer:
            raise Unsupported(answer["op"], answer["sentence"])
        return TracedGraph.model_validate(answer["graph"])


def read(loaded: LoadedCase) -> dict[str, Any]:
    """Answer in the reference process."""
    from akgen.tools.compose.front.trace import trace  # imports torch

    try:
        return {"graph": trace(loaded).model_dump(mode="json")}
    except Unsupported as refused:
        return {"op": refused.op, "sentence": refused.sentence}
