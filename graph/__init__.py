"""In which order: state, nodes, wiring, checkpoints and the run store. The only room that imports langgraph."""
