"""Run other programs: the one place that starts processes.

A program runs in a process group of its own, with an environment that holds what the caller names and nothing else.
`program` runs one to its end, in the sandbox or not; `worker` talks to a process that stays, `service` keeps one that
only serves others.
"""
