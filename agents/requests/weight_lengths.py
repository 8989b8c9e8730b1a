"""Write the lengths of weights as shapes: "weight and bias of 256", "gamma、beta 各 64", "running_mean, var 32 each".

A number behind the names of weights is their length where the text has a norm, a learnt slope or a bias, and a shape
has an axis of that size; any other number is left as it stands.
"""

import re

_NAMES = {
    "running_mean": r"running[_ ]?mean|moving[_ ]mean|滑动均值",
    "running_var": r"running[_ ]?var(?:iance)?|moving[_ ]var(?:iance)?|滑动方差",
    "gamma": r"gamma|γ", "beta": r"beta|β", "weight": r"weights?|权重", "bias": r"bias(?:es)?|偏置",
    "mean": r"mean|均值", "var": r"var(?:iance)?|方差", "scale": r"scale", "shift": r"shift", "slope": r"slopes?|斜率",
}  # fmt: skip
_STATISTICS = {"mean": "running_mean", "var": "running_var"}
_ONE = "|".join(f"(?:{names})" for names in _NAMES.values())
_AND = r"(?: ?(?:,|，|、|/|&|\+|和|与|及) ?(?:and )?(?:the )?| and (?:the )?)"
_LIST = rf"(?P<names>(?<![A-Za-z0-9_.])(?:{_ONE})(?:{_AND}(?:{_ONE})){{0,4}})(?![A-Za-z0-9_])"
_LINK = (
    r"(?: ?[，,] ?(?=各|each|all|都|长度?))?(?: ?[:=：]| (?:is|are|of|has|have|with|both|all|each|size|shape|length"
    r"|vectors?|tensors?)(?![a-z])"
    r"| ?(?:per[- ]channel|per channel|各自?|都|均|也|是|为|有|长度?|形状|大小|每个|分别))* ?"
)
_TYPE = r"(?:fp|bf|float|bfloat)\d+|half|float"
_EACH = r"(?: ?(?:each|个|elements|values))*"
_SIZE = (
    rf"(?:[(（] ?(?:each |各)?(?P<inside>\d{{1,12}}){_EACH} ?[)）]|(?P<size>\d{{1,12}}){_EACH}"
    rf"(?: (?:given|passed))?(?: as (?:extra |separate )?inputs?)?"
    rf"(?= ?(?:{_TYPE}|[;；。)）\n]|[,，](?! ?\)| ?\d+ ?[,，)\]])|\.(?!\d)|\Z| ?的|in |inputs?)))"
)
_LENGTH = re.compile(rf"{_LIST}{_LINK}{_SIZE}", re.I)
_N = r"\d{1,12}"  # more digits are no size
_SHAPE = re.compile(rf"[\[(（] ?{_N}(?: ?[,，] ?{_N})+ ?[\])）]|(?<![\w.]){_N}(?: ?[x×*] ?{_N})+(?![\w.])")
_HAS = re.compile(r"norm|prelu|归一化|bias|偏置|(?<![A-Za-z])[LGBI]N(?![A-Za-z])", re.I)
_BATCH = re.compile(r"batch ?-?norm|batch normali|(?<![A-Za-z])BN|批归一|批量归一", re.I)
_OPERANDS = re.compile(
    rf"[*@/^] ?(?:{_ONE})(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?:{_ONE}) ?[*@/^]", re.I
)  # of a formula
_KERNELS = re.compile(r"conv|卷积|linear|全连接|embedding|attention", re.I)


def with_weights(text: str) -> str:
    """Return a text with the lengths of its weights as shapes."""
    shapes = [[int(n) for n in re.findall(r"\d+", shape)] for shape in _SHAPE.findall(text)]
    if not shapes or not _HAS.search(text) or _OPERANDS.search(text):
        return text
    kernels, batch = _KERNELS.search(text) is not None, _BATCH.search(text) is not None
    sizes = {shape[axis] for shape in shapes for axis in ((0, 1, -1) if kernels else (1, -1))}

    def written(match: re.Match[str]) -> str:
        said = [next(n for n, p in _NAMES.items() if re.fullmatch(p, m, re.I)) for m in _each(match["names"])]
        if int(size := match["inside"] or match["size"]) not in sizes or (
            {*said} <= {"mean", "var", "scale", "shift"} and len(said) == 1
        ):
            return match[0]
        if kernels and not (
            {*said} == {"bias"} or (batch and len(said) > 1 and not {*said} & {"weight", "bias"})
        ):
            return match[0]
        if batch:
            said = [_STATISTICS.get(name, name) for name in said]
        return ", ".join(f"{name} [{size}]" for name in said)

    return _LENGTH.sub(written, text)


def _each(names: str) -> list[str]:
    return [m[0] for m in re.finditer(_ONE, names, re.I)]
