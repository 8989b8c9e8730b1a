"""`akgen cache`: what is kept on this machine so that it is made once."""

from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings


def cache(
    context: typer.Context,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete what was not used for longest, down to the limit.")
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete all that no process holds; what goes on builds again.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is kept of builds and references: how many, how large, how often it was there; or delete it."""
    from rich.table import Table

    from akgen.tools.cache import eviction

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if prune and clear:
        raise InputError("--prune and --clear cannot both be done.", "Leave one of them out.")
    done = None
    if prune or clear:
        limit = settings.cache_limit_bytes
        done = eviction.clear(settings.cache) if clear else eviction.evict(settings.cache, limit)
        terminal.line(f"deleted {done.removed} entries, {done.removed_bytes / 1e6:.0f} MB")
    uses = eviction.cache_use(settings.cache)
    table = Table("What", "Entries", "MB", "Was there", "Of", box=None)
    for use in uses:
        rate = "" if use.hit_rate is None else f"{use.hit_rate:.1%}"
        asked = str(use.hits + use.misses)
        table.add_row(use.name, str(use.entries), f"{use.size_bytes / 1e6:.1f}", rate, asked)
    total = sum(u.size_bytes for u in uses)
    table.add_row("all", str(sum(u.entries for u in uses)), f"{total / 1e6:.1f}", "", "")
    terminal.show(table)
    terminal.line(f"{settings.cache}, at most {settings.cache_gib:g} GiB (AKGEN_CACHE_GIB)")
    terminal.result(
        {
            "folder": str(settings.cache),
            "limit_bytes": settings.cache_limit_bytes,
            "size_bytes": total,
            "caches": [{**u.model_dump(), "hit_rate": u.hit_rate} for u in uses],
            "removed": None if done is None else done.model_dump(),
        }
    )
