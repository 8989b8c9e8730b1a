"""Leave out what only says where an operator is used: "(gemma2 style)", "for the decoder", "用于推荐模型".

A remark holds no number and nothing that any recogniser has read. It stands behind a word that begins such a remark, or
in parentheses that name axes or say whose style it is: other words in parentheses may limit what is computed ("the real
part", "circular") and are asked about.
"""

import re

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.purposes import take_likenesses

_GROUP = re.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]")
_W = r"[a-z][a-z0-9'\-]*"
_PLACE = (
    r"(?:models?|networks?|nets?|decoders?|encoders?|layers?|blocks?|heads?|branch(?:es)?|pipelines?|papers?|course|"
    r"homework|assignment|project|training|inference|router|backbone|transformers?|llms?|cache|stage|demo|benchmark|"
    r"finetun(?:e|ing)|fine-tun(?:e|ing)|experiments?|prototype|product|research|thesis|repo|codebase|library|team|lms?|apps?"
    r"|systems?|services?|engine|class|assignments?|tutorial|book|docs|documentation|implementation)"
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
_OPERATOR = re.compile(r"(?<![a-z])[a-z]+(?:max|norm|lu|loss|pool|conv|attention|entropy)(?![a-z])")
_USED_IN = re.compile(  # words between that say nothing are no others: "for a small LM", "as in the original paper"
    rf"(?<![a-z])(?:(?:as|like) )?(?:used )?(?:inside|part of|from|for|in)(?: (?:the|my|our|an?|some|this|that))*"
    rf"(?P<kind>(?: [a-z][a-z\-]*){{0,3}}?)[ -]{_PLACE}(?![a-z])"
)
_KINDS = frozenset((
    "small", "tiny", "large", "big", "toy", "little", "deep", "wide", "custom", "internal", "in-house", "larger",
    "smaller", "bigger", "neural", "language", "vision", "speech", "video", "image", "recommendation", "generative",
))  # fmt: skip
_WORK = re.compile(  # "I'm porting a wide ResNet and need ..."
    r"(?<![a-z])(?:i|we)(?: a|'|’)(?:m|re)(?: (?:currently|now|just|still|also|here|trying to))*"
    r" (?:work|port|build|writ|implement|try|develop|train|optimi[sz]|migrat|do|mak|debug|prototyp|experiment|reproduc"
    r"|fine-?tun|play|learn|prepar|study|test|benchmark|profil|design|creat|replac|rewrit|mov|deploy|speed|convert|put"
    r"|us|explor|research|replicat|re-?implement)(?:ting|ning|ing|e)?(?![a-z])"
    r"(?:[^.,;:!?\n\d]|(?<=[a-z0-9\-])\d){0,80}?"
    r"(?=[.,;:!?\n]|\Z|(?: and| so| but)(?: i| we| now)*(?: need| want| would| require| look| am| are)"
    r"|(?: that| which| where| for which)(?: i| we)?(?: needs?| wants?| uses?))"
)
_AXES = re.compile(
    r"[bcdhijklmnopqstvwx]|[bcdhlnstw]{2,5}|n?heads?|batch|seq(?:_?len)?|time|channels?|height|width|dim|head_dim|hidden|features?"
)
_STYLE = re.compile(
    r"(?<![a-z])(?:style|flavou?r(?:ed)?|papers?|fashion|version|model|stats|statistics)(?![a-z])"
    r"|\A\s*(?:the )?[a-z0-9]+ one\s*\Z|风格|论文|模型"
)
_WHOLE = re.compile(
    r"(?<![a-z])(?:block|module|layer|cell|unit|net|network|head|mixer)\s*\Z|(?:模块|块|层|网络|单元)\s*\Z"
)
_LABEL = re.compile(r"\A\s*([^:：\n,，.。;；=\d]{1,48})[:：](?!\s*\Z)")
_NOUNS = re.compile(
    r"(?:\A|[\s,，.。;；:：\x00])((?:[a-z][a-z\-]+|[\u4e00-\u9fff]+)(?: [a-z][a-z\-]+){0,2}) \Z"
)
_DENIES = re.compile(
    r"(?<![a-z])(?:not?|never|without|don'?t|but|only|backward|gradient|inverse|except|half|reverse[d]?|before|after|and|then)"
    r"(?![a-z])|不|别|非|无|反|梯度|除|只|仅|前|后|再"
)


def take_labels(text: MarkedText) -> None:
    """Mark what a text calls what it then says: "Lab 3, adaLN modulate: x * (1 + s)", "charbonnier loss sqrt(...)"."""
    formulas = [m for m in text.sorted() if m.kind == "operator" and getattr(m.value, "formula", None)]
    match = _LABEL.match(text.text)
    follows = match is not None and any(m.kind == "operator" and m.begin >= match.end() for m in text.marks)
    steps = sum(m.kind == "operator" for m in text.marks)
    names_whole = match is not None and steps == 1 and not formulas and _WHOLE.search(match[1])
    if match is not None and follows and not names_whole and not _DENIES.search(match[1]):
        text.mark(*match.span(1), "filler")
    for formula in formulas[:1]:
        named = _NOUNS.search(text.rest[: formula.begin])
        if named is not None and not _DENIES.search(named[1]):
            text.mark(*named.span(1), "filler")


def take_remarks(text: MarkedText) -> None:
    """Mark remarks as words that say nothing."""
    take_labels(text)
    take_likenesses(text)
    for match in re.finditer(words()["said of it"], text.text):
        if (
            not _DENIES.search(match[0])
            and not re.search(r"(?<![a-z])\d", match[0])
            and not _read(text, match)
        ):
            text.mark(*match.span(), "filler")
    for match in _GROUP.finditer(text.text):
        inner = text.rest[match.start(1) : match.end(1)]
        within = [
            m for m in text.marks if match.start() < m.begin and m.end <= match.end() and m.kind != "filler"
        ]
        around = (
            text.text[max(0, match.start() - 1) : match.start()] + text.text[match.end() : match.end() + 1]
        )
        if around.isalnum() and around.isascii() and re.search(r"[*/@^=+]", inner):
            continue  # "softmax(q k / d)" is no remark
        if not within and (_says_nothing(match[1], inner) or _said_already(text, match[1])):
            text.mark(match.start(), match.end(), "filler")
    for match in _ORIGIN.finditer(text.rest):
        if _OPERATOR.search(match[0]):
            continue  # "as in the sparsemax paper" is another one's definition
        if not re.search(r"(?<![a-z])\d", match[0]) and "\x00" not in match[0]:
            text.mark(match.start(), match.end(), "filler")
    for match in _USED_IN.finditer(text.text):
        left = set(re.findall(r"[a-z][a-z\-]*", text.rest[match.start("kind") : match.end("kind")]))
        if left <= _KINDS and not _read(text, match):
            text.mark(match.start(), match.end(), "filler")
    for match in _WORK.finditer(text.text):
        if any(m.kind == "operator" and match.start() <= m.begin < match.end() for m in text.marks):
            continue  # "I'm writing a leaky softmax" is what is asked for
        for word in re.finditer(r"[a-z][a-z0-9'\-]*", text.rest[match.start() : match.end()]):
            if not _DENIES.search(word[0]):
                text.mark(match.start() + word.start(), match.start() + word.end(), "filler")


def _read(text: MarkedText, match: re.Match[str]) -> bool:
    """Say whether something was read within a match that says more than nothing."""
    return any(m.kind != "filler" and m.begin < match.end() and match.start() < m.end for m in text.marks)


def _says_nothing(said: str, unread: str) -> bool:
    """Say whether parentheses with words that nothing has read name axes, or whose style an operator has."""
    if re.search(r"\d(?! ?-?[a-z])", re.sub(r"[a-z]+\d+", "", unread)):
        return False
    names = all(map(_AXES.fullmatch, re.findall(r"[a-z_]+|[\u4e00-\u9fff]+", said)))
    return names or bool(_STYLE.search(said) and not _DENIES.search(said))


def _said_already(text: MarkedText, said: str) -> bool:
    """Say whether parentheses say a value once more that an attribute has: "循环填充（circular）"."""
    values = (v for m in text.marks if m.kind == "attribute" for v in m.value.values.values())
    return said.strip() in {v for v in values if isinstance(v, str)}
