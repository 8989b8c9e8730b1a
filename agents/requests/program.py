"""Write the PyTorch reference of a chain of operators: Model, get_inputs(params), get_init_inputs(params)."""

import ast
import math
import re
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined

from akgen.agents.requests.attributes import FROM_SHAPE
from akgen.agents.requests.fits import shape_of
from akgen.agents.requests.formula import is_mask, is_vector, renamed
from akgen.agents.requests.needs import INDICES, Way, entry_of, way_of
from akgen.agents.requests.request import ChainStep, Request, RequestSource
from akgen.agents.requests.result_shapes import result_shape
from akgen.knowledge.forms import form_named
from akgen.knowledge.operators import Parameter, Signature, Value, operator_named
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

_DOMAINS = ("positive", "nonnegative", "unit", "open_unit")
_KEEPS_SHAPE = ("elementwise", "activation", "softmax", "normalization", "scan", "comparison")


class Input(Frozen):
    """A tensor that the caller gives: its name, whose shape it has, what it holds."""

    name: str
    shape: int  # of the case's shapes; 0 where one serves all
    draw: str = "real"
    limit: str = "10"  # of classes, entries and indices
    dtype: str | None = None  # of indices that are not int64
    part: str | None = None  # its shape as Python over `shape`, the first tensor's, where that is another one
    axis: int = 0  # that an index runs along


class Extent(Frozen):
    """What is known of a tensor's sizes, as Python over the arguments of the constructor."""

    width: str | None = "width"  # the last axis
    channels: str | None = "channels"  # the second one
    first: bool = True  # it has the shape of the first input


class _Program:
    """A reference being written."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._shape = request.shape or (1,)
        self._each = bool(request.shapes) and len(request.shapes[0]) > 1
        self.inputs: list[Input] = []
        self.made: list[str] = []  # lines of the constructor
        self.lines: list[str] = []  # lines of forward
        self.extent = Extent()
        self.result = ""
        for at, step in enumerate(request.steps):
            self._add(step, at)

    def new_input(
        self, name: str = "", draw: str = "real", limit: str = "10", axis: int = 0, part: str | None = None
    ) -> str:
        known = len(self.inputs)
        name = name or f"x{known}"
        given = self._each and known < len(self._request.shapes[0])
        shape, part = (known, None) if given else (0, part)
        self.inputs.append(Input(name=name, shape=shape, draw=draw, limit=limit, axis=axis, part=part))
        return name

    def _narrow(self, step: ChainStep, draw: str) -> bool:
        """Give the last input the type that was said of indices; say whether it holds such."""
        if step.index_dtype in (None, DType.INT64) or draw not in INDICES:
            return False
        self.inputs[-1] = self.inputs[-1].model_copy(update={"dtype": step.index_dtype.value})
        return True

    def _add(self, step: ChainStep, at: int) -> None:
        if step.formula is not None:
            expression = self._formula(step)
            if not self.result:
                self.extent = self.extent.model_copy(update={"first": True, "width": self._width(step)})
        else:
            rank = len(self._shape)
            way = way_of(step, rank)
            if not self.result and way.entry.name != "cat":
                draw, limit = self._draw(way, self._first_name(way), step)
                self.result = self.new_input(draw=draw, limit=limit)
                self._narrow(step, draw)
            expression = self._call(step, way, at)
            self._follow(step, way)
        last = at == len(self._request.steps) - 1
        returned = self._request.returned or tuple(range(at + 1) if self._request.every_result else ())
        every = bool(returned) and len(self._request.steps) > 1
        name = f"y{at}" if every else "y"
        self.lines.append(f"return {expression}" if last and not every else f"{name} = {expression}")
        if last and every:
            self.lines.append(f"return {', '.join(f'y{i}' for i in returned)}")
        self.result = name

    def _width(self, step: ChainStep) -> str | None:
        """Return the last axis of the first formula's result, where it is another one than its first tensor's."""
        shapes = self._request.shapes[0] if self._request.shapes else ()
        given = shapes if len(shapes) == len(step.variables) else shapes * len(step.variables)
        tree = ast.parse(step.formula or "", mode="eval").body
        found = shape_of(tree, dict(zip(step.variables, given, strict=False)))
        if not isinstance(found, tuple) or not found or found[-1] == self._shape[-1]:
            return self.extent.width
        places = [i for i, shape in enumerate(shapes) if i and shape[-1] == found[-1]]
        return f"width{places[0]}" if places else repr(found[-1])

    def _formula(self, step: ChainStep) -> str:
        assert step.formula is not None
        formula, before = step.formula, self.result
        carried = "x" if "x" in step.variables else step.variables[0]
        alone = not self._each and len(step.variables) > 1
        if before and "first" not in step.variables:
            formula = renamed(formula, "first", self.inputs[0].name)
        for at, variable in enumerate(step.variables):
            draw = "mask" if is_mask(variable, step.formula) else "real"
            if before and variable == carried:
                formula = renamed(formula, variable, before)
            elif alone and at and is_vector(variable):
                vector = self._parameter(variable, "ones" if variable == "gamma" else "zeros")
                formula = renamed(formula, variable, vector)
            elif before:
                formula = renamed(formula, variable, self.new_input(draw=draw))
            elif (held := step.holds.get(variable)) is not None:
                self.new_input(variable, draw=held.draw, limit=held.limit)
                dtype = held.dtype.value if held.dtype is not None else None
                self.inputs[-1] = self.inputs[-1].model_copy(update={"dtype": dtype})
            else:
                self.new_input(variable, draw=draw)
        return formula

    def _first_name(self, way: Way) -> str:
        return way.tensors[0].name if way.tensors else "input"

    def _draw(self, way: Way, name: str, step: ChainStep) -> tuple[str, str]:
        draw = way.entry.draws.get(name, "real")
        said = {**way.entry.attributes, **step.attributes}
        if name in way.entry.limits:
            return draw, _filled(way.entry.limits[name], said)
        limit = said.get("num_embeddings") or said.get("num_classes") or 10
        return draw, repr(limit)

    def _call(self, step: ChainStep, way: Way, at: int) -> str:
        said: dict[str, Value] = {**way.entry.attributes, **step.attributes}
        if way.signature is None:
            return self._own_expression(step, way, said)
        if way.signature.is_module:
            return self._module(step, way.signature, said, at)
        return self._function(step, way, way.signature, said)

    def _own_expression(self, step: ChainStep, way: Way, said: dict[str, Value]) -> str:
        entry = way.entry
        assert entry.expression is not None
        operands = [self._operand(o) for o in step.operands]
        while len(operands) + 1 < (entry.inputs or 1):
            operands.append(self.new_input())
        expression, weights = entry.expression, {}
        if said.get("weighted") is False:
            expression = expression.removesuffix(" * {w0}")
        else:
            weights = {f"w{i}": self._parameter("scale", "ones") for i, _ in enumerate(entry.weights)}
        first = self.result if self.result.isidentifier() else f"({self.result})"
        values = {k: f"torch.{v}" if k == "dtype" else _source(v) for k, v in said.items()}
        return expression.format(first, *operands, **weights, **values)

    def _operand(self, operand: Any) -> str:
        if operand == "bias":
            return self._parameter("bias", "zeros")
        if operand == "first":
            fresh = self.result == self.inputs[0].name or len(self.inputs) > 1
            return self.new_input() if fresh else self.inputs[0].name
        return self.new_input() if operand == "tensor" else repr(operand)

    def _parameter(self, name: str, filled: str) -> str:
        name = f"{name}{sum(line.startswith(f'self.{name}') for line in self.made) or ''}"
        width = self.extent.width or "width"
        self.made.append(f"self.{name} = torch.nn.Parameter(torch.{filled}({width}))")
        return f"self.{name}"

    def _module(self, step: ChainStep, signature: Signature, said: dict[str, Value], at: int) -> str:
        name = signature.path.rpartition(".")[2]
        arguments: list[str] = []
        for parameter in signature.parameters:
            value = self._constructed(parameter, said, at)
            if value is not None:
                named = parameter.name in (
                    "in_channels",
                    "out_channels",
                    "in_features",
                    "out_features",
                    "kernel_size",
                )
                plain = named or parameter.name in FROM_SHAPE or parameter.default is None
                arguments.append(
                    value if plain and "=" not in "".join(arguments) else f"{parameter.name}={value}"
                )
        attribute = f"{step.operator}{at if at else ''}"
        self.made.append(f"self.{attribute} = {signature.path}({', '.join(arguments)})")
        call = f"self.{attribute}({self.result})"
        return f"{call}[0]" if name in ("LSTM", "GRU", "RNN") else call

    def _measured(self, at: int) -> Extent:
        """Return the sizes of what the steps before one return, as far as their shapes tell them."""
        found = result_shape(self._request.model_copy(update={"steps": self._request.steps[:at]}))
        if not found:
            return self.extent
        channels = repr(found[1]) if len(found) > 1 else None
        return Extent(
            width=self.extent.width or repr(found[-1]),
            channels=self.extent.channels or channels,
            first=self.extent.first,
        )

    def _constructed(self, parameter: Parameter, said: dict[str, Value], at: int) -> str | None:
        name = parameter.name
        if self.extent.width is None or self.extent.channels is None:
            self.extent = self._measured(at)
        if name == "normalized_shape":
            axes = said.get("normalized_axes")
            if isinstance(axes, int):
                return repr(list(self._shape[-axes:]))
            return self.extent.width or "width"
        if name in ("in_features", "input_size", "embed_dim"):
            return self.extent.width or "width"
        if name in ("in_channels", "num_features", "num_channels"):
            return (self.extent.channels if len(self._shape) > 1 else self.extent.width) or "channels"
        value = said.get(name)
        if name not in said:
            return None
        return (self.extent.channels or "channels") if value == "channels" else _source(value)

    def _function(self, step: ChainStep, way: Way, signature: Signature, said: dict[str, Value]) -> str:
        arguments: list[str] = (
            [] if signature.tensors and signature.tensors[0].kind == "Tensors" else [self.result]
        )
        operands = list(step.operands)
        keyword = False
        for at, parameter in enumerate(signature.parameters):
            if at == 0 and parameter.kind == "Tensor":
                continue
            value = self._argument(parameter, way, step, said, operands)
            if value is None:
                keyword = True
            else:
                plain = not keyword and (
                    parameter.is_tensor or (parameter.default is None and not way.entry.source)
                )
                keyword = keyword or not plain
                arguments.append(value if plain else f"{parameter.name}={value}")
        return f"{signature.path}({', '.join(arguments)})"

    def _argument(
        self, parameter: Parameter, way: Way, step: ChainStep, said: dict[str, Value], operands: list[Any]
    ) -> str | None:
        name = parameter.name
        if parameter.kind == "Tensors":
            count = max(2, way.entry.tensors)
            first = [self.result] if self.result else [self.new_input()]
            return f"({', '.join([*first, *(self.new_input() for _ in range(count - 1))])})"
        if parameter.is_tensor:
            if parameter.default is not None or parameter.optional:
                return None
            if operands:
                return self._operand(operands.pop(0))
            draw, limit = self._draw(way, name, step)
            dim = said.get("dim", 0)
            part = way.entry.parts.get(name)
            part = _filled(part, said) if part else None
            given = self.new_input(draw=draw, limit=limit, axis=dim if isinstance(dim, int) else 0, part=part)
            return f"{given}.long()" if self._narrow(step, draw) else given
        if name in said:
            keeps = name == "dim" and said[name] is None and way.entry.source is None
            return None if keeps else _source(said[name])
        if parameter.kind == "float" and operands:
            return repr(operands.pop(0))
        return None

    def _follow(self, step: ChainStep, way: Way) -> None:
        """Note what is known of the result's sizes."""
        said = step.attributes
        out = said.get("out_channels") or said.get("out_features")
        if way.entry.category in _KEEPS_SHAPE:
            return
        if way.entry.category == "convolution" and out is not None:
            self.extent = Extent(width=None, channels=repr(out), first=False)
        elif way.entry.category == "convolution" and way.entry.attributes.get("groups") == "channels":
            self.extent = Extent(width=None, channels=self.extent.channels, first=False)
        elif way.entry.name == "linear":
            channels = self.extent.channels if len(self._shape) > 2 else repr(out)
            self.extent = Extent(width=repr(out), channels=channels, first=False)
        elif way.entry.category == "matmul" and self._each:
            last = len(self._request.shapes[0]) - 1
            self.extent = Extent(width=f"width{last}", channels=None, first=False)
        elif way.entry.category == "matmul":
            self.extent = self.extent.model_copy(update={"first": False})
        elif way.entry.name in ("global_average_flat", "global_max_flat"):
            self.extent = Extent(width=self.extent.channels, channels=self.extent.channels, first=False)
        elif way.entry.category == "pooling":
            self.extent = Extent(width=None, channels=self.extent.channels, first=False)
        elif way.entry.category == "reduction" and said.get("keepdim"):
            self.extent = Extent(width=None, channels=None, first=False)
        else:
            self.extent = Extent(width=None, channels=None, first=False)


def sizes_needed(made: list[str], shapes: int) -> list[tuple[str, str]]:
    """Return the constructor's arguments that its lines use, with where their values come from."""
    keys = {"width": 'params["shape"][-1]', "channels": 'params["shape"][1]'}
    keys |= {f"width{i}": f'params["shape{i}"][-1]' for i in range(1, shapes)}
    text = " ".join(made)
    return [(name, value) for name, value in keys.items() if re.search(rf"(?<![\w.]){name}(?![\w=])", text)]


class ChainLines(NamedTuple):
    """What a chain computes: the names of its tensors, and the lines of a function over them."""

    inputs: tuple[str, ...]
    lines: tuple[str, ...]


def chain_lines(request: Request) -> ChainLines | None:
    """Return the lines of a chain of PyTorch's operators over tensors of any values; None of any other chain."""
    program = _Program(request)
    own = [s for s in request.steps if s.formula is None and source_of(s.operator, request) is not None]
    forms = [s for s in request.steps if s.formula and form_named(s.formula.partition("(")[0]) is not None]
    if program.made or own or forms or any(i.draw != "real" or i.part for i in program.inputs):
        return None
    return ChainLines(tuple(i.name for i in program.inputs), tuple(program.lines))


class ChainFunction(NamedTuple):
    """What a chain without weights of its own computes, with the functions that it calls."""

    inputs: tuple[Input, ...]
    lines: tuple[str, ...]
    helpers: tuple[str, ...]
    domain: str | None  # as Python: what its tensors must hold


def function_of(request: Request) -> ChainFunction | None:
    """Return what a chain computes as a function's parts; None of code, and where it has weights of its own."""
    program = _Program(request) if request.steps else None
    if program is None or program.made or any(i.part for i in program.inputs):
        return None
    domain = _domain(request, program.inputs)
    return ChainFunction(tuple(program.inputs), tuple(program.lines), tuple(_functions(request)), domain)


def _functions(request: Request) -> list[str]:
    """Return the functions of our own that a chain calls."""
    named = [step.operator for step in request.steps if step.formula is None]
    sources = [source for name in dict.fromkeys(named) if (source := source_of(name, request)) is not None]
    called = [form_named(s.formula.partition("(")[0]) for s in request.steps if s.formula is not None]
    return [*sources, *(form.source for form in called if form is not None)]


def chain_reference(request: Request) -> str:
    """Write the reference module of a chain."""
    program = _Program(request)
    shapes = len(request.shapes[0]) if request.shapes else 1
    sources = _functions(request)
    return _render(
        "reference.j2",
        name=request.name,
        domain=_domain(request, program.inputs),
        made=program.made,
        lines=program.lines,
        inputs=program.inputs,
        sizes=sizes_needed(program.made, shapes),
        special=any(
            i.draw in ("classes", "index", "positions", "sign1") or i.part or "shape" in i.limit
            for i in program.inputs
        ),
        sources=sources,
        math=any("math." in source for source in sources),
    )


class Forward(Frozen):
    """What a chain without weights of its own computes: its tensors, what they hold, and Python over them."""

    inputs: tuple[str, ...]
    draws: tuple[str, ...]
    lines: tuple[str, ...]  # the last one returns


def forward_of(request: Request) -> Forward | None:
    """Return what a chain computes as lines of PyTorch; None where it has weights, functions of its own, or limits."""
    program = _Program(request) if request.steps else None
    own = [s for s in request.steps if s.formula is None and source_of(s.operator, request) is not None]
    forms = [s for s in request.steps if s.formula is not None and form_named(s.formula.partition("(")[0])]
    if program is None or program.made or own or forms or _domain(request, program.inputs) is not None:
        return None
    inputs = program.inputs
    return Forward(
        inputs=tuple(i.name for i in inputs), draws=tuple(i.draw for i in inputs), lines=tuple(program.lines)
    )


def source_of(name: str, request: Request) -> str | None:
    """Return the function of a composite; None for what PyTorch computes by itself."""
    entry = operator_named(name)
    dtype = request.dtypes[0].value if request.dtypes else "float32"
    return entry.source.replace("DTYPE", f"torch.{dtype}") if entry and entry.source else None


def _filled(text: str, said: dict[str, Value]) -> str:
    """Put the values of attributes where a composite's shape names them."""
    return re.sub(r"\{(\w+)\}", lambda m: repr(said.get(m[1])), text)


def tensors_in(request: Request) -> tuple[Input, ...]:
    """Return the inputs of the reference."""
    return tuple(_Program(request).inputs)


def input_count(request: Request) -> int:
    return len(_Program(request).inputs)


def _domain(request: Request, inputs: list[Input]) -> str | None:
    step = request.steps[0]
    domain = None if step.formula is not None else entry_of(step).domain
    names: dict[str, Any] = {}
    if domain == "nonzero":
        names = {i.name: "positive" for i in inputs[1:]}
    elif domain in _DOMAINS:
        names = {i.name: domain for i in inputs}
    elif domain is not None:
        names = {i.name: tuple(float(n) for n in domain.strip("[]").split(",")) for i in inputs}
    names |= {i.name: "unit" for i in inputs if i.draw == "unit"}
    names |= dict.fromkeys(_divisors(step.formula) & {i.name for i in inputs}, "positive")
    return repr(names) if names else None


def _divisors(formula: str | None) -> set[str]:
    """Return the tensors of a formula that whole numbers are divided by, which zero must not be in."""
    tree = ast.parse(formula or "0", mode="eval")
    divisions = [
        n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv | ast.Mod)
    ]
    return {n.right.id for n in divisions if isinstance(n.right, ast.Name)}


def _source(value: Value) -> str:
    return f'float("{value}")' if isinstance(value, float) and math.isinf(value) else repr(value)


def code_reference(source: RequestSource, *, cast: bool) -> str:
    """Write a person's code with what it lacks: Model, get_inputs; with `cast`, its inputs in another type."""
    function = source.entry is not None and f"class {source.entry}" not in source.text
    return _render("reference_code.j2", source=source, cast=cast, function=function)


def _render(template: str, **values: object) -> str:
    text = files("akgen.agents.requests").joinpath(template).read_text()
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(text).render(**values)
