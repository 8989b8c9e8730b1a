"""Tensor programs of drawn references, put together from one traced fragment for each kind of line.

Tracing a whole reference takes some fifty milliseconds; its lines are few in kind, so each is traced once.
"""

import ast
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.tensor_program.numeric import Array
from akgen.tools.compose.tensor_program.written import input_lines, tensor_program_of
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Case, Reference
from akgen.tools.reference.module_loader import load

SIZES = ((7, 40), (24, 33))  # rows and columns on which lines are traced, and programs compared with them
WORD = re.compile(r"\b[A-Za-z_]\w*\b", re.ASCII)
_LINE_REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, {args}):
        {target} = {code}
        return {target}


def get_inputs(params):
    return [torch.rand([int(d) for d in s.split(",") if d]) for s in params["shapes"]]


def get_init_inputs(params):
    return []
"""


class DrawnSource:
    """The text of a drawn reference."""

    def __init__(self, reference: str) -> None:
        self._tree = ast.parse(reference)
        self._text = reference
        forward = next(
            n for n in ast.walk(self._tree) if isinstance(n, ast.FunctionDef) and n.name == "forward"
        )
        self.inputs = tuple(a.arg for a in forward.args.args if a.arg != "self")
        self.steps = tuple(
            (s.targets[0].id, s.value)
            for s in forward.body
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
        )
        returned = next(s.value for s in forward.body if isinstance(s, ast.Return) and s.value is not None)
        parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
        self.results = tuple(p.id for p in parts if isinstance(p, ast.Name))
        self.code = "\n".join(ast.unparse(s) for s in forward.body if isinstance(s, ast.Assign | ast.Return))

    @cached_property
    def _module(self) -> dict[str, Any]:
        names: dict[str, Any] = {}
        exec(compile(self._text, "reference", "exec"), names)  # the grammar's own text
        return names

    def shapes(self, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of every variable."""
        values = self._values(rows, columns)
        return {name: tuple(v.shape) for name, v in values.items()}

    def run(self, rows: int, columns: int) -> tuple[list[Array], list[Array]]:
        """Return inputs and results in double precision."""
        values = self._values(rows, columns)
        return [values[n].numpy() for n in self.inputs], [values[n].numpy() for n in self.results]

    def _values(self, rows: int, columns: int) -> dict[str, torch.Tensor]:
        torch.manual_seed(rows)
        given = self._module["get_inputs"]({"shape": [rows, columns], "dtype": "float32"})
        values = {n: v.double() for n, v in zip(self.inputs, given, strict=True)}
        for name, value in self.steps:
            code = compile(ast.Expression(body=value), "reference", "eval")
            values[name] = eval(code, {"torch": torch}, values)
        return values


class Fragments:
    """Lines of tensor programs by the line of the reference and the shapes of what it reads."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[str, ...]] = {}

    def program(self, source: DrawnSource) -> str:
        """Return the program of a reference. Raises Unsupported for what the language cannot say."""
        shapes = [source.shapes(*size) for size in SIZES]
        metas = [[_meta(s[n]) for n in source.inputs] for s in shapes]
        _, lines, letters = input_lines(source.inputs, metas)
        for target, value in source.steps:
            read = tuple(
                dict.fromkeys(n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "torch")
            )
            code = ast.unparse(value)
            places = {name: f"in{k}" for k, name in enumerate(read)}
            of_reads = tuple(tuple(s[n] for n in read) for s in shapes)
            key = (renamed(code, places), of_reads)
            if key not in self._known:
                self._known[key] = self._traced(key[0], of_reads, len(read))
            back = {place: name for name, place in places.items()} | {"out": target}
            lines += [renamed(line, back | _letters(letters)) for line in self._known[key]]
        return "\n".join([*lines, f"return {', '.join(source.results)}"]) + "\n"

    def _traced(self, code: str, shapes: Sequence[Sequence[tuple[int, ...]]], count: int) -> tuple[str, ...]:
        """Return the program of one line, its lengths written as the values that they have, as in L7_24."""
        args = ", ".join(f"in{k}" for k in range(count))
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "reference.py"
            path.write_text(_LINE_REFERENCE.format(args=args, target="out", code=code))
            reference = Reference(loader="akgen.tools.reference.module_loader", path=path)
            traces = []
            for k, one in enumerate(shapes):
                written = [",".join(map(str, s)) for s in one]
                traces.append(trace(load(reference, Case(id=str(k), params={"shapes": written}))))
        text = tensor_program_of(traces)
        _, _, letters = input_lines(args.split(", "), [t.inputs for t in traces])
        named = {letter: f"L{'_'.join(map(str, values))}" for values, letter in letters.items()}
        return tuple(renamed(line, named) for line in text.splitlines()[count:-1])


def _letters(letters: Mapping[tuple[int, ...], str]) -> dict[str, str]:
    return {f"L{'_'.join(map(str, values))}": letter for values, letter in letters.items()}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a tensor program with these names replaced."""
    return WORD.sub(lambda m: names.get(m[0], m[0]), text)


def _meta(shape: tuple[int, ...]) -> TensorMeta:
    return TensorMeta(dtype=DType.FLOAT32, shape=shape)
