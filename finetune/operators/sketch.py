"""A reference while it is written: its lines, and the numbers that they make of sample inputs.

Every line is run at once, in double precision, on inputs from all of their range. It stays if its numbers are finite,
fit into half precision, differ among each other and from every value before, and do not magnify an error of their
operands beyond reason. So no operator is degenerate, whatever was drawn.

The operations that lines are made of are a table: a PyTorch expression each, and how it is said in both languages.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import parse_json

Kind = Literal[
    "unary", "binary", "reduction", "normalisation", "product", "scan", "mask", "cast", "quantisation", "gradient"
]  # fmt: skip
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Operation(Frozen):
    """`code`, `en` and `zh` hold {a}, {b} and {c} for operands and a constant, others by the kind of operation.

    `jumps` names the operand at whose threshold the result jumps: rounding must not decide on which side it lies.
    """

    name: str
    code: str
    en: str
    zh: str
    constants: tuple[float, ...] = ()
    sums: bool = False  # what comes out grows with the axis
    jumps: Literal["a", "b"] | None = None
    converts: bool = False  # the same numbers in another type

    def said(self, language: Language) -> str:
        return self.en if language == "en" else self.zh


class Telling(Frozen):
    """How a step and the last step are told, and what stands between two sentences."""

    step: str
    result: str
    between: str


@cache
def operations(kind: Kind) -> tuple[Operation, ...]:
    return tuple(Operation.model_validate(entry) for entry in _table()[kind])


@cache
def telling(language: Language) -> Telling:
    return Telling.model_validate(_table()["texts"][language])


@cache
def _table() -> Any:
    return parse_json((Path(__file__).parent / "operations.json").read_bytes())


InputKind = Literal["full", "row", "column", "one", "square", "block"]
PLANES, ROWS, COLUMNS = 3, 24, 33  # of the sample inputs
REACH = 4.0  # inputs lie between minus and plus this
SQUARE_PART = 8  # matrices that rows are multiplied with reach this part of it
_GROWTH = 64  # of a sum over the axes of the largest case, compared with the sample
_MOST = 30_000.0  # half precision ends at 65,504
_LEAST_SPREAD = 1e-3
_MOVED = 1e-4  # by which inputs are moved, of their reach
_MOST_MAGNIFIED = 60.0
_SAMPLE: dict[InputKind, tuple[int, ...]] = {
    "full": (ROWS, COLUMNS), "row": (ROWS, 1), "column": (COLUMNS,), "one": (1,), "square": (COLUMNS, COLUMNS),
    "block": (PLANES, ROWS, COLUMNS),
}  # fmt: skip
_NAMES: dict[InputKind, tuple[str, ...]] = {
    "full": ("x", "y", "z", "w"), "row": ("per_row", "row_scale"), "column": ("scale", "shift", "bias"),
    "one": ("factor", "offset"), "square": ("weight", "gate_weight"),
    "block": ("block", "other_block"),
}  # fmt: skip


@dataclass(frozen=True)
class Variable:
    """A variable. `now` are its numbers on the sample, `moved` those where every input is moved a little."""

    name: str
    now: torch.Tensor
    moved: torch.Tensor
    kind: InputKind | None = None  # of an input
    operation: str = ""
    code: str = ""
    said: tuple[str, ...] = ()  # in the order of LANGUAGES
    used: tuple["Variable", ...] = ()


class Sketch:
    """Inputs and steps so far; `rng` decides everything that is open."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.inputs: list[Variable] = []
        self.steps: list[Variable] = []

    def input(self, kind: InputKind, name: str | None = None) -> Variable:
        """Add an input."""
        taken = {v.name for v in self.inputs}
        free = [
            n
            for n in (name, *_NAMES[kind], *(f"{_NAMES[kind][0]}{i}" for i in range(2, 9)))
            if n and n not in taken
        ]
        made = torch.Generator().manual_seed(self.rng.getrandbits(32))
        shape = _SAMPLE[kind]
        now = (torch.rand(shape, generator=made, dtype=torch.float64) * 2 - 1) * REACH
        now.view(-1)[0] = REACH
        shift = (torch.rand(shape, generator=made, dtype=torch.float64) * 2 - 1) * REACH * _MOVED
        if kind == "square":  # the sum over a row must stay small
            now, shift = now / SQUARE_PART, shift / SQUARE_PART
        value = Variable(free[0], now, now + shift, kind=kind)
        self.inputs.append(value)
        return value

    def apply(self, operation: Operation, **given: Variable | str | dict[str, str]) -> Variable | None:
        """Add a line that does `operation`; None if what comes out is degenerate. Texts may differ by language."""
        holes: dict[str, Any] = dict(given)
        if operation.constants:
            holes["c"] = f"{self.rng.choice(operation.constants):g}"
        named = {k: v for k, v in given.items() if f"{{{k}}}" in operation.code}
        operands = [v for v in named.values() if isinstance(v, Variable)]
        if operation.jumps and (tested := holes[operation.jumps]) and not tested.kind:
            return None
        code = operation.code.format(**{k: _word(v, 0) for k, v in holes.items()})
        now, moved = _run(code, operands, moved=False), _run(code, operands, moved=True)
        known = [] if operation.converts else [*self.inputs, *self.steps]
        most = _MOST / (_GROWTH if operation.sums else 1)
        if _degenerate(now, known, most) or (operation.jumps is None and _magnifies(now, moved)):
            return None
        said = tuple(
            operation.said(language).format(**{k: _word(v, i) for k, v in holes.items()})
            for i, language in enumerate(LANGUAGES)
        )
        value = Variable(f"t{len(self.steps)}", now, moved, None, operation.name, code, said, tuple(operands))
        self.steps.append(value)
        return value

    def reached(self, outputs: tuple[Variable, ...]) -> tuple[list[Variable], list[Variable]]:
        """Return the inputs and the steps that the outputs are made of, in order."""
        found: set[str] = set()
        open_ = list(outputs)
        while open_:
            value = open_.pop()
            if value.name not in found:
                found.add(value.name)
                open_ += value.used
        return [v for v in self.inputs if v.name in found], [v for v in self.steps if v.name in found]


def _word(value: Variable | str | Mapping[str, str], language: int) -> str:
    if isinstance(value, Variable):
        return value.name
    return value if isinstance(value, str) else value[LANGUAGES[language]]


def _run(code: str, operands: list[Variable], *, moved: bool) -> torch.Tensor:
    names = {v.name: v.moved if moved else v.now for v in operands}
    result: torch.Tensor = eval(code, {"torch": torch}, names)  # the table's own text
    return result


def _degenerate(now: torch.Tensor, known: list[Variable], most: float) -> bool:
    if not now.isfinite().all() or now.abs().max() > most:
        return True
    now = now.to(torch.float64)
    if now.numel() > 1 and now.max() - now.min() < _LEAST_SPREAD:
        return True
    return any(
        v.now.shape == now.shape and torch.allclose(v.now.to(torch.float64), now, rtol=1e-3, atol=1e-3)
        for v in known
    )


def _magnifies(now: torch.Tensor, moved: torch.Tensor) -> bool:
    now, moved = now.to(torch.float64), moved.to(torch.float64)
    size = now.abs().mean() + _LEAST_SPREAD
    return bool((moved - now).abs().max() > _MOST_MAGNIFIED * _MOVED * size)
