"""`akgen mcp`: the twin as tools for coding agents, over standard input and output."""

from importlib.util import find_spec

import typer

from akgen.options import Fields, configured
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings


@configured(
    "model", "base_url", "toolchain",
    helps={"model": "Who solves: composer, openai:NAME, scripted:FILE, replay:FILE."},
)  # fmt: skip
def mcp(context: typer.Context, fields: Fields) -> None:
    """Serve compile, test, profile, lint, search_knowledge and solve to an MCP client (docs/mcp.md)."""
    if find_spec("mcp") is None:
        raise InputError(
            "The MCP server needs a package that is not installed.",
            "Install it with `pip install 'akgen[mcp]'`.",
        )
    from akgen.agents.run_config import Command, RunConfig
    from akgen.mcp.kernel_tools import KernelTools
    from akgen.mcp.server import build

    settings: Settings = context.obj
    config = RunConfig(command=Command.SOLVE, **fields)
    build(KernelTools(settings, config), settings.npukb_root).run("stdio")
