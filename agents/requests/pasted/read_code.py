"""Read code with the words beside it, and what a follow-up says of known code."""

import ast
import re
from typing import Protocol

from akgen.agents.requests.code import source_of
from akgen.agents.requests.language import Language
from akgen.agents.requests.pasted.bare_calls import with_axis
from akgen.agents.requests.pasted.code_edits import edited_code
from akgen.agents.requests.pasted.extraction import ExtractedCode, expression_of
from akgen.agents.requests.pasted.tensors_beside import Beside, indexed_source, with_tensors, without_label
from akgen.agents.requests.problems import problem
from akgen.agents.requests.request import ChainStep, ParsedRequest, Request, RequestSource
from akgen.agents.requests.stated import stated_result
from akgen.knowledge.operators import find_operators
from akgen.tools.core.dtypes import DType

_THEN = re.compile(r"\s*[,，.;。；]?\s*(?:(?:and )?then|followed by|再|然后|接着?|之后)(?![a-z])", re.I)
_GOES_ON = re.compile(  # from what is known: "then divide it by s, s [32]"
    r"\A\s*(?:and |now |ok,? )*(?:then|also|after that|finally)(?![a-z])"
    r"|(?<![a-z])(?:it|the (?:result|output))(?= ?(?:by|with|to|plus|times|,|\Z))"
    r"|\A\s*(?:再|然后|最后|接着|结果)+(?!写|来|做一?个|给)|它",
    re.I,
)
_RETURNED = re.compile(r"(?<![a-z])(?:return|output|result|give)s?(?![a-z])|返回|输出|结果", re.I)


class WordReader(Protocol):
    """Reads words; `given` if what to compute is known from elsewhere."""

    def __call__(
        self, text: str, known: Request, language: Language, *, given: bool = False
    ) -> ParsedRequest: ...


class PlainReader(Protocol):
    """Returns the request of a text that is understood whole, else None."""

    def __call__(self, text: str, known: Request) -> Request | None: ...


def read_code(
    found: ExtractedCode, known: Request, language: Language, read: WordReader, plainly: PlainReader
) -> ParsedRequest:
    """Read code with what the words beside it say of its tensors."""
    assert found.code is not None
    source: RequestSource | str | None = indexed_source(found)
    if source is None and (expression := expression_of(found.code)) is not None:
        pathed = with_axis(expression, found.behind)
        if pathed is None:
            asked = problem("nothing_to_compute", language)
            return ParsedRequest(request=known, problem=asked, kind="unclear")
        found = found._replace(code=ast.unparse(pathed[0]), behind=pathed[1])
    source = source or source_of(found.code or "", language)
    if isinstance(source, str):
        return ParsedRequest(request=known, problem=source, kind="refused")
    kept = {} if source.brings == "inputs" else {"dtypes": known.dtypes, "shapes": known.shapes[:1]}
    fresh = Request(source=source, dynamic=known.dynamic, **kept)
    beside = with_tensors(fresh, without_label(found), found.comments)
    if beside is not None and beside.request.source is not None and source.name != "expression":
        changed = edited_code(beside.request.source, beside.words, plainly)
        if changed is not None:
            source = changed.source
            beside = Beside(request=beside.request.model_copy(update={"source": source}), words=changed.rest)
    if beside is None:
        return ParsedRequest(request=known, problem=problem("two_shapes", language), kind="unclear")
    if beside.request.shapes and source.brings == "nothing":
        stated = stated_result(beside.words, source.arguments or ())
        sizes = {n for shape in beside.request.shapes[0] for n in shape}
        if any(not {*shape} <= sizes for shape in stated.shapes):
            asked = problem("two_shapes", language)
            return ParsedRequest(request=known, problem=asked, kind="unclear")
        beside = Beside(request=beside.request, words=stated.rest) if stated.anything else beside
    heard = read(beside.words, beside.request, language, given=True)
    if source.kind == "code" and (kind := _type_of_its_result(beside, heard)) is not None:
        asked = problem("type_of_the_result", language, name=kind.value)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    if heard.problem is None and heard.request.source is None:
        if (chained := _followed(found, beside.request, heard.request)) is not None:
            return ParsedRequest(request=chained)
        if _is_called(source, heard.request):
            return ParsedRequest(request=heard.request.model_copy(update={"source": source, "steps": ()}))
        names = [source.name, *(s.formula or s.operator for s in heard.request.steps)]
        asked = problem("order", language, names=names)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    return heard if heard.problem is None else heard.model_copy(update={"request": known})


def _type_of_its_result(beside: Beside, heard: ParsedRequest) -> DType | None:
    """Return the type that words give the result of code, "x is fp16 ... return fp32", whose tensors have another."""
    told, built = beside.request.dtypes, heard.request.dtypes
    if heard.problem is not None or len(told) != 1 or len(built) != 1 or told == built:
        return None
    return built[0] if beside.request.shapes and _RETURNED.search(beside.words) else None


def _followed(found: ExtractedCode, code: Request, words: Request) -> Request | None:
    """Return an expression with the operators of the words behind it, "torch.exp(x) then relu"; None of other code."""
    source = code.source
    if source is None or source.name != "expression" or not _THEN.match(found.behind) or not code.shapes:
        return None
    formula = re.sub(
        r"(?<![\w.])(?:F|functional)\.(?=\w)",
        "torch.nn.functional.",
        source.text.partition("return ")[2].strip(),
    )
    first = ChainStep(
        operator="formula", formula=formula, variables=source.arguments or (), holds=dict(source.holds)
    )
    if len(code.shapes[0]) not in (1, len(first.variables)):
        return None
    return code.model_copy(
        update={"source": None, "steps": (first, *words.steps), "dtypes": words.dtypes or code.dtypes}
    )


def _is_called(source: RequestSource, words: Request) -> bool:
    """Say whether words name the one operator that is called beside them: "the minimum, torch.amin(x, 0)"."""
    body = source.text.partition("return ")[2].strip()
    call = re.fullmatch(r"(?:torch\.nn\.functional|torch|F)\.(\w+)\(.*\)", body)
    if source.name != "expression" or call is None or len(words.steps) != 1 or words.steps[0].formula:
        return False
    step = words.steps[0]
    meant = {named.operator for named in find_operators(call[1].replace("_", " "))} | {call[1]}
    if step.operator not in meant and not any(step.operator.startswith(f"{name}_with_") for name in meant):
        return False
    rank = len(words.shapes[0][0]) if words.shapes else 0
    values = [n.value for n in ast.walk(ast.parse(body)) if isinstance(n, ast.Constant)]
    written = {(type(v), v) for v in values} | {(int, -v) for v in values if type(v) is int}
    for value in step.attributes.values():
        same = (value, value % rank) if isinstance(value, int) and rank else (value,)
        if not any((type(value), v) in written for v in same):
            return False
    return True


def code_follow_up(
    text: str, known: Request, language: Language, read: WordReader, plainly: PlainReader
) -> ParsedRequest | None:
    """Return known code as a follow-up changes it; a question where it names an operator and no tensor."""
    source = known.source
    if source is None or source.kind != "code":
        return None
    if (changed := edited_code(source, text, plainly)) is not None:
        request = known.model_copy(update={"source": changed.source})
        return (
            read(changed.rest, request, language, given=True)
            if changed.rest
            else ParsedRequest(request=request)
        )
    fresh = plainly(text, Request())
    if fresh is None or not fresh.steps or (fresh.shapes and not _GOES_ON.search(text)):
        return None
    names = [source.name, *(s.formula or s.operator for s in fresh.steps)]
    return ParsedRequest(request=known, problem=problem("order", language, names=names), kind="unclear")
