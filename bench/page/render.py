"""The page of runs: one HTML file that loads nothing, or the same page for a server that loads task by task.

All texts of tasks and models are data: the script puts them into text nodes, never into markup, and the page's content
security policy lets no script run but the page's own.
"""

import base64
import hashlib
import zlib
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from plotly.offline import get_plotlyjs

from akgen.bench.page.data import RecordedTask, ReportedRun, detail, overview, recorded
from akgen.bench.record import Record
from akgen.bench.store import BenchStore
from akgen.tools.core.frozen import json_text

_SCRIPTS = ("dom", "data", "charts", "overview", "tasks", "attempt", "code", "figures", "sides", "start")
_MOST_SQUEEZED = 20  # times as small as it was, that a text of kernels may become
MOST_BYTES = 64 << 20  # of the tasks' details in one file; browsers open that within seconds


def page(runs: Sequence[ReportedRun], stores: Sequence[BenchStore]) -> str:
    """Return the page as one file, with the details of every task as far as there is room."""
    summary = overview(runs, stores)
    share = MOST_BYTES // max(1, sum(len(run["tasks"]) for run in summary["runs"]))
    chunks = {}
    for number, (run, store) in enumerate(zip(runs, stores, strict=True)):
        records = defaultdict(list)
        for record in run.records:
            records[record.task].append(record)
        for place, task in enumerate(summary["runs"][number]["tasks"]):
            name = task["name"]
            chunks[f"task-{number}-{place}"] = fitted(name, recorded(store, name), records[name], share)
    return _rendered(summary, chunks, served=False)


def served_page() -> str:
    """Return the page without data; it asks its server for them."""
    return _rendered(None, {}, served=True)


def fitted(name: str, kept: RecordedTask, records: Sequence[Record], share: int) -> str:
    """Return a task's details; without timelines, then without conversations, where they take more than a share."""
    for drawn, told in ((True, True), (False, True), (False, False)):
        whole = json_text(detail(name, kept, records, timelines=drawn, conversations=told)).encode()
        if len(whole) > _MOST_SQUEEZED * share and told:
            continue  # it would not fit
        packed = _squeezed(whole)
        if len(packed) <= share:
            break
    return packed


def pack(value: Any) -> str:
    """Return a value as JSON, compressed and in base 64."""
    return _squeezed(json_text(value).encode())


def _squeezed(data: bytes) -> str:
    squeezer = zlib.compressobj(6, wbits=31)  # gzip, without a time in it
    return base64.b64encode(squeezer.compress(data) + squeezer.flush()).decode()


@cache
def _plotly() -> str:
    return _squeezed(get_plotlyjs().encode())


def _rendered(data: dict[str, Any] | None, chunks: dict[str, str], *, served: bool) -> str:
    folder = files("akgen.bench.page")
    script = "\n".join(folder.joinpath(f"script/{name}.js").read_text() for name in _SCRIPTS)
    script = f'"use strict";\n{{\n{script}\n}}\n'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    env = Environment(undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return env.from_string(folder.joinpath("page.html.j2").read_text()).render(
        digest=digest, script=script, style=folder.joinpath("style.css").read_text(), plotly=_plotly(),
        data=pack(data) if data is not None else "", chunks=chunks, served=served,
    )  # fmt: skip
