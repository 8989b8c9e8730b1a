"""Begin a run, work on its tasks, go on with one that stopped."""

import platform
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, SecretStr

from akgen.agents.calls.tracing import start_tracing
from akgen.agents.models.resolve import COMPOSER, ModelOptions
from akgen.agents.team import Talk, Team, make_team
from akgen.graph.deps import Context
from akgen.graph.solve import solve
from akgen.graph.store.calls import RunCalls
from akgen.graph.store.events import Watch
from akgen.graph.store.memory import Memory, open_memory
from akgen.graph.store.records import RunConfig, RunInfo, Solution
from akgen.graph.store.run_store import RunStore
from akgen.graph.workbench import Tools, open_tools
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.tools.compose.front.remote import RemoteTrace
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.task import Task
from akgen.tools.core.versions import package_version
from akgen.tools.toolchains import Machine, make_toolchain

_RECORDED = ("akgen", "langgraph", "langchain-core", "torch", "numpy")


class Site(Frozen):
    """What belongs to this machine and this user; a run's folder never holds it.

    Its JSON holds the secrets, for worker processes; its repr does not.
    """

    machine: Machine
    api_key: str | None = Field(default=None, repr=False)
    postgres: str | None = Field(default=None, repr=False)
    memory: Path | None = None  # the file of what was learnt in earlier runs
    model_tries: int = 5  # how often a request to a model's endpoint is sent before the run stops
    model_timeout_s: float = 600.0  # of one answer
    model_wait_s: float = 1.0  # between two tries; it doubles
    otel_endpoint: str | None = None  # where spans go, if anywhere


@dataclass(frozen=True)
class Crew:
    """Deciders and tools of one process; made once, used for every task of a run."""

    team: Team
    tools: Tools
    site: Site
    memory: Memory | None = None


@contextmanager
def open_crew(
    config: RunConfig, site: Site, progress: Callable[[str], None], run: Path | None = None
) -> Iterator[Crew]:
    """Make what a run works with; its processes end with the context. Model calls are kept below `run`.

    Raises InputError for a model, chip or route that cannot be used, InfraError when the machine lacks something.
    """
    toolchain = make_toolchain(config.toolchain, site.machine, config.chip)
    with open_tools(toolchain, progress) as tools, memory_of(config, site) as memory:
        yield make_crew(config, site, tools, run, memory)


@contextmanager
def memory_of(config: RunConfig, site: Site) -> Iterator[Memory | None]:
    """Open the memory if the run is to use one."""
    if not config.memory or site.memory is None:
        yield None
        return
    with open_memory(site.memory) as memory:
        yield memory


def make_crew(
    config: RunConfig, site: Site, tools: Tools, run: Path | None = None, memory: Memory | None = None
) -> Crew:
    """Make the deciders of a run, who use tools that are open already. Model calls are kept below `run`.

    Raises InputError for a model or route that cannot be used.
    """
    if site.otel_endpoint is not None:
        start_tracing(site.otel_endpoint)
    team = make_team(
        config.model,
        ModelOptions(
            base_url=config.base_url,
            api_key=SecretStr(site.api_key) if site.api_key else None,
            seed=config.seed,
            tries=site.model_tries,
            first_wait_s=site.model_wait_s,
            timeout_s=site.model_timeout_s,
            sampling=config.sampling,
        ),
        planner=config.planner,
        critic=config.critic,
        route=config.route,
        chip=chip(config.chip or DEFAULT_CHIP),
        budget=config.budget,
        describe=tools.describe,
        trace=RemoteTrace(tools.reference),
        talk=Talk(
            calls=RunCalls(run) if run is not None else None,
            samples=config.samples,
            price=config.price,
            limits=config.limits,
            recall=memory.recall if memory is not None else None,
        ),
    )
    return Crew(team=team, tools=tools, site=site, memory=memory)


def begin(folder: Path, config: RunConfig, toolchain: str) -> RunStore:
    """Make a run's folder with everything that tells how it was made."""
    info = RunInfo(
        id=folder.name,
        created_at=datetime.now(UTC),
        config=config,
        versions={"python": platform.python_version(), **_versions()},
        toolchain=toolchain,
    )
    return RunStore.create(folder, info)


def new_folder(runs: Path, label: str) -> Path:
    """Return a new folder's name below `runs`: time, label, and four letters against collisions."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return runs / f"{now}-{label}-{secrets.token_hex(2)}"


def work_on(
    store: RunStore, task: Task, crew: Crew, watch: Watch, config: RunConfig | None = None
) -> Solution:
    """Solve one task of the run, or finish what an earlier process began; `config` where it is not the run's own."""
    config = config or store.info.config
    context = Context(
        planner=crew.team.planner,
        coder=crew.team.coder,
        critic=crew.team.critic,
        workbench=crew.tools.judge,
        store=store.task(task.name),
        budget=config.budget,
        tune=config.tune,
        seed=config.seed,
        samples=config.samples,
        watch=watch,
        run=store.info.id,
    )
    solution = solve(
        task,
        context,
        # The composer answers every candidate alike, and traces with torch: nothing is won by threads.
        parallel=1 if config.model == COMPOSER else config.parallel,
        postgres=crew.site.postgres,
        thread=f"{store.info.id}/{task.name}",
    )
    if crew.memory is not None:
        crew.memory.take_in(context.store, store.info.id)
    return solution


def _versions() -> dict[str, str]:
    found = {package: package_version(package) for package in _RECORDED}
    return {package: version for package, version in found.items() if version is not None}
