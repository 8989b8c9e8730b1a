"""`akgen mcp`: the twin as tools for coding agents, over standard input and output."""

from importlib.util import find_spec
from typing import Annotated, Literal

import typer

from akgen.settings import Settings
from akgen.tools.core.outcome import InputError


def mcp(
    context: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="Who solves: composer, openai:NAME, scripted:FILE, replay:FILE.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="The model's endpoint, ending in /v1.")] = None,
    toolchain: Annotated[
        Literal["twin", "cann"] | None, typer.Option(help="Where it is built and run.")
    ] = None,
) -> None:
    """Serve compile, test, profile, lint, search_knowledge and solve to an MCP client (docs/mcp.md)."""
    if find_spec("mcp") is None:
        raise InputError(
            "The MCP server needs a package that is not installed.",
            "Install it with `pip install 'akgen[mcp]'`.",
        )
    from akgen.graph.store.records import RunConfig
    from akgen.mcp.kernel_tools import KernelTools
    from akgen.mcp.server import build

    settings: Settings = context.obj
    config = RunConfig(
        command="solve",
        model=model or settings.model,
        base_url=base_url or settings.base_url,
        toolchain=toolchain or settings.toolchain,
        chip=settings.chip,
    )
    build(KernelTools(settings, config), settings.npukb_root).run("stdio")
