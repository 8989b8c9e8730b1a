"""Write the names that other libraries have for operators as ours: "tf.nn.softmax", "aclnnCumsum", "GatherV2".

A name stands here only where it computes what ours does with the same defaults, or with those that are written beside
it: numpy's variance is biased, ONNX keeps the axes that it reduces. Any other name is left to be asked about.
"""

import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any

_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_KEEPS = re.compile(r"(?<![a-z])keep_?dims?(?![a-z])", re.I)
_APPROXIMATE = re.compile(r"[,，]?\s*approximate ?= ?(?:(?P<yes>true|1)|false|0)(?![\w.])", re.I)
_AXIS = re.compile(r"(?<![a-z])(?:axis|dim)(?![a-z])|[轴维]", re.I)


def in_our_names(text: str) -> str:
    """Return a text with other libraries' names written as ours; code with its own imports as it is."""
    if _CODE.search(text):
        return text
    for library, pattern in _prefixed().items():
        said = text
        text = pattern.sub(lambda m, library=library, said=said: _ours(library, m, said), said)  # type: ignore[misc]
        if text != said and re.search("gelu", text):
            text = _APPROXIMATE.sub("", text)
    return _bare().sub(lambda m: _said()["bare"][_plain(m[0])], text)


def _ours(library: str, match: re.Match[str], text: str) -> str:
    """Return our name for one of a library's; the name as it is where ours may mean another thing."""
    said, name = _said(), match["name"].lower()
    plain = _plain(name)
    if plain in map(_plain, said["argmax"].get(library, ())):
        return name if _AXIS.search(text) else match[0]  # its default is the first axis
    own = {_plain(n): ours for n, ours in said["own"][library].items()}
    ours = own.get(plain) or (name if plain in map(_plain, said["same"]) else None)
    if ours is None:
        return match[0]
    if ours.endswith(" keepdim") and _KEEPS.search(text):
        ours = ours.removesuffix(" keepdim")
    if plain == "gelu" and (told := _APPROXIMATE.search(text)) is not None:
        ours = "gelu_tanh" if told["yes"] else "gelu"
    return str(ours)


def _plain(name: str) -> str:
    return re.sub(r"_", "", name.lower())


@cache
def _prefixed() -> dict[str, re.Pattern[str]]:
    return {
        library: re.compile(rf"(?<![\w.]){prefix}(?P<name>[A-Za-z]\w*)(?![\w.])", re.I)
        for library, prefix in _said()["prefixes"].items()
    }


@cache
def _bare() -> re.Pattern[str]:
    names = sorted((n for n, ours in _said()["bare"].items() if ours), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(names)})(?![\w.(])", re.I)


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("libraries.json").read_text("utf-8")
    )
    return found
