"""In which order: state, nodes, wiring; `store/` and `chat/` below. The only room that imports langgraph."""
