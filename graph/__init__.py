"""In which order: state, nodes, wiring; `store/` and `chat/` below. The only room that imports langgraph.

LangGraph imports some packages for a type or two: their `__init__` runs when somebody asks for what it gives.
`langsmith.types` has 150 modules, of which LangChain needs one; `langgraph_sdk` brings clients of HTTP and WebSockets,
of which LangGraph needs a protocol. Together they are a quarter of what importing LangGraph takes. Their submodules are
imported as always. What is not there, or has been imported already, is left as it is.
"""

import sys
import threading
from importlib.util import find_spec, module_from_spec
from typing import Any

PACKAGES = ("langsmith.types", "langgraph_sdk")


def defer(package: str) -> None:
    """Put a package in its place without running its `__init__`, until an attribute is missed there."""
    if package in sys.modules:
        return
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # of the package that it is in
        return
    if spec is None or spec.loader is None or spec.submodule_search_locations is None:
        return
    module, loader = module_from_spec(spec), spec.loader
    lock, begun = threading.RLock(), False

    def missed(name: str) -> Any:
        nonlocal begun
        with lock:
            if not begun:
                begun = True
                try:
                    loader.exec_module(module)
                except BaseException:
                    begun = False
                    raise
                if module.__dict__.get("__getattr__") is missed:
                    del module.__getattr__
            elif name not in module.__dict__:  # its `__init__` runs, or has run while this thread waited
                raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = missed
    sys.modules[package] = module
    parent, _, name = package.rpartition(".")
    if parent:
        setattr(sys.modules[parent], name, module)


for _package in PACKAGES:
    defer(_package)
