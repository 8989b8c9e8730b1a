"""Load a reference from a Python file with `Model`, `get_inputs` and `get_init_inputs`.

The KernelBench convention has both functions without arguments; ours gives them the case's params as one dict.
The operator's inputs are the tensor arguments of `forward` in order, then the model's parameters and buffers in the
order of its state, among which are large tensors that it keeps as plain attributes; arguments that are not tensors
become attributes under their name in `forward`; the outputs are what `forward` returns, in order. A list of tensors is
one DYNAMIC input; tuples and dictionaries are opened, as an argument (`state_0`, `state_1`) and as a result, where
lists are, too. A module may say more about itself:

    DOMAIN = "positive" | "nonnegative" | "unit" | "open_unit" | (low, high) | {"argument": one of these}
    HANDLES_NONFINITE = True          NaN and infinities are among the inputs
    TENSOR_LISTS                      lists of tensors are taken as DYNAMIC inputs by themselves; nothing to declare

Not covered: forward arguments by keyword only.
"""

import contextlib
import copy
import importlib.util
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import torch
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.core.call import Attr, ClassCall
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.reference import golden, inputs, nested
from akgen.tools.reference.choices.places import FollowedPlaces
from akgen.tools.reference.choices.ties import apart, chosen, hangs_on_ties, without_places
from akgen.tools.reference.edges import with_edges
from akgen.tools.reference.followed import Openness, work_of
from akgen.tools.reference.protocol import Binding, InputSpec, LoadedCase, Sample, Work
from akgen.tools.reference.reached import Reached, tells_nothing
from akgen.tools.reference.rounding.running import precision
from akgen.tools.reference.whole_numbers import FreeInput, free_inputs, redrawn

Edges = Literal["rows", "elements"]  # see `edges`: with small rows, or without
MODEL_SEED = 20_011  # parameters are made from this; each sample then moves them by its own seed
LARGE_CONSTANT = 64  # elements; smaller tensors among a model's attributes are part of the program
# What a user's file may raise. An exception of its own that is none of these ends the reference process, whose
# client then reports the last line.
_REFERENCE_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, ImportError, LookupError, MemoryError,
    NameError, OSError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip


def load(reference: Reference, case: Case) -> LoadedCase:
    """Load the file and build its model for one case. Raises InputError if the file cannot be used."""
    return ModuleCase(_module(reference.path), case)


class ModuleCase:
    """A model with its inputs, bound to an operator interface."""

    def __init__(self, module: ModuleType, case: Case) -> None:
        self._module = module
        self._params = dict(case.params)
        torch.default_generator.manual_seed(MODEL_SEED)
        model_class = self._need("Model")
        init = self._ask("get_init_inputs") if hasattr(module, "get_init_inputs") else []
        args, kwargs = _constructor_arguments(init)
        self._made_with = (args, kwargs)
        self.model = self._guard("Model(...)", model_class, *args, **kwargs).eval()
        keep_as_buffers(self.model)
        torch.default_generator.manual_seed(MODEL_SEED)
        self.example_args = tuple(self._ask("get_inputs"))
        self.names = argument_names(self.model, len(self.example_args))
        outputs = self._first_call()
        self._initial = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        if not outputs:
            raise InputError(f"The reference {self._where} returns nothing.", "Let forward return tensors.")
        self.binding = self._bind(len(outputs))

    def sample(self, seed: int, distribution: Distribution) -> Sample:
        """Make one trial's values.

        A distribution outside of what the reference is defined on (it raises, makes NaN out of numbers, leaves a
        result open, such as the order of equal elements, or float32 loses it) is drawn again inside the range of the
        task's own inputs, and gives way to these if that does not help either. Of extreme values a few are as large as
        the dtype and the reference allow: they are drawn again smaller, and then not at all, where an operation has no
        finite result or error bound for them. Edges are among them where they leave every result finite and none open,
        small rows where error bounds stay below what the judge allows.
        """
        if distribution != "task":
            reaches = (1.0, 0.5, 0.2, 0.0) if distribution == "extreme" else (0.0,)
            edges: tuple[Edges | None, ...] = (None,)
            if distribution in ("extreme", "uniform"):
                edges = ("rows", "elements", None)
            ways = [(False, r, edge) for edge in edges for r in reaches]
            for own_range, reach, edge in (*ways, *((True, 0.0, edge) for edge in edges)):
                sample = self._try(seed, distribution, own_range=own_range, reach=reach, edges=edge)
                if sample is not None:
                    return sample
        sample = self._try(seed, "task", own_range=False)
        if sample is None:  # the task's own inputs give NaN, or raise: then show it
            self._set_state(seed)
            args = self._task_args(seed)
            returned = self._guard("forward", golden.call, self.model, golden.clone(args))
            sample = self._pack(args, returned)
        return sample

    def described(self, seed: int) -> Sample:
        """Return a sample of the task's own distribution without golden values, which describe nothing of a call."""
        self._set_state(seed)
        args = self._drawn(seed, "task", own_range=False)
        returned, work = self._guard("forward", work_of, self.model, args)
        return Sample(inputs=self._bound(args), expected=returned, returned=returned, work=work)

    def inputs_of(self, seed: int) -> list[Any]:
        """Return the inputs of a sample of the task's own distribution; the reference is not run."""
        self._set_state(seed)
        return self._bound(self._drawn(seed, "task", own_range=False))

    def chosen(self, sample: Sample, outputs: Sequence[Any]) -> Sample | None:
        """Let a candidate's own places stand where they are as good as the reference's."""
        assert sample.args is not None
        dtype = precision([sample.inputs, sample.returned])
        found = chosen(self.model, sample.args, outputs, dtype)
        if found is None:
            return None
        return replace(sample, expected=found.expected, returned=found.returned, bounds=found.bounds)

    def check(self, sample: Sample, outputs: Any) -> str | None:  # noqa: ARG002 (the protocol's signature)
        """This format has no check of its own."""
        return None

    def _drawn(
        self,
        seed: int,
        distribution: Distribution,
        *,
        own_range: bool,
        reach: float = 0.0,
        edges: Edges | None = None,
    ) -> list[Any]:
        """Return the arguments of a trial."""
        generator = torch.Generator().manual_seed(seed)
        given = self._task_args(seed)
        if not own_range:
            given = redrawn(given, self._free, distribution, generator)
        args = [
            self._redraw(value, name, distribution, generator, own_range, reach)
            for value, name in zip(given, self.names, strict=True)
        ]
        if edges is not None:
            args = self._with_edges(args, given, generator, own_range, small_rows=edges == "rows")
        if self._nonfinite(distribution):
            args = [inputs.spoil(a, generator) if isinstance(a, torch.Tensor) else a for a in args]
        return args

    def _with_edges(
        self,
        args: list[Any],
        given: list[Any],
        generator: torch.Generator,
        own_range: bool,
        *,
        small_rows: bool,
    ) -> list[Any]:
        places = [n for n, a in enumerate(args) if isinstance(a, torch.Tensor)]
        domains = [self._domain(given[n], self.names[n], own_range) for n in places]
        drawn = with_edges([args[n] for n in places], domains, generator, small_rows=small_rows)
        made = dict(zip(places, drawn, strict=True))
        return [made.get(n, a) for n, a in enumerate(args)]

    def _nonfinite(self, distribution: Distribution) -> bool:
        return distribution == "extreme" and bool(getattr(self._module, "HANDLES_NONFINITE", False))

    def _try(
        self,
        seed: int,
        distribution: Distribution,
        *,
        own_range: bool,
        reach: float = 0.0,
        edges: Edges | None = None,
    ) -> Sample | None:
        self._set_state(seed)
        args = self._drawn(seed, distribution, own_range=own_range, reach=reach, edges=edges)
        nonfinite = self._nonfinite(distribution)
        try:
            with (
                Reached() if reach > 0 or edges is not None else contextlib.nullcontext() as reached,
                Openness() as openness,
            ):
                returned, work = work_of(self.model, args)
            if distribution == "task" and openness.found:
                args, returned, work = self._without_ties(args, returned, work)
        except (RuntimeError, ValueError, ArithmeticError, IndexError):
            return None
        # The task's own inputs are taken, equal elements moved apart where no output shows which of them came first;
        # elsewhere `chosen` follows a candidate.
        if distribution != "task" and not nonfinite and (openness.found or golden.has_nan(returned)):
            return None
        if reached is not None and reached.beyond:
            return None
        sample = self._pack(args, returned, work)
        if reached is not None and tells_nothing(sample.expected, sample.bounds):
            return None
        # A large row may decide over a bound, and small ones make it too small.
        if edges == "rows" and tells_nothing(sample.expected, sample.bounds, most_beyond=0.0):
            return None
        if distribution != "task" and golden.misses_itself(returned, sample.expected, sample.bounds):
            return None
        return sample

    def _without_ties(
        self, args: list[Any], returned: golden.Outputs, work: Work | None
    ) -> tuple[list[Any], golden.Outputs, Work | None]:
        """Return arguments without equal elements, with what is returned of them, where a result hangs on their order.

        As they are where it does not, and where nothing helps: then PyTorch's own order is asked for.
        """
        if hangs_on_ties(self.model, args):
            for moved in apart(args):
                if not hangs_on_ties(self.model, moved):
                    return moved, *work_of(self.model, moved)
        return args, returned, work

    def _pack(self, args: list[Any], returned: golden.Outputs, work: Work | None = None) -> Sample:
        given = self._bound(args)
        places = FollowedPlaces()
        exact, bounds = golden.golden(self.model, args, precision([given, returned]), orders=places)
        if exact is None or [_shapes(v) for v in exact] != [_shapes(v) for v in returned]:
            exact, bounds = golden.call(self.model, golden.clone(args), places), None
        marks = [places.of(o) for o in exact]
        return Sample(
            inputs=given,
            expected=exact,
            returned=returned,
            bounds=bounds and [without_places(b, m) for b, m in zip(bounds, marks, strict=True)],
            work=work,
            args=args,
            gives_places=any(m is not None for m in marks),
        )

    def _bound(self, args: list[Any]) -> list[Any]:
        state = self.model.state_dict()
        values: list[Any] = []
        for source in self.binding.inputs:
            if source is None:
                values.append(None)
            elif source.kind == "arg":
                assert source.index is not None
                values.append(nested.at(args[source.index], source.path))
            else:
                assert source.key is not None
                values.append(state[source.key].detach().clone())
        return values

    def _redraw(
        self,
        value: Any,
        name: str,
        distribution: Distribution,
        generator: torch.Generator,
        own_range: bool,
        reach: float,
    ) -> Any:
        if not isinstance(value, torch.Tensor):
            if not isinstance(value, list | tuple | dict):
                return value
            return nested.each(
                value, lambda v: self._redraw(v, name, distribution, generator, own_range, reach)
            )
        domain = self._domain(value, name, own_range)
        return inputs.draw(value, distribution, domain, generator, reach=reach)

    def _domain(self, value: torch.Tensor, name: str, own_range: bool) -> inputs.Domain | None:
        domain = inputs.domain_of(getattr(self._module, "DOMAIN", None), name)
        if domain is None and own_range and value.is_floating_point():
            return inputs.observed(value)
        return domain

    @cached_property
    def _free(self) -> tuple[FreeInput, ...]:
        """Return the integer and boolean inputs that nothing holds to the values of the task's own."""
        hint = getattr(self._module, "DOMAIN", None)
        known = [inputs.domain_of(hint, name) is not None for name in self.names]
        held = [
            known[n]
            for n, value in enumerate(self.example_args)
            for v in tree_leaves(value)
            if isinstance(v, torch.Tensor)
        ]
        return tuple(
            f
            for f in free_inputs(self.model, self.example_args, self._task_args(MODEL_SEED + 1))
            if not held[f.place]
        )

    def _task_args(self, seed: int) -> list[Any]:
        torch.default_generator.manual_seed(seed)
        args = list(self._ask("get_inputs"))
        shapes = [
            [v.shape for v in tree_leaves(a) if isinstance(v, torch.Tensor)]
            for a in (args, self.example_args)
        ]
        return args if shapes[0] == shapes[1] else self._as_many(seed)

    def _as_many(self, seed: int) -> list[Any]:
        """Return the example's arguments, floating-point values in another order, where `get_inputs` draws lengths.

        A case has one shape: its tiling is reused between launches.
        """
        generator = torch.Generator().manual_seed(seed)

        def turned(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                return value
            return value.flatten()[torch.randperm(value.numel(), generator=generator)].view(value.shape)

        return list(tree_map(turned, golden.clone(list(self.example_args))))

    def _set_state(self, seed: int) -> None:
        """Move the model's parameters and buffers away from their initial values."""
        generator = torch.Generator().manual_seed(seed ^ 0x5EED)
        trained = {name for name, _ in self.model.named_parameters()}
        with torch.no_grad():
            for key, tensor in self.model.state_dict().items():
                moved = inputs.perturb(self._initial[key], generator, keep_sign=key not in trained)
                tensor.copy_(moved)

    def _first_call(self) -> golden.Outputs:
        """Run the model, which gets the floating dtype of its inputs where they agree on one.

        A model that casts its inputs itself may only run in the dtypes that it was written with; it keeps them.
        """
        dtypes = {a.dtype for a in self.example_args if isinstance(a, torch.Tensor) and a.is_floating_point()}
        own = {v.dtype for v in self.model.state_dict().values() if v.is_floating_point()}
        if len(dtypes) == 1 and own and own != dtypes:
            as_written = copy.deepcopy(self.model)
            self.model.to(*dtypes)
            try:
                return golden.call(self.model, golden.clone(list(self.example_args)))
            except RuntimeError:
                self.model = as_written
        outputs: golden.Outputs = self._guard(
            "forward", golden.call, self.model, golden.clone(list(self.example_args))
        )
        return outputs

    def _bind(self, output_count: int) -> Binding:
        sources: list[InputSpec | None] = []
        names: list[str] = []
        attrs: list[Attr] = []
        for i, (value, name) in enumerate(zip(self.example_args, self.names, strict=True)):
            taken = list(_operator_inputs(value))
            if taken:
                sources += [InputSpec(kind="arg", index=i, path=path) for path in taken]
                names += ["_".join(map(str, (name, *path))) for path in taken]
                attrs += [
                    Attr(name=f"{name}_{'_'.join(map(str, path))}", value=_attr_value(v, name, self._where))
                    for path, v in nested.leaves(value)
                    if v is not None and not isinstance(v, torch.Tensor)
                ]
            elif value is not None:
                attrs.append(Attr(name=name, value=_attr_value(value, name, self._where)))
        for key, tensor in self.model.state_dict().items():
            if tensor.is_floating_point() or tensor.dim() > 0:  # not the counters that training keeps
                sources.append(InputSpec(kind="state", key=key))
                names.append(key.replace(".", "_"))
        return Binding(
            inputs=tuple(sources),
            attrs=tuple(attrs),
            aliases=(None,) * output_count,
            output_dtypes=(None,) * output_count,
            input_names=tuple(names),
            output_names=tuple(f"y{i}" if output_count > 1 else "y" for i in range(output_count)),
            model=self._model_call(sources),
        )

    def _model_call(self, sources: list[InputSpec | None]) -> ClassCall | None:
        """Say how the class is made and called; None if it takes what JSON does not hold."""
        taken = ((n, s) for n, s in enumerate(sources) if s is not None and s.kind == "arg")
        places = {(s.index, *s.path): n for n, s in taken if s.index is not None}
        arguments = [_said_argument(v, (i,), places) for i, v in enumerate(self.example_args)]
        try:
            return ClassCall(
                init=json.dumps(self._made_with),
                arguments=json.dumps(arguments),
                state=tuple((s.key, n) for n, s in enumerate(sources) if s is not None and s.key is not None),
            )
        except (TypeError, ValueError):
            return None

    @property
    def _where(self) -> str:
        return Path(str(self._module.__file__)).name

    def _need(self, name: str) -> Any:
        if not hasattr(self._module, name):
            raise InputError(
                f"{self._where} does not define {name}.", "It needs Model, get_inputs and get_init_inputs."
            )
        return getattr(self._module, name)

    def _ask(self, name: str) -> Any:
        function = self._need(name)
        takes_params = bool(inspect.signature(function).parameters)
        return self._guard(name, function, *([dict(self._params)] if takes_params else []))

    def _guard(self, what: str, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the user's code; whatever it raises becomes one sentence."""
        try:
            return function(*args, **kwargs)
        except InputError:
            raise
        except _REFERENCE_ERRORS as e:
            text = " ".join(str(e).split())[:300]
            raise InputError(
                f"The reference {self._where} raises {type(e).__name__} in {what}: {text}".rstrip(".: ")
                + ".",
                "Run the file by itself with these params and correct it.",
            ) from e


def _module(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"The reference {path} does not exist.", "Give the path of a Python file.")
    name = f"akgen_reference_{abs(hash((str(path), path.stat().st_mtime_ns))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"The reference {path} is not a Python file.", "Give a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickling inside the file look it up
    try:
        spec.loader.exec_module(module)
    except _REFERENCE_ERRORS as e:
        del sys.modules[name]
        raise InputError(
            f"The reference {path.name} cannot be imported: {type(e).__name__}: {' '.join(str(e).split())[:300]}.",
            "Run the file by itself and correct it.",
        ) from e
    return module


def _constructor_arguments(init: Any) -> tuple[list[Any], dict[str, Any]]:
    if init is None:
        return [], {}
    if isinstance(init, dict):
        return [], init
    if (
        isinstance(init, list | tuple)
        and len(init) == 2
        and isinstance(init[0], list)
        and isinstance(init[1], dict)
    ):
        return init[0], init[1]
    return list(init), {}


def keep_as_buffers(model: Any) -> None:
    """Give the model's state the large tensors that it keeps outside: plain attributes, buffers that are not saved."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor) and value.numel() > LARGE_CONSTANT:
                delattr(module, name)
                module.register_buffer(name, value)
        for name, value in module.named_buffers(recurse=False):
            if value.numel() > LARGE_CONSTANT:
                module._non_persistent_buffers_set.discard(name)


def argument_names(model: Any, count: int) -> tuple[str, ...]:
    """Return the names of the first arguments of `forward`, made up where it has no name for one."""
    names = [
        p.name
        for p in inspect.signature(model.forward).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return tuple(names[i] if i < len(names) else f"x{i}" for i in range(count))


def _operator_inputs(value: Any, path: nested.Path = ()) -> Iterator[nested.Path]:
    """Yield where an argument holds operator inputs: tensors and lists of them; what else holds them is opened."""
    listed = isinstance(value, list) and len(value) > 0 and all(isinstance(v, torch.Tensor) for v in value)
    if isinstance(value, torch.Tensor) or listed:
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _operator_inputs(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for k, inner in enumerate(value):
            yield from _operator_inputs(inner, (*path, k))


def _attr_value(value: Any, name: str, where: str) -> Any:
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.Size | list | tuple) and all(isinstance(v, bool | int | float) for v in value):
        return tuple(value)
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    raise InputError(
        f"{where} passes {name} of type {type(value).__name__}, which is neither a tensor nor an attribute.",
        "Use tensors, numbers, strings or lists of numbers.",
    )


def _said_argument(value: Any, path: nested.Path, places: Mapping[nested.Path, int]) -> dict[str, Any]:
    """Say in JSON what the class gets as an argument: an operator input, a number, or what holds them."""
    if path in places:
        return {"input": places[path]}
    if any(place[: len(path)] == path for place in places):
        if isinstance(value, dict):
            return {"dict": {key: _said_argument(v, (*path, key), places) for key, v in value.items()}}
        inner = [_said_argument(v, (*path, k), places) for k, v in enumerate(value)]
        return {"list" if isinstance(value, list) else "tuple": inner}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    return {"value": value}


def _shapes(value: Any) -> Any:
    return tuple(value.shape) if isinstance(value, torch.Tensor) else [_shapes(v) for v in value]
