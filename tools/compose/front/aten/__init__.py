"""Import a trace: every module of this package registers its handlers of ATen operators with `handles`."""

import importlib
import pkgutil

from akgen.tools.compose.front.graph import Graph
from akgen.tools.compose.front.importer import Importer
from akgen.tools.compose.front.traced import TracedGraph

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def import_graph(traced: TracedGraph, *, faithful: bool = False, apart: bool = False) -> Graph:
    """Return the composer's graph of a trace; raise Unsupported naming the operation that is not covered.

    With `apart`, constants that are equal by chance are not taken for one.
    With `faithful`, half-precision results are rounded after every operation, as the reference does on a CPU.
    """
    return Importer(traced, faithful=faithful, apart=apart).run()
