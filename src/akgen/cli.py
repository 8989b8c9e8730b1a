"""The front door: reads the environment, names the commands, turns errors into one sentence with a remedy.

A command lives in `akgen.commands.<name>` and is registered here with one line. Its module imports nothing
heavy at the top: rooms are imported inside the function, so that `akgen --help` stays quick.
"""

import sys
from typing import Annotated

import typer
from pydantic import ValidationError

from akgen import __version__
from akgen.commands import (
    bench,
    chat,
    doctor,
    evaluate,
    harvest,
    mcp,
    optimise,
    replay,
    serve,
    show,
    solve,
    torch_script,
    unit,
)
from akgen.settings import Settings
from akgen.terminal import refuse
from akgen.tools.outcome import InfraError, InputError

app = typer.Typer(
    name="akgen",
    help="Write, compile, test, profile and repair Ascend C kernels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
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
    del version
    try:
        context.obj = Settings()
    except ValidationError as problem:
        first = problem.errors()[0]
        name = str(first["loc"][0]).upper()
        name = name if name == "ASCEND_HOME_PATH" else f"AKGEN_{name}"
        raise InputError(
            f"The variable {name} cannot be used: {first['msg']}.", "Unset or correct it."
        ) from None


app.command()(solve.solve)
app.command()(solve.resume)
app.command()(replay.replay)
app.command("eval")(evaluate.evaluate)
app.command()(evaluate.profile)
app.command()(optimise.optimise)
app.command()(show.show)
app.command()(chat.chat)
app.command()(mcp.mcp)
app.command()(unit.unit)
app.command()(unit.twin_flags)
app.command("torch")(torch_script.torch_script)
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(serve.serve)
app.command()(doctor.doctor)
app.add_typer(bench.app, name="bench")
app.add_typer(harvest.app, name="harvest")


def main() -> None:
    """Run the command line; bad input and broken machines end in one sentence, our bugs in a traceback."""
    try:
        app()
    except (InputError, InfraError) as error:
        refuse(error, as_json="--json" in sys.argv[1:])
