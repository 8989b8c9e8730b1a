"""A worker for the suite of executors: the first letter of a task says what becomes of it. It logs each job.

g: judged. d: ends the process, every time. o: ends it, the first time. f: a machine fault, every time. m: one, the
first time. b: a bug. h: hangs without beats, the first time. l: goes on for a minute. s: judged, put on disk, then it
ends. w: a machine fault of the process that is the first to be given such a task; the others take as long as that one
has not failed two. Each takes a moment.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

LOG, TAKES_S = Path(sys.argv[1]), float(sys.argv[2])
quiet, turn = threading.Event(), threading.Lock()


def say(line: bytes) -> None:
    with turn:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


def beat() -> None:
    while not quiet.wait(0.1):
        say(b'{"beat":true}')


threading.Thread(target=beat, daemon=True).start()  # before what takes its time to import

from akgen.bench.record import BenchConfig, Record  # noqa: E402
from akgen.bench.store import BenchStore  # noqa: E402
from akgen.tools.process.worker import end_with_parent  # noqa: E402

end_with_parent()


def note(what: str, job: dict) -> None:
    entry = {name: job[name] for name in ("task", "samples", "stage")}
    with LOG.open("a") as log:
        log.write(json.dumps(entry | {"what": what, "pid": os.getpid(), "at": time.monotonic()}) + "\n")


def bad() -> bool:
    mark = LOG.with_name("bad")
    try:
        with mark.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        pass
    return mark.read_text() == str(os.getpid())


def failed_two() -> bool:
    pid = LOG.with_name("bad").read_text()
    ends = [e for e in map(json.loads, LOG.read_text().splitlines()) if e["what"] == "end"]
    return sum(str(e["pid"]) == pid for e in ends) >= 2


for line in sys.stdin:
    message = json.loads(line)
    job = message["job"]
    kind, first = job["task"][0], job["attempt"] == 1
    note("begin", job)
    if kind == "d" or (kind == "o" and first):
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(9)
    if kind == "h" and first:
        quiet.set()
        time.sleep(60)
    time.sleep(60 if kind == "l" else TAKES_S)
    if kind == "w" and not bad():
        until = time.monotonic() + 20
        while not failed_two() and time.monotonic() < until:
            time.sleep(0.02)
    faults = {
        "f": "machine",
        "b": "bug",
        "m": "machine" if first else None,
        "w": "machine" if kind == "w" and bad() else None,
    }
    fault = faults.get(kind)
    row = {"task": job["task"], "level": job["level"], "category": "scripted"}
    row |= (
        {"outcome": None, "error": "no disk", "fault": fault}
        if fault
        else {"outcome": "correct", "cases": [{"id": "0", "outcome": "correct"}]}
    )
    records = [] if job["stage"] == "compile" else [row | {"sample": n} for n in job["samples"]]
    note("end", job)
    if not fault and records:
        store = BenchStore(Path(message["run"]), BenchConfig.model_validate(message["config"]))
        for record in records:
            store.settle(Record.model_validate(record))
    if kind == "s":
        os._exit(9)
    say(json.dumps({"records": records}).encode())
