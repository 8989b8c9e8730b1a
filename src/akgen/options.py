"""The options that configure a run, made from the fields of its configuration, and back from texts to values."""

import inspect
import secrets
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Optional, get_origin

import typer

from akgen.agents.budget import Budget, parse_budget
from akgen.agents.calls.model_call import CallLimits, Price, Sampling
from akgen.agents.run_config import RunConfig, with_full_paths
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
    from akgen.tools.core.project import KernelProject
    from akgen.tools.core.task import Task

SEED_BITS = 31  # a server's seed is a signed 32-bit number at least
Fields = dict[str, Any]  # values of `RunConfig`'s fields, by name

ToolchainOption = Annotated[
    ToolchainName | None, typer.Option("--toolchain", help=RunConfig.model_fields["toolchain"].description)
]

StrictOption = Annotated[bool, typer.Option("--strict", help=RunConfig.model_fields["strict"].description)]
Root = Annotated[Path | None, typer.Option(help="Your checkout of NPUKernelBench, whose tasks you may name.")]
Project = Annotated[
    Path,
    typer.Argument(
        help="A folder with op_host and op_kernel, or with one op_kernel/NAME.asc (docs/agents.md)."
    ),
]
TaskName = Annotated[str, typer.Option("--task", help="A built-in task, a task folder, or a Python file.")]
# What a model may spend and how it draws.
LIMITS = ("budget", "limit", "price", "temperature", "top_p", "max_tokens")


class _Option(NamedTuple):
    type: Any
    default: Any
    help: str
    least: int | None = None
    flag: str | None = None  # its name where typer would make another, such as a pair with --no-


# Options whose texts or numbers become parts of a field.
_PARTS = {
    "attempts": _Option(int, 4, "How many attempts each sample has.", least=1),
    "candidates": _Option(int, 24, "How many kernels to judge at most.", least=1),
    "budget": _Option(str, "", "What each sample may use: tokens=N,cost=X,wall=SECONDS,device=SECONDS."),
    "limit": _Option(str, "", "What all model calls of the run together may use: tokens=N,cost=X,seconds=S."),
    "price": _Option(str, "", "IN,OUT: the price of a million tokens, in any currency."),
    "temperature": _Option(str, "0.7", "The model's temperature; 0.7,1.0 gives one for each attempt."),
    "top_p": _Option(str, "0.9", "The model's top-p; 0.9,1.0 gives one for each attempt."),
    "max_tokens": _Option(int, 16_384, "How many tokens one reply may have, thought included.", least=1),
}
_FROM_SETTINGS = ("model", "base_url", "toolchain", "chip")  # the environment's where no option is given


def configured(
    *names: str, helps: dict[str, str] | None = None, defaults: Fields | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these names, in the place of its parameter `fields`, which gets their values.

    `helps` and `defaults` hold what this command says otherwise. The command raises InputError for what cannot be
    used.
    """
    options = [_parameter(name, (helps or {}).get(name), defaults or {}) for name in names]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            parameters += options if parameter.name == "fields" else [parameter]

        @wraps(command)
        def wrapped(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in names}
            command(fields=_fields(chosen, given["context"].obj), **given)

        del wrapped.__wrapped__  # its signature is another
        keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        wrapped.__signature__ = signature.replace(parameters=keyword)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {p.name: p.annotation for p in keyword}
        return wrapped

    return decorate


def _parameter(name: str, help: str | None, defaults: Fields) -> inspect.Parameter:
    option = _PARTS.get(name) or _of_field(name)
    told = typer.Option(*[option.flag] if option.flag else [], help=help or option.help, min=option.least)
    default = defaults.get(name, option.default)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[option.type, told]
    )


def _of_field(name: str) -> _Option:
    field = RunConfig.model_fields[name]
    assert field.description is not None
    least = next((m.ge for m in field.metadata if hasattr(m, "ge")), None)
    if name in _FROM_SETTINGS or name == "seed":  # None: what the environment says, or a random one
        return _Option(Optional[field.annotation], None, field.description)  # noqa: UP045 (a value, not a hint)
    flag = f"--{name}" if field.annotation is bool else None
    if get_origin(field.annotation) is tuple:  # an option that may be repeated
        return _Option(list[str], list(field.default), field.description)
    return _Option(field.annotation, field.default, field.description, least, flag)


def _fields(chosen: Fields, settings: Settings) -> Fields:
    """Return the configuration's fields: texts read, what was left out filled in from the settings."""
    fields = {name: value for name, value in chosen.items() if name not in _PARTS}
    fields |= {name: fields.get(name) or getattr(settings, name) for name in _FROM_SETTINGS}
    if chosen.get("start") is not None:
        fields["start"] = str(Path(chosen["start"]).resolve())
    if fields.get("model"):
        fields["model"] = with_full_paths(fields["model"])
    if "seed" not in chosen or chosen["seed"] is None:
        fields["seed"] = secrets.randbits(SEED_BITS)
    if "price" in chosen:
        prices = price(chosen["price"])
        fields["price"] = prices
        attempts = chosen["attempts"] if "attempts" in chosen else chosen["candidates"]
        fields["budget"] = budget(chosen["budget"], attempts, prices)
        fields["limits"] = limits(chosen["limit"], prices)
        fields["sampling"] = sampling(chosen["temperature"], chosen["top_p"], chosen["max_tokens"])
    return fields


def open_project(folder: Path, task: str, root: Path | None) -> "tuple[Task, KernelProject]":
    """Return a task by its name, and the project in a folder. Raises InputError for what cannot be used."""
    from akgen.bench.resolve import resolve_task
    from akgen.tools.core.project import read_project

    wanted = resolve_task(task, root=root)
    return wanted, read_project(folder, wanted.op_type, wanted.kernel)


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
