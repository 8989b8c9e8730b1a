"""The composer's graphs of a task's cases as one tensor program, with lengths in terms of the inputs' shapes."""

from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase

from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.graph import POINTWISE, VIEWS, Graph, Node, skeleton
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.equal_values import merge_equal
from akgen.tools.compose.middle.interface import legal_names
from akgen.tools.compose.middle.symbolic import SymbolicNumbers
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.ir import (
    value_names,
    with_named_values,
    without_named_values,
    word_of,
)
from akgen.tools.core.call import Argument, TensorMeta
from akgen.tools.dsl.expr import Expr, Name
from akgen.tools.dsl.show import literal, show

_LETTERS = ("M", "N", "K", *(c for c in ascii_uppercase if c not in "MNK"))


def tensor_program_of(cases: Sequence[TracedGraph]) -> str:
    """Return the text that computes what all these traces compute.

    Raises Unsupported if they differ in more than sizes, or hold what the language lacks: lists of tensors, scatters,
    constants that vary from case to case.
    """
    named = [with_named_values(c) for c in cases]
    graphs = [import_graph(c, apart=len(cases) > 1) for c, _ in named]
    if len(cases) > 1:
        graphs = merge_equal(graphs)
    found = [
        without_named_values(_in_either_type(g), len(c.outputs)) for g, c in zip(graphs, cases, strict=True)
    ]
    called = {node: name for node, name in zip(found[0][1], named[0][1], strict=True) if node is not None}
    return _Writer(cases, [g for g, _ in found], called).text()


def _in_either_type(graph: Graph) -> Graph:
    """Drop the roundings of what matrix products read from memory: the program makes them of the inputs' types."""
    same: dict[int, int] = {}
    factors = {_below_views(graph, a) for n in graph.nodes if n.op == "contract" for a in n.args}
    for i in factors:
        if graph.nodes[i].op.startswith("round_"):
            same[i] = graph.nodes[i].args[0]
    nodes = tuple(n.model_copy(update={"args": tuple(same.get(a, a) for a in n.args)}) for n in graph.nodes)
    return graph.model_copy(update={"nodes": nodes}).pruned()


def _below_views(graph: Graph, i: int) -> int:
    while graph.nodes[i].op in VIEWS:
        (i,) = graph.nodes[i].args
    return i


def input_lines(
    given: Sequence[str], cases: Sequence[Sequence[Argument]]
) -> tuple[list[str], list[str], dict[tuple[int, ...], str]]:
    """Return the inputs' names as programs can use them, their lines, and the letters for lengths in each case.

    Raises Unsupported where an input is no single tensor of one rank.
    """
    names = list(legal_names(given, set(_LETTERS)))
    letters: dict[tuple[int, ...], str] = {}
    lines: list[str] = []
    for k, name in enumerate(names):
        metas = [c[k] for c in cases]
        shapes = [m.shape for m in metas if isinstance(m, TensorMeta)]
        if len(shapes) < len(metas) or len({len(s) for s in shapes}) > 1:
            raise Unsupported("interface", f"the input {name} is no single tensor of one rank")
        dims = []
        for d in range(len(shapes[0])):
            values = tuple(s[d] for s in shapes)
            if len(set(values)) == 1 and (len(values) > 1 or values[0] == 1):
                dims.append(str(values[0]))
                continue
            if len(letters) == len(_LETTERS):
                raise Unsupported("interface", "there are more lengths than letters")
            dims.append(letters.setdefault(values, _LETTERS[len(letters)]))
        lines.append(f"{name}: [{', '.join(dims)}]")
    return names, lines, letters


class _Writer:
    """Lines of a program; a column holds one node as it is in every case."""

    def __init__(
        self, cases: Sequence[TracedGraph], graphs: Sequence[Graph], called: Mapping[int, str]
    ) -> None:
        if len({(skeleton(g)[0], tuple(o.node for o in g.outputs)) for g in graphs}) > 1:
            raise Unsupported("cases", "the cases are computed in different ways")
        self.cases, self.graphs, self.called = cases, graphs, called
        self.columns = list(zip(*(g.nodes for g in graphs), strict=True))
        self.facts = SymbolicNumbers(cases, (), ())
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.symbols: dict[tuple[int, ...], str] = {}

    def text(self) -> str:
        inputs = self._inputs()
        named = value_names(self.graphs[0], self.called, inputs)
        for i, column in enumerate(self.columns):
            node = column[0]
            if node.op == "load":
                assert node.origin is not None
                if any(n.strides is not None or n.offset for n in column) or node.origin.input is None:
                    raise Unsupported("load", "inputs that are walked with strides are not written")
                self.names[i] = inputs[node.origin.input]
            elif node.op == "const":
                self.names[i] = self._number([n.value for n in column])
            else:
                said = self._operation(column)
                self.names[i] = named[i]
                self.lines.append(f"{named[i]} = {said}")
        results = [self._result(o.node) for o in self.graphs[0].outputs]
        return "\n".join([*self.lines, f"return {', '.join(results)}"]) + "\n"

    def _result(self, node: int) -> str:
        if self.columns[node][0].op != "const":
            return self.names[node]
        raise Unsupported("constant", "a result that is a number is not written")

    def _inputs(self) -> list[str]:
        given = self.cases[0].input_names or tuple(f"x{i}" for i in range(len(self.cases[0].inputs)))
        names, lines, symbols = input_lines(given, [c.inputs for c in self.cases])
        self.lines += lines
        self.symbols = symbols
        for values, symbol in symbols.items():
            self.facts.define(symbol, values)
        return names

    def _length(self, values: Sequence[int]) -> str:
        found = tuple(values)
        if len(set(found)) == 1 and (len(found) > 1 or found[0] in (0, 1)):
            return str(found[0])
        expr: Expr = Name(id=self.symbols[found]) if found in self.symbols else self.facts.integer(found)
        return show(expr)

    def _number(self, values: Sequence[object]) -> str:
        if len({repr(v) for v in values}) > 1 or values[0] is None or values[0] != values[0]:
            raise Unsupported(
                "constant", "a number that varies from case to case, or is none, is not written"
            )
        value = values[0]
        assert isinstance(value, int | float)
        return literal(value)

    def _operation(self, column: tuple[Node, ...]) -> str:
        node = column[0]
        args = [self.names[a] for a in node.args]
        if node.op == "cast" and node.dtype == self.columns[node.args[0]][0].dtype:
            return f"stored({args[0]})"
        if node.op == "cast":
            return f"cast({args[0]}, {node.dtype})"
        if node.op in POINTWISE:
            return f"{word_of(node.op)}({', '.join(args)})"
        how = _FORMS.get(node.op)
        if how is None:
            raise Unsupported(node.op, f"`{node.op}` is not written as a tensor program")
        return how(self, column, args)

    def _along(self, column: tuple[Node, ...], args: list[str]) -> str:
        node = column[0]
        axes = ", ".join(map(str, node.axes))
        more = ", reverse=True" if node.reverse else ""
        return f"{node.op}_{node.kind}({args[0]}, {axes}{more})"

    def _inv_count(self, column: tuple[Node, ...], args: list[str]) -> str:
        node = column[0]
        less = self._number([n.value for n in column])
        more = "" if node.value == 0 else f", less={less}"
        return f"inv_count({args[0]}, {', '.join(map(str, node.axes))}{more})"

    def _contract(self, column: tuple[Node, ...], args: list[str]) -> str:
        if any(n.stored is not None and not n.stored.is_float for n in column):
            raise Unsupported("matmul", "a product of integers is not written")
        return f"matmul({args[0]}, {args[1]})"

    def _iota(self, column: tuple[Node, ...], _args: list[str]) -> str:
        parts = [self._length([n.shape[0] for n in column])]
        start, step = [n.value for n in column], [n.step for n in column]
        if repr(start[0]) != "0" or len(set(start)) > 1:
            parts.append(f"start={self._number(start)}")
        if repr(step[0]) != "1" or len(set(step)) > 1:
            parts.append(f"step={self._number(step)}")
        return f"iota({', '.join(parts)})"

    def _shaped(self, column: tuple[Node, ...], args: list[str]) -> str:
        node = column[0]
        dims = [self._length([n.shape[d] for n in column]) for d in range(len(node.shape))]
        return f"{node.op}({args[0]}, [{', '.join(dims)}])"

    def _permute(self, column: tuple[Node, ...], args: list[str]) -> str:
        return f"permute({args[0]}, {', '.join(map(str, column[0].axes))})"

    def _slice(self, column: tuple[Node, ...], args: list[str]) -> str:
        cuts = [n.cut for n in column if n.cut is not None]
        axis = cuts[0].axis
        numbers = [[c.start for c in cuts], [n.shape[axis] for n in column], [c.step for c in cuts]]
        said = [self._length(n) for n in numbers]
        return f"slice({', '.join([args[0], str(axis), *(said if said[2] != '1' else said[:2])])})"

    def _cat(self, column: tuple[Node, ...], args: list[str]) -> str:
        axis = column[0].axes[0]
        return f"cat({', '.join(args)}{f', axis={axis}' if axis else ''})"

    def _take(self, column: tuple[Node, ...], args: list[str]) -> str:
        fill = f", fill={self._number([n.fill for n in column])}" if column[0].fill is not None else ""
        return f"take({', '.join(args)}{fill})"

    def _sort(self, column: tuple[Node, ...], args: list[str]) -> str:
        count = self._length([n.shape[-1] for n in column])
        return f"{column[0].op}({args[0]}, {count}{', smallest=True' if column[0].reverse else ''})"


_FORMS: dict[str, Callable[[_Writer, tuple[Node, ...], list[str]], str]] = {
    "reduce": _Writer._along, "scan": _Writer._along, "inv_count": _Writer._inv_count,
    "contract": _Writer._contract, "iota": _Writer._iota, "reshape": _Writer._shaped, "expand": _Writer._shaped,
    "permute": _Writer._permute, "slice": _Writer._slice, "cat": _Writer._cat, "take": _Writer._take,
    "sort_values": _Writer._sort, "sort_places": _Writer._sort,
}  # fmt: skip
