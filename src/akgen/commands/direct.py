"""`akgen direct`: programs that launch their kernels themselves, with `<<<>>>`, on the twin."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.tools.direct.program import DirectResult


def direct(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="The program's .asc or .cpp files, kernels included.")],
    include: Annotated[
        list[Path] | None, typer.Option("--include", "-I", help="A folder of headers.")
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("--define", "-D", help="A macro: NAME or NAME=VALUE."),
    ] = None,
    argument: Annotated[list[str] | None, typer.Option("--arg", help="An argument for the program.")] = None,
    folder: Annotated[
        Path, typer.Option(help="The folder to run in; the program may write below it only.")
    ] = Path(),
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=1, help="How many seconds the program may take.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Build and run a program that launches kernels with <<<>>>. Exit 0 if it ends well and no launch fails."""
    from akgen.tools.direct.program import run_direct
    from akgen.tools.toolchains import twin_settings
    from akgen.tools.twin.sandboxed import UsersProgram
    from akgen.tools.twin.toolchain import TwinToolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    twin = TwinToolchain(twin_settings(settings))
    twin.prepare(terminal.line)
    here = Path.cwd()
    program = UsersProgram(
        sources=tuple((here / f).resolve() for f in files),
        folder=(here / folder).resolve(),
        include=tuple((here / f).resolve() for f in include or ()),
        options=tuple(f"-D{d}" for d in define or ()),
        arguments=tuple(argument or ()),
    )
    with tempfile.TemporaryDirectory(prefix="akgen-direct-") as work:
        result = run_direct(program, twin, Path(work), timeout_s=timeout_s)
    _show(result, terminal)
    terminal.result(result)
    finish(result.passed)


def _show(result: "DirectResult", terminal: Terminal) -> None:
    if not result.built:
        for d in result.diagnostics:
            place = f"{d.file}:{d.line}: " if d.file and d.line else ""
            terminal.line(f"{place}{d.text} {d.remedy or ''}".rstrip())
        terminal.line("the program does not build")
        return
    if not terminal.as_json:
        sys.stdout.write(result.output)
        sys.stdout.flush()
    sys.stderr.write(result.errors)
    for one in result.launches:
        for text in one.printed:
            terminal.line(text.rstrip("\n"))
        place = f"{os.path.relpath(one.file)}:{one.line}"
        for d in one.diagnostics:
            where = f"{os.path.relpath(d.file)}:{d.line}: " if d.file and d.line else ""
            terminal.line(f"{where}{d.severity}: {d.text} [{d.code}]")
        time = one.time_text() or "failed"
        terminal.line(f"{place}: {one.kernel} on {one.blocks} blocks, {time}")
    terminal.line(f"the program {'passes' if result.passed else 'fails'} ({result.ending})")
