"""Options about a chat model that several commands take, from text to values."""

from typing import Annotated

import typer

from akgen.agents.budget import Budget, parse_budget
from akgen.agents.calls.model_call import CallLimits, Price, Sampling
from akgen.tools.core.outcome import InputError

MODELS = (
    "composer, vllm:NAME, kernelgen:NAME, openai:NAME, scripted:FILE, replay:FILE-OR-RUN, record:FILE:MODEL."
)

Temperature = Annotated[
    str, typer.Option("--temperature", help="Of the model's sampling; 0.7,1.0: of each attempt.")
]
TopP = Annotated[str, typer.Option("--top-p", help="Of the model's sampling; 0.9,1.0: of each attempt.")]
MemoryOption = Annotated[
    bool, typer.Option("--memory", help="Show the coder what earlier runs learnt, and learn from this one.")
]
MaxTokens = Annotated[int, typer.Option(min=1, help="Of one reply, its thought among them.")]
PriceText = Annotated[
    str, typer.Option("--price", help="IN,OUT: what a million tokens cost, in any currency.")
]
LimitText = Annotated[
    str, typer.Option("--limit", help="tokens=N,cost=X,seconds=S, of all model calls of the run together.")
]


def sampling(temperature: str, top_p: str, max_tokens: int) -> Sampling:
    """Read the values of each attempt. Raises InputError for what cannot be used."""
    return Sampling(
        temperature=_each(temperature, "--temperature", 2.0),
        top_p=_each(top_p, "--top-p", 1.0),
        max_tokens=max_tokens,
    )


def _each(text: str, option: str, most: float) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if not values or not all(0 <= value <= most for value in values):
        raise InputError(
            f"{option} cannot be read: {text!r}.",
            f"Write numbers from 0 to {most:g}, one per attempt or one for all.",
        )
    return values


def price(text: str) -> Price | None:
    """Read `0.15,0.6`. Raises InputError for anything else; None for nothing."""
    if not text.strip():
        return None
    try:
        asked, said = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--price cannot be read: {text!r}.", "Write IN,OUT, such as 0.15,0.6.") from None
    if asked < 0 or said < 0:
        raise InputError("--price holds a number below zero.", "Write IN,OUT, such as 0.15,0.6.")
    return Price(input=asked, output=said)


def limits(text: str, known: Price | None) -> CallLimits:
    """Read `tokens=100000,cost=2,seconds=600`. Raises InputError for what cannot be used."""
    values: dict[str, float] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, number = part.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if name not in CallLimits.model_fields or not 0 < value < float("inf"):
            remedy = "Write tokens=100000,cost=2,seconds=600, with numbers above zero."
            raise InputError(f"--limit cannot be read at {part!r}.", remedy)
        values[name] = value
    _need_price(values.get("cost"), known)
    tokens = values.pop("tokens", None)
    return CallLimits(tokens=None if tokens is None else int(tokens), **values)


def budget(text: str, attempts: int, known: Price | None) -> Budget:
    """Read --budget. Raises InputError for what cannot be used."""
    try:
        found = parse_budget(text, attempts)
    except ValueError as problem:
        raise InputError(
            f"--budget cannot be read: {problem}", "Write tokens=20000,cost=1.5,wall=600,device=60."
        ) from None
    _need_price(found.cost, known)
    return found


def _need_price(cost: float | None, known: Price | None) -> None:
    if cost is not None and known is None:
        raise InputError("A limit of cost needs the model's prices.", "Give --price IN,OUT.")
