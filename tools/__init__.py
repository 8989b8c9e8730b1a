"""What can be done: toolchains, sandboxed processes, the judge, the profiler, the tile DSL."""
