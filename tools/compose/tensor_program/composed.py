"""From a tensor program to a tile program: the composer schedules it for a task's cases and for other lengths."""

import random
from collections.abc import Mapping, Sequence

from akgen.tools.compose.front.graph import Graph
from akgen.tools.compose.front.traced import Ref, TracedGraph, TracedNode, TracedOutput
from akgen.tools.compose.front.witnesses import Witnesses
from akgen.tools.compose.program import Composition, compose
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.instantiate import bind, instantiate
from akgen.tools.compose.tensor_program.ir import TensorProgram
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import Name

WITNESSES = 2  # calls of other sizes, of which all that is found must hold as well
_TRIES = 8  # of sizes for one
_LARGEST = 97  # length of a witness's axis


def graph_on(program: TensorProgram, call: Call) -> Graph:
    """Return the program's graph on a call. Raises DslError where it does not fit the call, its results included."""
    outputs = _output_types(call)
    graph = instantiate(program, call.inputs, outputs)
    for name, o, wanted in zip(program.results, graph.outputs, call.outputs, strict=True):
        have = graph.nodes[o.node].shape
        if isinstance(wanted.meta, TensorMeta) and have != wanted.meta.shape:
            text = f"The result `{name}` has the shape {list(have)}, not {list(wanted.meta.shape)}."
            raise DslError((finding("TENSOR_SHAPE", len(program.text.splitlines()), text),))
    return graph


def compose_tensor_program(
    program: TensorProgram,
    op_type: str,
    kernel: str,
    calls: Sequence[Call],
    doc: str = "",
    *,
    fixed: bool = False,
) -> Composition:
    """Return the tile program that serves calls of these kinds.

    Raises DslError where the program does not fit a call, or the composer cannot schedule it. With `fixed`, no other
    shapes than those of the calls are asked for.
    """

    def graph_of(case: TracedGraph, /, *, apart: bool) -> Graph:
        return instantiate(program, case.inputs, case.output_dtypes, apart=apart)

    cases = [_as_traced(program, c, graph_on(program, c)) for c in calls]
    near = () if fixed else tuple(_witnesses(program, calls[0]))
    try:
        return compose(op_type, kernel, cases, doc, witnesses=Witnesses(near=near), graph_of=graph_of)
    except Unsupported as refused:
        said = refused.sentence[:1].upper() + refused.sentence[1:].rstrip(".")
        raise DslError((finding("TENSOR_SCOPE", 1, f"{said}."),)) from refused


def _output_types(call: Call) -> tuple[DType, ...]:
    if any(not isinstance(o.meta, TensorMeta) for o in call.outputs):
        raise DslError(
            (finding("TENSOR_INTERFACE", 1, "A result is a list: tensor programs return single tensors."),)
        )
    return tuple(o.meta.dtype for o in call.outputs if isinstance(o.meta, TensorMeta))


def _as_traced(program: TensorProgram, call: Call, graph: Graph) -> TracedGraph:
    """Tell the composer what a trace would tell of the operator's interface."""
    outputs = _output_types(call)
    made = [
        TracedNode(index=k, kind="call", metas=(TensorMeta(dtype=dtype, shape=graph.nodes[o.node].shape),))
        for k, (o, dtype) in enumerate(zip(graph.outputs, outputs, strict=True))
    ]
    return TracedGraph(
        nodes=tuple(made),
        outputs=tuple(TracedOutput(ref=Ref(node=k), output=k, dtype=d) for k, d in enumerate(outputs)),
        inputs=tuple(i for i in call.inputs if i is None or isinstance(i, TensorMeta)),
        attrs=tuple((a.name, a.value) for a in call.attrs),
        aliases=tuple(o.aliases for o in call.outputs),
        output_dtypes=tuple(outputs),
        input_names=tuple(i.name for i in program.inputs),
    )


def _witnesses(program: TensorProgram, call: Call) -> list[TracedGraph]:
    """Return calls with other lengths for which the program makes sense."""
    rng = random.Random(0)
    bound = bind(program, call.inputs)
    found: list[TracedGraph] = []
    for _ in range(_TRIES):
        sizes = {s: rng.randint(2, _LARGEST) for s in program.symbols if bound.sizes[s] != 1}
        if not sizes or len(found) == WITNESSES:
            break
        other = call.model_copy(update={"inputs": _resized(program, call.inputs, {**bound.sizes, **sizes})})
        try:
            found.append(_as_traced(program, other, instantiate(program, other.inputs, _output_types(call))))
        except DslError:
            continue
    return found


def _resized(
    program: TensorProgram, inputs: Sequence[Argument], sizes: Mapping[str, int]
) -> tuple[Argument, ...]:
    """Return the inputs with these lengths."""
    out: list[Argument] = []
    for declared, given in zip(program.inputs, inputs, strict=True):
        assert isinstance(given, TensorMeta)
        shape = list(given.shape)
        fixed = [d for d in declared.dims if d != "..."]
        for k, d in enumerate(reversed(fixed), start=1):
            if isinstance(d, Name):
                shape[-k] = sizes[d.id]
        out.append(given.model_copy(update={"shape": tuple(shape)}))
    return tuple(out)
