"""Write what words say of weights and vectors as declarations: how they come, and how long they are.

"gamma 也作为输入传进来", "weight comes as the second argument": a norm gets the weights that are named so, as if it was
said to have them; layers have theirs anyway. What declares them with a shape says so itself.

"weight and bias of 256", "gamma、beta 各 64": a number behind the names of weights is their length where the text has a
norm, a learnt slope or a bias, and a shape has an axis of that size; any other number is left as it stands.

"a is 256x512, bias is 512": a length in a list of declared shapes is the size of an axis that the text tells. Names of
scalars keep their numbers ("eps is 64"), as do those that an equals sign gives one, where shapes are told by other
words. What may be a small number is asked about.
"""

import re

from akgen.agents.requests.formula import is_scalar, is_vector
from akgen.agents.requests.problems import Unclear

_PASSED_NAME = (
    r"(?:running_(?:mean|var)|running (?:mean|var(?:iance)?)|gamma|beta|weights?|bias(?:es)?|"
    r"scales?(?= (?:and|&) (?:shift|bias))|shift|γ|β|权重|偏置|缩放"
    r"(?=和偏移)|偏移)"
)
_PASSED_NAMES = (
    rf"(?P<names>(?<![A-Za-z0-9_])(?:affine )?{_PASSED_NAME}(?:(?: ?(?:and|&|,|、|/|和|与|及|\+) ?(?:the )?| )"
    rf"{_PASSED_NAME}){{0,3}}(?: (?:vectors?|tensors?|params?|parameters?))?)(?![A-Za-z0-9_])"
)
_INPUT = (
    r"(?:(?:an?|the|separate|extra|external|additional|runtime|kernel|own|their own|second|third|f"
    r"ourth|last|2nd|3rd|\d(?:nd|rd|th)|and) ?)*"
    r"(?:inputs?|arguments?|args?|operands?|tensors?|parameters? (?:to|of) the kernel|kernel param"
    r"eters?)(?: tensors?)?(?: of (?:the|its) own)?"
    r"(?: to the (?:kernel|op|operator))?"
)
_PASSED = re.compile(
    rf"(?:[,，] ?)?(?:(?<![A-Za-z])(?:with|and|given|taking|takes?|the|both) )*{_PASSED_NAMES} (?:(?:also|"
    rf"both|all|should|will|must|to|be|is|are|being|get|gets) )*"
    rf"(?:(?:comes?|coming|go(?:es)?|arrives?|passed|given|provided|supplied|fed|handed|taken|is|ar"
    rf"e|as)(?: in)?(?= |\Z|[,.;)])(?: as)?(?: well)? ?"
    rf"(?:as )?{_INPUT}|(?:passed|handed|fed)(?: in)(?: from (?:outside|the host))?)(?: too| as well)?(?![a-z])"
    rf"|(?:[,，] ?)?(?<![A-Za-z])(?:takes?|taking|pass(?:ing)?(?: in)?) (?:the )?"
    rf"{_PASSED_NAMES.replace('names', 'taken')} as {_INPUT}(?: too| as well)?(?![a-z])"
    rf"|(?:[,，] ?)?(?:其中|卷积的?|线性层的?)?{_PASSED_NAMES.replace('names', 'zh')} ?(?:也|都|均|全部?|"
    rf"请|要|需要?|就|一起|是)*"
    r"(?:(?:作为|当作?|做|走|通过|以|用|从)(?:额外的?|单独的?|外部的?|第 ?[二三四五\d] ?个)?(?:输"
    r"入参数|函数参数|输入|传参|参数|入参|实参|形参|外部|外面)"
    r"(?:方式|形式)?(?:的?tensor|张量)?(?:来|中)?(?:传(?:进来|入|进去?|过来|递)?|给(?:出|进来)?|进"
    r"来)?|传(?:进来|入|参|过来)|(?:由|从)?(?:外部|外面|host)传(?:入|进来|过来)|(?<=是|为)(?:外部的?|额外的?|单独的?)?(?:输入|入参)(?:参数|张量|tensor)?)(?:的|吧)?",
    re.I,
)
_ANY_NORM = re.compile(r"norm(?![a-z])|norm[12]d|归一化|(?<![A-Za-z])(?:LN|GN|BN|IN)(?![A-Za-z])", re.I)
_WEIGHT = re.compile(r"gamma|weight|scale|γ|权重|缩放", re.I)
_BIAS = re.compile(r"beta|bias|shift|β|偏置|偏移", re.I)
_DECLARED = r"(?<![A-Za-z0-9_]){} ?(?:[:=：]|is|of|shape|是|为|形状)* ?[\[(] ?\d"


def with_passed_weights(text: str) -> str:
    """Return a text with what says that weights are inputs as what says that there are weights."""
    return _PASSED.sub(lambda match: _declared(match, text), text)


def _statistics(names: str, text: str) -> str | None:
    """Declare the statistics of a batch norm and what comes with them, as long as the channels of the only shape."""
    shapes = re.findall(r"[\[(] ?\d+ ?, ?(\d+)(?: ?, ?\d+)* ?[\])]", text)
    if len(shapes) != 1:
        return None
    said = [m[0].lower().replace(" ", "_") for m in re.finditer(_PASSED_NAME, names, re.I)]
    return ", " + ", ".join(f"{name} [{shapes[0]}]" for name in said)


def _declared(match: re.Match[str], text: str) -> str:
    names = match["names"] or match["taken"] or match["zh"]
    if "running" in names.lower():
        return _statistics(names, text) or match[0]
    weight, bias = _WEIGHT.search(names), _BIAS.search(names)
    rest = text[: match.start()] + " " + text[match.end() :]
    declared = any(re.search(_DECLARED.format(m[0]), rest, re.I) for m in (weight, bias) if m)
    if not _ANY_NORM.search(rest) or declared:
        return " "
    if weight is None:
        return match[0]
    if re.search(r"[\u4e00-\u9fff]", match[0]):
        return "，带权重和偏置" if bias else "，带权重"
    return ", with weight and bias" if bias else ", with weight"


# How long weights are

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
_WEIGHT_SIZE = (
    rf"(?:[(（] ?(?:each |各)?(?P<inside>\d{{1,12}}){_EACH} ?[)）]|(?P<size>\d{{1,12}}){_EACH}"
    rf"(?: (?:given|passed))?(?: as (?:extra |separate )?inputs?)?"
    rf"(?= ?(?:{_TYPE}|[;；。)）\n]|[,，](?! ?\)| ?\d+ ?[,，)\]])|\.(?!\d)|\Z| ?的|in |inputs?)))"
)
_WEIGHT_LENGTH = re.compile(rf"{_LIST}{_LINK}{_WEIGHT_SIZE}", re.I)
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

    return _WEIGHT_LENGTH.sub(written, text)


def _each(names: str) -> list[str]:
    return [m[0] for m in re.finditer(_ONE, names, re.I)]


# How long vectors in a list of shapes are

_SIZES = r"(?:[\[(] ?\d+(?: ?, ?\d+)+ ?[\])]|(?<![\w.])\d+(?: ?[x×*] ?\d+)+(?![\w.]))"
_IS = r" ?(?:is|are|of|has|是|为|[:：=])? ?"
_TOLD = re.compile(rf"(?<![\w.])(?P<name>[a-z]\w*)(?P<link>{_IS})(?P<sizes>{_SIZES})", re.I)
_VECTOR_LENGTH = re.compile(
    rf"(?<![\w.])(?P<name>[a-z]\w*)(?P<link>{_IS})(?<!\w)(?P<size>\d+)"
    r"(?=(?P<type> ?(?:fp|bf|float|bfloat)(?:16|32))?"
    r"\s*(?:[,.;，。；)）\n]|\Z|and\b|和|与))(?!\.\d)",
    re.I,
)
_OPERAND = re.compile(
    r"(?<=[-+*/@^(])\s?([a-z]\w*)|(?<![\w.])([a-z]\w*)(?=\s?[-+*/@^)])", re.I
)  # beside a sign
_OF_NORMS = frozenset(("weight", "gamma", "beta", "bias", "g"))  # as long as an axis of what they scale
_NORM = re.compile(r"norm(?![a-z])|归一化", re.I)
_LEAST = 16  # what a factor is seldom


def with_vectors(said: str) -> str:
    """Return the text with the lengths of vectors as shapes. Raises Unclear where one may be a number."""
    told = list(_TOLD.finditer(said))
    sizes = {int(n) for m in told for n in re.findall(r"\d+", m["sizes"])}
    operands = {(m[1] or m[2]).lower() for m in _OPERAND.finditer(said)}
    norm = _NORM.search(said) is not None
    equals = any("=" in m["link"] for m in told)

    def written(match: re.Match[str]) -> str:
        name, size = match["name"].lower(), int(match["size"])
        if (
            size not in sizes
            or not ((name in operands and not match["type"]) or (norm and name in _OF_NORMS - operands))
            or is_scalar(name)
            or ("=" in match["link"] and not equals)
        ):
            return match[0]
        if size < _LEAST and not is_vector(name):
            raise Unclear("number_or_vector", name=match["name"], size=size)
        return f"{match['name']}{match['link']}({size},)"

    return _VECTOR_LENGTH.sub(written, said)
