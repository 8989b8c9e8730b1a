"""Ask whether nests can be scheduled at all, before a graph is cut: nests of one structure are asked once."""

from collections.abc import Sequence

from akgen.tools.compose.back.choices import choices
from akgen.tools.compose.back.kernels import ScheduledKernel, schedule, tensors_of
from akgen.tools.compose.back.redundancy import is_redundant
from akgen.tools.compose.front.traced import Origin, TracedGraph
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.symbolic import SymbolicNumbers
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, structure, unify
from akgen.tools.compose.scope import Redundant, Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.expr import Name
from akgen.tools.dsl.host_run import HostRun, Metas
from akgen.tools.dsl.ir import HOST_KINDS, Assert, Assign, Host, HostParam, Launch
from akgen.tools.dsl.prepare import prepare
from akgen.tools.dsl.printer import printed


class Feasibility:
    """Whether nests of a task's cases can be scheduled."""

    def __init__(self, cases: Sequence[TracedGraph], face: Interface) -> None:
        self.cases, self.face = cases, face
        self.tensors = tensors_of(face, 0)
        self._known: dict[object, Unsupported | tuple[ScheduledKernel, ...]] = {}  # by structure

    def require(self, nest: LoopNest, case: int) -> None:
        """Raise Unsupported if there is no schedule under which the nest of this case runs.

        Raises Redundant where that one computes the same values very often.
        """
        kernels = self._kernels(nest)
        redundant = [is_redundant(k.work, nest.sizes) for k in kernels]
        if kernels[-1].fits is None and not any(redundant):
            return
        template = _template(nest)
        used = next((k for k in kernels if k.fits is None or self._fits(k, template, self.cases[case])), None)
        if used is None:
            raise Unsupported("rows", "a row does not fit into UB")
        if redundant[kernels.index(used)]:
            raise Redundant("reduction", "the same values would be computed for each of many elements")

    def _kernels(self, nest: LoopNest) -> tuple[ScheduledKernel, ...]:
        """Return the kernels for nests of this structure, best first, up to one that always runs."""
        key = self._key(nest)
        if key not in self._known:
            self._known[key] = self._written(_template(nest))
        found = self._known[key]
        if isinstance(found, Unsupported):
            raise found
        return found

    def _written(self, template: SymbolicNest) -> Unsupported | tuple[ScheduledKernel, ...]:
        found: list[ScheduledKernel] = []
        refused: Unsupported | None = None
        for templates, choice in choices((template,), self.tensors):
            try:
                kernel = schedule("probe", 0, templates, choice, self.face, Knobs(), all_nests=False)
                found.append(kernel)
            except Unsupported as error:
                refused = error
                continue
            if found[-1].fits is None:
                break
        return tuple(found) if found else refused or Unsupported("layout", "no schedule runs it")

    def _key(self, nest: LoopNest) -> object:
        """Return the structure of a nest, whichever tensors it reads and writes."""
        seen: dict[Origin | None, Origin] = {}
        for v in nest.values:
            if v.origin is not None and v.origin not in seen:
                seen[v.origin] = Origin(input=len(seen), element=v.origin.element)
        values = [v.model_copy(update={"origin": seen.get(v.origin)}) for v in nest.values]
        overwritten = [self.tensors.overwritten(s) for s in nest.stores]
        known = {o.input: new.input for o, new in seen.items() if o is not None and o.input is not None}
        stores = [s.model_copy(update={"output": None, "temp": 0}) for s in nest.stores]
        alike = nest.model_copy(update={"values": tuple(values), "stores": tuple(stores), "phase": 0})
        listed = tuple(v.stored for v in nest.values)
        return structure(alike), tuple(None if o is None else known.get(o, -1) for o in overwritten), listed

    def _fits(self, kernel: ScheduledKernel, template: SymbolicNest, case: TracedGraph) -> bool:
        """Return whether the kernel's condition holds for the case."""
        assert kernel.fits is not None
        sizes = zip(template.sizes, template.definitions, strict=True)
        body = (
            *(Assign(name=name.id, value=value) for name, value in sizes),
            *kernel.host,
            Assert(cond=kernel.fits, text="fits"),
            Launch(kernel=kernel.name, key=1, cores=Name(id="cores"), args=kernel.arguments),
        )
        names = [*zip(self.face.input_names, self.face.input_kinds, strict=True)]
        names += zip(self.face.output_names, self.face.output_kinds, strict=True)
        params = tuple(HostParam(name=n, kind=HOST_KINDS[kind]) for n, kind in names)
        program = printed((kernel.kernel,), Host(name="host", doc="", params=params, body=body))
        metas: dict[str, Metas] = dict(zip(self.face.input_names, case.inputs, strict=True))
        metas |= {
            n: TensorMeta(dtype=d, shape=())
            for n, d in zip(self.face.output_names, case.output_dtypes, strict=True)
        }
        try:
            HostRun(program, prepare(program), metas, {}).run()
        except DslError:
            return False
        return True


def _template(nest: LoopNest) -> SymbolicNest:
    """Return a nest as the template of its own sizes."""
    return unify([nest], SymbolicNumbers((), (), ()), "d")
