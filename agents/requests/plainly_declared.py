"""Write the tensors that a text declares in many ways in one: "x：batch 4，8 个头，16×16" as "x 是 [4, 8, 16, 16]".

The text is read so where it is not understood as it stands: shapes by their axes, rows and columns, vectors by their
length, and tensors that are shaped like another one.
"""

import re

from akgen.knowledge.operators import find_operators

_NAME = (
    r"(?<![\w.])(?P<name>(?!(?:size|shape|kernel|window|stride|padding|pad|dim|axis|is|are|of|to|by|with|and|then|over|along|from|in"
    r"|on|for|an|the|a(?! ?(?:is(?![a-z])|has(?![a-z])|of(?![a-z])|being(?![a-z])|[:：\[(是为有形]))|or"
    r"|clamp|reshape|view|perm|permute|k|batch|groups|scale_factor|output|result|out|returns?|gives?|type|each"
    r"|per|one|it|tensors?|matrix|matrices|arrays?|vectors?|images?|inputs|shapes|sizes|cases?|eps|step|first|last|both|all|only|so|also|too)\b)[A-Za-z][A-Za-z0-9_]{0,11})"
)
_EQUATION = re.compile(r"mask|掩码|(?<![\w.])[a-z]\w*(?:\[[^\]]*\])? ?= ?[a-z(]", re.I)
_LINK = (
    r"(?:(?: ?[:：=] ?|\s+)?(?:(?<![a-z])(?:is|are|has|have|of|with|being|comes?|in|as|shaped?|tensor"
    r"|an?|the|matrix|input|contains|holds"
    r"|also)(?![a-z])\s*|(?<![a-z0-9])(?P<type>(?:u?int|fp|bf|float|bfloat)\d+|half|bool"
    r"|long)(?![a-z0-9])(?: ?型| 的| tensor)?[，,]?\s*|形状|大小|尺寸|维度|是|为|有|也|的|一个|[:：] ?)*)"
)
_N = r"\d{1,9}"
_BRACKETS = rf"[\[(（] ?{_N}(?: ?[,，] ?{_N})* ?,? ?[\])）]"
_PRODUCT = rf"(?<![\w.]){_N}(?: ?(?:[x×*]|by(?![a-z])) ?{_N})+(?![\w.]*\d)"
_AXIS = (
    rf"(?:(?:batch(?: size)?|seq(?:uence)?(?: len(?:gth)?)?|length|len|hidden(?: size)?|head[_ ]?dim"
    rf"|vocab(?:ulary)?(?: size)?|features?"
    rf"|dim|width|height|长度|序列(?:长度?)?|隐藏|特征|词表|宽|高)(?: ?(?:of|为|是|=))? ?{_N}"
    rf"|{_N} ?个?(?:heads?|channels?|features?|tokens?|images?|samples?|rows?|cols?|columns?|头|通道|特征"
    rf"|张|批|行|列|帧|词|样本)(?![a-z])"
    rf"|{_PRODUCT})"
)
_AXES = rf"{_AXIS}(?: ?(?:[,，、]|of(?![a-z])|with(?![a-z])|and(?![a-z])|每行|每个|共|各)+ ?{_AXIS})+"
_ROWS = (
    rf"{_N} ?(?:rows?|行)[,，]? ?(?:of|with|by|and|每行|有)? ?{_N} ?(?:values|numbers|columns?|cols"
    rf"|elements?|entries|个数?|列)?(?: each)?"
)
_VECTOR = (
    rf"(?:长度?|length|一维|size)[,，]? ?(?:of |为|是)? ?{_N}(?: ?个)?|{_N} ?(?:long|elements?"
    rf"|values|entries|个(?:元素|数|值)?|维(?:的?向量)?|长)(?![a-z])"
)
_EACH = (
    rf"{_N} ?个[\u4e00-\u9fff]{{1,3}}[，,] ?(?:每个|各) ?{_N} ?(?:个[数值]?|维)?|{_N} ?个 ?{_N} ?维(?:的)?向量"
    rf"|{_N} of them,? (?:also )?(?:in|with|of) {_N} (?:dims?|dimensions?|features)|{_N} vectors of {_N}"
)
_SHAPE = rf"(?P<shape>{_EACH}|{_AXES}|{_ROWS}|{_BRACKETS}|{_PRODUCT}|{_VECTOR})"
_TOLD = re.compile(rf"{_NAME}{_LINK}\s*{_SHAPE}", re.I)
_ALIKE = re.compile(
    rf"{_NAME}(?: ?[:：])?(?: (?:is|are|has|have|of|with|a))*"
    r"(?: (?:the )?(?:exact )?same(?: (?:shape|size)s?)?(?: (?:as|like) (?P<as>[a-z]\w*))?(?: too)?| too"
    r"| as well| likewise"
    r"| (?:is )?(?:shaped )?(?:like|matches|matching) (?P<as2>[a-z]\w*)(?:'s)?(?: shape)?"
    r"| (?:of )?(?:identical|equal|that) (?:shape|size)(?: too)?"
    r"| ?(?:的)?(?:形状|大小|尺寸)?(?:也是"
    r"|也)?(?:[和与跟同] ?(?P<as3>[a-z]\w*) ?(?:的)?(?:形状)?)?(?:一样(?:[大长的])?|相同|同形状?"
    r"|同样大小|一致|也是(?:这个形状|一样)?|同大小))"
    r"(?= ?(?:[,，.。;；)）]|and(?![a-z])|$))",
    re.I,
)
_LIKE = re.compile(rf"{_NAME} ?(?:形状)?同 ?(?P<as>[a-z]\w*)(?= ?(?:[,，.。;；]|$))", re.I)


def plainly_declared(text: str) -> str:
    """Return a text with "name is [...]" for each tensor that it declares; as it is where it has equations or masks."""
    if _EQUATION.search(text):
        return text
    verb = "is" if text.isascii() else "是"
    told: dict[str, str] = {}
    named = [n for n in find_operators(text.lower()) if n.end - n.begin > 1]
    parts: list[str] = []
    at = 0
    found = sorted(
        [*_TOLD.finditer(text), *_ALIKE.finditer(text), *_LIKE.finditer(text)],
        key=lambda m: (m.start(), -m.end()),
    )
    for match in found:
        if match.start() < at or any(n.begin <= match.start("name") < n.end for n in named):
            continue
        said = match.groupdict()
        if (shape := said.get("shape")) is not None:
            sizes = re.findall(r"\d+", shape)
        else:
            like = next((v for n, v in said.items() if n.startswith("as") and v), None)
            sizes = re.findall(
                r"\d+", told.get(like.lower(), "") if like else next(reversed(told.values()), "")
            )
        if not sizes:
            continue
        written = f"[{', '.join(sizes)}]"
        told[match["name"].lower()] = written
        if kind := said.get("type"):
            written = f"{written} {kind}"
        parts += [text[at : match.start()], f"{match['name']} {verb} {written}"]
        at = match.end()
    return "".join([*parts, text[at:]])
