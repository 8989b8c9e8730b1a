"""Bind the tensors that a text declares to the slots of the operator that it names, by name, shape and type.

"index_add: acc is 512 x 32, rows is 2000 x 32, idx int64" becomes a call of a form of `knowledge/forms.py`. What is
said beside the declarations is read as any request is, and must be understood whole.
"""

import re
from collections.abc import Iterator

from akgen.agents.requests.accounted import unaccounted
from akgen.agents.requests.declarations import Declarations, DeclaredTensor, declarations
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.needs import entry_of, missing, tensors_of, with_type
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.reading import Reading
from akgen.agents.requests.request import ChainStep, Held, Request
from akgen.agents.requests.sizes import take_dtypes
from akgen.knowledge.forms import FormSlot, OperatorForm, forms
from akgen.knowledge.operators import Value, find_operators
from akgen.tools.core.dtypes import DType

_PAIR = 2
_DRAWS = {
    "index": "entries",
    "count": "counts",
    "place": "distinct",
    "real": "real",
    "positive": "positive",
    "int8": "int8",
    "unit": "unit",
    "sorted": "sorted",
    "sign": "sign",
    "mask": "mask",
}
_SHAPE = re.compile(r"[\[(] ?\d+(?: ?, ?\d+)+ ?,? ?[\])]|(?<![\w.])\d+(?: ?x ?\d+)+(?![\w.])")
_RESULT = re.compile(
    rf"(?:(?<![a-z])(?:outputs?|results?|out|giving)(?: is| of| shape|:)*|输出|结果)"
    rf"(?: ?[为是:])? ?(?P<shape>{_SHAPE.pattern})"
)
_OF_WEIGHTS = {"kernel_size", "out_channels", "in_channels", "out_features", "in_features", "num_features"}
_WHOLE = ("index", "count", "place")
_NO_FLOATS = (*_WHOLE, "int8", "mask")
Bound = dict[str, DeclaredTensor]


def bound_request(said: str) -> Request | None:
    """Return the request of a text whose tensors fit its operator's slots; None if it is not all understood so."""
    found = declarations(said)
    if found is None or not any(t.shape is not None for t in found.tensors):
        return None
    if sum(t.shape is not None for t in found.tensors) < _PAIR:
        return _of_forms(said, found)
    if len({t.shape for t in found.tensors}) == 1 and not any(t.dtype for t in found.tensors):
        return _alike(said, found)
    return _of_forms(said, found)


def _of_forms(said: str, found: Declarations) -> Request | None:
    found = _without_result(found._replace(rest=_gathered(found)))
    named = {n.operator for n in find_operators(found.rest)}
    for form in forms():
        if not (named & set(form.operators) or form.implied) or (
            form.again and form.always and not re.search(form.again, found.rest)
        ):
            continue
        for told in (found, _with_loose(found, form)):
            bound = _bound(form, told.tensors) if told is not None else None
            request = _request(said, told, form, bound) if bound is not None and told is not None else None
            if request is not None:
                return request
    return None


def _without_result(found: Declarations) -> Declarations:
    """Drop the result's shape, all of whose sizes are some tensor's."""
    sizes = {n for t in found.tensors for n in t.shape or ()}
    match = _RESULT.search(found.rest)
    if match is None or not {int(n) for n in re.findall(r"\d+", match["shape"])} <= sizes:
        return found
    return found._replace(rest=f"{found.rest[: match.start()]} {found.rest[match.end() :]}")


def _with_loose(found: Declarations, form: OperatorForm) -> Declarations | None:
    """Give a form's first tensor the only shape that stands beside no name: "softmax 16x32, lengths int64 [16]"."""
    shapes = list(_SHAPE.finditer(found.rest))
    first = form.slots[0]
    if len(shapes) != 1 or first.name in {t.name for t in found.tensors}:
        return None
    (shape,) = shapes
    if any(m.start("shape") == shape.start() for m in _RESULT.finditer(found.rest)):
        return None
    tensor = DeclaredTensor(first.name, tuple(map(int, re.findall(r"\d+", shape[0]))), None)
    rest = f"{found.rest[: shape.start()]} , {found.rest[shape.end() :]}"
    return found._replace(tensors=(tensor, *found.tensors), rest=rest)


def _gathered(found: Declarations) -> str:
    """Write "out[i] = table[idx[i]]" of two declared tensors in a word."""
    names = {t.name for t in found.tensors}
    match = re.search(
        r"(?<![a-z0-9_])[a-z]\w* ?\[ ?(\w) ?(?:, ?:)?\] ?= ?(\w+) ?\[(\w+) ?\[ ?\1 ?\] ?(?:, ?:)?\]",
        found.rest,
    )
    if match is None or {match[2], match[3]} != names:
        return found.rest
    return f"{found.rest[: match.start()]} embedding {found.rest[match.end() :]}"


def _alike(said: str, found: Declarations) -> Request | None:
    """Return the request of a composite all of whose tensors have one shape: "adagrad; p, g and acc: 400x128"."""
    shapes = {t.shape for t in found.tensors}
    if len(shapes) != 1 or None in shapes or any(t.dtype for t in found.tensors):
        return None
    read = read_beside(unnamed(found.rest, found))
    if read is None or len(read[1].steps) != 1 or read[1].steps[0].formula is not None:
        return None
    reading, request = read
    if not entry_of(request.steps[0]).source or tensors_of(request.steps[0]) != len(found.tensors):
        return None
    request = with_type(request.model_copy(update={"shapes": (tuple(s for s in shapes if s),)}))
    return None if missing(request) or unaccounted(reading.text, said, request, Request()) else request


def unnamed(rest: str, found: Declarations) -> str | None:
    """Return the text without the tensors' names; None where an equation has one of them."""
    for tensor in found.tensors:
        name = re.escape(tensor.name).replace("_", "[ _-]")
        if re.search(rf"[-+*/@=(\[^] ?{name}(?![a-z0-9_])|(?<![a-z0-9_]){name} ?[-+*/@=(\[^|]", rest):
            return None
        rest = re.sub(rf"(?<![a-z0-9_])(?:(?:and|with|the) )*{name}(?![a-z0-9_])", " ", rest)
    return rest


def read_beside(rest: str | None) -> tuple[Reading, Request] | None:
    """Read what is said beside the declarations; None where not all of it is understood, or shapes are left."""
    if rest is None:
        return None
    reading = Reading(rest, Request())
    try:
        read = reading.request()
    except Unclear:
        return None
    if reading.unread() or read.shapes or read.sizes or not read.steps or read.every_result:
        return None
    return reading, read


def _without_phrases(rest: str, form: OperatorForm) -> str:
    for phrases in (form.again, form.beside):
        rest = re.sub(phrases, " ", rest) if phrases else rest
    return rest


def _without_names(rest: str, form: OperatorForm) -> str:
    """Blank the names of a form's own operators, of which the first is put in front."""
    for named in find_operators(rest):
        if named.operator in form.operators:
            rest = rest[: named.begin] + " " * (named.end - named.begin) + rest[named.end :]
    return rest


def _without_parts(rest: str, form: OperatorForm) -> str:
    """Blank names of operators that the form is made of, where they do not begin a further step."""
    for named in find_operators(rest):
        part = re.search(rf"(?:\b|_){named.operator}\b", form.source)
        further = re.search(r"(?:(?<![a-z])(?:then|and)|再|然后|接)\s*(?:an? )?\Z", rest[: named.begin])
        if named.operator not in form.operators and part and not further:
            rest = rest[: named.begin] + " " * (named.end - named.begin) + rest[named.end :]
    return rest


def _request(said: str, found: Declarations, form: OperatorForm, bound: Bound) -> Request | None:
    rest = unnamed(_without_phrases(found.rest, form), found)
    if rest is not None and form.implied:
        rest = f"{form.operators[0]} {_without_names(rest, form)}"
    if rest is None or (understood := read_beside(_without_parts(rest, form))) is None:
        return None
    reading, read = understood
    first, *later = read.steps
    if "bias" not in bound and any(m.kind == "bias" for m in reading.text.marks):
        return None  # "linear + bias", of which only the weight is told
    if first.operator not in form.operators or first.operands or first.index_dtype is not None:
        return None
    if first.attributes.get("dim", 0) != 0 and form.name == "rows_of":
        return None
    told = {n for n in _OF_WEIGHTS & first.attributes.keys() if _is_told(first.attributes[n], bound)}
    if any(isinstance(first.attributes[n], tuple) for n in told) and found.tensors[0] != bound.get(
        form.slots[0].name
    ):
        return None  # the order in which the tensors shall come is another one
    first = first.model_copy(update={"attributes": of_its_weights(first, form, bound)})
    if form.along and first.attributes.get("dim") in form.along:
        first = first.model_copy(
            update={"attributes": {n: v for n, v in first.attributes.items() if n != "dim"}}
        )
    if not set(form.needs) <= first.attributes.keys() <= set(form.attributes) or any(
        s.formula is None and tensors_of(s) - sum(not isinstance(o, str) for o in s.operands) != 1
        for s in later
    ):
        return None
    whole = {bound[s.name].name for s in form.slots if s.name in bound and s.holds in _NO_FLOATS}
    floats = {t.dtype for t in found.tensors if t.dtype is not None and t.name not in whole}
    floats |= set() if read.assumed else set(read.dtypes)
    if len(floats) > 1 or any(not t.is_float for t in floats):
        return None
    again = MarkedText(" ; ".join(m[0] for m in re.finditer(form.again, found.rest)) if form.again else "")
    take_dtypes(again)
    if {m.value for m in again.marks if m.value.is_float} - (floats or {DType.FLOAT32}):
        return None  # a result of another type
    called = [t.name for t in found.tensors]
    order = sorted(bound, key=lambda slot: called.index(bound[slot].name))
    names = {slot: bound[slot].name if bound[slot].name.isascii() else slot for slot in order}
    if len(set(names.values())) < len(names) or form.name in names.values():
        return None
    given = [f"{slot}={names[slot]}" for slot in bound]
    given += [f"{name}={value!r}" for name, value in first.attributes.items()]
    step = ChainStep(
        operator="formula",
        formula=f"{form.name}({', '.join(given)})",
        variables=tuple(names[slot] for slot in order),
        holds={
            names[s.name]: held for s in form.slots if s.name in bound and (held := held_in(s, bound, form))
        },
    )
    request = read.model_copy(
        update={
            "steps": (step, *later),
            "dtypes": tuple(floats),
            "assumed": False,
            "shapes": (tuple(bound[slot].shape or () for slot in order),),
        }
    )
    request = with_type(request)
    return None if unaccounted(reading.text, said, request, Request()) else request


def of_its_weights(step: ChainStep, form: OperatorForm, bound: Bound) -> dict[str, Value]:
    """Return a step's attributes without those that the given weights say."""
    told = {n for n in _OF_WEIGHTS & step.attributes.keys() if _is_told(step.attributes[n], bound)}
    told |= {"bias"} if step.attributes.get("bias") is False and "bias" not in bound else set()
    return {n: v for n, v in step.attributes.items() if n not in told or n in form.attributes}


def _is_told(value: Value, bound: Bound) -> bool:
    """Say whether shapes tell a size, or end with several: the kernel 3x3 of a weight [16, 8, 3, 3]."""
    shapes = [t.shape or () for t in bound.values()]
    if isinstance(value, tuple):
        return any(len(s) > len(value) and s[-len(value) :] == value for s in shapes)
    return any(value in s for s in shapes)


def held_in(slot: FormSlot, bound: Bound, form: OperatorForm) -> Held | None:
    if slot.holds == "real":
        return None
    sizes = sizes_of(form, bound) or {}
    dtype = bound[slot.name].dtype if not bound[slot.name].loosely else None
    narrow = dtype if dtype is not None and not dtype.is_float and dtype is not DType.BOOL else None
    if slot.holds == "int8":
        return Held(draw="int8", dtype=DType.INT8)
    if slot.holds == "mask" and dtype is not None and dtype is not DType.BOOL:
        return Held(draw="entries", limit="2", dtype=dtype)
    return Held(draw=_DRAWS[slot.holds], limit=str(sizes.get(slot.below or "", (10,))[0]), dtype=narrow)


def _bound(form: OperatorForm, tensors: tuple[DeclaredTensor, ...]) -> Bound | None:
    """Return which tensor stands for which slot: all of them, in the one way that names, shapes and types allow."""
    ways = [bound for bound in _ways(form, tensors, {}) if sizes_of(form, bound) is not None]
    return ways[0] if len(ways) == 1 else None


def _ways(form: OperatorForm, left: tuple[DeclaredTensor, ...], bound: Bound) -> Iterator[Bound]:
    """Yield every way to give the tensors slots by their names."""
    if not left:
        if all(s.optional or s.name in bound for s in form.slots):
            yield bound
        return
    tensor, *others = left
    for slot in form.slots:
        if slot.name not in bound and tensor.name in (slot.name, *slot.called) and _typed(slot, tensor):
            yield from _ways(form, tuple(others), {**bound, slot.name: tensor})


def _typed(slot: FormSlot, tensor: DeclaredTensor) -> bool:
    if tensor.dtype is None:
        return True
    if slot.holds in _WHOLE:
        return tensor.dtype in (DType.INT32, DType.INT64)
    if slot.holds == "int8":
        return tensor.dtype is DType.INT8
    if slot.holds == "mask":
        return tensor.dtype in (DType.BOOL, DType.INT32, DType.INT64)
    return tensor.dtype.is_float


def sizes_of(form: OperatorForm, bound: Bound) -> dict[str, tuple[int, ...]] | None:
    """Return the sizes that the letters of a form stand for; None where the shapes do not fit."""
    sizes: dict[str, tuple[int, ...]] = {}
    for slot in sorted(form.slots, key=lambda s: s.axes == ("*",)):
        if slot.name not in bound:
            continue
        shape = bound[slot.name].shape
        if shape is None:
            known = [sizes.get(a) or _elsewhere(form, bound, a) for a in slot.axes]
            if any(k is None for k in known):
                return None
            shape = tuple(n for k in known if k for n in k)
            bound[slot.name] = bound[slot.name]._replace(shape=shape)
        star = slot.axes.index("*") if "*" in slot.axes else None
        behind = len(slot.axes) - star - 1 if star is not None else 0
        if len(shape) < len(slot.axes) - (star is not None) or (
            star is None and len(shape) != len(slot.axes)
        ):
            return None
        middle = len(shape) - behind if star is not None else len(shape)
        parts: list[tuple[str, tuple[int, ...]]] = [
            (a, (n,))
            for a, n in zip(slot.axes[: len(slot.axes) if star is None else star], shape, strict=False)
        ]
        if star is not None:
            parts += [("*", shape[star:middle])] if slot.holds != "index" else []
            parts += [(a, (n,)) for a, n in zip(slot.axes[star + 1 :], shape[middle:], strict=True)]
        for letter, size in parts:
            if sizes.setdefault(letter, size) != size:
                return None
    return sizes


def _elsewhere(form: OperatorForm, bound: Bound, letter: str) -> tuple[int, ...] | None:
    """Return the size of an axis of a tensor that has it before `*`."""
    for slot in form.slots:
        shape = bound[slot.name].shape if slot.name in bound else None
        before = slot.axes[: slot.axes.index("*")] if "*" in slot.axes else slot.axes
        if shape is not None and letter in before and len(shape) >= len(before):
            return (shape[before.index(letter)],)
    return None
