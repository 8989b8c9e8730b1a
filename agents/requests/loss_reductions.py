"""Give a loss inside a formula the reduction that words beside it name: "t^2 * kl_div(p, q) with batchmean"."""

import ast
import re

from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import operator_named

_NAMED = r"(?P<{0}>batch[-_ ]?mean|mean|sum|none)"
_SAID = re.compile(
    rf"(?<![a-z])(?:reduction|reduce)(?: (?:is|of|to|as|by))?\s*[:=]?\s*(?:取|用|为|是|方式)*\s*['"
    rf"\"]?{_NAMED.format('a')}(?![a-z])"
    rf"|(?<![a-z]){_NAMED.format('b')}[- ](?:reduction|reduced)(?![a-z])|(?<![a-z])(?P<c>batch[-_ ]?mean)(?![a-z])"
    rf"|归约(?:方式)?(?:为|是|取|用|[:：=])?\s*['\"]?{_NAMED.format('d')}(?![a-z])",
    re.I,
)


def take_loss_reduction(text: MarkedText) -> None:
    """Mark the words that name a reduction, where the loss is in a formula."""
    formulas = [m.value for m in text.marks if isinstance(m.value, ChainStep) and m.value.formula]
    if any(_open_losses(step) for step in formulas):
        text.take(_SAID, "filler")


def with_loss_reduction(said: str, request: Request) -> Request:
    """Return the request with the only loss in its formulas reduced as the text says. Raises Unclear."""
    named = {m.group(m.lastgroup or 0).lower() for m in _SAID.finditer(said)}
    named = {re.sub(r"[-_ ]", "", name) for name in named}
    found = [(at, step, _open_losses(step)) for at, step in enumerate(request.steps) if step.formula]
    found = [entry for entry in found if entry[2]]
    if not named or not found:
        return request
    if len(named) > 1 or len(found) > 1 or len(found[0][2]) > 1:
        raise Unclear("not_built", words=sorted(named), name=request.name)
    at, step, calls = found[0]
    tree = ast.parse(step.formula or "0", mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node) == calls[0]:
            node.keywords.append(ast.keyword("reduction", ast.Constant(named.pop())))
            break
    fresh = step.model_copy(update={"formula": ast.unparse(ast.fix_missing_locations(tree))})
    return request.model_copy(update={"steps": (*request.steps[:at], fresh, *request.steps[at + 1 :])})


def _open_losses(step: ChainStep) -> list[str]:
    """Return the calls of losses in a formula that name no reduction of their own."""
    calls = []
    for node in ast.walk(ast.parse(step.formula or "0", mode="eval")):
        if not isinstance(node, ast.Call) or any(k.arg == "reduction" for k in node.keywords):
            continue
        entry = operator_named(ast.unparse(node.func).rpartition(".")[2])
        if entry is not None and any(p.name == "reduction" for s in entry.signatures() for p in s.parameters):
            calls.append(ast.unparse(node))
    return calls
