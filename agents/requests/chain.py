"""Turn what was marked in a text into a chain of operators with types and shapes, or into a change of one."""

import re

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.chain_shapes import with_shapes
from akgen.agents.requests.labels import without_labels
from akgen.agents.requests.marks import Mark, MarkedText, words
from akgen.agents.requests.needs import INDICES, entry_of, tensors_of, way_of, with_type
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.settled import refuse_choices, refuse_two_types
from akgen.agents.requests.steps import is_truth, steps_of, without_else, without_mentions
from akgen.agents.requests.tensors import with_result
from akgen.agents.requests.whole_numbers import accumulated
from akgen.agents.requests.wishes import Wishes
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

_VALUES = ("operator", "dtype", "shape", "shapes", "attribute", "axis", "number", "bias", "first")
_TARGET = re.compile(r"(?:(?<![a-z])(?:to|into|as)|->|→|=>|成|为|到)\s*(?:an? )?\Z")
_TAKES_PLACE = re.compile(  # words that say that something else is wanted
    r"(?<![a-z])(?:now|instead|actually|make|chang\w+|switch|swap|replace|only|just|rather|forget|sorry|mean|meant|wrong|no|not"
    r"|scratch|use|want|give|another|next|different|new|try|do)(?![a-z])|改|换|不|只|算了|现在|来|用|做|要|是|写"
)
_PAIR = 2
_CHANGED = re.compile(
    r"(?<![a-z])(?:chang(?:e[sd]?|ing)|becomes?|switch|instead)(?![a-z])|改|换|变"
)  # no further case
_DIRECTLY = re.compile(  # between "not" and what is not meant; "not for negative values" limits what is
    r"(?:[\s,:，：'\"]|(?<![a-z])(?:an?|the|use|using|in|with|as|do|want|write|to|be|me|please|dtype|type|over|along"
    r"|by|write)(?![a-z])|[写做用要的是了在沿按对个一求算])*"
)
_MADE_OF_PARTS = ("attention", "normalization", "loss", "quantization", "optimizer")
_OF_THE_RESULT = re.compile(r"(?:输出|结果|(?<![a-z])(?:outputs?|results?))(?:的?形状| shape)?\s*\Z")
_TELLS = re.compile(
    r" ?(?:is|:|：|of|has|being|是|为|长度?|形状)[^.;。；]{0,12}\d| ?(?:is |has |of )?(?:the )?(?:same"
    r"|identical|shaped|like)| ?(?:也|同|一样|形状)"
)
_SIZES = ("size", "scale_factor")  # of a resize: one of the two
_FOLDED = frozenset(("add", "mul", "maximum", "minimum"))  # with three tensors: applied twice


def assemble(
    text: MarkedText,
    known: Request,
    wishes: Wishes,
    sized: dict[str, int],
    types: tuple[DType | None, DType | None],
) -> Request:
    """Return what is known now; `types` are those of indices and of the result. Raises Unclear."""
    marks = _kept(text)
    if any(m.kind == "denied" for m in marks):
        raise Unclear("taken_back")
    refuse_choices(text, marks)
    marks = without_labels(text, marks)
    marks = _with_one_bias(text, marks)
    if any(m.value == "cast" for m in marks):
        marks = _casts(text, marks)
    refuse_two_types(text, marks)
    marks = without_mentions(text, marks, known)
    operators = [m for m in marks if m.kind == "operator"]
    denied = [m for m in text.marks if m.kind == "operator" and m not in operators and _is_denied(text, m)]
    _refuse_part(operators, denied)
    steps, chained = steps_of(text, marks, operators, known)
    if (exchanged := _exchanged(steps, denied, known)) is not None:
        steps, chained = exchanged, True
    if operators and known.steps and not chained:
        steps, chained = _beside(text, steps, known)
    steps = _part_kept(steps, known.steps, text)
    again = bool(operators) and [s.operator for s in steps] == [s.operator for s in known.steps]
    told = ("shape",) if again else ("axis", "shape")
    if _replaced_alike(steps, known.steps, named=again) and not any(m.kind in told for m in marks):
        steps = (
            steps[0].model_copy(
                update={
                    "attributes": {
                        **without_else(known.steps[0], steps[0].attributes),
                        **steps[0].attributes,
                    }
                }
            ),
        )
    steps = _of_one_size(steps, known.steps)
    for step in steps[1:]:
        if step.variables and "x" not in step.variables and len(step.variables[0]) > 1:
            raise Unclear(
                "order", names=[s.formula or s.operator for s in steps]
            )  # "rms norm with weight + 1"
    steps = _kept_batch(steps)
    indices, result = types
    if indices is not None:
        steps = tuple(s.model_copy(update={"index_dtype": indices}) for s in steps)
    steps = with_result(steps, result)
    for step in steps[:-1]:
        entry = operator_named(step.operator) if step.formula is None else None
        if entry is not None and entry.source is not None and "return (" in entry.source:
            raise Unclear("order", names=[s.formula or s.operator for s in steps])
    if counts := [m.value for m in marks if m.kind == "count"]:
        steps = _with_inputs(steps, counts[0])
    named = bool(operators)
    replaced = named and not chained
    knobs = (
        wishes.knobs if replaced or known.knobs is None else known.knobs.joined(wishes.knobs or known.knobs)
    )
    also = any(m.kind == "also" for m in marks) and not (known.shapes and _CHANGED.search(text.text))
    dtypes = tuple(dict.fromkeys(m.value for m in marks if m.kind == "dtype"))
    if not operators and len(dtypes) == 1 and result is None and _never_of_inputs(known, dtypes[0]):
        steps, dtypes = with_result(steps, dtypes[0]), ()
    denied_type = not dtypes and any(m.kind == "dtype" for m in text.marks)
    request = known.model_copy(
        update={
            "steps": steps,
            "source": None if replaced else known.source,
            "dtypes": (tuple(dict.fromkeys((*known.dtypes, *dtypes))) if also else dtypes)
            if dtypes
            else known.dtypes,
            "assumed": known.assumed and not dtypes,
            "every_result": text.every_result or (known.every_result and not replaced),
            "returned": known.returned if len(steps) == len(known.steps) and not replaced else (),
            "dynamic": known.dynamic if wishes.dynamic is None else wishes.dynamic,
            "knobs": knobs,
            "sizes": {**({} if replaced else known.sizes), **sized},
        }
    )
    request = with_shapes(text, _without_vectors(text, marks, known), request, known, also=also)
    request = _with_wide_bias(request)
    request = request.model_copy(update={"steps": accumulated(request.steps, request.dtypes)})
    request = request if denied_type else with_type(request)
    request = request.model_copy(update={"steps": _inverted(request)})
    return request.model_copy(update={"steps": _truths_as_numbers(request)})


def _truths_as_numbers(request: Request) -> tuple[ChainStep, ...]:
    """Return the chain with what is true or false as numbers before its mean is taken, which PyTorch does not do."""
    steps = list(request.steps)
    for at in range(len(steps) - 1, 0, -1):
        if steps[at].operator in ("mean", "std", "var") and is_truth(steps[at - 1]):
            kind = next((d for d in request.dtypes if d.is_float), DType.FLOAT32)
            steps.insert(at, ChainStep(operator="cast", attributes={"dtype": kind.value}))
    return tuple(steps)


def _never_of_inputs(known: Request, dtype: DType) -> bool:
    """Say whether a type that is told of known steps can only be their result's: of what reads indices or truths."""
    if not known.steps or known.steps[0].formula is not None or known.dtypes == (dtype,):
        return False
    draws, tensors = entry_of(known.steps[0]).draws, way_of(known.steps[0]).tensors
    indices = bool(tensors) and all(draws.get(t.name) in INDICES for t in tensors)
    return (indices and dtype.is_float) or known.dtypes == (DType.BOOL,)


def _inverted(request: Request) -> tuple[ChainStep, ...]:
    """Return the chain with truth values inverted where it would negate them: "取反" of what is true or false."""
    steps = list(request.steps)
    whole = request.dtypes == (DType.BOOL,)
    for at, step in enumerate(steps):
        truth = is_truth(steps[at - 1]) if at else whole
        if step.operator == "neg" and truth:
            steps[at] = ChainStep(operator="logical_not")
    return tuple(steps)


def _kept_batch(steps: tuple[ChainStep, ...]) -> tuple[ChainStep, ...]:
    """Return the chain with the first axis kept where something is flattened for a linear layer."""
    last = max((i for i, s in enumerate(steps) if s.operator == "linear"), default=0)
    return tuple(
        s.model_copy(update={"attributes": {"start_dim": 1}})
        if s.operator == "flatten" and not s.attributes and i < last
        else s
        for i, s in enumerate(steps)
    )


def _of_one_size(steps: tuple[ChainStep, ...], known: tuple[ChainStep, ...]) -> tuple[ChainStep, ...]:
    """Return the steps without the factor that a resize had where its size is told now, and the other way round."""
    had = {name for step in known for name in step.attributes if name in _SIZES}
    return tuple(
        s.model_copy(update={"attributes": {n: v for n, v in s.attributes.items() if n not in had}})
        if len(had) == 1 and {*_SIZES} <= s.attributes.keys()
        else s
        for s in steps
    )


def _with_wide_bias(request: Request) -> Request:
    """Take a bias whose shape is told, and is not that of a vector, for a tensor like any other."""
    first = request.steps[0] if request.steps else None
    if first is None or first.operands != ("bias",) or not any(len(case) == _PAIR for case in request.shapes):
        return request
    if all(case[1] == case[0][-1:] for case in request.shapes if len(case) == _PAIR):
        return request
    steps = (first.model_copy(update={"operands": ("tensor",)}), *request.steps[1:])
    return request.model_copy(update={"steps": steps})


def _with_one_bias(text: MarkedText, marks: list[Mark]) -> list[Mark]:
    """Drop a bias or a residual that only tells the shape of one named before: "add a bias, bias is 8 long"."""
    told: list[Mark] = []
    for kind in ("bias", "first"):
        named = [m for m in marks if m.kind == kind]
        told += [m for m in named[1:] if _TELLS.match(text.text, m.end)]
    return [m for m in marks if m not in told]


def _is_denied(text: MarkedText, mark: Mark) -> bool:
    """Say whether an operator was named as what is not meant."""
    return any(
        m.kind == "not" and m.end <= mark.begin and _DIRECTLY.fullmatch(text.text[m.end : mark.begin])
        for m in text.marks
    )


def _refuse_part(operators: list[Mark], denied: list[Mark]) -> None:
    """Refuse "attention, not softmax": what is denied is a part of what is named, not another operator."""
    for mark in operators:
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        if denied and entry is not None and (entry.source or entry.category in _MADE_OF_PARTS):
            others = [
                e for m in denied if isinstance(m.value, str) and (e := operator_named(m.value)) is not None
            ]
            if any(e.category != entry.category and not e.source for e in others):
                raise Unclear("taken_back")


def _exchanged(
    steps: tuple[ChainStep, ...], denied: list[Mark], known: Request
) -> tuple[ChainStep, ...] | None:
    """Return the known chain with one operator in the place of another: "relu instead of gelu"."""
    names = [s.operator for s in known.steps]
    gone = [m.value for m in denied if m.value in names]
    if len(known.steps) < _PAIR or len(steps) != 1 or len(gone) != 1 or names.count(gone[0]) != 1:
        return None
    return tuple(steps[0] if s.operator == gone[0] else s for s in known.steps)


def _beside(
    text: MarkedText, steps: tuple[ChainStep, ...], known: Request
) -> tuple[tuple[ChainStep, ...], bool]:
    """Return steps that are named behind known ones, and whether they go on from these: "cast to fp16".

    Raises Unclear where they may be one more result ("also return the sum"), or convert a part of the results.
    """
    more = {s.operator for s in steps} - {s.operator for s in known.steps}
    names = [s.formula or s.operator for s in (*known.steps, *steps)]
    if not _TAKES_PLACE.search(text.text) and _loses_a_tensor(text, steps, known):
        raise Unclear("order", names=names)
    if more and any(m.kind == "also" and text.text[m.end : m.end + 1] != "是" for m in text.marks):
        raise Unclear("order", names=names)
    if [s.operator for s in steps] != ["cast"]:
        return steps, False
    if re.search(words()["parts"], text.text):
        raise Unclear("order", names=names)
    return (*known.steps, *steps), True


def _loses_a_tensor(text: MarkedText, steps: tuple[ChainStep, ...], known: Request) -> bool:
    """Say whether what stands in the place of known steps on several tensors would take one: "a + b", then "tanh"."""
    told = any(m.kind in ("shape", "shapes", "dtype", "size") for m in text.marks)
    return not told and tensors_of(known.steps[0]) > 1 and tensors_of(steps[0]) == 1


def _without_vectors(text: MarkedText, marks: list[Mark], known: Request) -> list[Mark]:
    """Drop the length of a bias, as in "add a bias of length 2048": it follows from what it is added to."""
    biases = [m for m in marks if m.kind == "bias"]
    if not biases or (not known.shapes and sum(m.kind == "shape" for m in marks) < _PAIR):
        return marks
    length = re.compile(
        r"[\s,，]*(?:(?:named |called |叫)?(?<![a-z])[a-z]\d?(?![a-z0-9_]))?"
        r"\s*(?:\x00|of|with|has|is|shape|length|size|长度|形状|为|是|的|[:=(\[])*\s*"
    )
    return [
        m
        for m in marks
        if not (
            m.kind == "shape"
            and len(m.value) == 1
            and len(m.value[0]) == 1
            and any(
                b.end <= m.begin and length.fullmatch(text.rest[b.end : m.begin].replace("\x00", ""))
                for b in biases
            )
        )
    ]


def _kept(text: MarkedText) -> list[Mark]:
    """Return the marks without what the text takes back."""
    marks = [m for m in text.sorted() if m.kind != "filler"]
    dropped: set[int] = set()
    for at, mark in enumerate(marks):
        if mark.kind not in ("not", "fix", "no"):
            continue
        if mark.kind == "no" and re.match(r" ?[a-z]\d?(?![a-z0-9_'])", text.text[mark.end :]):
            raise Unclear("taken_back")  # "no c for small a"
        later = next((i for i in range(at + 1, len(marks)) if marks[i].kind in _VALUES), None)
        if mark.kind == "fix" and _OF_THE_RESULT.search(text.text[: mark.begin]):
            continue  # "the output should be [2, 16]" corrects nothing
        if mark.kind == "no" and later is not None and (said := _denied_or_corrected(text, marks, at, later)):
            raise Unclear("which_one", names=said)
        if mark.kind == "not":
            if later is None or not _DIRECTLY.fullmatch(text.text[mark.end : marks[later].begin]):
                raise Unclear("taken_back")
            dropped.add(later)
        elif later is not None:
            earlier = [i for i in range(at) if _alike(marks[i], marks[later]) and i not in dropped]
            dropped |= set(earlier[-1:] or ([later] if mark.kind == "no" else []))
    kept = [m for i, m in enumerate(marks) if i not in dropped]
    lost = any(marks[i].kind == "operator" for i in dropped)
    if lost and not any(m.kind == "operator" for m in kept):
        raise Unclear("taken_back")
    return kept


def _denied_or_corrected(text: MarkedText, marks: list[Mark], at: int, later: int) -> list[str]:
    """Return what "matmul, no transposes" may mean: a "no" without a comma denies what follows, or corrects."""
    no, named = marks[at], marks[later]
    earlier = [m for m in marks[:at] if m.kind == "operator" and m.value != named.value]
    bare = text.text[no.begin : no.end].strip() == "no" and not text.text[no.end : named.begin].strip()
    if named.kind != "operator" or not earlier or not bare:
        return []
    said = text.text[named.begin : named.end]
    return [f"{text.text[earlier[-1].begin : earlier[-1].end]} without {said}", said]


def _alike(mark: Mark, other: Mark) -> bool:
    shapes = ("shape", "shapes")
    return mark.kind == other.kind or (mark.kind in shapes and other.kind in shapes)


def _casts(text: MarkedText, marks: list[Mark]) -> list[Mark]:
    """Give every conversion the type that stands after its "to"; what is left are the input's types. Raises Unclear."""
    kept = list(marks)
    for cast in [m for m in marks if m.value == "cast"]:
        types = [m for m in kept if m.kind == "dtype"]
        later = [m for m in types if m.begin >= cast.end and _TARGET.search(text.text[cast.begin : m.begin])]
        earlier = [m for m in types if m.end <= cast.begin and _TARGET.search(text.text[: m.begin])]
        if not (target := next(iter([*later, *earlier]), None)):
            raise Unclear("operand", operator="cast")
        kept.remove(target)
        step = ChainStep(operator="cast", attributes={"dtype": target.value.value})
        kept[kept.index(cast)] = cast._replace(value=step)
    return kept


def _part_kept(
    steps: tuple[ChainStep, ...], known: tuple[ChainStep, ...], text: MarkedText
) -> tuple[ChainStep, ...]:
    """Return an operator that is named once more as the one that gives values alone, where that is known: "top 8"."""
    if len(steps) != 1 or len(known) != 1 or re.search(words()["results of its own"], text.text):
        return steps
    part = known[0].operator in (f"{steps[0].operator}_values", f"{steps[0].operator}_indices")
    return (steps[0].model_copy(update={"operator": known[0].operator}),) if part else steps


def _replaced_alike(steps: tuple[ChainStep, ...], known: tuple[ChainStep, ...], *, named: bool) -> bool:
    """Say whether one operator takes the place of another one of its kind: "make it a mean" after a sum over dim 0."""
    if len(steps) != 1 or len(known) != 1 or steps == known or steps[0].formula or known[0].formula:
        return False
    old, new = entry_of(known[0]), entry_of(steps[0])
    kinds = ("reduction", "softmax", "scan", "pooling", "optimizer", "loss")
    return (old.category == new.category in kinds or (named and old == new)) and set(
        known[0].attributes
    ) <= set(parameters_of(new))


def _with_inputs(steps: tuple[ChainStep, ...], count: int) -> tuple[ChainStep, ...]:
    """Return the steps with so many tensors. Raises Unclear if the operator does not take them."""
    if not steps:
        return steps
    names = {s.operator for s in steps}
    taken = sum(tensors_of(s) - bool(i) for i, s in enumerate(steps))
    numbers = any(isinstance(o, int | float) for s in steps for o in s.operands)
    if len(names) == 1 and names <= _FOLDED and count > 1 and not numbers:
        more = ChainStep(operator=steps[0].operator, operands=("tensor",))
        return (steps[0], *[more] * (count - 2))
    if taken != count:
        raise Unclear("more_tensors", names=[s.operator for s in steps], taken=taken)
    return steps
