"""Record the ATen calls of a reference without running it: tensors that have a shape, a dtype and no elements.

The calls are functional and decomposed to core ATen, as `torch.export` and `run_decompositions` give them, without the
seconds that these take to import and to set up. What cannot be recorded is left to them: numbers that depend on
elements, and references that write to their inputs.
"""

import operator
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from traceback import format_tb
from types import ModuleType
from typing import Any, Literal

import numpy as np
import torch
from torch._decomp import _core_aten_decompositions_post_autograd
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _disable_current_modes

from akgen.tools.compose.front.record_branches import rewritten
from akgen.tools.compose.front.record_constants import SMALL_CONSTANT, constants_shortened
from akgen.tools.compose.front.record_empty import of_nothing, takes_nothing
from akgen.tools.compose.front.record_formulas import with_own_formulas
from akgen.tools.compose.front.record_outside import OutsideCalls, Unrecordable, arrays_become_tensors
from akgen.tools.compose.front.record_steered import SteeredCalls, resolved
from akgen.tools.compose.front.user_lines import UserLines
from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.nested import flat_outputs

_SCALAR = torch.ops.aten._local_scalar_dense.default


LARGEST_KNOWN = (
    1 << 22
)  # elements that are computed if the reference asks for one, where no input decides them


@dataclass(frozen=True)
class Leaf:
    """A placeholder: argument number `key` (flattened), the model's parameter or buffer `key`, or a constant."""

    name: str
    kind: Literal["arg", "state", "constant"]
    key: int | str | None
    value: torch.Tensor


@dataclass(frozen=True)
class CapturedGraph:
    """A graph whose nodes are functional ATen calls with a shape and a dtype in `meta["val"]`.

    `returned` names the nodes of the tensors that the model returns, flattened; `returns_list` says that it returns a
    list or tuple. `written` names the last values of arguments that it writes to, by their flattened positions.
    """

    graph: torch.fx.Graph
    leaves: tuple[Leaf, ...]
    returned: tuple[str, ...]
    returns_list: bool
    written: tuple[tuple[int, str], ...] = ()


def record(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    *,
    steered: bool = False,
    draws: Sequence[tuple[Any, ...]] = (),
) -> CapturedGraph:
    """Return the calls of `model(*args)`. Raises Unrecordable, or what the reference's own code raises.

    With `steered`, numbers and branches may depend on elements: both sides of a branch are recorded. `draws` are other
    arguments of the same task: a length that is the same for all of them may be a length of the recording.
    """
    if "sympy" not in sys.modules:
        sys.modules["sympy"] = _UnreadSympy()
    lines = UserLines(model)
    recorder = _Recorder(lines)
    state = {
        **dict(model.named_parameters(remove_duplicate=False)),
        **dict(model.named_buffers(remove_duplicate=False)),
    }
    known = {key: recorder.leaf("state", key, value) for key, value in state.items()}
    flat, spec = pytree.tree_flatten(args)
    leaves = [recorder.argument(k, value) for k, value in enumerate(flat)]

    recorder.draws = [flat, *(pytree.tree_leaves(draw) for draw in draws)]
    calls = SteeredCalls(lines, recorder.knows, recorder.values) if steered else OutsideCalls(lines)
    expected = _returned(model, args) if steered else None
    rewriting = rewritten(getattr(model, "traced", model), calls.steering) if steered else nullcontext()
    with torch.no_grad(), recorder, rewriting, arrays_become_tensors(), calls:
        state, leaves = pytree.tree_map_only(torch.Tensor, torch._to_functional_tensor, (known, leaves))
        for made, given in zip(leaves, flat, strict=True):
            if isinstance(given, torch.Tensor) and given.requires_grad:
                made.requires_grad_()
        torch._enable_functionalization(reapply_views=True)
        try:
            result = torch.func.functional_call(model, state, tuple(pytree.tree_unflatten(leaves, spec)))
            result = resolved(result, expected)
        except Unrecordable as refused:
            refused.line = refused.line or lines.of("".join(format_tb(refused.__traceback__)))
            raise
        finally:
            torch._disable_functionalization()
        last = [_functional(v) if isinstance(v, torch.Tensor) else None for v in leaves]
        values = [_functional(v) for v in flat_outputs(result) if isinstance(v, torch.Tensor)]
    with torch.no_grad(), recorder:
        return recorder.captured(values, last, returns_list=type(result) in (list, tuple))


def _returned(model: torch.nn.Module, args: tuple[Any, ...]) -> Any:
    """Return what the model returns for a copy of these arguments."""
    with torch.no_grad():
        return model(*pytree.tree_map_only(torch.Tensor, torch.clone, args))


class _UnreadSympy(ModuleType):
    """Stands for sympy until somebody reads more of it than the class of its expressions.

    PyTorch imports it, which takes longer than the recording, to see whether a size is an expression. None is one here.
    """

    Basic = type("Basic", (), {})

    def __init__(self) -> None:
        super().__init__("sympy")
        self.__spec__ = find_spec("sympy")

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get("sympy") is self:
            del sys.modules["sympy"]
        self.__dict__.update(import_module("sympy").__dict__)
        return self.__dict__[name] if name in self.__dict__ else super().__getattribute__(name)


def _functional(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor's present value, after all that was written to it and to what it is a view of."""
    if not torch._is_functional_tensor(value):
        return value
    torch._sync(value)
    return torch._from_functional_tensor(value)


class _Shape(torch.Tensor):  # type: ignore[misc]
    """A tensor on the CPU, as far as anybody can tell, with `inner` on the meta device in place of elements."""

    inner: torch.Tensor
    known: Callable[[], torch.Tensor] | None  # computes the elements, where no input decides them
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner: torch.Tensor, known: Callable[[], torch.Tensor] | None = None) -> "_Shape":
        made: _Shape = torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype,
            device="cpu",
        )  # fmt: skip
        made.inner = inner
        made.known = known if inner.numel() <= LARGEST_KNOWN else None
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise Unrecordable(f"{func} outside of the recording")


@cache
def _formulas() -> dict[Any, Callable[..., Any]]:
    """Return what core ATen lacks, as calls that it has: PyTorch makes the table anew at each call."""
    return with_own_formulas(_core_aten_decompositions_post_autograd())


class _Recorder(DispatchMode):
    """Writes every call into a graph, decomposed, and computes shapes in place of elements."""

    def __init__(self, lines: UserLines) -> None:
        super().__init__()
        self._lines = lines
        self._graph = torch.fx.Graph()
        self._nodes: dict[int, torch.fx.Node] = {}
        self._alive: list[Any] = []  # an id names a tensor as long as this lives
        self._foreign: dict[int, _Shape] = {}
        self._leaves: list[Leaf] = []
        self._formulas = _formulas()
        self.draws: list[list[Any]] = []  # arguments, flattened
        self._computed: list[dict[torch.fx.Node, Any]] = []  # for each draw

    # leaves

    def argument(self, position: int, value: Any) -> Any:
        return self.leaf("arg", position, value) if isinstance(value, torch.Tensor) else value

    def leaf(self, kind: Any, key: Any, value: torch.Tensor) -> _Shape:
        meta = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
        shape = _Shape(meta)
        node = self._graph.placeholder(f"{kind}_{len(self._leaves)}")
        self._name(shape, node)
        self._leaves.append(Leaf(node.name, kind, key, value))
        return shape

    def knows(self, value: torch.Tensor) -> bool:
        """Return whether no input decides a tensor's elements."""
        inner = _functional(value)
        return not isinstance(inner, _Shape) or inner.known is not None

    def values(self, value: torch.Tensor) -> list[np.ndarray[Any, Any]]:
        """Return a mask's elements for each draw of the arguments: what was recorded so far, computed."""
        node = self._node(self._inside(_functional(value)))
        functional = torch._C.DispatchKeySet(torch._C.DispatchKey.Functionalize)
        within = torch._C._ExcludeDispatchKeyGuard(functional), torch._C.DisableTorchFunction()
        with _disable_current_modes(), torch.no_grad(), within[0], within[1]:
            if not self._computed:
                self._computed = [{} for _ in self.draws]
            draws = zip(self.draws, self._computed, strict=True)
            return [self._value(node, args, done).numpy() for args, done in draws]

    def _value(self, wanted: torch.fx.Node, args: list[Any], done: dict[torch.fx.Node, Any]) -> Any:
        """Return the value of a node for these arguments; `done` holds those that are known."""
        leaves = {leaf.name: leaf for leaf in self._leaves}
        pending = [wanted]
        while pending:
            node = pending[-1]
            missing = [n for n in node.all_input_nodes if n not in done]
            if node in done or missing:
                pending.pop() if node in done else pending.extend(missing)
            elif node.op == "placeholder":
                leaf = leaves[node.name]
                done[node] = args[leaf.key] if isinstance(leaf.key, int) else leaf.value
            else:
                given = torch.fx.node.map_arg((node.args, node.kwargs), done.__getitem__)
                done[node] = node.target(*given[0], **given[1])
        return done[wanted]

    def _constant(self, value: torch.Tensor) -> _Shape:
        """Return the stand-in of a tensor that the reference made of numbers, or keeps as an attribute."""
        if id(value) not in self._foreign:
            if value.device.type != "cpu":
                raise Unrecordable(f"a tensor on {value.device}")
            self._foreign[id(value)] = made = self.leaf("constant", None, value)
            made.known = (lambda: value) if value.numel() <= SMALL_CONSTANT else None
            self._alive.append(value)
        return self._foreign[id(value)]

    def _name(self, shape: _Shape, node: torch.fx.Node) -> None:
        node.meta["val"] = shape
        self._nodes[id(shape)] = node
        self._alive.append(shape)

    # calls

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        decompose = self._formulas.get(func) or (func.decompose if func._can_decompose() else None)
        if decompose is not None:
            with self:
                result = decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if func._schema.is_mutable:
            raise Unrecordable(f"{func} writes to a tensor", self._lines.now())
        args, kwargs = pytree.tree_map_only(torch.Tensor, self._inside, (args, kwargs))
        if func is _SCALAR:
            if args[0].known is None:
                why = "a number or a branch of the reference depends on the values of a tensor"
                raise Unrecordable("a number depends on elements", self._lines.now(), why)
            return args[0].known().item()
        inner_args, inner_kwargs = pytree.tree_map(_inner, (args, kwargs))
        if any(a.name == "device" for a in func._schema.arguments):
            inner_kwargs["device"] = torch.device("meta")
        result = func(*inner_args, **inner_kwargs)
        if not isinstance(result, (torch.Tensor, list, tuple)):
            return result  # a fact about shapes or dtypes
        if takes_nothing(inner_args, result):
            with self:
                found = of_nothing(func, args, kwargs, result)
            if found is not NotImplemented:
                return found
        known = self._known(func, args, kwargs)
        node = self._graph.call_function(func, *pytree.tree_map_only(_Shape, self._node, (args, kwargs)))
        node.meta["line"] = self._lines.now()
        if isinstance(result, torch.Tensor):
            shape = _Shape(result, known)
            self._name(shape, node)
            return shape
        node.meta["val"] = parts = type(result)(
            _Shape(r, None if known is None else partial(_part, known, k))
            if isinstance(r, torch.Tensor)
            else r
            for k, r in enumerate(result)
        )
        for k, part in enumerate(parts):
            if isinstance(part, _Shape):
                self._name(part, self._graph.call_function(operator.getitem, (node, k)))
        return parts

    def _inside(self, value: torch.Tensor) -> _Shape:
        return value if isinstance(value, _Shape) else self._constant(value)

    def _node(self, shape: _Shape) -> torch.fx.Node:
        return self._nodes[id(shape)]

    @staticmethod
    def _known(func: Any, args: Any, kwargs: Any) -> Callable[[], Any] | None:
        """Return what computes the elements of a call's result if the reference asks for them, of constants only."""
        shapes = [v for v in pytree.tree_leaves((args, kwargs)) if isinstance(v, _Shape)]
        drawn = torch.Tag.nondeterministic_seeded in func.tags or "empty" in str(func)
        if drawn or any(s.known is None for s in shapes):
            return None

        @cache
        def computed() -> Any:
            given, named = pytree.tree_map_only(_Shape, lambda s: s.known(), (args, kwargs))
            return func(*given, **named)

        return computed

    def captured(
        self, result: Sequence[torch.Tensor], last: Sequence[torch.Tensor | None], *, returns_list: bool
    ) -> CapturedGraph:
        """Return what was recorded, with the calls that what is returned, or written to arguments, depends on."""
        returned = [self._node(self._inside(v)) for v in result]
        values = ((k, self._node(v)) for k, v in enumerate(last) if isinstance(v, _Shape))
        written = {k: node for k, node in values if node.op != "placeholder"}
        output = self._graph.output((*returned, *written.values()))
        computed: dict[torch.fx.Node, Any] = {}
        constants_shortened(
            self._graph,
            lambda node: node is not output and getattr(node.meta.get("val"), "known", None) is not None,
            lambda node: self._value(node, [], computed),
            lambda made: self._node(self._inside(made)),
        )
        self._graph.eliminate_dead_code()
        names = [node.name for node in output.args[0]]
        order = ("state", "constant", "arg")
        return CapturedGraph(
            graph=self._graph,
            leaves=tuple(sorted(self._leaves, key=lambda leaf: order.index(leaf.kind))),
            returned=tuple(names[: len(returned)]),
            returns_list=returns_list,
            written=tuple(zip(written, names[len(returned) :], strict=True)),
        )


def _part(known: Callable[[], Any], k: int) -> torch.Tensor:
    part: torch.Tensor = known()[k]
    return part


def _inner(value: Any) -> Any:
    return value.inner if isinstance(value, _Shape) else value
