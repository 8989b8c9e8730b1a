"""From loop nests to programs of the tile DSL: schedules, and the kernels that they write."""
