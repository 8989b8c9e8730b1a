"""Write equations whose tensors have indices, "y_i = x_i * tanh(x_i)", "s_ij = <a_i, b_j>", as other equations are.

Where every tensor has the same index it says nothing, and is dropped. A sum over the index of a vector, as in
"x_i / Σ_j x_j", becomes a sum. Several indices, and products of rows, become a statement by index, which is read as
code is: "s[i, j] = sum_k a[i, k] * b[j, k]". A step in time, "h_{t-1}", and names with subscripts that are no indices
stay as they are.
"""

import re
from functools import partial
from typing import NamedTuple

_NAME = r"[A-Za-zα-ω](?:[a-z]{2,6})?(?:_hat|_tilde|_bar)?"
_L = "[ijklmntbchwrpq]"
_INDEXED = re.compile(
    rf"(?<![\w\\.])(?!(?:sum|mean|max|min|log|exp)_)({_NAME})_(?:\{{ ?({_L}(?: ?,? ?{_L}){{0,3}}) ?\}}"
    rf"|(?!in|ln|lr|ch|th|nn|bn|tr|min)({_L}{{1,3}}))(?![A-Za-z0-9_{{(])"
)
_SUM = re.compile(
    r"[Σ∑]\s*(?:_\s*(?:\{\s*([a-z])\s*(?:=\s*[01])?\s*\}|([a-z])(?:=[01])?)"
    r"(?:\s*\^\s*(?:\{[^{}]*\}|\([^()]*\)|\w+))?)?\s*"
)
_SPELT = re.compile(r"(?<![A-Za-z_])(?:sum_|\\?sum over )(?=\{?[a-z]\}?(?![a-z]))")
_GREEK = re.compile(
    r"[,，;； ]*(?:(?:where|with|其中|取) ?)?([α-ω]) ?(?:=|取|为|是) ?(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.]\w)"
)
_STEP = re.compile(r"_\{?\(?\s*[a-z]\s*[-+]\s*\d|_\{?-?\d+\}?(?!\d*[a-z])|\[[a-z] ?[-+] ?\d+\]")
_LEFT = re.compile(
    r"(?<![\w\\.\[\]])(?:(?P<call>[A-Za-z]+ ?\( ?[a-zA-Z] ?\))(?:_\{?(?P<of>[a-z])\}?)?"
    r"|[a-z]+ ?\( ?[a-zA-Z]_(?P<in>[a-z]) ?\)|(?P<name>[A-Za-zα-ω][\w^²{},]*?)) ?=(?!=)"
)
_CALLED = re.compile(r"^[A-Za-z]+ ?\( ?[a-zA-Z] ?\)(?:_\{?[a-z]\}?)?(?= ?=)")  # "softmax(x)_i"
_FACTORS = re.compile(
    r"((?<=[A-Za-zα-ω])_\{?[a-z]\}?(?:\^\d|²)?) (?=[A-Za-zα-ω]\w*_\{?[a-z]\}?(?!\w))"
)  # "a_i b_i"
_STOP = re.compile(
    r"[;；。\n]|[,，](?! ?\d)|\.(?= |\Z)"
    r"|(?<![\w.])(?:where|with|for|and|here|over|along|per|return|in|on|其中|返回)(?!\w)"
)
_SHAPES = re.compile(r"[\[(] ?\d+(?: ?[,x×] ?\d+)* ?,? ?[\])]|(?<![\w.])\d+(?: ?[x×] ?\d+)+(?![\w.])")
_ROW_OF = re.compile(
    r"[,，;； ]*(?:where |其中 ?)?(?:[a-z]_\{?[a-z]\}?(?: ?(?:,|and|&|和|、) ?)?)+ ?(?:is|are|denotes?|means?|为|是"
    r"|表示)"
    r" ?(?:the )?(?:(?:[a-z]-?th |第 ?[a-z] ?)?(?:rows?|行)(?: vectors?|向量)?)"
    r"(?: of (?:[a-z]|each)(?: and [a-z])?(?: respectively)?)?"
)
_INNER = re.compile(r"<\s*([A-Za-z](?:_hat)?)_\{?([a-z])\}?\s*,\s*([A-Za-z](?:_hat)?)_\{?([a-z])\}?\s*>")
_DOT = re.compile(
    r"(?<![\w.])([A-Za-z](?:_hat)?)_\{?([a-z])\}?\s*(?:·|\^T(?![a-z])\s*·?|ᵀ\s*|\.T\s*@?)"
    r"\s*([A-Za-z](?:_hat)?)_\{?([a-z])\}?(?![\w,])"
)
_LENGTH = re.compile(
    r"(?:‖|\|\|)([^‖|]{1,60})(?:‖|\|\|)(?:_?(?P<order>[12₁₂]))?\s*(?P<square>\^ ?2|\*\* ?2|²)?"
)
_BARS = re.compile(r"\|([^|]{1,60})\|")


class _Equation(NamedTuple):
    begin: int
    end: int
    letters: str  # of the left side
    text: str


def without_indices(text: str) -> str:
    """Return the text with its indexed equations written so that they can be read; as it is where none is sure."""
    plain = _INNER.sub(r"\1_\2·\3_\4", text)
    plain = _SUM.sub(lambda m: f"Σ_{m[1] or m[2]} " if m[1] or m[2] else m[0], _SPELT.sub("Σ_", plain))
    if _STEP.search(plain) or not (_INDEXED.search(plain) or "Σ_" in plain):
        return text
    equations = _equations(plain)
    if not equations:
        return text
    uses = [(name, _letters(m)) for e in equations for m in _INDEXED.finditer(e.text) for name in (m[1],)]
    summed = {m[1] for e in equations for m in re.finditer(r"Σ_([a-z])", e.text)}
    rows = any(_rows_of(e) for e in equations)
    if rows or any(len(letters) > 1 for _, letters in uses):
        return _by_index(
            plain, equations, summed, same=not rows and not summed and len({ls for _, ls in uses}) == 1
        )
    return _of_vectors(plain, equations, uses, summed) or text


def _letters(match: re.Match[str]) -> str:
    return "".join(re.findall("[a-z]", match[2] or match[3]))


def _equations(text: str) -> list[_Equation]:
    found: list[_Equation] = []
    for match in _LEFT.finditer(text):
        if found and match.start() < found[-1].end:
            continue
        end, depth = match.end(), 0
        while end < len(text):
            if depth == 0 and _STOP.match(text, end):
                break
            depth += (text[end] in "([{") - (text[end] in ")]}")
            if depth < 0:
                break
            end += 1
        part = text[match.start() : end]
        left = _INDEXED.fullmatch((match["name"] or "").strip())
        if not _INDEXED.search(part) and "Σ" not in part:
            continue
        letters = match["of"] or match["in"] or (_letters(left) if left is not None else "")
        found.append(_Equation(match.start(), end, letters, part))
    return found


def _of_vectors(
    text: str, equations: list[_Equation], uses: list[tuple[str, str]], summed: set[str]
) -> str | None:
    """Drop the only index of every tensor, and those of sums over it; None where that would not say the same."""
    free = {ls for e in equations for ls in (e.letters,) if ls}
    if len(free) > 1 or not {ls for _, ls in uses} <= free | summed or not uses:
        return None
    if free & summed and any(e.letters for e in equations if "Σ_" in e.text and f"Σ_{e.letters}" in e.text):
        return None
    if not free and not summed:
        return None
    names = {name for name, _ in uses}
    bare = {
        m[0]
        for e in equations
        for m in re.finditer(r"(?<![\w\\.])[A-Za-zα-ω]\w*", _INDEXED.sub(" ", _CALLED.sub(" ", e.text)))
    }
    if names & bare - {"e"} or not _of_one_axis(text):
        return None
    left, letters = "|".join(map(re.escape, names)), "|".join(free | summed)
    if (
        {m[1] for m in re.finditer(rf"(?<![\w\\.])(?:{left})_(?!hat|tilde|bar)\{{?([A-Za-z0-9]+)", text)}
        - free
        - summed
    ):
        return None  # "p_t" beside "p_s"
    vectors = len({m[0] for m in _SHAPES.finditer(text)}) > 1
    for equation in reversed(equations):
        part = _CALLED.sub(lambda m: m[0].partition("_")[0], equation.text)
        part = _FACTORS.sub(r"\1 * ", part)
        called = _with_calls(part, along=vectors and bool(equation.letters))
        if called is None or {_letters(m) for m in _INDEXED.finditer(called)} - free:
            return None  # "Σ_j x_i x_j" is no sum of squares
        part = _INDEXED.sub(lambda m: m[1], called)
        text = f"{text[: equation.begin]}{part}{text[equation.end :]}"
    for letter in free | summed:
        if all(len(re.findall(r"\d+", m[0])) == 1 for m in _SHAPES.finditer(text)):
            over = rf"(?<![a-z])(?:over|across|along) (?:all |the index )?{letter}(?![a-z0-9_])"
            text = re.sub(over, "over everything", text)
    return re.sub(rf"(?<![\w\\.])({left})_\{{?(?:{letters})\}}?(?![\w{{])", r"\1", text)


def _of_one_axis(text: str) -> bool:
    """Say whether the tensors' shapes are one, or that and vectors as long as its last axis and as no other."""
    shapes = {tuple(map(int, re.findall(r"\d+", m[0]))) for m in _SHAPES.finditer(text)}
    longest = max(shapes, key=len, default=())
    others = shapes - {longest}
    return all(len(s) == 1 and s[0] == longest[-1] and s[0] not in longest[:-1] for s in others)


def _with_calls(part: str, *, along: bool) -> str | None:
    """Write "Σ_j e^(x_j) / n" as calls: "1/n Σ_j x_j" is a mean; None where a sum has another index, too."""
    part = re.sub(
        r"(?:\(? ?1 ?/ ?(?:\(?[A-Za-z]\)?|\|[A-Za-z]\|) ?\)?) ?[*·]? ?Σ_([a-z]) ?", r" mean_of_\1 ", part
    )
    part = re.sub(r"Σ_([a-z]) ?", r" sum_of_\1 ", part)
    axis = ", dim=-1, keepdim=True" if along else ""
    while found := list(re.finditer(r"(mean|sum)_of_([a-z]) ", part)):
        last = found[-1]
        end, depth, bars = last.end(), 0, False
        while end < len(part) and part[end] == " ":
            end += 1
        begin = end
        while end < len(part) and (
            depth or bars or part[end] not in "+-,;，；。)]/" or (end == begin and part[end] == "-")
        ):
            depth += (part[end] in "([{") - (part[end] in ")]}")
            bars ^= part[end] in "|‖"
            end += 1
        body = part[begin:end].strip()
        if any(_letters(m) != last[2] for m in _INDEXED.finditer(body)):
            return None
        body = _INDEXED.sub(lambda m: m[1], body)
        before, call = part[: last.start()], f"{last[1]}({body}{axis})"
        outer = re.search(r"(?<![a-z])(?:log|ln|exp|sqrt)\s*\Z", before)  # "log Σ_i e^(x_i)"
        part = f"{before}({call}) {part[end:]}" if outer else f"{before}{call} {part[end:]}"
    return part


def _rows_of(equation: _Equation) -> bool:
    """Say whether an equation of a matrix has whole rows in it: "s_ij = <a_i, b_j>"."""
    right = equation.text.partition("=")[2]
    apart = [m for m in (*_LENGTH.finditer(right), *_DOT.finditer(right)) if len(_letters_in(m[0])) > 1]
    return (
        (len(equation.letters) > 1 or (len(equation.letters) == 1 and bool(apart)))
        and any(len(_letters(m)) == 1 for m in _INDEXED.finditer(right))
        and bool(_DOT.search(equation.text) or _LENGTH.search(equation.text))
    )


def _letters_in(text: str) -> set[str]:
    return {_letters(m) for m in _INDEXED.finditer(text)}


def _by_index(text: str, equations: list[_Equation], summed: set[str], *, same: bool) -> str:
    """Write an equation with brackets: "c[i, j] = sum_k a[i, k] * b[k, j]"."""
    shapes = {m[0] for m in _SHAPES.finditer(text)}
    for equation in reversed(equations):
        part = equation.text
        if same and len(shapes) <= 1:
            part = _INDEXED.sub(lambda m: m[1], part)
        else:
            new = next(x for x in "kdpqruvz" if x not in equation.letters and x not in summed)
            part = _DOT.sub(rf"(sum_{new} (\1[\2, {new}] * \3[\4, {new}]))", part)
            part = _LENGTH.sub(partial(_length, letter=new), part)
            part = _BARS.sub(r"abs(\1)", part)
            part = re.sub(r"Σ_([a-z]) ?", r"sum_\1 ", part)
            part = _INDEXED.sub(lambda m: f"{m[1]}[{', '.join(_letters(m))}]", part)
            part = (
                re.sub(r"(?<=\]) (?=[A-Za-z]\w*\[)", " * ", part)
                .replace("·", "*")
                .replace("²", "**2")
                .replace("⊙", "*")
            )
            part = _with_greek(part, text)
        text = f"{text[: equation.begin]}{part}{text[equation.end :]}"
    return _ROW_OF.sub(" ", _GREEK.sub(lambda m: m[0] if m[1] in text[m.end() :] else " ", text))


def _with_greek(part: str, text: str) -> str:
    """Put in the numbers that are told of Greek letters."""
    for match in _GREEK.finditer(text):
        part = re.sub(rf"{match[1]}(?![=\w])\s*", f"{match[2]} * ", part)
    return re.sub(r" \* (?=[*+\-/),])", " ", part)


def _length(match: re.Match[str], letter: str) -> str:
    inner = re.sub(
        r"(?<![\w.])([A-Za-z](?:_hat)?)_\{?([a-z])\}?(?![\w,])", rf"\1[\2, {letter}]", match[1]
    ).replace("−", "-")
    if match["order"] in ("1", "₁"):
        return f"(sum_{letter} (abs({inner})))" + ("**2" if match["square"] else "")
    squares = f"(sum_{letter} (({inner})**2))"
    return squares if match["square"] else f"sqrt{squares}"
