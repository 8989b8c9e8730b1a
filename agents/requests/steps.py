"""Turn marked operators into steps of a chain: their order, operands, attributes, and which of several is meant."""

import ast
import itertools
import re
from collections.abc import Mapping
from typing import Any

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.biases import with_own_bias
from akgen.agents.requests.marks import Mark, MarkedText, phrase
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.settled import accepted, denies_what_is_not, is_loss, refuse_other_tensors, settled
from akgen.knowledge.operators import Value, operator_named

_BEHIND = re.compile(
    r"\A\s*(?:(?:and|also|now|please|then|,|ok|great|nice) )*(?:fuse|fold|merge|tack|chain) (?:in |on |it with "
    r"|that with )?(?:an? |the )?"
    r"|\A\s*(?:最后|然后)?再(?!说|来|写|做一个|给)|\b(?:after|behind) (?:it|that)\b|\bon top\b"
    r"|\A\s*and (?:also |finally |lastly )?an? (?!kernel|version)"
    r"|\A\s*(?:再|并|把|请|还要)*(?:融合|串)(?:上|进)?"
)
_KEEPS_SHAPE = ("elementwise", "activation", "softmax", "scan")
_TAKE_NO_NUMBER = ("attention", "normalization", "softmax", "convolution", "linear", "matmul", "loss")
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_ARITHMETIC = tuple(_SIGNS)
_LINKS = (
    "",
    "a",
    "the",
    "an",
    "back",
    "上",
    "一个",
    "by",
    "by the",
    "with",
    "with the",
    "以",
    "上",
    "到",
    "和",
    "与",
)
_IN_FRONT = re.compile(  # of a follow-up: what it names comes before what is known
    r"\A\s*(?:(?:and|but|now|please|also) )*(?:before (?:that|it|this)|first)(?![a-z])"
    r"|\A\s*(?:请|再|并)?(?:在?(?:这|那|它|此)?之前|前面|最前面)[，,]?(?:先|再)*(?:加|接|做)?(?:上|一个|个)*"
)
_PARTICIPLE = re.compile(r"\s*[a-z]+ed[.!]?\s*\Z")
_ROOT_OF = re.compile(  # "square root of x plus 1"
    r"(?<![a-z])of (?:x|it|the input) (?:plus|minus|times|divided by|\+|-|\*|/) ?\d"
)
_OF_ATTRIBUTE = re.compile(r"(?:weights?|gamma|scale|eps|epsilon|temperature|权重|缩放)\s*\Z")
_OPERAND = re.compile(  # of a sum or product that is told in words, where it is a name and nothing more
    r"(?:times|plus|minus|over|(?:multipl(?:y|ied)|divided?|scaled?|subtract(?:ed)?|add(?:ed)?)"
    r"(?: (?:it|that|this|the (?:result|output)))?(?: (?:back|in|on))*(?: (?:by|with|to))?"
    r"|乘(?:以|上|回)?|除以|[减加](?:上|去|回)?)"
    r" ?(?:the )?(?:original |input |原来的?|输入)*(?P<name>[a-z]\w{0,8})(?: (?:back|again|too|as well|on top))*"
    r"(?=\s*(?:[,，.;；。]|\Z))"
)
_AFTER_ANOTHER = r"(?<![a-z0-9_])[a-z]\w* ?(?:,|，|and|和|与|、|[-+*/@]) ?{}(?![a-z0-9_])"
_LISTED = re.compile(r"[\s,，、]*(?:(?:and|with)(?![a-z])|和|且)?\s*")
_PLUS = re.compile(r"[\s,()]*\+\s*(?:an? )?")

_DEFINED = re.compile(
    r"[:=]|(?<![a-z])(?:i\.?e\.?|namely|that is|which is|meaning|defined as|computed as|as)(?![a-z])"
    r"|即|也就是|就是|等于|定义为"
)
_ADDED = re.compile(
    r"\s*(?:and |also |now |please )*(?:add|append|put|attach) (?:an?|another) (?!kernel)"
    r"|\s*(?:再|最后|后面|末尾)*[加接](?:上)?(?:一个|个)"
)
_ELSE = {"size": "scale_factor", "scale_factor": "size"}  # of which PyTorch takes one


def steps_of(
    text: MarkedText, marks: list[Mark], operators: list[Mark], known: Request
) -> tuple[tuple[ChainStep, ...], bool]:
    """Return the chain, and whether it goes on from the known one."""
    first = operators[0] if operators else None
    lead = re.match(rf"\s*(?:{phrase('lead').pattern})", text.text)
    lead = lead or (_BEHIND.search(text.text) if known.steps else None)
    if known.steps and first is not None and lead is None:
        lead = re.search(
            rf"(?:{phrase('lead').pattern}) ?(?:an? |the |一个|个|一层)?\Z", text.text[: first.begin]
        )
    whole = any(
        m.kind in ("dtype", "shape", "shapes") for m in marks
    )  # a request of its own, not a follow-up
    added = _ADDED.match(text.text) and (not whole or any(m.kind == "bias" for m in marks))
    chained = bool(known.steps) and (
        lead is not None or bool(added) or (not whole and _only_operands(marks, first))
    )
    made = _marked_steps(text, marks, operators)
    if known.steps and not chained and not whole and is_truth(known.steps[-1]) and _reduces(made):
        chained = True  # "isnan", then "sum over dim 1"
    if known.steps and not known.shapes and not chained and whole and _only_reduces(made):
        raise Unclear("order", names=[s.formula or s.operator for s in (*known.steps, *(s for _, s in made))])
    before = list(known.steps) if chained or not operators else []
    if known.steps and operators:
        if _PARTICIPLE.match(text.text):
            raise Unclear("order", names=[s.formula or s.operator for s in (*known.steps, made[0][1])])
        if _IN_FRONT.match(text.text) and not whole:
            return _put_in_front(text, marks, made, known), True
    inserted = [m for m in marks if m.kind in ("bias", "first")]
    if not operators and inserted and known.steps:
        made = [(m, ChainStep(operator="add", operands=(m.kind,))) for m in inserted]
        chained = True
    if chained and made and all(s.operator == "add" and s.operands == ("bias",) for _, s in made):
        biased = [with_own_bias(step) for step in before]
        if biased != before:
            before, made = biased, []  # "sorry, I do need the bias" of what had none
    chain: list[tuple[int, ChainStep]] = [(-1, s) for s in before] + [(m.begin, s) for m, s in made]
    if not chain:
        if any(m.kind in ("attribute", "axis") for m in marks):
            raise Unclear("attribute_of_code" if known.source else "attribute_of_nothing")
        return (), False
    for (_, left), (_, right) in itertools.pairwise(chain):
        if left.operator == "where" and re.search(r"[<>]|[=!]=", right.formula or ""):
            raise Unclear("order", names=[s.formula or s.operator for _, s in chain])  # "mask it where x > 0"
        if left.formula and right.formula and re.search(r"[<>]|[=!]=", right.formula):
            raise Unclear("order", names=[s.formula or s.operator for _, s in chain])  # "y = -x (x < 0)"
    chain = [chain[0], *(_on_the_input(text, place, step, chain[0][1], known) for place, step in chain[1:])]
    steps = _with_attributes(text, marks, chain)
    found = [settled(text, s) for s in _along_as_before(steps, marks, known, chained=chained)]
    if operators:
        refuse_other_tensors(text, found)
    return tuple(found), chained


def _on_the_input(
    text: MarkedText, place: int, step: ChainStep, first: ChainStep, known: Request
) -> tuple[int, ChainStep]:
    """Return a later sum or product with the first tensor as its operand where that is named: "..., then times x".

    Raises Unclear where another tensor of the first step is named.
    """
    if place < 0 or step.operator not in _ARITHMETIC or step.operands or step.formula is not None:
        return place, step
    named = _OPERAND.match(text.text, place)
    before = "\n".join((*known.said, text.text[:place])).lower()
    if named is None or not _is_told(named["name"], before):
        return place, step
    if "\x00" not in text.rest[slice(*named.span("name"))]:
        text.mark(*named.span("name"), "filler")
    count = len(first.variables) if first.formula is not None else tensors_of(first)
    if count > 1 and re.search(_AFTER_ANOTHER.format(named["name"]), before):
        raise Unclear("order", names=[first.formula or first.operator, f"{step.operator} {named['name']}"])
    if count > 1:  # "first" alone would be one more tensor
        sign = _SIGNS[step.operator]
        return place, ChainStep(operator="formula", formula=f"x {sign} first", variables=("x",))
    return place, step.model_copy(update={"operands": ("first",)})


def _is_told(name: str, before: str) -> bool:
    """Say whether a tensor's name stands in a text; "a" may be the article, and x is the input where none is named."""
    if name == "x" and re.search(r"(?<![a-z0-9_])x(?![a-z0-9_])", before) is None:
        return re.search(r"(?<![a-z])of [a-z](?![a-z0-9_])", before) is None
    tensor = rf"(?<![a-z0-9_]){name}(?![a-z0-9_(])"
    if len(name) == 1 and name in "ai":
        tensor += r"(?= ?(?:[,，;.、:：=\[(+*/-]|and(?![a-z])|is(?![a-z])|和|与|\d|\Z|\n))"
    return re.search(tensor, before) is not None


def _along_as_before(
    steps: list[ChainStep], marks: list[Mark], known: Request, *, chained: bool
) -> list[ChainStep]:
    """Give "I meant max" the axis of the reduction in whose place it stands."""
    if chained or len(steps) != 1 or len(known.steps) != 1 or known.steps[0].formula is not None:
        return steps
    axis = known.steps[0].attributes.get("dim")
    told = any(m.kind in ("shape", "shapes", "axis", "number", "count") for m in marks)
    plain = steps[0].operator in ("max", "min") and entry_of(known.steps[0]).category == "reduction"
    if not plain or told or axis is None or "dim" in steps[0].attributes:
        return steps
    return [steps[0].model_copy(update={"attributes": {**steps[0].attributes, "dim": axis}})]


def _put_in_front(
    text: MarkedText, marks: list[Mark], made: list[tuple[Mark, ChainStep]], known: Request
) -> tuple[ChainStep, ...]:
    """Return the known chain behind the steps of this text. Raises Unclear where those take or give another shape."""
    steps = [settled(text, s) for s in _with_attributes(text, marks, [(m.begin, s) for m, s in made])]
    text.mark(*_front(text), "filler")
    if not all(_on_one_tensor(s) for s in steps):
        raise Unclear("order", names=[s.formula or s.operator for s in (*steps, *known.steps)])
    return (*steps, *known.steps)


def _only_reduces(made: list[tuple[Mark, ChainStep]]) -> bool:
    """Say whether a mean or a sum is all that was named: of what is known, or of another tensor."""
    return len(made) == 1 and made[0][1].operator in ("mean", "sum")


def is_truth(step: ChainStep) -> bool:
    """Say whether a step returns what is true or false."""
    if step.formula is not None:
        tree = ast.parse(step.formula, mode="eval").body
        called = ast.unparse(tree.func).rpartition(".")[2] if isinstance(tree, ast.Call) else ""
        entry = operator_named(called)
        return isinstance(tree, ast.Compare) or (entry is not None and entry.category == "comparison")
    entry = entry_of(step)
    return entry.category == "comparison" or entry.name.startswith(("logical_", "isnan", "isinf", "isfinite"))


def _reduces(made: list[tuple[Mark, ChainStep]]) -> bool:
    """Say whether a reduction is all that was named."""
    only = made[0][1] if len(made) == 1 else None
    return only is not None and only.formula is None and entry_of(only).category == "reduction"


def _front(text: MarkedText) -> tuple[int, int]:
    match = _IN_FRONT.match(text.text)
    assert match is not None
    return match.span()


def _on_one_tensor(step: ChainStep) -> bool:
    """Say whether the step takes one tensor and gives one of its shape."""
    numbers = sum(isinstance(o, int | float) for o in step.operands)
    plain = step.formula is None and entry_of(step).category in _KEEPS_SHAPE
    return plain and tensors_of(step) - numbers == 1


def _only_operands(marks: list[Mark], first: Mark | None) -> bool:
    """Say whether the first operator takes a number or a bias, as in "multiply by 2", and so goes on from something."""
    if first is None or first.value not in ("add", "sub", "mul", "div"):
        return False
    return any(m.kind in ("number", "bias", "first") for m in marks)


def _marked_steps(text: MarkedText, marks: list[Mark], operators: list[Mark]) -> list[tuple[Mark, ChainStep]]:
    """Return the marked operators in the order in which they are applied."""
    items: list[tuple[Mark, ChainStep]] = []
    for at, mark in enumerate(marks):
        before = marks[at - 1] if at else None
        if mark.kind == "operator":
            step = mark.value if isinstance(mark.value, ChainStep) else ChainStep(operator=mark.value)
            adds = before is not None and before.kind in ("bias", "first") and step.operator == "add"
            if adds and items and items[-1][0] == before and not text.text[before.end : mark.begin].strip():
                items[-1] = (mark, items[-1][1])  # "residual add": the operand stands before its addition
                continue
            items.append((mark, step))
        elif mark.kind == "number" and items:
            owner, step = items[-1]
            _refuse_other_owner(text, owner, mark, items)
            items[-1] = (owner, step.model_copy(update={"operands": (mark.value,)}))
        elif mark.kind in ("bias", "first") and operators:
            _add_operand(text, items, mark)
    if not items:
        return []
    loose = any(m.kind in ("then", "fused") for m in marks) or len(items) >= 3
    groups: list[list[tuple[Mark, ChainStep]]] = [[items[0]]]
    for left, right in itertools.pairwise(items):
        how = _joint(text, marks, left, right, loose=loose)
        if len(groups[-1]) > 1 and _both_inside(text, left, right):
            how = None  # "the sum of relu and gelu"
        if how == "inner":
            groups[-1].append(right)
        elif how == "next":
            groups.append([right])
        else:
            raise Unclear(
                "order", names=[left[1].formula or left[1].operator, right[1].formula or right[1].operator]
            )
    return [item for group in groups for item in reversed(group)]


def _refuse_other_owner(
    text: MarkedText, owner: Mark, number: Mark, items: list[tuple[Mark, ChainStep]]
) -> None:
    """Refuse "weight + 1" and "square root of x plus 1": the number may belong to less than the whole."""
    said = text.text[owner.begin : number.end]
    entry = operator_named(items[-1][1].operator) if items[-1][1].formula is None else None
    if entry is not None and entry.category in _TAKE_NO_NUMBER:
        raise Unclear("own_operand", said=said)
    if _OF_ATTRIBUTE.search(text.text[: owner.begin]):
        raise Unclear("own_operand", said=said)
    inner = len(items) > 1 and _ROOT_OF.search(text.text, items[-2][0].end, number.end)
    if (
        inner
        and items[-2][0].end <= inner.start()
        and text.text[items[-2][0].end : inner.start()].strip() == ""
    ):
        first = items[-2][1].operator
        raise Unclear("which_one", names=[f"{first}(x), {said}", f"{first}(x, {said})"])


def _both_inside(text: MarkedText, left: tuple[Mark, ChainStep], right: tuple[Mark, ChainStep]) -> bool:
    """Say whether nothing but "and" stands between two operators, so that both may be in what stands before them."""
    return (
        re.fullmatch(r"\s*(?:and|和|与|及)(?: the)?\s*", text.text[left[0].end : right[0].begin]) is not None
    )


def _add_operand(text: MarkedText, items: list[tuple[Mark, ChainStep]], mark: Mark) -> None:
    """Give a bias or the first input to the addition before it, or add it by an addition of its own."""
    if items:
        owner, step = items[-1]
        between = text.text[owner.end : mark.begin].strip(" ,")
        if step.operator in _ARITHMETIC and between in _LINKS:
            items[-1] = (owner, step.model_copy(update={"operands": (mark.kind,)}))
            return
        # "with bias" at the end is the layer's, wherever it stands; "add a bias" is a step
        of_layer = re.match(r"\s*(?:with|带|有)", text.text[mark.begin : mark.end])
        holders = [s.operator for _, s in items] if of_layer else [step.operator]
        entries = [e for e in map(operator_named, holders) if e is not None]
        if mark.kind == "bias" and any("bias" in parameters_of(e) for e in entries):
            return
    items.append((mark, ChainStep(operator="add", operands=(mark.kind,))))


def _joint(
    text: MarkedText,
    marks: list[Mark],
    left: tuple[Mark, ChainStep],
    right: tuple[Mark, ChainStep],
    *,
    loose: bool,
) -> str | None:
    """Say how two operators are joined: the right one is inside the left one, or comes next."""
    begin, end = left[0].end, right[0].begin
    kinds = {m.kind for m in marks if begin <= m.begin and m.end <= end}
    between = text.text[begin:end]
    if kinds & {"of", "after"}:
        return "inner"
    if right[1].operands or kinds & {"then", "fused"} or _plus(text, begin, end):
        return "next"
    reduced = [
        e.category == "reduction" for _, s in (left, right) if (e := operator_named(s.operator)) is not None
    ]
    if kinds & {"and"} and reduced == [True, True]:
        return None  # "variance and mean": of the same tensor, more likely than one of the other
    if (left[1].operands or "_own_" in right[1].operator) and "and" in kinds:
        return "next"  # "add a bias and relu", "subtract the mean and divide by the deviation"
    if left[1].operands and re.fullmatch(r"\s*-?[\d.]+[kme\d-]*\s*(?:再|取|求|做|后|之后)+\s*", between):
        return "next"  # "加 1 取对数"
    listed = "and" in kinds or re.search(r"[,，+、;\n]", between) is not None or not between.strip()
    return "next" if loose and listed else None


def _plus(text: MarkedText, begin: int, end: int) -> bool:
    """Say whether a plus stands between two operators, behind what the first has: "group norm (32 groups) + silu"."""
    behind = [m for m in text.marks if begin <= m.begin and m.end <= end]
    bare = _PLUS.fullmatch(text.rest[begin:end].replace("\x00", ""))
    said = re.fullmatch(r"\s*(?:\([^()]*\)\s*)?\+\s*", text.text[begin:end])
    return (bare is not None and all(m.kind in ("attribute", "axis", "filler") for m in behind)) or bool(said)


def _with_attributes(
    text: MarkedText, marks: list[Mark], chain: list[tuple[int, ChainStep]]
) -> list[ChainStep]:
    steps = [step for _, step in chain]
    places = [place for place, _ in chain]
    fresh = [i for i, place in enumerate(places) if place >= 0]
    given: dict[tuple[int, str], Any] = {}
    owner, end = -1, 0  # of the attribute before
    for mark in marks:
        if mark.kind not in ("attribute", "axis"):
            continue
        listed = owner if _LISTED.fullmatch(text.text[end : mark.begin]) else -1  # "stride 2, bias=False"
        order = sorted(
            range(len(steps)),
            key=lambda i: (i not in fresh, i != listed, places[i] > mark.begin, abs(places[i] - mark.begin)),
        )
        for i in order:
            values = accepted(steps[i], mark)
            if values is not None:
                break
        else:
            batch = mark.kind == "axis" and re.search(r"batch|批|样本", text.text[mark.begin : mark.end])
            if denies_what_is_not(mark) or (batch and is_loss(steps[-1])):
                continue
            raise _refused(text, mark, steps)
        owner, end = i, mark.end
        for name, value in values.items():
            before = given.setdefault((i, name), value)
            if before != value and not _same_axis(marks, before, value):
                raise Unclear("said_twice", name=name)
        if both := next((n for n in values if (i, _ELSE.get(n, n)) in given and n in _ELSE), None):
            raise Unclear("said_twice", name=both)
        kept = without_else(steps[i], values)
        steps[i] = steps[i].model_copy(update={"attributes": {**kept, **values}})
    return steps


def _same_axis(marks: list[Mark], one: Any, other: Any) -> bool:
    """Say whether two numbers name one axis of the tensors that are told: "each row, dim 1" of a matrix."""
    ranks = {len(shape) for m in marks if m.kind == "shape" for shape in m.value}
    numbers = type(one) is int and type(other) is int
    return numbers and len(ranks) == 1 and (one - other) % ranks.pop() == 0


def without_else(step: ChainStep, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return a step's attributes without what goes only in the place of new ones."""
    padded = step.operator == "pad" and values.get("mode", "constant") != "constant"
    return {
        n: v
        for n, v in step.attributes.items()
        if _ELSE.get(n) not in values and not (padded and n == "value")
    }


def without_mentions(text: MarkedText, marks: list[Mark], known: Request) -> list[Mark]:
    """Drop operators that a chain has already, where others of it are not named: "exact gelu" says how."""
    names = {s.operator for s in known.steps}
    operators = [m for m in marks if m.kind == "operator"]
    mentioned = {m.value for m in operators if isinstance(m.value, str)}
    leads = re.match(rf"\s*(?:{phrase('lead').pattern})", text.text) or _ADDED.match(text.text)
    if leads or _BEHIND.search(text.text) or len(mentioned) < len(operators) or not mentioned < names:
        return marks
    return [m for m in marks if m not in operators]


def _refused(text: MarkedText, mark: Mark, steps: list[ChainStep]) -> Unclear:
    names = [s.operator for s in steps]
    said = text.text[mark.begin : mark.end].strip()
    if mark.kind == "axis":
        return Unclear("no_axis", operator=names[-1])
    return Unclear("no_attribute", operator=names[-1], said=said)
