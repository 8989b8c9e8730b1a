"""The MCP server: six tools over standard input and output, each with a typed result.

Calls that need a toolchain take turns in a worker thread; progress is reported as they go. Bad input and a broken
machine come back as a tool error: one sentence and what to do.
"""

import functools
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files as package_files
from pathlib import Path
from typing import Annotated, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from akgen import __version__
from akgen.agents.budget import parse_budget
from akgen.bench.resolve import resolve_task
from akgen.graph.cancel import Cancel
from akgen.graph.store.files import make_folder, write_whole
from akgen.mcp import results
from akgen.mcp.kernel_tools import KernelTools, Say, chosen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.project import KernelProject, read_project
from akgen.tools.core.task import Task
from akgen.tools.judge.source_filter import look

_TEXTS: dict[str, str] = json.loads(package_files("akgen.mcp").joinpath("texts.json").read_text())
T = TypeVar("T")
Call = Callable[[Say, Cancel], T]

Name = Annotated[str | None, Field(description=_TEXTS["task"])]
Reference = Annotated[str | None, Field(description=_TEXTS["reference"])]
Folder = Annotated[str | None, Field(description=_TEXTS["project"])]
Files = Annotated[dict[str, str] | None, Field(description=_TEXTS["files"])]
CaseId = Annotated[str | None, Field(description=_TEXTS["case"])]


def build(tools: KernelTools, root: Path | None) -> MCPServer[KernelTools]:
    """Return the server; `root` is a checkout of NPUKernelBench, whose tasks may be named too."""
    turns = anyio.CapacityLimiter(1)

    @asynccontextmanager
    async def life(_server: MCPServer[KernelTools]) -> AsyncIterator[KernelTools]:
        try:
            yield tools
        finally:
            tools.close()

    server: MCPServer[KernelTools] = MCPServer(
        "akgen",
        title="AKGen",
        instructions=_TEXTS["instructions"],
        version=__version__,
        log_level="WARNING",
        lifespan=life,
    )

    async def at_work(context: Context[KernelTools], call: Call[T]) -> T:
        """Run a call in the worker thread, report what it says, and stop it when the client gives up."""
        cancel = Cancel()
        try:
            return await anyio.to_thread.run_sync(
                functools.partial(call, _reporter(context), cancel), abandon_on_cancel=True, limiter=turns
            )
        except (InputError, InfraError) as problem:
            raise ToolError(f"{problem.text} {problem.remedy}") from problem
        finally:
            cancel.ask()

    @server.tool(description=_TEXTS["lint_tool"])
    async def lint(
        context: Context[KernelTools], project: Folder = None, files: Files = None
    ) -> results.LintResult:
        return await at_work(
            context, lambda say, _: tools.lint(_read_sources(project, files, tools.work), say)
        )

    @server.tool(name="compile", description=_TEXTS["compile_tool"])
    async def compile_(
        context: Context[KernelTools],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
    ) -> results.CompileResult:
        def call(say: Say, _cancel: Cancel) -> results.CompileResult:
            wanted = _read_task(task, reference, tools.work, root)
            sources = _read_sources(project, files, tools.work, wanted.op_type, wanted.kernel)
            return tools.compile(sources, wanted, say)

        return await at_work(context, call)

    @server.tool(description=_TEXTS["test_tool"])
    async def test(
        context: Context[KernelTools],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
        case: CaseId = None,
        cases: Annotated[int | None, Field(ge=1, description=_TEXTS["cases"])] = None,
        trials: Annotated[int, Field(ge=1, le=20, description=_TEXTS["trials"])] = 3,
        seed: Annotated[int | None, Field(description=_TEXTS["seed"])] = None,
    ) -> results.TestResult:
        def call(say: Say, cancel: Cancel) -> results.TestResult:
            wanted = chosen(_read_task(task, reference, tools.work, root), case, cases)
            sources = _read_sources(project, files, tools.work, wanted.op_type, wanted.kernel)
            return tools.test(sources, wanted, trials, seed, say, cancel)

        return await at_work(context, call)

    @server.tool(description=_TEXTS["profile_tool"])
    async def profile(
        context: Context[KernelTools],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
        case: CaseId = None,
    ) -> results.ProfileResult:
        def call(say: Say, _cancel: Cancel) -> results.ProfileResult:
            wanted = chosen(_read_task(task, reference, tools.work, root), case, None)
            sources = _read_sources(project, files, tools.work, wanted.op_type, wanted.kernel)
            return tools.profile(sources, wanted, say)

        return await at_work(context, call)

    @server.tool(description=_TEXTS["search_tool"])
    async def search_knowledge(
        query: Annotated[str, Field(min_length=1, description=_TEXTS["query"])],
        count: Annotated[int, Field(ge=1, le=50, description=_TEXTS["count"])] = 5,
    ) -> results.SearchResult:
        return await anyio.to_thread.run_sync(tools.search, query, count)

    @server.tool(description=_TEXTS["solve_tool"])
    async def solve(
        context: Context[KernelTools],
        task: Name = None,
        reference: Reference = None,
        case: CaseId = None,
        attempts: Annotated[int, Field(ge=1, le=50, description=_TEXTS["attempts"])] = 4,
        samples: Annotated[int, Field(ge=1, le=32, description=_TEXTS["samples"])] = 1,
        tune: Annotated[int, Field(ge=0, le=50, description=_TEXTS["tune"])] = 0,
        budget: Annotated[str, Field(description=_TEXTS["budget"])] = "",
    ) -> results.SolveResult:
        def call(say: Say, cancel: Cancel) -> results.SolveResult:
            wanted = chosen(_read_task(task, reference, tools.work, root), case, None)
            try:
                limits = parse_budget(budget, attempts)
            except ValueError as problem:
                raise InputError(str(problem), "Write tokens=20000,wall=600,device=60.") from None
            return tools.solve(wanted, limits, samples, tune, say, cancel)

        return await at_work(context, call)

    return server


def _reporter(context: Context[KernelTools]) -> Say:
    """Return what the worker thread calls to report a step; nobody is told how many steps there will be."""
    steps = 0

    def say(what: str) -> None:
        nonlocal steps
        steps += 1
        anyio.from_thread.run(context.report_progress, float(steps), None, what)

    return say


def _read_task(task: str | None, reference: str | None, work: Path, root: Path | None) -> Task:
    """Return the task that is named, or the one that PyTorch source text defines (kept below `work`)."""
    if (task is None) == (reference is None):
        raise InputError(
            "A task is needed, and only one.",
            "Give `task` (a built-in task, a task folder or a Python file) or `reference` (PyTorch source text).",
        )
    if task is not None:
        return resolve_task(task, root=root)
    assert reference is not None
    digest = hashlib.sha256(reference.encode()).hexdigest()[:12]
    path = make_folder(work / "references") / f"reference_{digest}.py"
    write_whole(path, reference)
    return resolve_task(str(path))


def _read_sources(
    project: str | None, files: dict[str, str] | None, work: Path, op_type: str = "", kernel: str = ""
) -> KernelProject:
    """Return the project in a folder, or the one that is given as text; names are read from the sources."""
    if (project is None) == (files is None):
        raise InputError(
            "A project is needed, and only one.",
            "Give `project` (a folder with op_host and op_kernel) or `files` (paths and texts).",
        )
    if project is not None:
        return read_project(Path(project).expanduser(), op_type, kernel)
    assert files is not None
    given = KernelProject(op_type=op_type, kernel=kernel, files=files)
    _refuse_paths(given)
    folder = work / "projects" / given.digest[:16]
    given.write_to(folder)
    return read_project(folder, op_type, kernel)


def _refuse_paths(project: KernelProject) -> None:
    """Refuse names that would lead outside the folder before anything is written."""
    _, found = look(project)
    wrong = next((d for d in found if d.code in ("SOURCE_PATH", "SOURCE_SIZE")), None)
    if wrong is not None:
        raise InputError(wrong.text, wrong.remedy or "Use relative paths below op_host and op_kernel.")
