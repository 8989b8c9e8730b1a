"""What the kernel passes share: C++ names and types of one kernel's tensors, tiles and scalars."""

from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.dsl.buffer_placement import Key, key
from akgen.tools.dsl.buffers import ScratchNeed, UbBuffer, UbPlan
from akgen.tools.dsl.cpp_expr import CppExpr, CppNames, camel, pascal
from akgen.tools.dsl.expr import Element, Expr, Func, ListLength, ListNumel, Name, Read, ScalarType
from akgen.tools.dsl.host_run import tensor_arguments
from akgen.tools.dsl.ir import (
    Assign,
    Block,
    ElementType,
    Kernel,
    Load,
    Multiply,
    Program,
    SyncAll,
    WaitFor,
    Workspace,
    walk,
)
from akgen.tools.dsl.prefetch import loads_ahead
from akgen.tools.dsl.prepare import PreparedKernel
from akgen.tools.dsl.scalar_names import hoisted, infer

MOST_MEMBERS = (
    96  # buffers of a class; where its phases have more, they share members: the object lies on the stack
)
MOST_OBJECTS = 4  # Matmul objects of a kernel, as REGIST_MATMUL_OBJ takes them
SCALAR_CPP: dict[ScalarType, str] = {"int": "int64_t", "float": "float", "bool": "bool"}


class KernelContext:
    """Names and types for one kernel in C++; `library` collects the sections of the device library it calls."""

    def __init__(self, program: Program, prepared: PreparedKernel, op: OpSpec) -> None:
        self.prepared = prepared
        self.kernel: Kernel = prepared.kernel
        self.placement = prepared.placement
        self.arguments = tensor_arguments(program, self.kernel.name)
        self.spaces = {s.name: s.dtype for s in walk(program.host.body) if isinstance(s, Workspace)}
        host = program.host
        self.params = dict(zip(host.inputs, (p.dtypes for p in op.inputs), strict=True))
        self.params.update(zip(host.outputs, (p.dtypes for p in op.outputs), strict=True))
        self.library: set[str] = set()
        self.tile_names: dict[
            str, str
        ] = {}  # set by the compute pass: what tiles are called at the place printed
        self.names = CppNames()
        self.class_name = pascal(self.kernel.name)
        self.lists = frozenset(self.kernel.lists)
        self.tile_types = {t: self.resolved(a.dtype) for t, a in self.kernel.allocs.items()}
        self.plan = self._plan(prepared.plan)
        self.slots = self._slots()
        self.ahead = loads_ahead(self.kernel, self.plan)
        self.shared_objects = self._shared_objects()
        types = infer(self.kernel.body, self.kernel.scalars)
        self.types = types
        self.blocks: dict[Key, Block] = {key(s): s for s in walk(self.kernel.body) if isinstance(s, Block)}
        computing = [b for b in self.blocks.values() if b.stage == "compute"]
        self.members = frozenset(x.name for b in computing for x in walk(b.body) if isinstance(x, Assign))
        given = frozenset(self.kernel.scalars) | self.members
        self.hoisted = hoisted(self.kernel.body, given) - given
        self.expr = CppExpr(self.scalar, lambda n: types.get(n, "int"), self.other, host=False)

    def resolved(self, t: ElementType) -> ElementType:
        """Return the type with workspaces' tensors replaced by their fixed dtype."""
        host = self.arguments.get(t.of or "", "")
        return ElementType(fixed=t.where(self.spaces[host])) if t.fixed is None and host in self.spaces else t

    def can_be_narrow(self, t: ElementType) -> bool:
        """Return whether the type can be one byte wide for some supported dtype."""
        if t.fixed is not None:
            return t.fixed != "mask" and t.fixed.size_bytes == 1
        return any(d.size_bytes == 1 for d in self.params.get(self.arguments.get(t.of or "", ""), ()))

    def _plan(self, plan: UbPlan) -> UbPlan:
        """Return the plan with fixed types resolved, without buffers and needs that can never exist."""
        buffers: list[UbBuffer] = []
        for b in plan.buffers:
            types = tuple(dict.fromkeys(self.resolved(t) for t in b.types))
            partners = tuple(dict.fromkeys(self.resolved(t) for t in b.partners))
            if b.partners and set(partners) == {types[0]}:
                continue
            buffers.append(b.model_copy(update={"types": types, "partners": partners}))
        needs: dict[tuple[object, ...], ScratchNeed] = {}
        for phase in plan.phases:
            fixed = max((n.fixed_bytes for n in plan.scratch if not n.dims and n.phase == phase), default=0)
            if fixed:
                needs[(phase,)] = ScratchNeed(why="", phase=phase, fixed_bytes=fixed)
        for n in plan.scratch:
            narrow = tuple(t for t in map(self.resolved, n.narrow) if self.can_be_narrow(t))
            if n.dims and (narrow or not n.narrow):
                known = needs.get((n.phase, n.dims, narrow))
                width = max(n.width, 0 if known is None else known.width)
                needs[(n.phase, n.dims, narrow)] = n.model_copy(
                    update={"narrow": narrow, "why": "", "width": width}
                )
        rows = tuple(dict.fromkeys(map(self.resolved, plan.row_types)))
        return UbPlan(buffers=tuple(buffers), scratch=tuple(needs.values()), row_types=rows)

    def _slots(self) -> dict[tuple[str, str, str], int]:
        """Return, where phases share members, which member of its role each buffer is: role, tile, tensor to number."""
        if len(self.plan.buffers) <= MOST_MEMBERS:
            return {}
        found: dict[tuple[str, str, str], int] = {}
        for phase in self.plan.phases:
            counts: dict[str, int] = {}
            for b in self.plan.in_phase(phase).buffers:
                found[b.role, b.tile, b.tensor or ""] = counts.get(b.role, 0)
                counts[b.role] = counts.get(b.role, 0) + 1
        return found

    def _slot(self, role: str, tile: str, tensor: str = "") -> str | None:
        """Return the name of the member that phases share for a buffer, if they do."""
        at = self.slots.get((role, tile, tensor))
        if at is None:
            return None
        word = {"in": "loaded", "out": "stored"}.get(role, "computed")
        return self.names.of(f"slot {role} {at}", f"{word}{at}{'Buf' if role == 'temp' else pascal(role)}_")

    def lib(self, name: str) -> str:
        """Note that a section of the device library is called and return its name."""
        self.library.add(name)
        return name

    def cpp_type(self, t: ElementType) -> str:
        """Return an element type in C++: a template parameter for tensors of the operator."""
        t = self.resolved(t)
        if t.fixed == "mask":
            return "uint8_t"
        if t.fixed is not None:
            return "uint8_t" if t.fixed == DType.BOOL else t.fixed.cpp_name
        stored = f"T{pascal(t.of or '')}"
        return f"{self.lib('TileNative')}<{stored}>" if t.native else stored

    def tile_type(self, tile: str) -> str:
        return self.cpp_type(self.tile_types[tile])

    def tensor_type(self, tensor: str) -> str:
        return self.cpp_type(ElementType(of=tensor))

    def is_mask(self, tile: str) -> bool:
        return self.tile_types[tile].fixed == "mask"

    @property
    def templates(self) -> tuple[str, ...]:
        """Return the tensors whose types are template parameters, in order."""
        return tuple(t for t in self.kernel.tensors if self.resolved(ElementType(of=t)).fixed is None)

    @property
    def has_rows(self) -> bool:
        return any(len(a.dims) == 2 for a in self.kernel.allocs.values())

    def scalar(self, name: str) -> str:
        """Return a scalar's C++ name: members end with an underscore."""
        if name in self.kernel.scalars or name in self.members:
            return self.names.of(name, camel(name) + "_")
        return self.names.of(name)

    def gm(self, tensor: str) -> str:
        return self.names.of(f"gm {tensor}", f"{camel(tensor)}{'List' if tensor in self.lists else 'Gm'}_")

    def gm_at(self, tensor: str, item: Expr | None) -> str:
        """Return the global tensor, or one of a list's."""
        if item is None:
            return self.gm(tensor)
        return f"{self.lib('TileListItem')}<{self.tensor_type(tensor)}>({self.gm(tensor)}, {self.expr.text(item)})"

    def _shared_objects(self) -> dict[str, str]:
        """Return each Matmul object and the one that stands for it in the kernel's class.

        Where a kernel has more than the library takes, those whose operands have the same types are one, as each
        product says its own shape: all whose products are waited for at once, and others where no phase has both.
        """
        objects = self.kernel.objects
        if len(objects) <= MOST_OBJECTS:
            return {name: name for name in objects}
        phases, apart = self._phases_of_objects()
        found: dict[str, str] = {}
        sharing: dict[object, list[list[str]]] = {}
        for o in objects.values():
            operands = tuple(None if t is None else self._dtypes(t) for t in (o.a, o.b, o.c, o.bias))
            alike = sharing.setdefault((*operands, o.transpose_a, o.transpose_b), [])
            for names in alike:
                if all(not {o.name, n} & apart or phases[o.name].isdisjoint(phases[n]) for n in names):
                    names.append(o.name)
                    break
            else:
                names = [o.name]
                alike.append(names)
            found[o.name] = names[0]
        return found

    @property
    def objects_at_work(self) -> tuple[tuple[str, ...], ...]:
        """Return the kernel's own Matmul objects, those together that share the cube core's buffers.

        These are asked in one phase, some of them without waiting; an object that has its phases for itself is alone.
        """
        phases, apart = self._phases_of_objects()
        groups: list[tuple[tuple[str, ...], frozenset[int], bool]] = []
        for name in dict.fromkeys(self.shared_objects.values()):
            mine = [n for n, by in self.shared_objects.items() if by == name]
            group = ((name,), frozenset[int]().union(*(phases[n] for n in mine)), bool(apart & {*mine}))
            met = [g for g in groups if (g[2] or group[2]) and g[1] & group[1]]
            groups = [g for g in groups if g not in met]
            names, at, asked = zip(*met, group, strict=True)
            groups.append((sum(names, ()), frozenset[int]().union(*at), any(asked)))
        return tuple(names for names, _, _ in groups)

    def _phases_of_objects(self) -> tuple[dict[str, frozenset[int]], set[str]]:
        """Return the phases from the first to the last use of each Matmul object; which are not waited for at once."""
        used: dict[str, set[int]] = {name: set() for name in self.kernel.objects}
        apart = set()
        phase = 0
        for body in self.kernel.phases:
            phase += 1
            for s in walk(body):
                phase += isinstance(s, SyncAll)
                if isinstance(s, Multiply | WaitFor):
                    used[s.object].add(phase)
                    if isinstance(s, WaitFor) or not s.wait:
                        apart.add(s.object)
        return {n: frozenset(range(min(u), max(u) + 1) if u else ()) for n, u in used.items()}, apart

    def _dtypes(self, tensor: str) -> tuple[DType | str | None, ...]:
        """Return the dtypes of a tensor: a workspace's one, an operator's in each combination that it supports."""
        fixed = self.resolved(ElementType(of=tensor)).fixed
        return self.params[self.arguments[tensor]] if fixed is None else (fixed,)

    def object(self, name: str) -> str:
        """Return the member name of a Matmul object, or of the one that stands for it."""
        return self.names.of(f"object {self.shared_objects[name]}", f"{camel(self.shared_objects[name])}_")

    def asked(self, name: str) -> str:
        """Return the member that says whether a product of the object is under way."""
        own = self.shared_objects[name]
        return self.names.of(f"asked {own}", f"{camel(own)}Asked_")

    def queue(self, kind: Literal["in", "out"], tile: str, tensor: str = "") -> str:
        """Return a transfer queue's member name."""
        slot = self._slot(kind, tile, tensor if kind == "out" else "")
        if slot is not None:
            return slot
        if kind == "in":
            return self.names.of(f"in {tile}", f"{camel(tile)}In_")
        several = len({o.tensor for o in self.placement.outs_of(tile)}) > 1
        return self.names.of(f"out {tile} {tensor}", f"{camel(tile)}Out{pascal(tensor) if several else ''}_")

    def queue_depth(self, tile: str) -> int:
        """Return how many tiles the input queue of one holds at a time."""
        loads = [x for b in self.ahead for x in self.blocks[b].body if isinstance(x, Load)]
        ahead = {self.queue("in", x.tile) for x in loads}
        return 2 if self.queue("in", tile) in ahead else 1

    def buffer(self, tile: str) -> str:
        return self._slot("temp", tile) or self.names.of(f"buffer {tile}", f"{camel(tile)}Buf_")

    def local(self, tile: str, kind: str = "") -> str:
        """Return a local tensor's name: the tile itself, its `raw` loaded form, its `new` form."""
        return self.names.of(f"local {tile} {kind}", f"{camel(tile)}{pascal(kind) if kind else ''}")

    def local_out(self, tile: str, tensor: str) -> str:
        """Return the name of the output tensor of a tile."""
        several = len({o.tensor for o in self.placement.outs_of(tile)}) > 1
        return self.names.of(
            f"local {tile} to {tensor}", f"{camel(tile)}Out{pascal(tensor) if several else ''}"
        )

    def held(self, tile: str, kind: str = "") -> str:
        """Return the name of a loaded tile that several blocks' functions are given."""
        kept = "Held" if camel(tile).endswith("Tile") else "Tile"
        return self.names.of(f"held {tile} {kind}", f"{camel(tile)}{pascal(kind) if kind else kept}")

    def held_raw(self, tile: str, tensor: str) -> str:
        """Return the name of such a tile as it comes; where it comes in several types, each has its own."""
        types = {self.tensor_type(s.tensor) for s in self.placement.loads_of(tile)}
        return self.held(tile, "raw" if len(types) == 1 else f"raw_{tensor}")

    def elements(self, extent: tuple[Expr, ...]) -> str:
        """Return how many elements of the tile an extent spans, row padding included."""
        if len(extent) == 1:
            return self.expr.text(extent[0])
        return f"{self.expr.nested(extent[0])} * RowStride({self.expr.text(extent[1])})"

    def other(self, e: Expr) -> str:
        """Print what only kernels have."""
        match e:
            case Func(name="program_id"):
                return "GetBlockIdx()"
            case Func(name="num_programs"):
                return f"{self.lib('TileVectorCores')}()" if self.kernel.objects else "GetBlockNum()"
            case Element():
                name = self.current_tile(e.tile)
                return f"{self.lib('TileElement')}({name}, {self.expr.text(e.index)})"
            case Read():
                return f"{self.lib('TileScalar')}({self.gm_at(e.tensor, e.item)}, {self.expr.text(e.index)})"
            case ListLength():
                return f"{self.lib('TileListLength')}({self.gm(e.tensor)})"
            case ListNumel():
                return f"{self.lib('TileListNumel')}({self.gm(e.tensor)}, {self.expr.text(e.index)})"
            case Name():
                return self.scalar(e.id)
        raise AssertionError(f"{type(e).__name__} does not occur in kernels")

    def current_tile(self, tile: str) -> str:
        return self.tile_names[tile]
