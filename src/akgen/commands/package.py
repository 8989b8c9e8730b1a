"""`akgen package`: operators that are finished, as one package that CANN's installer installs."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName


def package(
    context: typer.Context,
    projects: Annotated[list[Path], typer.Argument(help="Folders with op_host and op_kernel.")],
    out: Annotated[Path, typer.Option(help="The folder for the installer and the logs; made anew.")],
    as_json: AsJson = False,
) -> None:
    """Build PROJECTS with CANN into one operator package under their own names. Exit 0 if it is built."""
    from akgen.tools.cann.toolchain import CannToolchain
    from akgen.tools.core.project import read_project
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if out.exists():
        raise InputError(f"{out} is there already.", "Choose another folder with --out.")
    read = [read_project(folder, folder.name, folder.name) for folder in projects]
    for folder, project in zip(projects, read, strict=True):
        if project.direct_file is not None or not project.host_files:
            raise InputError(f"{folder} has no op_host: it is no operator of a package.", "Leave it out.")
    chain = make_toolchain(ToolchainName.CANN, settings, settings.chip)
    assert isinstance(chain, CannToolchain)
    chain.prepare(terminal.line)
    with tempfile.TemporaryDirectory(prefix="akgen-package-") as work:
        made = chain.package(read, Path(work))
        out.mkdir(parents=True)
        for name in ("logs", "installer"):
            if (Path(work) / name).is_dir():
                shutil.copytree(Path(work) / name, out / name)
    installers = sorted(str(path) for path in (out / "installer").glob("*.run"))
    for found in made.diagnostics:
        terminal.line(found.sentence + (f" {found.remedy}" if found.remedy else ""))
    for path in installers:
        terminal.line(f"{path} installs {', '.join(p.op_type for p in read)}; built with {chain.version()}")
    terminal.line(f"logs: {out / 'logs'}")
    terminal.result(
        {
            "built": made.ok,
            "toolchain": chain.version(),
            "operators": [p.op_type for p in read],
            "installers": installers,
            "contents": made.contents,
            "diagnostics": [d.model_dump(mode="json") for d in made.diagnostics],
        }
    )
    finish(made.ok)
