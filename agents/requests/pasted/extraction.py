"""Take the code out of a text: what is fenced, in backticks, begins like Python, or stands among words.

What stands among words is code for sure where it calls PyTorch; what only reads tensors by index, or lines of
statements, may be words and mathematics as well.

Words that describe the code behind them, "flip left to right, i.e. torch.flip(x, dims=[-1])", can be dropped: they must
tell nothing that the code has not: no other number, no other operator, no type or shape of a tensor.
"""

import ast
import re
from typing import NamedTuple

from akgen.agents.requests.latex import from_latex, with_sums
from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.pasted.bare_calls import with_constructed
from akgen.agents.requests.sizes import take_axes, take_dtypes, take_shapes
from akgen.knowledge.operators import find_operators, operator_named
from akgen.tools.core.untrusted import read_python

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BEGINS = re.compile(r"^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.MULTILINE)
_TICKS = re.compile(r"`([^`\n]+)`")
_CALLS = re.compile(r"\b(?:torch|F|nn|functional)\.[\w.]+\(|(?<![\w.])[a-z]\.[a-z_]+\(")
_PUNCTUATION = re.compile(r"([，。；：、！？])")
_ASSIGNED = re.compile(r"(?:(?<=\s)|^)[A-Za-z_]\w* *= *\Z")
_SIGN = re.compile(r"[-+*/@<>=%]")
_LAMBDA = re.compile(r"(?:\b[A-Za-z_]\w* *= *)?\blambda +[a-z]\w*(?: *, *[a-z]\w*)* *:")
_THAT_IS = re.compile(r"(?<![\w.])i\.\s?e\.(?=[\s,:]+[a-z_]\w*\.)", re.I)  # no attribute of a tensor i
_NEAR_WORDS = 30
_LEAST_LINES = 2
_COMMENT = re.compile(r"#+([^\n]*)")
_REMARK = re.compile(r"(?m)(?<!\S)#+ ([^\n]*)$")
_INSIDE = r"[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*"
_READS = re.compile(  # a tensor read by index; "x[8, 64]" is a shape, "x[b, t, c]" may name its axes
    rf"(?<![\w.])[A-Za-z_]\w*\[(?=[^\[\]]*(?::|\.\.\.|[A-Za-z_]))(?![^\[\]]*=){_INSIDE}\]"
)
_GIVEN = re.compile(rf"(?<![\w.])[A-Za-z_]\w*\[(?=[^\[\]]*[:A-Za-z]){_INSIDE}\] ?\+?=(?!=)")
_SUBSCRIPT_OF_CALL = re.compile(rf"\)\[(?=[^\[\]]*(?::|\.\.\.|-?\d)){_INSIDE}\]")  # "softmax(x)[:, 1]"
_CLAUSE = re.compile(r"[,;，。；\n]|\. |\.\Z|(?<![\w.])(?:where|with|for|and|here)(?!\w)")


class ExtractedCode(NamedTuple):
    """The words of a text and the code in it, where there is any, and what the comments of the code say.

    `sure` if it can be nothing but code.
    """

    before: str  # the words before the code; all of them where there is none
    behind: str = ""
    code: str | None = None
    comments: str = ""
    sure: bool = True

    @property
    def words(self) -> str:
        return f"{self.before} {self.behind}" if self.code is not None else self.before


def extract_code(text: str) -> ExtractedCode:
    """Take the code out of a text: what is fenced, what stands in backticks, what is Python for sure, or may be it."""
    found = _extracted(text)
    if found.code is None or found.comments:
        return found
    return found._replace(comments="\n".join(_COMMENT.findall(found.code)))


def _extracted(given: str) -> ExtractedCode:
    text = given
    fenced = _FENCE.search(text)
    if fenced is not None:
        return ExtractedCode(text[: fenced.start()], text[fenced.end() :], fenced[1])
    begins = _BEGINS.search(text)
    if begins is not None and (code := _module_at(text[begins.start() :])) is not None:
        return ExtractedCode(text[: begins.start()], text[begins.start() + len(code) :], code)
    ticks = _TICKS.search(text)
    if ticks is not None and expression_of(ticks[1]) is not None:
        return ExtractedCode(text[: ticks.start()], text[ticks.end() :], ticks[1])
    text = from_latex(_LAMBDA.sub(" ", _THAT_IS.sub("that is", text)))
    if (lines := _statements(text)) is not None:
        return lines
    noted = "\n".join(_REMARK.findall(text))
    text = with_constructed(_REMARK.sub(" ", text))
    if _CALLS.search(text) is not None:
        return _with_powers(_bare_expression(text, _CALLS))._replace(comments=noted)
    if (statement := _by_index(text)) is not None:
        return statement._replace(comments=noted)
    if _SUBSCRIPT_OF_CALL.search(text) is not None:
        return _with_powers(_bare_expression(text, _SUBSCRIPT_OF_CALL))._replace(sure=False, comments=noted)
    if _READS.search(text) is not None:
        return _with_powers(_bare_expression(text, _READS))._replace(sure=False, comments=noted)
    return ExtractedCode(with_constructed(_LAMBDA.sub(" ", given)) if noted else text)


def _with_powers(found: ExtractedCode) -> ExtractedCode:
    """Write "(x - y)^2" among words as a power; Python has another meaning for the sign."""
    return found if found.code is None else found._replace(code=found.code.replace("^", "**"))


def _statements(text: str) -> ExtractedCode | None:
    """Find lines of statements, at least two, that do more than give names numbers."""
    lines = re.split(r"(?<=\n)|(?<=;)", text)
    kept = [line for line in lines if _is_statement(line)]
    if len(kept) < _LEAST_LINES or not any(_CALLS.search(line) or _READS.search(line) for line in kept):
        return None
    first, last = lines.index(kept[0]), len(lines) - 1 - lines[::-1].index(kept[-1])
    if any(line.strip() and not _is_statement(line) for line in lines[first : last + 1]):
        return None  # words stand between them
    code = "\n".join(line.strip().rstrip(";") for line in lines[first : last + 1] if line.strip())
    sure = any(_CALLS.search(line) for line in kept)
    return ExtractedCode("".join(lines[:first]), "".join(lines[last + 1 :]), code, sure=sure)


def _is_statement(line: str) -> bool:
    try:
        body = read_python(line.strip().rstrip(";")).body
    except SyntaxError:
        return False
    return (
        len(body) == 1
        and isinstance(body[0], ast.Assign | ast.AugAssign | ast.Return)
        and body[0].value is not None
    )


def _by_index(text: str) -> ExtractedCode | None:
    """Find a statement that gives a tensor by index, "out[i] = table[ids[i]]", up to where words go on."""
    for match in _GIVEN.finditer(text):
        ends = [m.start() for m in _CLAUSE.finditer(text, match.end())]
        for end in sorted({*ends, len(text)}, reverse=True):
            part = with_sums(text[match.start() : end].strip())
            if _is_statement(part) and not _gives_several(part):
                return ExtractedCode(text[: match.start()], text[end:], part, sure=False)
    return None


def _gives_several(statement: str) -> bool:
    """Say whether words were read as a list of values: "out[i] = x[i], x (8, 4)"."""
    body = read_python(statement).body[0]
    return isinstance(body, ast.Assign | ast.AugAssign) and isinstance(body.value, ast.Tuple | ast.List)


def _bare_expression(text: str, wanted: re.Pattern[str]) -> ExtractedCode:
    """Find the longest run of words that is an expression with what is wanted in it, near the first place of that."""
    words = _PUNCTUATION.sub(r" \1 ", text.replace("\n", " \n ")).split(" ")
    call = next((i for i, word in enumerate(words) if wanted.search(word)), 0)
    begin, end = max(0, call - _NEAR_WORDS), min(len(words), call + _NEAR_WORDS)
    for length in range(end - begin, 0, -1):
        for first in range(begin, end - length + 1):
            part = " ".join(words[first : first + length]).strip().rstrip(",.;")
            if wanted.search(part) and expression_of(part) is not None:
                before = _ASSIGNED.sub("", " ".join(words[:first]))
                behind = " ".join(words[first + length :])
                if _SIGN.match(behind.lstrip()) or _SIGN.match(before.rstrip()[-1:]):
                    return ExtractedCode(text)  # only a part of an expression
                return ExtractedCode(before, behind, part)
    return ExtractedCode(text)


def _module_at(text: str) -> str | None:
    """Return the longest beginning of the text that is a module; words behind it are no code."""
    lines = text.splitlines(keepends=True)
    for count in range(len(lines), 0, -1):
        part = "".join(lines[:count])
        try:
            body = read_python(part).body
        except SyntaxError:
            continue
        last = body[-1] if body else None
        if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Call):
            return part
    return None


def expression_of(text: str) -> ast.expr | None:
    """Return the expression if the text is one that computes something."""
    try:
        lines = read_python(text.strip()).body
    except SyntaxError:
        return None
    body = lines[0].value if len(lines) == 1 and isinstance(lines[0], ast.Expr) else None
    if isinstance(body, ast.Subscript):
        return body if isinstance(body.value, ast.Name | ast.Subscript | ast.Call) else None
    return body if isinstance(body, ast.Call | ast.BinOp | ast.UnaryOp) else None


_CLAUSES = re.compile(r"[.;。；\n]\s")
_ALIKE = {
    "max": "amax", "min": "amin", "maximum": "amax", "minimum": "amin", "norm": "vector_norm",
    "transpose": "permute", "fliplr": "flip", "flipud": "flip",
}  # fmt: skip


def without_description(found: ExtractedCode) -> ExtractedCode | None:
    """Return the code without the words that describe it; None where none do, or they tell more than the code."""
    again = re.search(words()["code again"] + r"[\s:：,，]*\Z", found.before, re.I)
    if again is None or found.code is None:
        return None
    begin = max((m.end() for m in _CLAUSES.finditer(found.before, 0, again.start())), default=0)
    said = found.before[begin : again.start()].lower()
    if _tells_tensors(said) or re.search(words()["code denies"], said) or not _names_fit(said, found.code):
        return None
    if not _numbers_fit(said, found.code):
        return None
    return found._replace(before=found.before[:begin])


def _tells_tensors(said: str) -> bool:
    text = MarkedText(said)
    take_dtypes(text)
    take_shapes(text)
    return any(
        m.kind == "dtype" or (m.kind == "shape" and _is_shape(text, m.begin, m.end)) for m in text.marks
    )


def _is_shape(text: MarkedText, begin: int, end: int) -> bool:
    """Say whether a mark is a shape for sure: "8x64", "[2, 3, 8]"; "(2)" may be an axis."""
    return len(re.findall(r"\d+", text.text[begin:end])) > 1


def _names_fit(said: str, code: str) -> bool:
    """Say whether the words name no operator but those that the code calls, or what these are parts of."""
    called = {name for n in re.findall(r"(\w+)\(", code) for name in (n, n.rstrip("_"))}
    known = {_ALIKE.get(e.name, e.name) for n in called if (e := operator_named(n)) is not None}
    inside = {_ALIKE.get(p, p) for name in known for p in parts_of(name)}
    named = {_ALIKE.get(n.operator, n.operator) for n in find_operators(said)}
    whole = all(known <= {*parts_of(n), n} for n in named)  # "softmax, i.e. exp(x) / sum(exp(x))"
    return named <= known | inside or (bool(known) and whole)


def _numbers_fit(said: str, code: str) -> bool:
    """Say whether the code has every number and every axis of the words."""
    told = {float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", said)}
    text = MarkedText(re.sub(r"\d", " ", said))
    take_axes(text)
    axes = {m.value for m in text.marks if isinstance(m.value, int)}
    numbers = _numbers(code)
    return told <= {abs(n) for n in numbers} and axes <= numbers


def _numbers(code: str) -> set[float]:
    try:
        tree = ast.parse(code.strip())
    except SyntaxError:
        return set()
    found = set()
    for node in ast.walk(tree):
        try:
            value = ast.literal_eval(node) if isinstance(node, ast.UnaryOp | ast.Constant) else None
        except ValueError:
            continue
        if isinstance(value, int | float):
            found.add(float(value))
    return found
