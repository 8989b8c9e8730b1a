"""Write a table of two columns, a property and its value, as a list: "| name | Softplus |", "| 输入 | x [8, 4] |"."""

import re

_KEYS = re.compile(
    r"(?:算子)?(?:名称?|名字)|算子|属性|参数|输入(?:张量)?|数据类型|类型|形状"
    r"|(?:op(?:erator)?(?:[ _]?(?:name|type))?|names?|attrs?|attributes?|inputs?|param(?:eter)?s?|d?types?|shapes?)",
    re.I,
)
_RESULTS = re.compile(r"输出(?:张量)?|结果|outputs?|results?|returns?", re.I)
_HEAD = re.compile(
    r"(?:项目?|内容|字段|值|说明|描述|属性|(?<![a-z])(?:items?|fields?|keys?|values?|propert(?:y|ies)|spec|description)(?![a-z])"
    r"|[\s|])+",
    re.I,
)
_ROW = re.compile(r"^[ \t]*\|(?P<key>[^|\n]*)\|(?P<value>[^|\n]*)\|[ \t]*$", re.M)
_RULE = re.compile(r"^[ \t]*\|[\s:\-]+\|[\s:\-]+\|[ \t]*$", re.M)
_TITLE = re.compile(r"^[ \t]*(?:算子)?(?:规格|说明|定义)(?:如下|见下表)?[:：][ \t]*\n", re.M)
_LEAST = 2


def with_properties(text: str) -> str:
    """Return a text with its table of properties as a list; as it is where it has none, or rows of another kind."""
    rows = [m for m in _ROW.finditer(text) if not _RULE.fullmatch(m[0])]
    known = [m for m in rows if _KEYS.fullmatch(m["key"].strip()) or _RESULTS.fullmatch(m["key"].strip())]
    others = [m for m in rows if m not in known]
    if len(known) < _LEAST or not _RULE.search(text) or any(not _HEAD.fullmatch(m[0]) for m in others):
        return text

    def written(match: re.Match[str]) -> str:
        if _RULE.fullmatch(match[0]) or match["key"].strip() not in {m["key"].strip() for m in known}:
            return ""
        value = match["value"].strip()
        return f"{'output ' if _RESULTS.fullmatch(match['key'].strip()) else ''}{value},"

    return _TITLE.sub("", _ROW.sub(written, text))
