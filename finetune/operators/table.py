"""The operations that references are made of: a PyTorch expression each, and how it is said in both languages."""

from functools import cache
from pathlib import Path
from typing import Any, Literal

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
