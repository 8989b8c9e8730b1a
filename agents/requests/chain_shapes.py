"""Find the shapes of a chain's tensors: those listed, by name, from sizes with a role, from what was known."""

import itertools
import re
from collections.abc import Mapping

from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.named_shapes import (
    all_named,
    by_name,
    by_role,
    einsum_shapes,
    in_declared_order,
    named_before,
    others_known,
)
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.program import input_count
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.result_shapes import FLAT, result_shape
from akgen.agents.requests.sizes import GENERAL, GENERAL_FOR, SIZES
from akgen.knowledge.operators import Value

_CASES = re.compile(r"(?<![a-z])(?:at|for|sizes|cases|both)(?: (?:shapes?|sizes?))?\W*\Z|用例\W*\Z")
_PAIR = 2
_SIGNS = ("add", "sub", "mul", "div")


def with_shapes(
    text: MarkedText, marks: list[Mark], request: Request, known: Request, *, also: bool
) -> Request:
    """Return the request with its shapes. Raises Unclear."""
    listed = [m for m in marks if m.kind in ("shape", "shapes")]
    request, listed = _weights(text, request, listed)
    request, rest = _embedded(text, request, listed)
    request = _solved(request, rest)
    rest = _of_composite(request, _without_result(text, _without_repeats(text, rest)))
    request = in_declared_order(text, request, rest)
    kept = others_known(text, request, known, rest)
    also = also and kept is None
    shapes = (kept,) if kept is not None else _cases(text, marks, request, rest) if rest else ()
    if not shapes and (sized := einsum_shapes(request) or _from_sizes(request)):
        shapes = (sized,)
    elif shapes and any(m.kind == "size" for m in text.marks):
        shapes = tuple(_agreeing(request, each) for each in shapes)
    shapes = _images(request, shapes)
    resized = [m for m in marks if m.kind == "resized"]
    if not shapes and not resized and known.shapes and not any(m.kind == "operator" for m in marks):
        resized = [_as_resized(m, request.sizes) for m in text.marks if m.kind == "size"]
    if resized:
        if shapes or any(m.kind == "operator" for m in marks):
            raise Unclear("resized", said=text.text[resized[0].begin : resized[0].end].strip())
        shapes = _resized(known, resized)
    if shapes and also:
        shapes = tuple(dict.fromkeys((*known.shapes, *shapes)))
    if not shapes:
        first, *later = request.steps or (None,)
        more = sum(len(s.variables) - 1 for s in later if s is not None and s.formula is not None)
        count = tensors_of(first) + more if first is not None else None
        shapes = known.shapes if count is None or all(len(s) <= count for s in known.shapes) else ()
    shapes = _beside_known(request, known, rest, shapes)
    request = request.model_copy(update={"shapes": shapes})
    return _without_input_sizes(request)


def _beside_known(
    request: Request, known: Request, listed: list[Mark], shapes: tuple[tuple[Shape, ...], ...]
) -> tuple[tuple[Shape, ...], ...]:
    """Return the known tensors' shapes and that of one which a step more takes: "then divide by s, s is [64]"."""
    before, added = request.steps[: len(known.steps)], request.steps[len(known.steps) :]
    takes = [
        s for s in added if s.operator in _SIGNS and s.formula is None and s.operands in ((), ("tensor",))
    ]
    if not known.steps or before != known.steps or len(takes) != 1 or len(known.shapes) != 1:
        return shapes
    count = input_count(known)
    given = known.shapes[0] if len(known.shapes[0]) == count else known.shapes[0][:1] * count
    told = [m.value[0] for m in listed if len(m.value) == 1]
    if listed:
        return ((*given, told[0]),) if len(listed) == len(told) == 1 else shapes
    result = result_shape(known)
    return shapes if result in (None, given[0]) or added[0] not in takes else ((*given, result),)


_RESULT = re.compile(
    r"(?:(?<![a-z])(?:out(?:puts?)?|results?|giving|gives?|becomes?"
    r"|so(?: it(?:'s| is)?| i get| that)?|i get|down to)(?: (?:is|of|shape|are|has|tensor|each|as))*"
    r"|->|=>|→|输出|结果|得到|变成)"
    r"(?:[ :=为是形状(的]|应该?|should be|(?<![a-z])(?:u?int\d+|fp\d+|float\d*|bf16|bfloat16|bool|half)(?![a-z0-9]))*\Z"
)


def _without_result(text: MarkedText, listed: list[Mark]) -> list[Mark]:
    """Drop a shape that is said of the result, where another one is the input's."""
    kept = [m for m in listed if not _RESULT.search(text.text[: m.begin])]
    return kept or listed


def _without_repeats(text: MarkedText, listed: list[Mark]) -> list[Mark]:
    """Drop a shape by letters that another one says again in full: "B=4,H=16,S=256 (so 4x16x256x256 scores)"."""
    if len(listed) != _PAIR or any(len(m.value) != 1 for m in listed):
        return listed
    one, other = (m.value[0] for m in listed)
    again = re.search(
        r"(?:so|i\.?e\.?|that is|meaning|即|也就是|[(（=:：])\W*\Z", text.text[: listed[1].begin]
    )
    within = len(one) < len(other) and all(other.count(n) >= one.count(n) for n in one)
    return [listed[1]] if again and within else listed


def _of_composite(request: Request, listed: list[Mark]) -> list[Mark]:
    """Drop the shapes of a composite's other tensors where they follow from the first one's."""
    step = request.steps[0] if request.steps else None
    entry = entry_of(step) if step is not None and step.formula is None else None
    if entry is None or not entry.parts or len(listed) < _PAIR or any(len(m.value) != 1 for m in listed):
        return listed
    first = max((m.value[0] for m in listed), key=len)
    others = [m.value[0] for m in listed if m.value[0] != first]
    said = {**entry.attributes, **(step.attributes if step else {})}
    derived = {_derived(part, first, said) for part in entry.parts.values()} | {first}
    if set(others) <= derived:
        return [m for m in listed if m.value[0] == first][:1]
    if len(set(others)) == 1 and len(first) > len(others[0]):
        signature = entry.signatures()[
            0
        ].tensors  # the other tensors share the other shape: "cos and sin 128x16"
        shapes = tuple(first if p.name not in entry.parts else others[0] for p in signature)
        return [listed[0]._replace(kind="shapes", value=shapes)]
    raise Unclear("two_shapes")


def _solved(request: Request, listed: list[Mark]) -> Request:
    """Return the request with what only its tensors' shapes tell of a composite: k of 2x1x40x32 has one head."""
    step = request.steps[0] if request.steps else None
    entry = entry_of(step) if step is not None and step.formula is None else None
    if step is None or entry is None or len(listed) < _PAIR or any(len(m.value) != 1 for m in listed):
        return request
    first = listed[0].value[0]
    others = {m.value[0] for m in listed[1:]} - {first}
    said = {**entry.attributes, **step.attributes}
    named = {name for part in entry.parts.values() for name in re.findall(r"\{(\w+)\}", part)} - said.keys()
    if len(named) != 1 or len(others) != 1:
        return request
    (name,), (other,) = named, others
    fitting = {
        n for n in other if other in {_derived(p, first, {**said, name: n}) for p in entry.parts.values()}
    }
    if len(fitting) != 1:
        return request
    step = step.model_copy(update={"attributes": {**step.attributes, name: fitting.pop()}})
    return request.model_copy(update={"steps": (step, *request.steps[1:])})


def _derived(part: str, shape: Shape, said: Mapping[str, Value]) -> Shape | None:
    """Return the shape that a part of a composite has; None where an attribute is missing."""
    filled = re.sub(r"\{(\w+)\}", lambda m: repr(said.get(m[1])), part)
    found = eval(filled, {"__builtins__": {}, "len": len}, {"shape": list(shape)})
    return None if None in found else tuple(found)


def _weights(text: MarkedText, request: Request, listed: list[Mark]) -> tuple[Request, list[Mark]]:
    """Take a layer's weight out of the shapes: "linear with W 3072x768, x 256x768"."""
    step = request.steps[0] if request.steps else None
    if step is None or step.operator != "linear" or len(listed) != _PAIR:
        return request, listed
    weights = [
        m
        for m in listed
        if re.search(r"(?<![a-z])(?:w|weights?|权重)[ :=为是形状a-z]*\Z", text.text[: m.begin])
    ]
    if len(weights) != 1 or len(weights[0].value[0]) != _PAIR:
        return request, listed
    rest = [m for m in listed if m is not weights[0]]
    out, into = weights[0].value[0]
    if rest[0].value[0][-1] != into:
        out, into = into, out
    step = step.model_copy(update={"attributes": {**step.attributes, "out_features": out}})
    return request.model_copy(update={"steps": (step, *request.steps[1:])}), rest


def _embedded(text: MarkedText, request: Request, listed: list[Mark]) -> tuple[Request, list[Mark]]:
    """Take an embedding's table out of the shapes: "100 x 16, indices of shape 4x8"."""
    if not request.steps or request.steps[0].operator != "embedding" or len(listed) != 2:
        return request, listed
    indices = [
        m
        for m in listed
        if re.search(r"(?:ind(?:ices|ex)|ids|input|tokens|索引|下标)[a-z ]*\Z", text.text[: m.begin])
    ]
    tables = [m for m in listed if m not in indices]
    if len(indices) != 1 or len(tables[0].value[0]) != 2:
        raise Unclear("two_shapes")
    rows, width = tables[0].value[0]
    step = request.steps[0]
    step = step.model_copy(
        update={"attributes": {**step.attributes, "num_embeddings": rows, "embedding_dim": width}}
    )
    return request.model_copy(update={"steps": (step, *request.steps[1:])}), indices


def _cases(
    text: MarkedText, marks: list[Mark], request: Request, listed: list[Mark]
) -> tuple[tuple[Shape, ...], ...]:
    """Return the shapes of each case: one shape for all tensors, or one for each."""
    listed = _without_own(text, request, listed)
    found: list[Shape] = [shape for m in listed for shape in m.value]
    if (named := all_named(text, request, listed)) is not None:
        return (named,)
    if len(found) == 1:
        return ((found[0],),)
    if not request.steps:
        arguments = (request.source.arguments if request.source else None) or ()
        said = named_before(text, listed, arguments)
        if len(arguments) > 1 and {*arguments} == said.keys():
            return (tuple(said[a] for a in arguments),)
        return tuple((shape,) for shape in found)
    first = request.steps[0]
    count = tensors_of(first)
    each = (
        first.formula is not None
        or entry_of(first).shapes == "each"
        or (entry_of(first).source is not None and len(listed) == 1 and len(found) == count)
        or bool(first.formula is None and entry_of(first).draws and entry_of(first).source is None)
    )
    if first.formula is not None and len(found) == count and len(listed) == count:
        found = by_name(text, listed, first.variables)
    labels = first.formula is None and "classes" in entry_of(first).draws.values()
    if labels and len(found) > 1 and found[1] not in (found[0][:1] + found[0][2:], found[0]):
        raise Unclear("two_shapes")  # classes stand behind the batch in PyTorch: (N, C, d) with (N, d)
    if len(found) == count > 1 and _of_named(text, request, listed, found):
        return (tuple(found),)
    if len(listed) == count > 1 and (roles := by_role(text, request, listed)) is not None:
        return (roles,)
    if len(found) > max(count, 1) and not _listed(text, listed):
        raise Unclear("two_shapes")
    if count == 1:
        return tuple((shape,) for shape in dict.fromkeys(found))
    if len(found) == count and (each or entry_of(first).category == "matmul" or _apart(text, marks, listed)):
        return (tuple(found),)
    if each:
        raise Unclear("two_shapes")
    if len(set(found)) == 1:
        return ((found[0],),)
    pair = len(found) == count == _PAIR and all(m.kind == "shape" for m in listed)
    if pair and _broadcast(found) and entry_of(first).category == "elementwise":
        between = text.text[listed[0].end : listed[1].begin]
        taken_from = first.operator == "sub" and re.search(r"(?<![a-z])from(?![a-z])", between)
        return (tuple(reversed(found) if taken_from else found),)
    if pair and min(map(len, found)) > 1 and not _CASES.search(text.text[: listed[0].begin]):
        raise Unclear("two_shapes")
    if len(found) == count and _broadcast(found):
        raise Unclear("two_shapes")
    return tuple((shape,) for shape in dict.fromkeys(found))


_OWN = re.compile(
    r"(?<![a-z])(?:weights?|gamma|beta|bias|gain|scale|slopes?|斜率|running[_ ]?(?:mean|var)\w*)"
    r"(?:[\s,/&:=]|(?<![a-z])(?:and|is|are"
    r"|of|has|have|with|shape|length|size|each|both|an?)(?![a-z])|的|形状|长度|大小|都|各|是|为|和)*\Z"
)


def _without_own(text: MarkedText, request: Request, listed: list[Mark]) -> list[Mark]:
    """Leave out the shapes of a norm's own tensors where they are what the norm needs: "x 4x64, weight is (64,)"."""
    step = next((s for s in request.steps if s.formula is None and _is_scaled(s)), None)
    if step is None or not all(_keeps(s) for s in request.steps[: request.steps.index(step)]):
        return listed
    taken = {v for s in request.steps for v in s.variables}
    own = [
        m
        for m in listed
        if len(m.value) == 1
        and (said := _OWN.search(text.text[: m.begin])) is not None
        and not taken & {*re.findall(r"[a-z]\w*", said[0])}
    ]
    others = [m for m in listed if m not in own]
    shapes = {s for m in others for s in m.value}
    if not own or len(shapes) != 1 or (len(others) > 1 and step is request.steps[0]):
        return listed
    (shape,) = shapes
    channels = step.operator.startswith(("batch", "group", "instance", "prelu"))
    fits = all(s == (shape[1:2] if channels else shape[-len(s) :]) for m in own for s in m.value)
    return others if fits else listed


def _is_scaled(step: ChainStep) -> bool:
    return entry_of(step).category == "normalization" or step.operator == "prelu"


def _keeps(step: ChainStep) -> bool:
    """Say whether what comes out of a step has the shape of its first tensor."""
    return step.formula is not None or entry_of(step).category in ("elementwise", "activation")


_CONNECTS = re.compile(
    r"(?:[\s,，、;；/&+\x00]|(?<![a-z])(?:and|or|also|then|as well as|for|at|with|both|plus|shapes?|sizes?|cases?"
    r"|fp\d+|bf16|x|of|is|a|an)(?![a-z])"
    r"|和|与|及|或|还有|以及|另外|还要|也要|两个|用例|形状)*"
)


def _listed(text: MarkedText, listed: list[Mark]) -> bool:
    """Say whether shapes stand in a list, as cases do."""
    between = (text.text[a.end : b.begin] for a, b in itertools.pairwise(listed))
    return all(_CONNECTS.fullmatch(part) for part in between)


def _of_named(text: MarkedText, request: Request, listed: list[Mark], found: list[Shape]) -> bool:
    """Say whether a composite's tensors have shapes that fit the first one's: "scores 4x8x32x32, mask 4x1x1x32"."""
    step = request.steps[0]
    composite = step.formula is None and entry_of(step).source is not None
    differ = len(set(found)) > 1 and max(map(len, found)) == len(found[0])
    return composite and differ and _broadcast(found) and not _CASES.search(text.text[: listed[0].begin])


def _apart(text: MarkedText, marks: list[Mark], listed: list[Mark]) -> bool:
    """Say whether each tensor has its shape: "a [4, 8] tensor and a [8] vector", "x of 8x16 plus y of 16"."""
    articles = all(
        re.search(r"(?<![a-z])an? \Z|[a-z] (?:of|is)(?: shape| size)? \Z", text.text[: m.begin])
        for m in listed
    )
    between = [
        m for m in marks if m.kind == "operator" and listed[0].end <= m.begin and m.end <= listed[-1].begin
    ]
    return articles or bool(between)


def _broadcast(shapes: list[Shape]) -> bool:
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return all(len({n for n in axis if n != 1}) <= 1 for axis in zip(*padded, strict=True))


def _agreeing(request: Request, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Return the shapes with a batch that was said apart in front. Raises Unclear if sizes contradict them."""
    sizes = {n for shape in shapes for n in shape}
    have = request.sizes
    if {"batch", "channels"} <= have.keys() and not _windowed(request) and len(shapes) == 1:
        lead = (have["batch"], have["channels"])
        if len(shapes[0]) == _PAIR and lead != shapes[0]:
            return ((*lead, *shapes[0]),)  # "32 channels, 14x14 maps, batch of 2"
        if (
            len(shapes[0]) == _PAIR + 1
            and shapes[0][0] == have["channels"]
            and have["batch"] not in shapes[0]
        ):
            return ((have["batch"], *shapes[0]),)
    draws = entry_of(request.steps[0]).draws if request.steps and request.steps[0].formula is None else {}
    for role, size in request.sizes.items():
        if size in sizes:
            continue
        if role == "tokens" and "positions" in draws.values() and len(shapes) == 1:
            shapes = (*shapes, (size,))
            continue
        if role == "channels" and _windowed(request):
            continue
        if role != "batch" or any(len(s) != _PAIR for s in shapes):
            raise Unclear("disagree", said=size, name=role)
        shapes = tuple((size, *s) for s in shapes)
    return shapes


def _windowed(request: Request) -> bool:
    step = request.steps[0] if request.steps else None
    return bool(step and step.formula is None and entry_of(step).category in ("convolution", "pooling"))


def _images(request: Request, cases: tuple[tuple[Shape, ...], ...]) -> tuple[tuple[Shape, ...], ...]:
    """Put batch and channels before "56x56" where a window moves over it; no shape where the batch was not said."""
    if not cases or not _windowed(request):
        return cases
    step, have = request.steps[0], request.sizes
    channels = have.get("channels", step.attributes.get("in_channels"))
    if not isinstance(channels, int) or any(len(c) > 1 or channels in c[0] for c in cases):
        return cases
    if any(len(case[0]) == _PAIR for case in cases):
        return tuple(((have["batch"], channels, *c[0]),) for c in cases) if "batch" in have else ()
    if all(len(case[0]) == _PAIR + 1 and case[0][0] == have.get("batch") for case in cases):
        return tuple(((case[0][0], channels, *case[0][1:]),) for case in cases)
    return cases


def _as_resized(mark: Mark, sizes: dict[str, int]) -> Mark:
    """Take "batch 4", of what is known already, for a change of its first axis. Raises Unclear for other sizes."""
    if mark.value != "batch":
        raise Unclear("disagree", said=sizes[mark.value], name=mark.value)
    return mark._replace(kind="resized", value=(0, None, sizes["batch"]))


def _resized(known: Request, marks: list[Mark]) -> tuple[tuple[Shape, ...], ...]:
    """Return the known shape with an axis doubled, halved or set. Raises Unclear where that is not one tensor's."""
    if not known.shapes or any(len(each) > 1 for each in known.shapes):
        raise Unclear("two_shapes" if known.shapes else "attribute_of_nothing")
    shapes = []
    for (shape,) in known.shapes:
        sizes = list(shape)
        for mark in marks:
            axis, factor, size = mark.value
            if not -len(sizes) <= axis < len(sizes):
                raise Unclear("no_axis", operator=known.name)
            sizes[axis] = size if size is not None else max(1, int(sizes[axis] * factor))
        shapes.append((tuple(sizes),))
    return tuple(shapes)


def _from_sizes(request: Request) -> tuple[Shape, ...]:
    """Return the shapes that sizes by role make, such as m, n and k."""
    if not request.steps or not request.sizes or request.steps[0].formula is not None:
        return ()
    step = request.steps[0]
    entry, have = entry_of(step), dict(request.sizes)
    lead = tuple(have[role] for role in ("batch", "tokens") if role in have)
    if entry.name == "linear" and "in_features" in step.attributes and lead:
        width = step.attributes["in_features"]
        return ((*lead, int(width)),) if isinstance(width, int) else ()
    if entry.category in GENERAL_FOR:
        said = tuple(have[role] for role in GENERAL if role in have)
        return (said,) if len(said) > 1 else ()
    if entry.name == "embedding":
        return (lead,) if lead else ()
    channels = step.attributes.get("in_channels")
    if entry.category == "convolution" and {"batch", "long"} <= have.keys() and isinstance(channels, int):
        return ((have["batch"], channels, have["long"]),)
    if entry.category == "loss" and "batch" in have:
        have.setdefault("samples", have["batch"])
    if entry.category == "attention" and "long" in have:
        have.setdefault("tokens", have["long"])
    roles = SIZES.get(entry.category, ())
    if roles and all(role in have for shape in roles for role in shape):
        if entry.category == "matmul" and "batch" in have:  # of one operand, or of both
            return tuple((have["batch"], *(have[r] for r in s)) for s in roles) if entry.name == "bmm" else ()
        return tuple(tuple(have[role] for role in shape) for shape in roles)
    return ()


def _without_input_sizes(request: Request) -> Request:
    """Drop what the shapes say already, if they say the same. Raises Unclear if they do not.

    A linear layer for the channels of what was pooled as a whole takes it flat.
    """
    steps: list[ChainStep] = []
    for step in request.steps:
        attributes = dict(step.attributes)
        for name, axis in (("in_channels", 1), ("in_features", -1)):
            said = attributes.get(name)
            if said is None or not request.shapes:
                continue
            if steps and name == "in_features" and steps[-1].operator in FLAT:
                flat = steps[-1].model_copy(update={"operator": FLAT[steps[-1].operator]})
                steps[-1] = flat if _arrives(request, [*steps[:-1], flat], axis, said) else steps[-1]
            if not _arrives(request, steps, axis, said):
                raise Unclear("disagree", said=said, name=name)
            del attributes[name]
        steps.append(step.model_copy(update={"attributes": attributes}))
    return request.model_copy(update={"steps": tuple(steps)})


def _arrives(request: Request, before: list[ChainStep], axis: int, size: Value) -> bool:
    """Say whether what the steps before a layer return may have that size; what nobody knows may."""
    if not before:
        return all(len(s[0]) > 1 and s[0][axis] == size for s in request.shapes)
    found = result_shape(request.model_copy(update={"steps": tuple(before)}))
    return found is None or (len(found) > 1 and found[axis] == size)
