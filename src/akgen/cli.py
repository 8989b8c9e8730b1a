"""The front door: reads the environment, finds the command, turns errors into one sentence with a remedy.

A command lives in `akgen.commands.<name>` and stands in the table there with its one line of help. Its module,
and with it rich, pydantic and the rooms, is imported when the command is called: `akgen --help` stays quick.
"""

import errno
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from akgen import __version__
from akgen.commands import COMMANDS, Family, Subcommand

if TYPE_CHECKING:
    from akgen.tools.core.outcome import InfraError, InputError

_HELP_WIDTH = 110
_OF_THE_NAME = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)  # what a file's name may be refused for


class _Commands(TyperGroup):
    """List commands from their table; import the one that is called."""

    table: dict[str, Any] = COMMANDS
    otherwise: str | None = None

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, entry in self.table.items():
            if isinstance(entry, Family):
                kind = type(
                    f"_{name.title()}", (_Commands,), {"table": entry.commands, "otherwise": entry.otherwise}
                )
                self.commands[name] = kind(
                    name=name,
                    help=entry.help,
                    short_help=entry.help,
                    no_args_is_help=True,
                    rich_markup_mode=None,
                )
            else:
                self.commands[name] = TyperCommand(name, help=entry.help, short_help=entry.help)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Take what names no command for the arguments of the one that is meant then."""
        if self.otherwise and args and args[0] != "--help" and args[0] not in self.table:
            args = [self.otherwise, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the command itself in the place of its line of help."""
        entry = self.table.get(args[0])
        if isinstance(entry, Subcommand):
            self.commands[args[0]] = _load(args[0], entry)
        return super().resolve_command(ctx, args)


def _load(name: str, entry: Subcommand) -> Any:
    module, _, function = entry.place.partition(":")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    unknown = {"allow_extra_args": True, "ignore_unknown_options": True} if entry.passes_on else None
    alone.command(name, context_settings=unknown)(
        getattr(import_module(f"akgen.commands.{module}"), function)
    )
    return typer.main.get_command(alone)


app = typer.Typer(
    name="akgen",
    cls=_Commands,
    help="Write, compile, test, profile and repair Ascend C kernels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"max_content_width": _HELP_WIDTH},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"akgen {__version__}")
        raise typer.Exit


@app.callback()
def _read_environment(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    from pydantic import ValidationError

    from akgen.settings import from_environment
    from akgen.tools.core.outcome import InputError

    del version
    try:
        context.obj = from_environment()
    except ValidationError as problem:
        first = problem.errors()[0]
        name = str(first["loc"][0]).upper()
        name = name if name == "ASCEND_HOME_PATH" else f"AKGEN_{name}"
        raise InputError(
            f"The variable {name} cannot be used: {first['msg']}.", "Unset or correct it."
        ) from None


def _refusals() -> "tuple[type[InputError], type[InfraError]]":
    from akgen.tools.core.outcome import InfraError, InputError

    return InputError, InfraError


def main() -> None:
    """Run the command line; bad input and broken machines end in one sentence, our bugs in a traceback."""
    try:
        app()
    except SystemExit:  # help, version and every command's end: nothing more is imported for them
        raise
    except _refusals() as error:
        _refuse(error)
    except OSError as error:  # asking whether a file is there says so as well, wherever it is asked
        if error.errno not in _OF_THE_NAME:
            raise
        from akgen.tools.core.untrusted import unusable

        _refuse(unusable(str(error.filename or "A file"), error.strerror))


def _refuse(error: "InputError | InfraError") -> None:
    from akgen.terminal import refuse

    refuse(error, as_json="--json" in sys.argv[1:])
