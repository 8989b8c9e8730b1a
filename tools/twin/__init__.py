"""The twin: Ascend C on a CPU. Headers, a runtime built once per machine, and the toolchain that drives them."""
