r"""Write LaTeX as people type mathematics without it: "$\frac{x}{\sqrt{d}}$" as "x / sqrt(d)", "\hat x" as "x_hat"; and
mathematics with indices as statements: "$y_{ij} = \frac{x_{ij}}{s_i}$", "c[i, j] = sum_k a[i, k] * b[k, j]".

Commands that are not known stay as they are, so that they are asked about. A sum over a letter becomes a call,
`sum_over_k(...)`, which takes the product behind it.
"""

import re

_IS_LATEX = re.compile(r"\\[A-Za-z]{2,}|\\\||\$[^$]*[_^=\\][^$]*\$")
_G = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_FRACTION = re.compile(rf"\\[dtc]?frac\s*(?:{_G}|(\w))\s*(?:{_G}|(\w))")
_ROOT = re.compile(rf"\\sqrt\s*(?:{_G}|(\w))")
_CASES = re.compile(r"\\begin\s*\{cases\}(.*?)\\end\s*\{cases\}", re.S)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{(?:equation|align|aligned|gather|gathered|split|array)\*?\}")
_SHAPE = re.compile(
    r"(?:\\in|∈)\s*(?:\\mathbb\s*\{?\s*R\s*\}?|ℝ|R(?=\s*\^))\s*\^\s*(?:\{([^{}]*)\}|\(([^()]*)\)|(\w+))"
)
_WORDS = re.compile(
    rf"\\(?:text|textrm|textbf|textit|textsf|mathrm|mathbf|mathit|mathsf|mathcal|mathbb|boldsymbol|bm|operatorname)\*?\s*"
    rf"(?:{_G}|(\w))"
)
_ACCENT = re.compile(
    r"\\(?:wide)?(hat|tilde|bar|overline|vec|dot)\s*(?:\{\s*(\\?[A-Za-z]+)\s*\}|\s(\\?[A-Za-z]+)|(\\[A-Za-z]+))"
)
_SPACES = re.compile(r"\\(?:[,;:! ]|quad(?![A-Za-z])|qquad(?![A-Za-z])|enspace(?![A-Za-z]))|(?<!\w)~(?!\w)")
_SIZES = re.compile(
    r"\\(?:left|right|bigg?[lrm]?|Bigg?[lrm]?|limits|displaystyle|textstyle|nonumber)(?![A-Za-z])\.?"
)
_FUNCTIONS = "exp|log|ln|tanh|sinh|cosh|sin|cos|tan|max|min|arctan|sign|sgn|erf|softmax|sigmoid|relu|abs"
_BARE = re.compile(rf"\\({_FUNCTIONS})\s+([A-Za-z](?:_\w|_\{{\w+\}})?)(?![\w(])")
_SIGNS = {
    r"\|": "‖", r"\lVert": "‖", r"\rVert": "‖", r"\Vert": "‖", r"\lvert": "|", r"\rvert": "|", r"\vert": "|",
    r"\langle": "<", r"\rangle": ">", r"\cdot": "·", r"\odot": "⊙", r"\circ": "∘", r"\ast": "*", r"\div": "/",
    r"\leqslant": "<=", r"\geqslant": ">=", r"\leq": "<=", r"\geq": ">=", r"\neq": "!=", r"\le": "<=", r"\ge": ">=",
    r"\leftarrow": "=", r"\gets": "=", r"\rightarrow": "->", r"\to": "->", r"\infty": "inf", r"\in": " in ",
    r"\top": "T", r"\intercal": "T", r"\sum": "Σ", r"\varepsilon": "ε", r"\epsilon": "ε", r"\alpha": "α",
    r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\eta": "η", r"\theta": "θ", r"\lambda": "λ", r"\mu": "μ",
    r"\nu": "ν", r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", r"\phi": "φ", r"\varphi": "φ", r"\omega": "ω",
    r"\ell": "L", r"\pi": "π", r"\{": "(", r"\}": ")", r"\ldots": "...", r"\dots": "...", r"\forall": " for all ",
}  # fmt: skip
_NAMES = "|".join(re.escape(s) for s in sorted(_SIGNS, key=len, reverse=True))
_SIGN = re.compile(rf"(?:{_NAMES})(?![A-Za-z])|\\\||\\[{{}}]")
_TEN = re.compile(
    r"(?<![\w.])(?:(\d+(?:\.\d+)?)\s*(?:\\times|\\cdot|×|x|\*|·)\s*)?10\s*\^\s*(?:\{\s*(-?\d+)\s*\}|(-?\d+))"
)
_POWER = re.compile(r"\^\s*\{([^{}]*)\}")
_PLAIN = re.compile(r"-?\w+|T")
_GREEK = "αβγδεηθλμρτ"
_FACTOR = re.compile(
    rf"((?<![\wα-ω])[{_GREEK}](?= ?(?!a [a-z]{{2}})[A-Za-z](?![A-Za-z])| ?\()"
    rf"|\((?=[^()]*(?:[{_GREEK}]|\d ?[-+/*] ?\d))[\d.{_GREEK}\s+*/\-]+\)(?= ?(?:[A-Za-z](?![A-Za-z])|‖)))\s?"
)
_DIVERGENCE = re.compile(r"(?<![\w.])(?:D_?)?KL ?\( ?([A-Za-z]\w*) ?(?:‖|\|\|) ?([A-Za-z]\w*) ?\)")
_MOST_DEEP = 6  # fractions in fractions


def without_latex(text: str) -> str:
    """Return the text with LaTeX written plainly; as it is where there is none."""
    if not _IS_LATEX.search(text):
        return text
    text = _SHAPE.sub(lambda m: f" [{_sizes(next(g for g in m.groups() if g))}] ", text)
    text = _TEN.sub(lambda m: f"{m[1] or 1}e{m[2] or m[3]}", text)
    text = _ENVIRONMENT.sub(" ", _CASES.sub(_cases, text))
    text = re.sub(r"\\\\(?:\[[^\]]*\])?\s*", " , ", text.replace("&", " "))
    text = re.sub(r"\$+|\\[()\[\]]", " ", text)
    text = re.sub(r"\\left ?\[", "(", re.sub(r"\\right ?\]", ")", text))
    text = _SIZES.sub("", _SPACES.sub(" ", text))
    for _ in range(2):
        text = _WORDS.sub(lambda m: m[1] or m[2], text)
    text = _ACCENT.sub(lambda m: f"{(m[2] or m[3] or m[4])}_{'bar' if m[1] == 'overline' else m[1]}", text)
    text = _BARE.sub(r"\\\1(\2)", text)
    for _ in range(_MOST_DEEP):
        text = _FRACTION.sub(lambda m: f"({_grouped(m[1] or m[2])} / {_grouped(m[3] or m[4])})", text)
        text = _ROOT.sub(lambda m: f" sqrt({m[1] or m[2]})", text)
    text = re.sub(rf"\\({_FUNCTIONS})(?![A-Za-z])", r" \1", text)
    text = re.sub(r"\\times(?![A-Za-z])", lambda m: _times(text, m), text)
    text = _SIGN.sub(lambda m: _SIGNS[m[0]], text)
    text = _POWER.sub(lambda m: f"^{m[1].strip()}" if _PLAIN.fullmatch(m[1].strip()) else f"^({m[1]})", text)
    text = re.sub(r"(?<=[a-z])\{([^{}]*)\}", r"(\1)", text)
    return re.sub(r"(?<=\S) {2,}", " ", text)


def with_products(text: str) -> str:
    """Return a text with the signs of products of numbers with names for them: "αx", "(1 - β) g", "(1/2)‖x‖"."""
    text = _DIVERGENCE.sub(r"sum(\1 * (log(\1) - log(\2)))", text)
    text = _FACTOR.sub(lambda m: f"{m[1]} * ", text)
    parts = text.split("‖")
    for at in range(0, len(parts) - 1, 2):  # in front of a bar that opens
        parts[at] = re.sub(r"(?<=[\d)]) ?\Z", " * ", parts[at])
    return "‖".join(parts)


def _grouped(part: str) -> str:
    part = part.strip()
    return part if re.fullmatch(r"\\?\w+", part) else f"({part})"


def _sizes(said: str) -> str:
    return ", ".join(re.split(r"\s*(?:\\times|×|x|\\cdot|,)\s*", said.strip()))


def _times(text: str, match: re.Match[str]) -> str:
    sides = text[: match.start()].rstrip()[-1:], text[match.end() :].lstrip()[:1]
    return " x " if all(side.isdigit() for side in sides) else " * "


def _cases(match: re.Match[str]) -> str:
    """Write two cases as a condition; leave more."""
    rows = [row.split("&") for row in re.split(r"\\\\", match[1]) if row.strip()]
    if len(rows) != len(("if", "else")) or any(len(row) > 2 for row in rows):
        return match[0]
    (value, *said), (other, *rest) = rows
    condition = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", "".join(said))
    last = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", "".join(rest))
    condition = re.sub(r"^\s*(?:if|when|for)(?![a-z])|[,.\s]+$", "", condition.strip(" ,.;")).strip()
    if not condition or not re.search(r"otherwise|else|否则|其他|其它", last):
        return match[0]
    return f"(({value.strip(' ,')}) if {condition} else ({other.strip(' ,')}))"


_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_INDEXED_FRACTION = re.compile(rf"\\[dt]?frac ?{_GROUP} ?{_GROUP}")
_INDEXED_ROOT = re.compile(rf"\\sqrt ?{_GROUP}")
_INDEXED_POWER = re.compile(rf"\^ ?{_GROUP}")
_TEN_IN_PARENTHESES = re.compile(r"(?<![\w.])(?:(\d+(?:\.\d+)?) ?\* ?)?10 ?\^ ?(?:\( ?(-?\d+) ?\)|(-?\d+))")
_MARKED = re.compile(r"(?<![\w\\])([A-Za-z])_(?:\{ ?([a-z](?: ?,? ?[a-z])*) ?\}|([a-z])(?![a-z]))")
_INDEXED_SIGNS = {"\\cdot": "*", "\\times": "*", "\\odot": "*", "\\left": "", "\\right": "", "\\,": " ", "\\;": " ",
          "\\quad": " ", "\\sigma": "sigmoid", "$": " ", "\\(": " ", "\\)": " ", "\\[": " ", "\\]": " "}  # fmt: skip
_IS_INDEXED = re.compile(
    r"\\(?:frac|dfrac|sqrt|sum|exp|log|tanh|max|min|sigma|cdot)(?![a-z])|[a-z]_\{[a-z, ]+\}"
)
_SUM = re.compile(
    r"(?:(?<![\w.])sum|∑|Σ)(?: ?_ ?\{? ?([a-z])(?: ?= ?[01])? ?\}?(?: ?\^ ?\{?[A-Za-z0-9]\}?)?"
    r"| over ([a-z])(?: of)?)(?![a-z\[])[ :]*"
)
_ENDS = "+-,;，。)]"


def from_latex(text: str) -> str:
    """Return the text with LaTeX in it as formulas; as it is where there is none."""
    if not _IS_INDEXED.search(text):
        return text
    for _ in range(4):  # one in the other
        text = _INDEXED_FRACTION.sub(r"((\1) / (\2))", text)
        text = _INDEXED_ROOT.sub(r" sqrt(\1)", text)
    text = _INDEXED_POWER.sub(r"^(\1)", text)
    text = re.sub(r"\\sum ?_", " sum_", text)
    for sign, written in _INDEXED_SIGNS.items():
        text = text.replace(sign, written)
    text = _MARKED.sub(lambda m: f"{m[1]}[{', '.join(re.findall('[a-z]', m[2] or m[3]))}]", text)
    return re.sub(r"\\(?=[a-z])", " ", text)


def with_sums(text: str) -> str:
    """Return a statement with "sum_k a[i, k] * b[k, j]" as calls and powers as Python has them."""
    text = _TEN_IN_PARENTHESES.sub(lambda m: f"{m[1] or 1}e{m[2] or m[3]}", text).replace("^", "**")
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
