"""`akgen torch`: run a Python script that imports a PyTorch binding, with the binding's operators on the twin."""

from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal
from akgen.tools.core.settings import Settings


def torch_script(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="The Python script; it imports the binding's module.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments for the script.")] = None,
    binding: Annotated[
        Path, typer.Option(help="The binding: a .cpp with EXEC_NPU_CMD, or with kernels that it launches.")
    ] = Path("pybind.cpp"),
    project: Annotated[
        list[Path] | None,
        typer.Option(help="A folder with op_host and op_kernel; give one for each operator."),
    ] = None,
    kernel: Annotated[
        list[Path] | None, typer.Option(help="A file with kernels that the binding launches itself.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile a binding against CPU PyTorch and run SCRIPT; each operator that it calls runs on the twin."""
    import runpy
    import sys

    from akgen.tools.binding.imports import import_as_named
    from akgen.tools.binding.module import load
    from akgen.tools.core.outcome import InputError
    from akgen.tools.core.project import read_project
    from akgen.tools.toolchains import twin_settings
    from akgen.tools.twin.toolchain import TwinToolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if not script.is_file():
        raise InputError(f"There is no script {script}.", "Name a Python file.")
    twin = TwinToolchain(twin_settings(settings))
    twin.prepare(terminal.line)
    projects = [
        read_project(folder, folder.resolve().name, folder.resolve().name) for folder in project or ()
    ]
    kernels = [path.resolve() for path in kernel or ()]
    module = load(binding.resolve(), projects, twin, kernels=kernels, progress=terminal.line)
    import_as_named(module, script)
    sys.argv = [str(script), *(arguments or ())]
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    launches = [(o.op_type, launch) for o in module.akgen_operators for launch in o.launches]
    for name, launch in launches:
        terminal.line(f"{name}: {launch.block_dim} blocks, {launch.time_text() or 'not timed'}")
        for d in launch.diagnostics:
            place = f" ({d.file}:{d.line})" if d.file and d.line else ""
            terminal.line(f"  {d.severity}: {d.code}{place}: {d.text}")
    terminal.result(
        {"launches": [{"operator": name, **launch.model_dump(mode="json")} for name, launch in launches]}
    )
