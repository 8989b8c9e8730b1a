"""Write steps that are numbered in one line as steps that follow each other: "1) relu 2) square", "第一步 relu"."""

import re

from akgen.knowledge.operators import find_operators

_NUMERALS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_NUMBER = re.compile(
    r"(?:(?<=[\s:：,，;；.。])|\A)(?:(?:step|步骤)[ #]?(?P<step>\d)(?:[.):：]| -)?"
    r"|第 ?(?P<zh>[一二三四五六七八1-8]) ?步[:：,，]?|[(（](?P<both>\d)[)）]"
    r"|(?P<plain>\d)[.)）、](?!\d))(?=\s|[^\d\s])\s*",
    re.I,
)


def with_steps(said: str) -> str:
    """Return the text with "then" in the place of the numbers of its steps, where each of them has an operator."""
    lines = "\n" in said
    found = [
        m for m in _NUMBER.finditer(said) if not (lines and said[: m.start()].rpartition("\n")[2].strip())
    ]
    numbers = [_NUMERALS.get(n) or int(n) for m in found if (n := next(g for g in m.groups() if g))]
    if len(found) < len((0, 0)) or numbers != [*range(1, len(numbers) + 1)]:
        return said
    ends = [m.start() for m in found[1:]] + [len(said)]
    steps = [said[m.end() : end] for m, end in zip(found, ends, strict=True)]
    if not all(find_operators(step.lower()) for step in steps):
        return said
    plain = [*(step.rstrip(" ,，;；。.\n") for step in steps[:-1]), steps[-1]]
    return said[: found[0].start()] + ", then ".join(plain)
