"""Deciders for a conversation in which the model may change, all with the same tools."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from akgen.graph.run import Crew, Site, make_crew, memory_of
from akgen.graph.store.memory import Memory
from akgen.graph.store.records import RunConfig
from akgen.graph.workbench import Tools, open_tools
from akgen.tools.toolchains import make_toolchain


class Crews:
    """Makes a crew for a configuration once."""

    def __init__(self, site: Site, tools: Tools, run: Path, memory: Memory | None) -> None:
        self._site, self._tools, self._run, self._memory = site, tools, run, memory
        self._made: dict[str, Crew] = {}

    def __call__(self, config: RunConfig) -> Crew:
        """Return the crew of a configuration. Raises InputError for a model that cannot be used."""
        key = config.model_dump_json()
        if key not in self._made:
            self._made[key] = make_crew(config, self._site, self._tools, self._run, self._memory)
        return self._made[key]


@contextmanager
def open_crews(config: RunConfig, site: Site, progress: Callable[[str], None], run: Path) -> Iterator[Crews]:
    """Prepare the toolchain and start the reference process; both end with the context. Calls are kept below `run`.

    Raises InfraError when the machine lacks something, InputError for a chip or model that cannot be used.
    """
    toolchain = make_toolchain(config.toolchain, site.machine, config.chip)
    with open_tools(toolchain, progress) as tools, memory_of(config, site) as memory:
        crews = Crews(site, tools, run, memory)
        crews(config)
        yield crews
