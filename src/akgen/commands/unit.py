"""`akgen unit` and `akgen twin-flags`: operators' own CPU unit tests (tikicpulib.h) on the twin."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.tools.twin.toolchain import TwinToolchain
    from akgen.tools.twin.unit_test import UnitResult


def unit(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="The test's .cpp files, kernels included.")],
    include: Annotated[
        list[Path] | None, typer.Option("--include", "-I", help="A folder of headers.")
    ] = None,
    forced: Annotated[
        list[str] | None,
        typer.Option("-include", "--include-file", help="A header before every source, as -include."),
    ] = None,
    op_host: Annotated[
        Path | None, typer.Option(help="Generate tiling headers from this op_host, not from the nearest one.")
    ] = None,
    before: Annotated[
        Path | None, typer.Option(help="A Python script to run first, such as gen_data.py.")
    ] = None,
    after: Annotated[
        Path | None,
        typer.Option(help="A Python script that must succeed afterwards, such as verify_result.py."),
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="A macro: NAME or NAME=VALUE.")
    ] = None,
    library: Annotated[
        list[str] | None, typer.Option("--library", "-l", help="A library to link, such as gtest.")
    ] = None,
    argument: Annotated[
        list[str] | None, typer.Option("--arg", help="An argument for the test program.")
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="The folder to run in; the test may write below it only.")
    ] = Path(),
    timeout_s: Annotated[
        float, typer.Option("--timeout", min=1, help="How many seconds the program may take.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Build and run a CPU unit test that includes tikicpulib.h. Exit 0 if it passes and no check of the twin fails."""
    from akgen.tools.cache.content import ContentCache
    from akgen.tools.twin.unit_test import UnitTest, run_unit_test

    terminal = Terminal(as_json)
    twin = _twin(context.obj, terminal)
    here = Path.cwd()
    test = UnitTest(
        sources=tuple((here / f).resolve() for f in files),
        folder=(here / folder).resolve(),
        include=tuple((here / f).resolve() for f in include or ()),
        options=(*(f"-D{d}" for d in define or ()), *(f"-l{name}" for name in library or ())),
        arguments=tuple(argument or ()),
        forced=tuple(forced or ()),
        op_host=(here / op_host).resolve() if op_host else None,
        before=(here / before).resolve() if before else None,
        after=(here / after).resolve() if after else None,
    )
    with tempfile.TemporaryDirectory(prefix="akgen-unit-") as work:
        hosts = ContentCache(twin.settings.cache / "host")
        result = run_unit_test(
            test, twin.runtime, twin.chip_file, Path(work), hosts=hosts, timeout_s=timeout_s
        )
    _show(result, terminal)
    terminal.result(result)
    finish(result.passed)


def twin_flags(context: typer.Context) -> None:
    """Print g++ options for CPU unit tests: `g++ test.cpp $(akgen twin-flags) -o test`."""
    from akgen.tools.twin.unit_test import unit_flags

    twin = _twin(context.obj, Terminal(as_json=True))
    typer.echo(" ".join(unit_flags(twin.runtime, twin.chip_file)))


def _twin(settings: Settings, terminal: Terminal) -> "TwinToolchain":
    from akgen.tools.toolchains import twin_settings
    from akgen.tools.twin.toolchain import TwinToolchain

    twin = TwinToolchain(twin_settings(settings))
    twin.prepare(terminal.line)
    return twin


def _show(result: "UnitResult", terminal: Terminal) -> None:
    if not result.built:
        for d in result.diagnostics:
            place = f"{d.file}:{d.line}: " if d.file and d.line else ""
            terminal.line(f"{place}{d.text} {d.remedy or ''}".rstrip())
        terminal.line("the test does not build")
        return
    if not terminal.as_json:
        sys.stdout.write(result.output)
        sys.stdout.flush()
    sys.stderr.write(result.errors)
    for call in result.kernels:
        time = call.time_text() or "ended by a check"
        place = f"{os.path.relpath(call.file)}:{call.line}"
        for d in call.diagnostics:
            if d.code == "TIMEOUT":  # the program could not say it itself
                where = f"{os.path.relpath(d.file)}:{d.line}: " if d.file and d.line else ""
                terminal.line(f"{where}{d.text}")
        findings = f", {len(call.diagnostics)} findings" if call.diagnostics else ""
        terminal.line(f"{place}: {call.kernel} on {call.blocks} blocks, {time}{findings}")
    terminal.line(f"the test {'passes' if result.passed else 'fails'} ({result.ending})")
