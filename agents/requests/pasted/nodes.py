"""Write an operator that is described by fields in words and formulas: a node of a graph, as ONNX prints it or as JSON,
and a table of two columns, a property and its value.

A node has an operator's name, attributes and tensors with shapes and types: "op_type: "Gemm" ... transB = 1 ... inputs:
A float32[64,256], ...". What it says with a name that is not known here stays, so that it is asked about.
"""

import re
from typing import NamedTuple

_NODE = re.compile(
    r"""(?:^[ \t]*node[ \t]*\{|\{\s*"(?:op|type|name|op_type)"\s*:)(?P<body>.*)\Z""", re.M | re.S
)
_OP = re.compile(r"""(?<![\w])"?(?:op_type|op|optype)"?\s*[:=]\s*"(?P<op>\w+)\"""")
_LISTED = re.compile(
    r"""\{\s*"?name"?\s*:\s*"(?P<name>[\w.]+)"[^{}]*?"?shape"?\s*:\s*\[(?P<shape>[\d, ]+)\][^{}]*?\}""", re.S
)
_KIND = re.compile(r""""?(?:d?type|data_?type)"?\s*:\s*"(?P<type>\w+)\"""", re.I)
_NOTED = re.compile(r"""input\s*:\s*"(?P<name>\w+)"\s*#\s*(?P<type>\w+)\s*\[(?P<shape>[\d, ]+)\]""")
_PLAIN = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w*)\s*:?\s*(?P<type>(?:u?int|float|bfloat)\d+)\s*\[(?P<shape>[\d, ]+)\]"
)
_RESULT = re.compile(r"""["']?\boutputs?(?:_desc)?["']?\s*:""", re.I)
_ATTRIBUTE = re.compile(
    r"""attributes?\s*\{\s*name\s*:\s*"(?P<name>\w+)"\s*(?:type\s*:\s*\w+\s*)?"""
    r"""(?:ints?|floats?|[ifs])\s*:\s*(?P<value>\[[\d, .\-]*\]|-?[\d.]+(?:e-?\d+)?|"\w*")\s*\}"""
    r"""|\{\s*"name"\s*:\s*"(?P<name2>\w+)"\s*,\s*"value"\s*:\s*"""
    r"""(?P<value2>\[[\d, .\-]*\]|-?[\d.]+(?:e-?\d+)?|true|false|"\w*")\s*\}"""
)
_LINE = re.compile(r"attributes?\s*:\s*(?P<all>[A-Za-z_]\w* *= *[^\n]+)")
_EQUAL = re.compile(r"(?P<name>[A-Za-z_]\w*) *= *(?P<value>\[[\d, .\-]*\]|-?[\d.]+(?:e-?\d+)?|true|false)")
_PRODUCTS = ("gemm", "matmul", "matmulv2", "batchmatmul", "batchmatmulv2", "matmulv3", "batchmatmulv3")
_TURNS = (
    {"transa", "adj_x1", "transpose_x1", "transpose_a"},
    {"transb", "adj_x2", "transpose_x2", "transpose_b"},
)
_WINDOW = {"strides": "stride", "dilations": "dilation", "group": "groups", "pads": "padding"}
_YES = ("1", "true")
_PAIR = 2
_LONGEST = 6000


class _Tensor(NamedTuple):
    name: str
    kind: str
    shape: str


def with_nodes(text: str) -> str:
    """Return a text with the only node in it written in words; as it is where not all of the node can be."""
    node = _NODE.search(text) if len(text) <= _LONGEST else None
    op = _OP.search(text, node.start()) if node is not None else None
    if node is None or op is None or len(_OP.findall(text)) != 1:
        return text
    body = text[node.start() :]
    results = [m.start() for m in _RESULT.finditer(body)]
    given, told = (
        _tensors(body[: results[0]] if results else body),
        _tensors(body[results[0] :] if results else ""),
    )
    behind = _ATTRIBUTE.sub(" ", body[results[0] :]) if results else ""
    values = {(m["name"] or m["name2"]).lower(): m["value"] or m["value2"] for m in _ATTRIBUTE.finditer(body)}
    for line in _LINE.finditer(body):
        values |= {m["name"].lower(): m["value"] for m in _EQUAL.finditer(line["all"])}
    if not given or len(told) > 1 or (results and not told and re.search(r"\[\s*\d", behind)):
        return text
    written = _written(op["op"], values, given)
    if written is None:
        return text
    said = ", ".join(f"{t.name} [{t.shape}] {t.kind}".strip() for t in given)
    result = f", output [{told[0].shape}] {told[0].kind}".rstrip() if told else ""
    return f"{text[: node.start()].rstrip()}\n{written}, {said}{result}"


def _tensors(part: str) -> list[_Tensor]:
    """Return the tensors that a part of a node tells, in its order."""
    for pattern in (_LISTED, _NOTED, _PLAIN):
        found = []
        for match in pattern.finditer(part):
            kind = _KIND.search(match[0]) if pattern is _LISTED else None
            kind_said = kind["type"] if kind is not None else match.groupdict().get("type") or ""
            found.append(_Tensor(match["name"], kind_said, match["shape"].strip()))
        if found:
            return found
    return []


def _written(op: str, values: dict[str, str], given: list[_Tensor]) -> str | None:
    """Return the operator with its attributes in our names; None where they cannot be written so."""
    if op.lower() in _PRODUCTS and len(given) >= _PAIR:
        return _product(dict(values), given)
    if op.lower() in ("conv", "convtranspose"):
        return _window(op, dict(values), given)
    return " ".join([op, *(f"{name}={value}" for name, value in values.items())])


def _product(values: dict[str, str], given: list[_Tensor]) -> str | None:
    sides = []
    for tensor, names in zip(given, _TURNS, strict=False):
        said = [values.pop(n) for n in list(values) if n in names]
        sides.append(f"{tensor.name}^T" if any(v.lower() in _YES for v in said) else tensor.name)
    formula = f"{sides[0]} @ {sides[1]}"
    alpha, beta = (float(values.pop(n, "1")) for n in ("alpha", "beta"))
    if alpha != 1:
        formula = f"{alpha:g} * ({formula})"
    if len(given) > _PAIR:
        formula += f" + {given[2].name}" if beta == 1 else f" + {beta:g} * {given[2].name}"
    return None if values or len(given) > len("abc") else f"y = {formula}"


def _window(op: str, values: dict[str, str], given: list[_Tensor]) -> str | None:
    """Return a convolution whose padding is the same on both sides."""
    rank = len(given[0].shape.split(",")) - _PAIR
    values.pop("kernel_shape", None)  # the weight's
    pads = [int(n) for n in re.findall(r"-?\d+", values.pop("pads", ""))]
    if pads[:rank] != pads[rank:] or values.pop("auto_pad", '"NOTSET"') != '"NOTSET"':
        return None
    said = [f"padding=({', '.join(map(str, pads[:rank]))})"] if pads else []
    for name in list(values):
        if name not in _WINDOW:
            return None
        value = values.pop(name)
        said.append(f"{_WINDOW[name]}={value.replace('[', '(').replace(']', ')')}")
    name = "conv" if op.lower() == "conv" else "conv_transpose"
    return " ".join([f"{name}{rank}d", *said])


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
