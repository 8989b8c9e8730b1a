"""Read how weights come: "gamma 也作为输入传进来", "weight comes as the second argument".

A norm gets the weights that are named so, as if it was said to have them; layers have theirs anyway. What declares
them with a shape says so itself.
"""

import re

_ONE = (
    r"(?:running_(?:mean|var)|running (?:mean|var(?:iance)?)|gamma|beta|weights?|bias(?:es)?|"
    r"scales?(?= (?:and|&) (?:shift|bias))|shift|γ|β|权重|偏置|缩放"
    r"(?=和偏移)|偏移)"
)
_NAMES = (
    rf"(?P<names>(?<![A-Za-z0-9_])(?:affine )?{_ONE}(?:(?: ?(?:and|&|,|、|/|和|与|及|\+) ?(?:the )?| )"
    rf"{_ONE}){{0,3}}(?: (?:vectors?|tensors?|params?|parameters?))?)(?![A-Za-z0-9_])"
)
_INPUT = (
    r"(?:(?:an?|the|separate|extra|external|additional|runtime|kernel|own|their own|second|third|f"
    r"ourth|last|2nd|3rd|\d(?:nd|rd|th)|and) ?)*"
    r"(?:inputs?|arguments?|args?|operands?|tensors?|parameters? (?:to|of) the kernel|kernel param"
    r"eters?)(?: tensors?)?(?: of (?:the|its) own)?"
    r"(?: to the (?:kernel|op|operator))?"
)
_PASSED = re.compile(
    rf"(?:[,，] ?)?(?:(?<![A-Za-z])(?:with|and|given|taking|takes?|the|both) )*{_NAMES} (?:(?:also|"
    rf"both|all|should|will|must|to|be|is|are|being|get|gets) )*"
    rf"(?:(?:comes?|coming|go(?:es)?|arrives?|passed|given|provided|supplied|fed|handed|taken|is|ar"
    rf"e|as)(?: in)?(?= |\Z|[,.;)])(?: as)?(?: well)? ?"
    rf"(?:as )?{_INPUT}|(?:passed|handed|fed)(?: in)(?: from (?:outside|the host))?)(?: too| as well)?(?![a-z])"
    rf"|(?:[,，] ?)?(?<![A-Za-z])(?:takes?|taking|pass(?:ing)?(?: in)?) (?:the )?"
    rf"{_NAMES.replace('names', 'taken')} as {_INPUT}(?: too| as well)?(?![a-z])"
    rf"|(?:[,，] ?)?(?:其中|卷积的?|线性层的?)?{_NAMES.replace('names', 'zh')} ?(?:也|都|均|全部?|"
    rf"请|要|需要?|就|一起|是)*"
    r"(?:(?:作为|当作?|做|走|通过|以|用|从)(?:额外的?|单独的?|外部的?|第 ?[二三四五\d] ?个)?(?:输"
    r"入参数|函数参数|输入|传参|参数|入参|实参|形参|外部|外面)"
    r"(?:方式|形式)?(?:的?tensor|张量)?(?:来|中)?(?:传(?:进来|入|进去?|过来|递)?|给(?:出|进来)?|进"
    r"来)?|传(?:进来|入|参|过来)|(?:由|从)?(?:外部|外面|host)传(?:入|进来|过来)|(?<=是|为)(?:外部的?|额外的?|单独的?)?(?:输入|入参)(?:参数|张量|tensor)?)(?:的|吧)?",
    re.I,
)
_NORM = re.compile(r"norm(?![a-z])|norm[12]d|归一化|(?<![A-Za-z])(?:LN|GN|BN|IN)(?![A-Za-z])", re.I)
_WEIGHT = re.compile(r"gamma|weight|scale|γ|权重|缩放", re.I)
_BIAS = re.compile(r"beta|bias|shift|β|偏置|偏移", re.I)
_DECLARED = r"(?<![A-Za-z0-9_]){} ?(?:[:=：]|is|of|shape|是|为|形状)* ?[\[(] ?\d"


def with_passed_weights(text: str) -> str:
    """Return a text with what says that weights are inputs as what says that there are weights."""
    return _PASSED.sub(lambda match: _said(match, text), text)


def _statistics(names: str, text: str) -> str | None:
    """Declare the statistics of a batch norm and what comes with them, as long as the channels of the only shape."""
    shapes = re.findall(r"[\[(] ?\d+ ?, ?(\d+)(?: ?, ?\d+)* ?[\])]", text)
    if len(shapes) != 1:
        return None
    said = [m[0].lower().replace(" ", "_") for m in re.finditer(_ONE, names, re.I)]
    return ", " + ", ".join(f"{name} [{shapes[0]}]" for name in said)


def _said(match: re.Match[str], text: str) -> str:
    names = match["names"] or match["taken"] or match["zh"]
    if "running" in names.lower():
        return _statistics(names, text) or match[0]
    weight, bias = _WEIGHT.search(names), _BIAS.search(names)
    rest = text[: match.start()] + " " + text[match.end() :]
    declared = any(re.search(_DECLARED.format(m[0]), rest, re.I) for m in (weight, bias) if m)
    if not _NORM.search(rest) or declared:
        return " "
    if weight is None:
        return match[0]
    if re.search(r"[\u4e00-\u9fff]", match[0]):
        return "，带权重和偏置" if bias else "，带权重"
    return ", with weight and bias" if bias else ", with weight"
