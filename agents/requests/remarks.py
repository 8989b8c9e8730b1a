"""Leave out what only says where an operator is used: "(gemma2 style)", "for the decoder", "用于推荐模型".

A remark holds no number and nothing that any recogniser has read, and stands in parentheses or behind a word that
begins such a remark.
"""

import re

from akgen.agents.requests.marks import MarkedText

_GROUP = re.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]")
_W = r"[a-z][a-z0-9'\-]*"
_PLACE = (
    r"(?:models?|networks?|nets?|decoders?|encoders?|layers?|blocks?|heads?|branch(?:es)?|pipelines?|papers?|course|"
    r"homework|assignment|project|training|inference|router|backbone|transformers?|llms?|cache|stage|demo|benchmark)"
)
_ORIGIN = re.compile(
    rf"(?<![a-z])(?:as (?:used )?in|like (?:in )?|used (?:in|by|for)|inside|part of|from|for|in)"
    rf"(?: (?:the|my|our|an?|some|this|that))*(?: {_W}){{0,3}}?[ -]{_PLACE}(?![a-z])"
    rf"|(?<![a-z])(?:as in|like in|used in|used by)(?: {_W}){{1,3}}?(?= ?[,.;:，。；]| ?\Z|\n| ?\x00)"
    rf"|(?<![a-z0-9])(?:{_W}[ -]){{1,2}}(?:style|flavou?red|flavou?r|paper|piece|fashion)(?![a-z])"
    r"|(?:用于|用在|用来做|来自|类似|就像)[\u4e00-\u9fffa-z0-9 ]{1,12}?(?:的|里的?|中的?|那样|那种)?"
    r"(?=[,，。；;\s\x00]|\Z)"
    r"|[\u4e00-\u9fffa-z0-9]{1,10}(?:风格|里的那种|论文里?的?)的?"
)


def take_remarks(text: MarkedText) -> None:
    """Mark remarks as words that say nothing."""
    for match in _GROUP.finditer(text.text):
        inner = text.rest[match.start(1) : match.end(1)]
        within = [
            m for m in text.marks if match.start() < m.begin and m.end <= match.end() and m.kind != "filler"
        ]
        if not within and not re.search(r"\d(?! ?-?[a-z])", re.sub(r"[a-z]+\d+", "", inner)):
            text.mark(match.start(), match.end(), "filler")
    for match in _ORIGIN.finditer(text.rest):
        if not re.search(r"(?<![a-z])\d", match[0]) and "\x00" not in match[0]:
            text.mark(match.start(), match.end(), "filler")
