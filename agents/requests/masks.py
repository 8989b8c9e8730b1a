"""Read masks: "with a key padding mask (2, 32), True = padding", "causal mask", in a request or in a follow-up.

A mask has a shape, or the same one as the tensor, and is true where something is kept or where it is dropped: which of
the two is asked if it is not said. What the mask is for is read as any request is, without the words about the mask.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.declarations import declarations
from akgen.agents.requests.fits import within_once
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of, with_type
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.knowledge.operators import find_operators

_SHAPE = r"[\[(] ?\d+k?(?: ?, ?\d+k?)* ?,? ?[\])]|(?<![\w.])\d+k?(?: ?x ?\d+k?)+(?![\w.])"
_ATTENTION, _SOFTMAX = "scaled_dot_product_attention", ("softmax", "log_softmax")
_TENSORS = ("q", "k", "v")
_PAIR = 2
_MENTIONED = r"mask|掩码|(?:attention|attn|score|additive) bias|加性偏置|注意力偏置"
_FILLS = {"-inf": 'float("-inf")'}
_IN_FORMULA = re.compile(  # a tensor of a formula: "q @ k^T * scale + mask"
    r"(?:[)\w] ?[+*] ?|[)\w] - |[)\w]-(?=mask ?[*)]))\(?(?:\d+(?:\.\d+)? ?- ?)?mask(?![a-z])"
    r"|(?<![a-z])mask ?[*+] ?[\w(]"
)
_ONLY = re.compile(r"(?<![a-z])(?:only|just)(?![a-z])|[只仅]", re.I)
_REDUCED = {"sum": 0, "mean": 0, "amax": "-inf", "amin": "inf"}  # what is put where nothing is kept
_DENIED = re.compile(r"(?<![a-z])(?:no|without|not)(?: an?| any)? *\Z|(?:不带|没有|无) *\Z")


class Mask(NamedTuple):
    """What a text says of a mask, and the text without it."""

    shape: Shape | None  # None: that of the tensor
    keeps: bool | None  # whether true keeps; None: not said
    of_keys: bool  # "key padding": along the last axis
    fill: str
    causal: bool | None  # None: nothing is said of it
    additive: bool  # it holds numbers, which are added
    rest: str


def masked_request(
    said: str, known: Request, read: Callable[[str, Request], Request | None]
) -> Request | None:
    """Return the request of a text with a mask; None if it has none, or is understood in no such way.

    `read` reads the text without the mask. Raises Unclear where it is not said what the mask's values mean.
    """
    mask = mask_of(_not_again(said, known))
    if mask is None:
        return None
    base = _filled_base(mask) or _base(mask, known, read)
    if base is None:
        return None
    before, step, behind = _around(base)
    if before and (mask.causal is not None or step.operator not in _SOFTMAX):
        return None
    if mask.shape is None and mask.keeps is None and mask.causal:
        return _causal(base, step)
    if mask.shape is None and "same_shape" not in mask.rest and mask.keeps is None:
        return None
    if mask.keeps is None and not mask.additive:
        raise Unclear("mask_values")
    formula, shapes = _formula(mask, base.model_copy(update={"steps": (step, *behind)}))
    if formula is None and mask.shape is not None and step.operator in (_ATTENTION, *_SOFTMAX):
        raise Unclear("mask_nowhere", name=step.operator, shape="x".join(map(str, mask.shape)))
    if formula is None:
        return None
    names = (*(_TENSORS if step.operator == _ATTENTION else ("x", "y")[: len(shapes)]), "mask")
    if mask.additive:
        names, formula = (*names[:-1], "added"), re.sub(r"(?<![\w])mask(?!\w)", "added", formula)
    shape = mask.shape or shapes[0]
    masked = ChainStep(operator="formula", formula=formula, variables=names)
    return base.model_copy(
        update={"steps": (*before, masked, *behind), "shapes": ((*shapes, shape),), "sizes": {}}
    )


def _not_again(said: str, known: Request) -> str:
    """Leave out the known operator's name where it only leads to what it is limited to: "average only where ..."."""
    if not known.steps or known.steps[0].formula is not None or _ONLY.search(said) is None:
        return said
    for named in reversed(find_operators(said.lower())):
        if named.operator == known.steps[0].operator:
            said = f"{said[: named.begin]}{said[named.end :].lstrip()}"
    return said


def _around(base: Request) -> tuple[tuple[ChainStep, ...], ChainStep, tuple[ChainStep, ...]]:
    """Return what a mask is for with the steps before it, "times 0.125, then masked softmax", and behind it."""
    at = next((i for i, s in enumerate(base.steps) if s.operator in _SOFTMAX), 0)
    scaled = all(
        s.formula is None
        and s.operator in ("mul", "div")
        and all(isinstance(o, int | float) for o in s.operands)
        and s.operands
        for s in base.steps[:at]
    )
    at = at if scaled else 0
    return base.steps[:at], base.steps[at], base.steps[at + 1 :]


def mask_of(said: str) -> Mask | None:
    """Return what a text says of a mask of its own; None if it has none, or several."""
    plain = unicodedata.normalize("NFKC", said).replace("×", "x").lower()
    if not re.search(_MENTIONED, plain) or _IN_FORMULA.search(plain):
        return None
    rest, free = _pattern("not causal").subn(" ", plain)
    rest, causal = _pattern("causal").subn(" ", rest)
    rest, additive = _pattern("additive").subn(" mask ", rest)
    found = list(_pattern("noun").finditer(rest))
    if found and _DENIED.search(rest[: found[0].start()]):
        return None
    shape, keeps, fill = None, None, "-inf"
    while (polarity := _polarity().search(rest)) is not None:
        said_keeps = (polarity["keep"] is not None) != (polarity["false"] is not None)
        if keeps not in (None, said_keeps):
            return None  # "True = keep, False = keep"
        keeps = said_keeps
        rest = f"{rest[: polarity.start()]} {rest[polarity.end() :]}"
    if (filled := _filled().search(rest)) is not None:
        keeps, fill = False, _number(filled["fill"])
        rest = f"{rest[: filled.start()]} mask {rest[filled.end() :]}"
    if (only := _pattern("only").search(rest)) is not None:
        keeps = True
        rest = f"{rest[: only.start()]} mask {rest[only.end() :]}"
    rest = re.sub(r"(mask|掩码) ?[,:] ?(?=(?:an? )?(?:bool|[\[(\d]))", r"\1 ", rest)
    declared = declarations(rest, ("mask", "掩码"))
    if declared is not None and declared.tensors:
        shape, rest = declared.tensors[0].shape, declared.rest
    elif declared is None:
        return None
    if not found and not (causal or free):
        return None
    of_keys = any("key" in m[0] or "padding" in m[0] or "键" in m[0] or "填充" in m[0] for m in found)
    rest = re.sub(rf"(?:(?:bool(?:ean)?|布尔)(?: tensor)? ?)?{_words('same')}", " same_shape ", rest)
    rest = _pattern("noun").sub(" ", rest)
    rest = re.sub(
        r"(?<![a-z])(?:key|kv|attention|attn)? ?(?:padding|bool(?:ean)?|布尔)(?![a-z])(?! ?=)", " ", rest
    )
    return Mask(
        shape, keeps, of_keys, fill, True if causal else False if free else None, bool(additive), rest
    )


def _base(mask: Mask, known: Request, read: Callable[[str, Request], Request | None]) -> Request | None:
    """Return what the mask is for: what the rest of the text says, or what is known where it says nothing more."""
    rest = mask.rest.replace(" same_shape ", " ")
    for name in ("talk", "of tokens", "of the kept"):
        rest = _pattern(name).sub(" ", rest)
    said = re.sub(r"[\s,.;:，。；：=?!]", "", re.sub(_words("joints"), " ", rest))
    base = known if not said else read(re.sub(r"(?<![a-z])masked(?![a-z])", " ", rest), Request())
    if base is None or not base.steps or base.steps[0].formula is not None or not base.shapes:
        return None
    if len(base.shapes) > 1:
        return None
    step = base.steps[0]
    if mask.causal is not None and step.operator == _ATTENTION:
        attributes = {**step.attributes, "is_causal": mask.causal}
        base = base.model_copy(
            update={"steps": (step.model_copy(update={"attributes": attributes}), *base.steps[1:])}
        )
    return base


def _filled_base(mask: Mask) -> Request | None:
    """Return what is filled by a mask alone, "masked_fill: x is fp16 [2, 8], where the mask is true set to -1e4"."""
    found = declarations(mask.rest, ("x", "input", "scores", "logits"))
    if found is None or len(found.tensors) != 1 or mask.keeps is not False or found.tensors[0].shape is None:
        return None
    left = re.sub(rf"masked[_ ]fill(?:ing)?|填充|{_words('joints')}|[\s,.;:，。；：]", "", found.rest)
    dtype = found.tensors[0].dtype
    if left or not re.search(r"masked[_ ]fill|填充", found.rest):
        return None
    step = ChainStep(operator="masked_fill")
    types = (dtype,) if dtype is not None else ()
    return with_type(Request(steps=(step,), dtypes=types, shapes=((found.tensors[0].shape,),)))


def _causal(base: Request, step: ChainStep) -> Request | None:
    if step.operator == _ATTENTION:
        return base
    shape = base.shapes[0][0]
    square = len(shape) >= _PAIR and shape[-1] == shape[-2]
    if step.operator != "softmax" or not square or step.attributes.get("dim", -1) not in (-1, len(shape) - 1):
        return None
    return base.model_copy(update={"steps": (ChainStep(operator="causal_softmax"), *base.steps[1:])})


def _formula(mask: Mask, base: Request) -> tuple[str | None, tuple[Shape, ...]]:
    """Return the formula of the first step with the mask, and the shapes of its other tensors."""
    step, shapes = base.steps[0], base.shapes[0]
    category = entry_of(step).category
    if step.operator == _ATTENTION:
        shapes = shapes * len(_TENSORS) if len(shapes) == 1 else shapes
        scores = (*shapes[0][:-1], shapes[1][-2])
        placed = _placed(mask, scores)
        if placed is None or mask.fill != "-inf" or set(step.attributes) - {"is_causal", "scale"}:
            return None, shapes
        kept = placed if mask.keeps or mask.additive else f"~{placed}"
        if step.attributes.get("is_causal") and mask.additive:
            return None, shapes
        if step.attributes.get("is_causal"):
            kept = f"{kept} & torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()"
        scale = step.attributes.get("scale")
        more = f", scale={scale!r}" if scale is not None else ""
        return f"torch.nn.functional.{_ATTENTION}(q, k, v, attn_mask={kept}{more})", shapes
    placed = _placed(mask, shapes[0])
    if placed is None:
        return None, shapes
    if step.operator in _SOFTMAX and len(shapes) == 1 and mask.additive:
        return f"torch.{step.operator}(x + {placed}, dim={step.attributes.get('dim', -1)})", shapes
    if mask.additive:
        return None, shapes
    if step.operator in _SOFTMAX and len(shapes) == 1:
        fill = _FILLS.get(mask.fill, mask.fill)
        dropped = f"~{placed}" if mask.keeps else placed
        return (
            f"torch.{step.operator}(x.masked_fill({dropped}, {fill}), dim={step.attributes.get('dim', -1)})",
            shapes,
        )
    kept = placed if mask.keeps else f"~{placed}"
    if step.operator == "masked_fill":
        return f"x.masked_fill({placed}, {_FILLS.get(mask.fill, mask.fill)})", shapes
    if step.operator in _REDUCED and len(shapes) == 1 and mask.shape is not None:
        return _reduction(step, kept, shapes[0], mask.shape), shapes
    if category == "loss" and step.operator in ("mse_loss", "l1_loss") and not step.attributes:
        shapes = shapes * _PAIR if len(shapes) == 1 else shapes
        error = f"torch.nn.functional.{step.operator}(x, y, reduction='none')"
        return f"({error} * {kept}).sum() / ({kept}).sum()", shapes
    return None, shapes


def _reduction(step: ChainStep, kept: str, shape: Shape, own: Shape) -> str | None:
    """Return a reduction over what a mask keeps; None where the mask has not the axes that are reduced."""
    tokens = step.operator == "mean" and len(own) == _PAIR and len(shape) == _PAIR + 1
    dim = step.attributes.get("dim", 1 if tokens else None)
    keepdim = bool(step.attributes.get("keepdim"))
    if not isinstance(dim, int) or set(step.attributes) - {"dim", "keepdim"}:
        return None
    at = dim % len(shape) if -len(shape) <= dim < len(shape) else 0
    axes = kept.partition("[")[2].rstrip("]").split(", ") if "[" in kept else []
    sizes = (1,) * (len(shape) - len(own)) + own
    if (axes and axes[at] == "None") or (not axes and sizes[at] != shape[at]):
        return None
    how = f"{dim}, keepdim=True" if keepdim else f"{dim}"
    if step.operator == "sum":
        return f"(x * {kept}).sum({how})"
    if step.operator == "mean":
        return f"(x * {kept}).sum({how}) / ({kept}).sum({how})"
    return f'x.masked_fill(~({kept}), float("{_REDUCED[step.operator]}")).{step.operator}({how})'


def _placed(mask: Mask, shape: Shape) -> str | None:
    """Return the mask with the axes that it lacks beside a tensor; None where it fits in no way or in several."""
    own = mask.shape or shape
    if own == shape or (mask.shape is not None and _broadcasts(own, shape) and not mask.of_keys):
        return "mask"
    if mask.of_keys and len(own) == _PAIR and len(shape) > _PAIR and own == (shape[0], shape[-1]):
        return f"mask[:, {', '.join(['None'] * (len(shape) - _PAIR))}, :]"
    if mask.of_keys and len(shape) == _PAIR + 1 and own == shape[:_PAIR]:
        return "mask[:, :, None]"  # of rows
    places = within_once(own, shape)
    if places is None:
        return None
    return f"mask[{', '.join('None' if p is None else ':' for p in places)}]"


def _broadcasts(own: Shape, shape: Shape) -> bool:
    """Say whether a mask stands beside the last axes as it is; one as long as the first axis may mean that."""
    fits = all(a in (1, b) for a, b in zip(reversed(own), reversed(shape), strict=False))
    return fits and (len(own) == len(shape) or (len(own) == _PAIR and own[-1] != shape[0]))


def _number(said: str) -> str:
    return "-inf" if "inf" in said or "∞" in said or "无穷" in said else repr(float(said))


def _words(name: str) -> str:
    return str(words()["masks"][name])


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_words(name))


@cache
def _polarity() -> re.Pattern[str]:
    """Match "True = keep", "where True marks padding", "True 表示保留"."""
    between = r"(?:(?!true|false|[,.;，。；]).){0,28}?"
    return re.compile(
        rf"(?:{_words('true')}|(?P<false>{_words('false')})) ?"
        rf"(?:=|:|->|means?|is|are|for|where|marks?|at|on|indicat\w+|表示|代表|为|是|的)*{between}"
        rf"(?:(?P<drop>{_words('drop')})|(?P<keep>{_words('keep')}))"
        r"(?: (?:it|them|there|this|tokens?|positions?|ones?))*"
    )


@cache
def _filled() -> re.Pattern[str]:
    """Match "mask 为 True 的位置填 -1e9", "where the mask is true, set to -inf"."""
    return re.compile(
        r"(?:where |wherever )?(?:the )?(?:mask|掩码) ?(?:is |为 ?|是 ?|= ?)?(?:true|1|真) ?(?:的)?"
        r"(?:位置|地方|元素|entries|positions)?"
        rf",? ?(?:都)?(?:x )?{_words('filled')}"
    )
