r"""Write mathematics as statements by index: "$y_{ij} = \frac{x_{ij}}{s_i}$", "c[i, j] = sum_k a[i, k] * b[k, j]".

A sum over a letter becomes a call, `sum_over_k(...)`, which takes the product behind it.
"""

import re

_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_FRACTION = re.compile(rf"\\[dt]?frac ?{_GROUP} ?{_GROUP}")
_ROOT = re.compile(rf"\\sqrt ?{_GROUP}")
_POWER = re.compile(rf"\^ ?{_GROUP}")
_TEN = re.compile(r"(?<![\w.])(?:(\d+(?:\.\d+)?) ?\* ?)?10 ?\^ ?(?:\( ?(-?\d+) ?\)|(-?\d+))")
_MARKED = re.compile(r"(?<![\w\\])([A-Za-z])_(?:\{ ?([a-z](?: ?,? ?[a-z])*) ?\}|([a-z])(?![a-z]))")
_SIGNS = {"\\cdot": "*", "\\times": "*", "\\odot": "*", "\\left": "", "\\right": "", "\\,": " ", "\\;": " ",
          "\\quad": " ", "\\sigma": "sigmoid", "$": " ", "\\(": " ", "\\)": " ", "\\[": " ", "\\]": " "}  # fmt: skip
_IS_LATEX = re.compile(
    r"\\(?:frac|dfrac|sqrt|sum|exp|log|tanh|max|min|sigma|cdot)(?![a-z])|[a-z]_\{[a-z, ]+\}"
)
_SUM = re.compile(
    r"(?:(?<![\w.])sum|∑|Σ)(?: ?_ ?\{? ?([a-z])(?: ?= ?[01])? ?\}?(?: ?\^ ?\{?[A-Za-z0-9]\}?)?"
    r"| over ([a-z])(?: of)?)(?![a-z\[])[ :]*"
)
_ENDS = "+-,;，。)]"


def from_latex(text: str) -> str:
    """Return the text with LaTeX in it as formulas; as it is where there is none."""
    if not _IS_LATEX.search(text):
        return text
    for _ in range(4):  # one in the other
        text = _FRACTION.sub(r"((\1) / (\2))", text)
        text = _ROOT.sub(r" sqrt(\1)", text)
    text = _POWER.sub(r"^(\1)", text)
    text = re.sub(r"\\sum ?_", " sum_", text)
    for sign, written in _SIGNS.items():
        text = text.replace(sign, written)
    text = _MARKED.sub(lambda m: f"{m[1]}[{', '.join(re.findall('[a-z]', m[2] or m[3]))}]", text)
    return re.sub(r"\\(?=[a-z])", " ", text)


def with_sums(text: str) -> str:
    """Return a statement with "sum_k a[i, k] * b[k, j]" as calls and powers as Python has them."""
    text = _TEN.sub(lambda m: f"{m[1] or 1}e{m[2] or m[3]}", text).replace("^", "**")
    text = re.sub(r"(?<=[\])]) (?=[a-z]\w*\[)", " * ", text)
    while found := list(_SUM.finditer(text)):
        last = found[-1]
        end, depth = last.end(), 0
        while end < len(text) and (depth or text[end] not in _ENDS or _is_index(text, end)):
            depth += (text[end] in "([") - (text[end] in ")]")
            end += 1
        letter = last[1] or last[2]
        inner = text[last.end() : end].strip()
        text = f"{text[: last.start()]}sum_over_{letter}({inner}) {text[end:]}"
    return text


def _is_index(text: str, at: int) -> bool:
    """Say whether a sign belongs to a number: "1e-6", "-x"."""
    return text[at] in "+-" and (
        text[at - 1] == "e" or not text[:at].strip() or text[:at].rstrip()[-1] in "(*/"
    )
