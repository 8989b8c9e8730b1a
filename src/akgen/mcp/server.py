"""The MCP server: six tools over standard input and output, each with a typed result.

Calls that need the bench take turns in a worker thread; progress is reported as they go. Bad input and a broken
machine come back as a tool error: one sentence and what to do.
"""

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from akgen import __version__
from akgen.agents.budget import parse_budget
from akgen.graph.cancel import Cancel
from akgen.graph.store.records import RunConfig
from akgen.mcp import results
from akgen.mcp.bench import Bench, Say, chosen
from akgen.mcp.inputs import read_sources, read_task
from akgen.mcp.texts import text
from akgen.settings import Settings
from akgen.tools.core.outcome import InfraError, InputError

T = TypeVar("T")
Call = Callable[[Say, Cancel], T]

Name = Annotated[str | None, Field(description=text("task"))]
Reference = Annotated[str | None, Field(description=text("reference"))]
Folder = Annotated[str | None, Field(description=text("project"))]
Files = Annotated[dict[str, str] | None, Field(description=text("files"))]
CaseId = Annotated[str | None, Field(description=text("case"))]


def build(settings: Settings, config: RunConfig) -> MCPServer[Bench]:
    """Return the server; `config` says which model solves, and on which toolchain."""
    bench = Bench(settings, config)
    turns = anyio.CapacityLimiter(1)

    @asynccontextmanager
    async def life(_server: MCPServer[Bench]) -> AsyncIterator[Bench]:
        try:
            yield bench
        finally:
            bench.close()

    server: MCPServer[Bench] = MCPServer(
        "akgen",
        title="AKGen",
        instructions=text("instructions"),
        version=__version__,
        log_level="WARNING",
        lifespan=life,
    )
    root = settings.npukb_root

    async def at_work(context: Context[Bench], call: Call[T]) -> T:
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

    @server.tool(description=text("lint_tool"))
    async def lint(
        context: Context[Bench], project: Folder = None, files: Files = None
    ) -> results.LintResult:
        return await at_work(
            context, lambda say, _: bench.lint(read_sources(project, files, bench.work), say)
        )

    @server.tool(name="compile", description=text("compile_tool"))
    async def compile_(
        context: Context[Bench],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
    ) -> results.CompileResult:
        def call(say: Say, _cancel: Cancel) -> results.CompileResult:
            wanted = read_task(task, reference, bench.work, root)
            sources = read_sources(project, files, bench.work, wanted.op_type, wanted.kernel)
            return bench.compile(sources, wanted, say)

        return await at_work(context, call)

    @server.tool(description=text("test_tool"))
    async def test(
        context: Context[Bench],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
        case: CaseId = None,
        cases: Annotated[int | None, Field(ge=1, description=text("cases"))] = None,
        trials: Annotated[int, Field(ge=1, le=20, description=text("trials"))] = 3,
        seed: Annotated[int | None, Field(description=text("seed"))] = None,
    ) -> results.TestResult:
        def call(say: Say, cancel: Cancel) -> results.TestResult:
            wanted = chosen(read_task(task, reference, bench.work, root), case, cases)
            sources = read_sources(project, files, bench.work, wanted.op_type, wanted.kernel)
            return bench.test(sources, wanted, trials, seed, say, cancel)

        return await at_work(context, call)

    @server.tool(description=text("profile_tool"))
    async def profile(
        context: Context[Bench],
        task: Name = None,
        reference: Reference = None,
        project: Folder = None,
        files: Files = None,
        case: CaseId = None,
    ) -> results.ProfileResult:
        def call(say: Say, _cancel: Cancel) -> results.ProfileResult:
            wanted = chosen(read_task(task, reference, bench.work, root), case, None)
            sources = read_sources(project, files, bench.work, wanted.op_type, wanted.kernel)
            return bench.profile(sources, wanted, say)

        return await at_work(context, call)

    @server.tool(description=text("search_tool"))
    async def search_knowledge(
        query: Annotated[str, Field(min_length=1, description=text("query"))],
        count: Annotated[int, Field(ge=1, le=50, description=text("count"))] = 5,
    ) -> results.SearchResult:
        return await anyio.to_thread.run_sync(bench.search, query, count)

    @server.tool(description=text("solve_tool"))
    async def solve(
        context: Context[Bench],
        task: Name = None,
        reference: Reference = None,
        case: CaseId = None,
        attempts: Annotated[int, Field(ge=1, le=50, description=text("attempts"))] = 4,
        samples: Annotated[int, Field(ge=1, le=32, description=text("samples"))] = 1,
        tune: Annotated[int, Field(ge=0, le=50, description=text("tune"))] = 0,
        budget: Annotated[str, Field(description=text("budget"))] = "",
    ) -> results.SolveResult:
        def call(say: Say, cancel: Cancel) -> results.SolveResult:
            wanted = chosen(read_task(task, reference, bench.work, root), case, None)
            try:
                limits = parse_budget(budget, attempts)
            except ValueError as problem:
                raise InputError(str(problem), "Write tokens=20000,wall=600,device=60.") from None
            return bench.solve(wanted, limits, samples, tune, say, cancel)

        return await at_work(context, call)

    return server


def _reporter(context: Context[Bench]) -> Say:
    """Return what the worker thread calls to report a step; nobody is told how many steps there will be."""
    steps = 0

    def say(what: str) -> None:
        nonlocal steps
        steps += 1
        anyio.from_thread.run(context.report_progress, float(steps), None, what)

    return say
