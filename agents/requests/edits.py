"""Edit the known chain as a follow-up says: drop a step, insert one, put one in front, exchange one, add a tensor.

"drop the gelu", "insert a relu before the softmax", "divide by 8 first", "swap tanh for sigmoid", "add a residual,
which is another input". What is left of the text is read as any follow-up is.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.added_tensors import with_tensor
from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.biases import behind, with_bias, without_weights
from akgen.agents.requests.follow_up_words import pattern as follow_ups
from akgen.agents.requests.formula_edits import edited_formula, of_its_kind
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.other_tensors import with_other_operands, with_other_tensor
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.referred import with_input
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.stated import without_kept_result
from akgen.knowledge.operators import find_operators, operator_named

Read = Callable[[str, Request], Request | None]
_SEVERAL = re.compile(r"(?<![a-z])then(?![a-z])|再|然后|接着")
_KEEPS_SHAPE = ("elementwise", "activation", "softmax", "scan", "normalization")


class Edited(NamedTuple):
    """A request with an edit made, and what the text says beside it."""

    request: Request
    rest: str


def edited(said: str, known: Request, read: Read) -> Edited | None:
    """Return what is known with the edit that the text begins with; None if it begins with none.

    `read` reads the words for a step without what is known. Raises Unclear where an edit may mean another one.
    """
    if not known.steps:
        return None
    told = _pattern("value first").sub("", said.strip(" .。!！"), count=1)
    for part, rest in _parts(told):
        if (steps := _results(part, known, values_first=told != said.strip(" .。!！"))) is not None:
            return Edited(known.model_copy(update={"steps": steps}), rest)
    text = _pattern("same but").sub("", said.strip().rstrip(".。!！"), count=1).strip()
    for part, rest in _parts(text):
        changed = without_weights(part, known) or with_other_operands(part, known)
        changed = changed or with_other_tensor(part, known) or with_tensor(part, known) or _unset(part, known)
        if changed is not None:
            return _and_more(changed, rest, read)
    for part, rest in _parts(text):
        if (steps := with_bias(part, known)) is not None:
            more = behind(rest) if find_operators(rest.lower()) else rest
            if more is None:
                raise Unclear("order", names=["bias", rest])
            return Edited(known.model_copy(update={"steps": steps}), _without_shape(more, known))
    for part, rest in _parts(text):
        if rest and find_operators(rest.lower()) and (less := _less(part.strip(), known)) is not None:
            further = edited(rest, less, read)
            if further is not None:
                return further
    for part, rest in _parts(text):
        if not find_operators(rest.lower()) and (changed := edited_formula(part.strip(), known)):
            return Edited(changed, _without_shape(rest, known))
    for edit in (_residual, _of_its_kind, _with_input, _own, _dropped, _inserted, _in_front, _exchanged):
        for part, rest in _parts(text):
            if find_operators(rest.lower()) or (edit is _in_front and re.search(r"\d", rest)):
                continue  # of what is left, or instead of it; "first double it, 8x40" is a request of its own
            if (steps := edit(part.strip(), known, read)) is not None:
                if steps == known.steps:
                    return None
                changed = known.model_copy(update={"steps": steps, "every_result": False, "returned": ()})
                return Edited(changed, _without_shape(rest, known))
    return None


def _and_more(changed: Request, rest: str, read: Read) -> Edited:
    """Return a request with an edit made, and with the edits that the rest of the text makes."""
    rest = without_kept_result(rest, changed)
    if follow_ups("broadcast").fullmatch(rest.strip(" .。!！")) and _broadcasts(changed):
        rest = ""
    more = edited(rest, changed, read) if rest else None
    if more is not None:
        return more
    if find_operators(rest.lower()) and (then := behind(rest)) is not None:
        rest = then
    return Edited(changed, _without_shape(rest, changed))


def _broadcasts(request: Request) -> bool:
    """Say whether a tensor of a request is put beside a result that is larger."""
    result = result_shape(request)
    return result is not None and any(len(s) < len(result) or s[0] == 1 for s in request.shapes[0][1:])


def _parts(text: str) -> list[tuple[str, str]]:
    """Return the text whole, and then its beginnings up to where another clause begins, with what is left."""
    ends = [m.span() for m in re.finditer(r"\s*[,，;；]\s*(?:and |then )?|\s+and\s+(?=\w)", text)]
    return [(text, ""), *((text[:begin], text[end:]) for begin, end in reversed(ends))]


def _without_shape(rest: str, known: Request) -> str:
    """Drop words that only say the known shape again, "so 64x128x256 again"."""
    for match in re.finditer(
        r"(?:so |that is |i\.e\. )?(?:it is |it's )?[\[(]?\d+(?: ?[x,*] ?\d+)+[\])]?(?: again| as before| still)?",
        rest,
    ):
        if known.shape == tuple(map(int, re.findall(r"\d+", match[0]))):
            rest = rest.replace(match[0], " ")
    return rest.strip(" ,.;，。；")


def _place(name: str, known: Request) -> int | None:
    """Return where the only step stands that a name means."""
    name = name.lower().strip()
    if (kind := _KINDS.get(re.sub(r"\A(?:the|that) ", "", name))) is not None:
        of_kind = [i for i, s in enumerate(known.steps) if s.formula is None and entry_of(s).category == kind]
        return of_kind[0] if len(of_kind) == 1 else None
    named = find_operators(name)
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(name)):
        return None
    alike = {named[0].operator, *_ALIKE.get(named[0].operator, ())}
    places = [i for i, s in enumerate(known.steps) if s.operator in alike]
    return places[0] if len(places) == 1 else None


_KINDS = {
    "activation": "activation", "activation function": "activation", "nonlinearity": "activation", "激活": "activation",
    "激活函数": "activation", "norm": "normalization", "normalization": "normalization", "归一化": "normalization",
    "reduction": "reduction", "pooling": "pooling", "池化": "pooling",
}  # fmt: skip
_ALIKE = {
    "max": ("amax", "maximum"), "min": ("amin", "minimum"), "amax": ("max",), "amin": ("min",),
    "norm": ("vector_norm",), "add": ("sum",), "clip": ("clamp",), "gelu": ("gelu_tanh",),
}  # fmt: skip


def _alone(step: ChainStep) -> bool:
    """Say whether a step takes no tensor but the one before it."""
    if step.formula is not None:
        return len(step.variables) == 1
    numbers = sum(isinstance(o, int | float) or o in ("bias", "first") for o in step.operands)
    return tensors_of(step) - (numbers if tensors_of(step) > 1 else 0) == 1


def _dropped(text: str, known: Request, _read: Read) -> tuple[ChainStep, ...] | None:
    match = _pattern("drop").fullmatch(text)
    if match is None or len(known.steps) == 1:
        return None
    name = next(g for g in match.groups() if g)
    at = _place(name, known)
    if re.fullmatch(words()["bias"], name.strip().lower()):
        biases = [i for i, s in enumerate(known.steps) if s.operands == ("bias",)]
        at = biases[0] if len(biases) == 1 else None
    if at is None or not _alone(known.steps[at]):
        return None
    return known.steps[:at] + known.steps[at + 1 :]


def _less(text: str, known: Request) -> Request | None:
    """Return the known request without the step or the tensor that a clause drops; None of any other clause."""
    if _pattern("drop").fullmatch(text) is None:
        return None
    if (steps := _dropped(text, known, lambda _said, _known: None)) is not None:
        return known.model_copy(update={"steps": steps, "every_result": False, "returned": ()})
    return edited_formula(text, known)


def _unset(text: str, known: Request) -> Request | None:
    """Return the known request without a value that its last step may do without: "no upper bound" of a clamp."""
    match, last = _pattern("unset").fullmatch(text), known.steps[-1]
    if match is None or last.formula is not None:
        return None
    name = next(g for g in match.groups() if g).strip().lower()
    known_as = parameters_of(entry_of(last))
    named = {n for n in last.attributes if name in (n, *words()["attributes"].get(n, ()))}
    if len(named) != 1 or len(last.attributes) < len(("min", "max")):
        return None
    (found,) = named
    if found not in known_as or known_as[found].default != "None":
        return None
    kept = {n: v for n, v in last.attributes.items() if n != found}
    step = last.model_copy(update={"attributes": kept})
    return known.model_copy(update={"steps": (*known.steps[:-1], step)})


def _made(text: str, read: Read) -> tuple[ChainStep, ...] | None:
    """Return the steps that words say, "a gelu", "divide by 8", "a bias of length 32"."""
    text = re.sub(
        r"\b(?:the )?(?:inputs?|it|x|everything|result|logits|scores|values?|tensor)\b(?= by\b)"
        r"|(?:输入|它|结果)(?=乘|除|加|减)",
        "",
        text,
    )
    text = re.sub(
        r"^(?:also |simply |just )*(?:apply |do |use |take |run )?(?:an? |another )?", "", text.strip()
    )
    if re.fullmatch(
        rf"(?:{words()['bias']})(?: (?:of|with) (?:length|size) \d+)?(?:（?长度 ?\d+）?)?", text.lower()
    ):
        return (ChainStep(operator="add", operands=("bias",)),)
    found = read(text, Request())
    if found is None or not found.steps or found.shapes or not found.assumed:
        return None
    return found.steps if all(map(_alone, found.steps)) else None


def _inserted(text: str, known: Request, read: Read) -> tuple[ChainStep, ...] | None:
    match = _pattern("insert").fullmatch(text)
    if match is None:
        return None
    said = {name.partition("_")[0]: value for name, value in match.groupdict().items() if value}
    at = _place(said["where"], known)
    steps = _made(said["what"], read) if at is not None else None
    if at is None or steps is None:
        return None
    if {s.operator for s in steps} & {s.operator for s in known.steps} and re.match("the ", said["what"]):
        raise Unclear("order", names=[*(s.operator for s in known.steps), text])  # moved, or once more
    at += re.search(r"after|behind|后", said["how"]) is not None
    if "next" in said and _place(said["next"], known) != at + 1:
        return None
    return (*known.steps[:at], *steps, *known.steps[at:])


def _in_front(text: str, known: Request, read: Read) -> tuple[ChainStep, ...] | None:
    match = _pattern("front").fullmatch(text)
    if match is None or re.match(r"(?:with|use|using|用)(?![a-z])", text) or _SEVERAL.search(text):
        return None  # in front of it, or in its place
    steps = _made(next(g for g in match.groups() if g), read)
    kept = steps is not None and all(
        s.operands == ("bias",) or (s.formula is None and entry_of(s).category in _KEEPS_SHAPE) for s in steps
    )
    return (*steps, *known.steps) if steps is not None and kept else None


def _exchanged(text: str, known: Request, read: Read) -> tuple[ChainStep, ...] | None:
    match = _pattern("exchange").fullmatch(text)
    if match is None or len(known.steps) == 1:
        return None
    said = {name.rstrip("23"): value for name, value in match.groupdict().items() if value}
    at, steps = _place(said["old"], known), _made(said["new"], read)
    if at is None or steps is None or len(steps) != 1 or not _alone(known.steps[at]):
        return None
    old, new = known.steps[at], steps[0]
    if old.formula is None and new.formula is None and entry_of(old).category == entry_of(new).category:
        kept = {n: v for n, v in old.attributes.items() if n in parameters_of(entry_of(new))}
        new = new.model_copy(update={"attributes": {**kept, **new.attributes}})
    return (*known.steps[:at], new, *known.steps[at + 1 :])


def _residual(text: str, known: Request, _read: Read) -> tuple[ChainStep, ...] | None:
    """Add a tensor of its own, "add a residual, which is another input of the same shape"."""
    if _pattern("residual").fullmatch(text) is None:
        return None
    return (*known.steps, ChainStep(operator="add", operands=("tensor",)))


def _results(text: str, known: Request, *, values_first: bool) -> tuple[ChainStep, ...] | None:
    """Return what gave values alone, or indices alone, so that it gives both: "also return the indices"."""
    *before, last = known.steps
    own = operator_named(last.operator) if last.formula is None else None
    picked = {"argmax": "max_with_index", "argmin": "min_with_index"}.get(last.operator)
    if picked is not None and isinstance(last.attributes.get("dim"), int):
        if not values_first or _pattern("also values").fullmatch(text) is None:
            return None  # which one comes first is not told
        return (*before, last.model_copy(update={"operator": picked}))
    if own is not None and (both := own.variants.get("with_index")) is not None:
        if not any(_pattern(p).fullmatch(text) for p in ("both results", "also indices")):
            return None
        return (*before, last.model_copy(update={"operator": both}))
    name, _, gives = last.operator.rpartition("_")
    entry = operator_named(name) if gives in ("values", "indices") else None
    if entry is None or f"{gives}_only" not in entry.variants or last.formula is not None:
        return None
    other = "indices" if gives == "values" else "values"
    if not any(_pattern(p).fullmatch(text) for p in ("both results", f"also {other}")):
        return None
    return (*before, last.model_copy(update={"operator": name}))


def _of_its_kind(text: str, known: Request, read: Read) -> tuple[ChainStep, ...] | None:
    """Exchange the only step of an operator's kind in a chain of several, "make it gelu" of a matmul and a relu."""
    match = _pattern("kind").fullmatch(text)
    steps = _made(match["new"] or match["new_zh"], read) if match is not None else None
    if match is None or steps is None or len(steps) != 1 or steps[0].formula is not None:
        return None
    kind = entry_of(steps[0]).category
    if len(known.steps) == 1:
        changed = of_its_kind(match["new"] or match["new_zh"], known)
        return changed.steps if changed is not None else None
    alike = [i for i, s in enumerate(known.steps) if s.formula is None and entry_of(s).category == kind]
    if len(alike) != 1 or kind not in ("activation", "softmax", "reduction", "normalization", "scan", "loss"):
        return None
    at, old = alike[0], known.steps[alike[0]]
    kept = {n: v for n, v in old.attributes.items() if n in parameters_of(entry_of(steps[0]))}
    new = steps[0].model_copy(update={"attributes": {**kept, **steps[0].attributes}})
    return (*known.steps[:at], new, *known.steps[at + 1 :])


def _with_input(text: str, known: Request, _read: Read) -> tuple[ChainStep, ...] | None:
    return with_input(text, known)


def _own(text: str, known: Request, _read: Read) -> tuple[ChainStep, ...] | None:
    """Take what was reduced from the input itself, "subtract that max from x"."""
    match = _pattern("own").fullmatch(text)
    if match is None:
        return None
    first, *later = known.steps
    sign = "div" if re.search("divide|除", match[0]) else "sub"
    named = next((g for g in match.groups() if g), None)
    reduces = not later and first.formula is None and entry_of(first).category == "reduction"
    short = first.operator.removeprefix("a") if first.operator in ("amax", "amin") else first.operator
    entry = operator_named(f"{sign}_own_{short}") if reduces else None
    if entry is None or (named is not None and _place(named, known) is None):
        raise Unclear("order", names=[*(s.formula or s.operator for s in known.steps), text])
    kept = {n: v for n, v in first.attributes.items() if n != "keepdim"}
    return (ChainStep(operator=entry.name, attributes=kept),)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words()["edits"][name], re.I)
