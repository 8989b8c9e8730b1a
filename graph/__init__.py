"""In which order: state, nodes, wiring; `store/` and `chat/` below. The only room that imports langgraph."""

from akgen.graph.deferred import PACKAGES, defer

for _package in PACKAGES:
    defer(_package)
