"""Read every sentence before and after a change of the readers, and judge those alone that are read otherwise.

    python tests/agents/sentences/changed.py keep BEFORE.json
    python tests/agents/sentences/changed.py show BEFORE.json

Each takes some minutes. Own suites and the sets that were written blind are read. Printed is of each sentence whose
reading changed: right, asked, refused or silent, what it was before, and why. The last line counts; the status is 1
where one is silent, or an own one is asked about that was built.
"""

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from akgen.agents.requests.request import ParsedRequest
from akgen.agents.requests.task import reference_for, task_for
from tests.agents.sentences import blind, check, wordings

COMBINATIONS = 4  # of each line with alternatives


class Line(NamedTuple):
    """One sentence: what it is called, how it is read, and how it is judged."""

    name: str
    own: bool
    read: Callable[[], ParsedRequest]
    judge: Callable[[], tuple[str, str]]


def lines() -> Iterator[Line]:
    for path in sorted(check.HERE.glob("*.txt")):
        for sentence in check.sentences(path.name):
            name = f"{path.name}: {' >> '.join(sentence.turns)}"
            yield Line(name, True, partial(check.heard, sentence.turns), partial(_own, sentence))
    for path in sorted(check.HERE.glob("blind_*.jsonl")):
        for line in blind.read(path):
            name = f"{path.name}: {line['id']}"
            yield Line(
                name, False, partial(lambda said: blind.converse(said)[0], line), partial(_blind, line)
            )
    for path in sorted(check.HERE.glob("wordings_*.jsonl")):
        for line in blind.read(path):
            for seed in range(COMBINATIONS):
                said = {**line, "turns": wordings.drawn(line, seed), "expect": "task"}
                name = f"{path.name}: {line['id']} {seed} {' >> '.join(said['turns'])}"
                yield Line(
                    name, False, partial(lambda said: blind.converse(said)[0], said), partial(_blind, said)
                )


def _own(sentence: check.Sentence) -> tuple[str, str]:
    judged = check.judge(sentence)
    return "right" if judged.right else "silent" if judged.silent else "asked", judged.why


def _blind(line: dict[str, object]) -> tuple[str, str]:
    scored = blind.score(line)
    return scored.kind, scored.why


def reading(line: Line) -> str:
    """Return all that is built of a sentence, or what is asked."""
    parsed = line.read()
    request = parsed.request
    if parsed.problem is not None or not (request.steps or request.source):
        return f"? {parsed.problem}"
    try:
        cases = [case.params for case in task_for(request, Path("reference.py"), "asked").cases]
        return f"{reference_for(request)}\n{request.shapes} {request.dtypes} {cases}"
    except (RuntimeError, ValueError, IndexError, KeyError, AssertionError) as lacking:
        return f"? {type(lacking).__name__}: {lacking} {request.steps} {request.shapes} {request.dtypes}"


def show(before: dict[str, str]) -> int:
    counted: Counter[str] = Counter()
    failed = False
    for line in lines():
        was = before.get(line.name)
        if reading(line) == was:
            continue
        kind, why = line.judge()
        earlier = "new" if was is None else "was asked" if was.startswith("?") else "was built"
        failed |= kind == "silent" or (line.own and kind != "right" and earlier == "was built")
        counted[f"{kind}, {earlier}"] += 1
        print(f"{kind} ({earlier}) {line.name}\n    {' '.join(why.split())[:300]}".replace("\n\n", "\n"))
    print(dict(counted))
    return int(failed)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    what, kept = sys.argv[1], Path(sys.argv[2])
    if what == "keep":
        kept.write_text(json.dumps({line.name: reading(line) for line in lines()}))
    else:
        sys.exit(show(json.loads(kept.read_text())))
