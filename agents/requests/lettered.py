"""Write sizes in the place of their letters: "A is MxK, B is [K, N], M=1024 N=512 K=2048".

A letter is a size where its number is told apart and a shape is spelt with it. Letters that no shape has stay as they
are: "k=5" may be an attribute. Where a letter has two numbers, nothing is written.
"""

import re

_TOLD = re.compile(
    r"(?<![\w.\[(])(?P<letter>[A-Za-z])\s?[=＝:：]\s?(?P<size>\d{1,7}k?)(?!\w|\.\d|\s?[x×*]\s?\d)", re.ASCII
)
_L = r"[A-Za-z](?![\w'])"
_ONE = rf"(?:{_L}|\d{{1,7}}(?!\w))"
_LISTED = re.compile(rf"[\[(（]\s?(?P<letters>{_ONE}(?:\s?[,，]\s?{_ONE})*)\s?[,，]?\s?[\])）]", re.ASCII)
_CROSSED = re.compile(
    r"(?<![\w.])(?P<letters>[A-Z](?:\s?[x×*]\s?(?:[A-Z]|\d{1,7})){1,4})(?![\w.(\[])", re.ASCII
)
_BETWEEN = re.compile(r"(?:\s|[,，、;；]|(?<![a-z])(?:and|with|where|for|here)(?![a-z])|其中|且|和)*", re.I)
_IDLE = re.compile(  # what is left of "..., where M=4, N=8,"
    r"(?:\s*(?:[,，、;；]|(?<![a-z])(?:where|with|here|for)(?![a-z])|其中))+\s*(?=[,，.。;；]|\Z)", re.I
)
_LEAST = 2  # letters that are told


def with_sizes(text: str) -> str | None:
    """Return a text with its shapes in numbers, without what told them; None where no shape is spelt in letters."""
    told: dict[str, str] = {}
    for match in _TOLD.finditer(text):
        if told.setdefault(match["letter"], match["size"]) != match["size"]:
            return None
    used: set[str] = set()

    def written(match: re.Match[str]) -> str:
        letters = re.findall(r"[A-Za-z]|\d+", match["letters"].replace("×", "*").replace("x", "*"))
        known = [told.get(letter, letter) for letter in letters]
        if len(told) < _LEAST or not all(k[0].isdigit() for k in known):
            return match[0]
        used.update(letter for letter in letters if letter in told)
        return f"[{', '.join(known)}]"

    sized = _CROSSED.sub(written, _LISTED.sub(written, text))
    return _without_told(sized, used) if used else None


def _without_told(text: str, used: set[str]) -> str:
    """Leave out the sizes of letters that stand in shapes, with what joins and leads them."""
    while (match := next((m for m in _TOLD.finditer(text) if m["letter"] in used), None)) is not None:
        behind = _BETWEEN.match(text, match.end())
        more = _TOLD.match(text, behind.end()) if behind is not None else None
        end = (
            behind.end()
            if behind is not None and more is not None and more["letter"] in used
            else match.end()
        )
        text = f"{text[: match.start()]}{text[end:]}"
    return _IDLE.sub("", text)
