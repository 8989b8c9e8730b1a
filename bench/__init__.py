"""How well: task suites, the batch runner, metrics and reports."""
