"""Find the phrases that are not understood: requests that were written blind with alternatives for each phrase.

A line of the file is one of `blind.py`'s with "spin" in the place of its turns (or "spins", one a turn): `{a|b|c}` is a
choice, and every combination means the line's reference. From a combination that is read right, each alternative is
tried alone, so that what fails is the phrase. `sampled` scores whole sentences instead, a choice drawn for each phrase.

    python tests/agents/sentences/wordings.py FILE [ID ...]
"""

import itertools
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.agents.sentences.blind import Score, read, score

TRIES = 24  # combinations until one is read right
Choice = list[list[str]]  # the alternatives of each part of a turn; a part that is fixed has one


class Phrase(NamedTuple):
    """An alternative that was tried in a sentence which is right without it."""

    text: str
    found: Score


def turns_of(line: dict[str, Any]) -> list[Choice]:
    return [
        [part.split("|") if at % 2 else [part] for at, part in enumerate(re.split(r"\{([^{}]*)\}", spin))]
        for spin in line.get("spins") or [line["spin"]]
    ]


def drawn(line: dict[str, Any], seed: object) -> list[str]:
    """Return the turns of a combination; the same one for the same seed."""
    chance = random.Random(f"{seed} {line['id']}")
    return ["".join(chance.choice(part) for part in turn) for turn in turns_of(line)]


def judged(line: dict[str, Any], turns: list[str]) -> Score:
    return score(
        {"turns": turns, "expect": "task", "reference": line["reference"], "free": line.get("free", [])}
    )


def base_of(line: dict[str, Any]) -> list[list[str]] | None:
    """Return the chosen parts of a combination that is read right; None if none of many is."""
    turns, chance = turns_of(line), random.Random(line["id"])
    first = [[part[0] for part in turn] for turn in turns]
    others = ([[chance.choice(part) for part in turn] for turn in turns] for _ in range(TRIES))
    for chosen in itertools.chain([first], others):
        if judged(line, ["".join(parts) for parts in chosen]).kind == "right":
            return chosen
    return None


def phrases(line: dict[str, Any], base: list[list[str]]) -> Iterator[Phrase]:
    """Try each alternative alone in the place of the base's."""
    for turn, parts in enumerate(turns_of(line)):
        for at, alternatives in enumerate(parts):
            for text in alternatives:
                if text != base[turn][at]:
                    chosen = [list(chosen) for chosen in base]
                    chosen[turn][at] = text
                    yield Phrase(text, judged(line, ["".join(parts) for parts in chosen]))


def report(path: Path, only: list[str]) -> None:
    """Print the phrases that fail, and how many of all are understood."""
    tried = right = 0
    for line in read(path):
        if only and line["id"] not in only:
            continue
        if (base := base_of(line)) is None:
            first = ["".join(part[0] for part in turn) for turn in turns_of(line)]
            print(f"NONE {line['id']} {' >> '.join(first)!r}\n    {_short(judged(line, first))}")
            continue
        found = list(phrases(line, base))
        good = [p for p in found if p.found.kind == "right"]
        tried, right = tried + len(found), right + len(good)
        print(
            f"LINE {line['id']} {len(good)} of {len(found)}: {' >> '.join(''.join(parts) for parts in base)!r}"
        )
        for phrase in found:
            if phrase.found.kind != "right":
                print(f"    {phrase.text!r}: {_short(phrase.found)}")
    print(f"phrases understood: {right} of {tried}")


def sampled(path: Path, seeds: int) -> Iterator[tuple[list[str], Score]]:
    """Score `seeds` whole combinations of each line."""
    for line, seed in itertools.product(read(path), range(seeds)):
        turns = drawn(line, seed)
        yield turns, judged(line, turns)


def _short(found: Score) -> str:
    return f"{found.kind}: {found.why.splitlines()[0][:200]}"


if __name__ == "__main__":
    report(Path(sys.argv[1]), sys.argv[2:])
    scores = [found.kind for _, found in sampled(Path(sys.argv[1]), 4)] if len(sys.argv) == 2 else []
    if scores:
        print(json.dumps({kind: scores.count(kind) for kind in sorted(set(scores))}))
