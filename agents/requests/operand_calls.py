"""The ways to call an operator with every tensor given: PyTorch's functions, forms, composites, lists of tensors."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.forms import OperatorForm, forms
from akgen.knowledge.operators import OperatorEntry, Signature, Value, operator_named, signatures

_ROLES = {
    "input": r"input|inp|x|img|images?|data|src|acc|base|dst|self|feats?|features|activations?|hidden\w*|输入",
    "weight": r"w|w\d|wt|\w*weights?|kernel|filters?|gamma|scale|table|emb\w*|matrix|权重",
    "bias": r"b|\w*bias|beta|shift|offset|偏置", "condition": r"cond\w*|mask|条件|掩码", "mask": r"mask|掩码",
    "index": r"idx|ind\w*|ids|索引|下标", "indices": r"idx|ind\w*|ids|索引|下标",
    "src": r"src|source|updates?|vals?|values?",
    "source": r"src|source|updates?|vals?|values?|rows", "query": r"q\w*|query", "key": r"k|keys?|k_\w+",
    "value": r"v|values?|v_\w+", "target": r"targets?|labels?|y|gt|标签|目标", "end": r"end", "batch1": r"batch1",
    "running_mean": r"(?:running_)?mean|mu|均值", "running_var": r"(?:running_)?var\w*|方差", "vec": r"v|vec",
    "sorted_sequence": r"edges|boundaries|bins|sorted_sequence|thresholds|边界", "tensor1": r"t1|tensor1",
    "tensor2": r"t2|tensor2", "attn_mask": r"(?:\w+_)?bias|additive_mask|偏置",
}  # fmt: skip
_FOLDED = {"add": "+", "mul": "*", "sum": "+"}
_INDICES = ("index", "indices", "target")
_ATTENTION = ("scaled_dot_product_attention", "grouped_query_attention")
_LEAST = 2


class CallSlot(NamedTuple):
    """A tensor that a call takes: what people call it, whether it may be left out."""

    name: str
    called: re.Pattern[str]
    optional: bool
    whole: bool = False  # it holds whole numbers: indices, classes


class OperandCall(NamedTuple):
    """One way to call an operator. Without slots it takes a list of tensors, or has `sign` between them."""

    path: str
    slots: tuple[CallSlot, ...]
    attributes: tuple[str, ...] = ()
    sign: str = ""
    form: OperatorForm | None = None
    fixed: str = ""  # a further argument


def calls_of(step: ChainStep, count: int, rank: int) -> Iterator[OperandCall]:
    """Yield the ways to call a step with so many tensors, the first one of so many axes."""
    entry = entry_of(step)
    if step.operator in _FOLDED and not step.attributes and not step.operands:
        yield OperandCall("", (), sign=_FOLDED[step.operator])
        return
    yield from (_of_form(f) for f in forms() if step.operator in f.operators and not (f.again and f.always))
    if step.operator in _ATTENTION:
        yield from _attention(step.operator)
    if entry.source is not None or step.operator in _ATTENTION:
        return
    for signature in _functions(entry, rank):
        first = signature.parameters[0] if signature.parameters else None
        if first is not None and first.kind == "Tensors" and len(signature.tensors) == 1:
            yield OperandCall(signature.path, (), _attributes(signature))
        elif count >= _LEAST:
            slots = tuple(_slot(entry, p.name, p.default is not None or p.optional)
                          for p in signature.parameters if p.kind == "Tensor")  # fmt: skip
            yield OperandCall(signature.path, slots, _attributes(signature))


def _attention(name: str) -> Iterator[OperandCall]:
    """Yield attention with what is added to its scores; with shared heads where the name or the shapes say so."""
    path = "torch.nn.functional.scaled_dot_product_attention"
    slots = tuple(
        CallSlot(n, re.compile(_ROLES[n]), n == "attn_mask") for n in ("query", "key", "value", "attn_mask")
    )
    if name == "scaled_dot_product_attention":
        yield OperandCall(path, slots, ("is_causal", "scale"))
    yield OperandCall(path, slots, ("is_causal", "scale"), fixed="enable_gqa=True")


def written(
    call: OperandCall, named: dict[str, str], values: dict[str, Value], shapes: dict[str, str]
) -> str:
    """Return the call in Python, with tensors by slot and attributes; `shapes` are further arguments in Python."""
    if call.sign:
        return f" {call.sign} ".join(named.values())
    if not call.slots:
        given = [f"({', '.join(named.values())})"]
    else:
        given = [f"{slot}={name}" for slot, name in named.items()]
        if call.form is None:  # PyTorch's first argument has several names
            given[0] = next(iter(named.values()))
    given += [f"{name}={value!r}" for name, value in values.items()]
    given += [f"{name}={value}" for name, value in shapes.items()]
    return f"{call.path}({', '.join([*given, *([call.fixed] if call.fixed else [])])})"


def _functions(entry: OperatorEntry, rank: int) -> Iterator[Signature]:
    for signature in entry.signatures(max(1, rank - 2)):
        if not signature.is_module:
            yield signature
            continue
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", signature.path.rpartition(".")[2]).lower()
        yield from (s for s in signatures() if s.path == f"torch.nn.functional.{name}")


def _attributes(signature: Signature) -> tuple[str, ...]:
    return tuple(p.name for p in signature.parameters if not p.is_tensor)


def _slot(entry: OperatorEntry, name: str, optional: bool) -> CallSlot:
    whole = name in _INDICES and entry.draws.get(name, "index") not in ("real", "unit", "sign", "sign1")
    return CallSlot(name, re.compile(_ROLES.get(name, re.escape(name))), optional, whole)


def _of_form(form: OperatorForm) -> OperandCall:
    slots = tuple(
        CallSlot(s.name, re.compile("|".join(map(re.escape, (s.name, *s.called)))), s.optional,
                 s.holds in ("index", "count", "place"))
        for s in form.slots
    )  # fmt: skip
    return OperandCall(form.name, slots, form.attributes, form=form)


def is_variadic(name: str) -> bool:
    """Say whether an operator takes a list of tensors, whose length its name leaves open."""
    entry = operator_named(name)
    found = entry.signatures() if entry is not None else ()
    return any(s.parameters and s.parameters[0].kind == "Tensors" for s in found)
