"""Turn what a text tells by equations into a request, where every word beside them is known to say nothing more."""

import ast
import re
from functools import cache

from akgen.agents.requests import sizes
from akgen.agents.requests.definitions import relation
from akgen.agents.requests.described import is_composite
from akgen.agents.requests.equations import Told, read_equations
from akgen.agents.requests.formula import indices_among, operations_of
from akgen.agents.requests.formula_axes import is_open, open_reductions, reduces
from akgen.agents.requests.guesses import misspelt_filler
from akgen.agents.requests.labels import disagreeing
from akgen.agents.requests.layouts import layout_of, take_named_axes
from akgen.agents.requests.marks import Mark, MarkedText, phrase, words
from akgen.agents.requests.needs import with_type
from akgen.agents.requests.parts import describes
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.remarks import take_remarks
from akgen.agents.requests.request import ChainStep, Held, Request
from akgen.agents.requests.settled import is_of_the_result
from akgen.agents.requests.signs import NORMS, has_norm
from akgen.agents.requests.typed.computed import result_types
from akgen.agents.requests.whole_numbers import widened
from akgen.agents.requests.wishes import take_wishes
from akgen.knowledge.operators import Named, Value, find_operators, operator_named
from akgen.tools.core.dtypes import DType

_HALF = re.compile(r"torch\.chunk\(x, 2, dim=-?\d+\)\[(\d)\]")
_GIVES_IT = re.compile(r"[a-z]\w* ?(?:\([a-z]\) ?)?[-+*/]?=(?!=)")
_NAMED_AS_WHOLES = ("loss", "optimizer", "normalization", "activation", "attention", "quantization")
_SEQUENCE = re.compile(r"(?:(?<![a-z])(?:and )?(?:then|afterwards|after that)|然后|接着|再)[,: ]*\Z")
_MASKS = re.compile(r"(?<![a-z])(?:causal|masked|with (?:a )?mask)(?![a-z])|因果|掩码|带掩膜")
_MASKED = re.compile(r"mask|tri[lu]|where|inf|causal")
_LABELS_IT = re.compile(r"\s*[:：]|\s*(?:activation|loss)?\s*[.。](?=\s)")
_NAMES_IT = re.compile(r"(?:[:：]|->|=>|→)\s*\Z")
_ALIKE = {"norm": "vector_norm", "max": "amax", "min": "amin", "maximum": "amax", "minimum": "amin", "clip": "clamp",
          "abs_max": "amax", "square": "pow", "sqrt": "sqrt", "center": "mean"}  # fmt: skip


def told_request(said: str) -> tuple[Request, MarkedText] | None:
    """Return the request that a text tells by equations, and the text as it was read; None if that is not all of it.

    Raises Unclear where a norm may have weights of its own.
    """
    for pattern, written in words()["told"]["written"]:
        said = re.sub(pattern, written, said)
    told = read_equations(said)
    if told is None:
        return None
    text = told.text
    if any(len(name) == 1 for name in indices_among(told.variables, text.text)) and "[" not in told.formula:
        return None  # "out[i] = x[j] for j > i" compares no tensors
    plain = text.take(re.compile(words()["told"]["plain norm"]), "affine")
    if (
        re.search(rf"{NORMS['layer_norm']}\((?:[^()]|\([^()]*\))*\.shape\[-1:\]\)", told.formula)
        and not plain
    ):
        raise Unclear("norm_weights", name="LN")
    _take_sequence(text)
    if text.take(phrase("no"), "no") or re.search(words()["told"]["changes"], text.rest):
        return None
    if _MASKS.search(text.rest) and not _MASKED.search(told.formula):
        return None  # "causal attention: softmax(q @ k.T) @ v"
    wishes = take_wishes(text)
    sizes.take_dtypes(text)
    told = _converted(told)
    if isinstance(ast.parse(told.formula, mode="eval").body, ast.Compare) and "mask" not in told.variables:
        for mark in [m for m in text.marks if m.kind == "dtype" and m.value is DType.BOOL]:
            text.unmark(mark)
            text.mark(mark.begin, mark.end, "label")  # what a comparison gives
    ends = [m.end for m in text.marks if m.kind == "operator"]
    for mark in [m for m in text.marks if m.kind == "dtype"]:
        behind = [end for end in ends if end <= mark.begin]
        if behind and is_of_the_result(text, max(behind), mark.begin):
            others = {m.value for m in text.marks if m.kind == "dtype" and m is not mark} | {told.floats}
            if mark.value not in others and (cast := _cast(told, mark.value)) is not None and others - {None}:
                told = cast
            elif mark.value not in others:
                return None
            text.unmark(mark)
            text.mark(mark.begin, mark.end, "label")  # what whole numbers and those of that type give anyway
    types = list(dict.fromkeys(m.value for m in text.marks if m.kind == "dtype"))
    text.take(re.compile(words()["told"]["domain"]), "filler")
    _take_new_values(text, told)
    if any(
        (m["name"] or m["name_zh"]) in dict(told.ends)
        for m in re.finditer(words()["told"]["old value"], text.text)
    ):
        return None  # a name stands for its new value
    every_sample = text.take(re.compile(words()["told"]["each sample"]), "filler")
    rank = len(told.shapes[0]) if told.shapes else None
    if "torch.sum(" in told.formula:
        text.take(re.compile(words()["told"]["summed already"]), "filler")
    averaged = _reduced(text)
    take_named_axes(text, layout_of(said), rank)
    sizes.take_axes(text)
    for name in told.variables:
        text.take(re.compile(rf"(?<![a-z0-9_]){name}(?![a-z0-9_])"), "filler")
    if not _names_fit(text, told):
        return None
    axes = list(dict.fromkeys(m.value for m in text.marks if m.kind == "axis"))
    told = told._replace(formula=widened(told.formula, told.types))
    formula = _settled(told, axes, every_sample=every_sample, averaged=averaged, is_loss=_is_loss(told))
    if formula is None or not _nothing_left(text, told):
        return None
    kept = _types(types, told)
    if kept is None:
        return None
    holds = {name: _held(name, dtype) for name, dtype in told.types.items()}
    step = ChainStep(operator="formula", formula=formula, variables=told.variables, holds=holds)
    request = Request(
        steps=(step,),
        dtypes=kept,
        shapes=(told.shapes,) if told.shapes else (),
        dynamic=wishes.dynamic,
        knobs=wishes.knobs,
    )
    for mark in [m for m in text.marks if m.kind == "operator"]:
        text.marks[text.marks.index(mark)] = mark._replace(value=step)
    fitting = _of_their_types(with_type(request), told)
    return None if fitting is None else (fitting, text)


def _of_their_types(request: Request, told: Told) -> Request | None:
    """Return the request; None where its tensors' types do not fit, or what comes has not the type that is told."""
    whole = {name: dtype for name, dtype in told.types.items() if dtype is not DType.BOOL}
    if not whole or not request.shapes:
        return request
    found = result_types(request)
    if found is None:
        return None
    if not {*told.variables} <= whole.keys() or request.dtypes[0] in whole.values() or request.assumed:
        return request
    if found != (request.dtypes[0].value,):
        return None
    return request.model_copy(update={"dtypes": (whole[told.variables[0]],)})


def _agrees_with(text: MarkedText, told: Told, named: tuple[Named, ...]) -> bool:
    """Say whether the only name is defined as the equations are. Raises Unclear where it is something else."""
    others = {n.operator for n in named} - operations_of(told.formula)
    if len(others) != 1 or len({n.operator for n in named}) != 1:
        return False
    formula = _HALF.sub(lambda m: f"half{m[1]}", told.formula)
    variables = tuple(dict.fromkeys(re.findall(r"half\d", formula))) or told.variables
    step = ChainStep(operator="formula", formula=formula, variables=variables)
    mark = Mark(named[0].begin, named[0].end, "operator", named[0].operator)
    return disagreeing(text, mark, Mark(0, 0, "operator", step)) is not None


def _held(name: str, dtype: DType) -> Held:
    if dtype is DType.BOOL:
        return Held(draw="mask")
    if re.fullmatch(r"(?:\w*_)?masks?", name):
        return Held(draw="entries", limit="2", dtype=dtype)
    return Held(draw="int8" if dtype is DType.INT8 else "entries", limit="100", dtype=dtype)


def _converted(told: Told) -> Told:
    """Convert results that are wanted as whole numbers: "q as int8", "int8 的 q"."""
    text = told.text
    tree = ast.parse(told.formula, mode="eval").body
    results = list(tree.elts) if isinstance(tree, ast.Tuple) else [tree]
    for mark in [m for m in text.marks if m.kind == "dtype" and m.value in (DType.INT8, DType.UINT8)]:
        quantizes = re.match(r" ?(?:quant|量化)", text.text[mark.end :]) or re.search(
            r"(?:quanti[sz]\w*(?: (?:it|x|this|the input))? (?:in)?to (?:an? )?|量化(?:到|成|为) ?)\Z",
            text.text[: mark.begin],
        )
        if len(results) > 1 and quantizes:
            text.unmark(
                mark
            )  # "int8 quantization: ... return q and the scale" tells what comes, not what is given
            text.mark(mark.begin, mark.end, "label")
    for mark in [m for m in text.marks if m.kind == "dtype" and m.value in (DType.INT8, DType.UINT8)]:
        before = re.search(r"([a-z]\w*)(?: (?:as|in|is)| ?[:(])(?: an?)? ?\Z", text.text[: mark.begin])
        after = re.match(r" ?的? ?([a-z]\w*)", text.text[mark.end :])
        named = [m[1] for m in (before, after) if m is not None and m[1] in told.names]
        if re.search(r"\) as (?:an? )?\Z", text.text[: mark.begin]):
            named = [n for n, end in told.ends if end == text.text.rindex(")", 0, mark.begin) + 1]
            named = [n for n in named if n in told.names] or (list(told.names) if len(results) == 1 else [])
        if not named:
            continue
        at = told.names.index(named[0])
        results[at] = ast.parse(
            f"({ast.unparse(results[at])}).to(torch.{mark.value.value})", mode="eval"
        ).body
        text.unmark(mark)
        text.mark(mark.begin, mark.end, "label")
    body = ", ".join(ast.unparse(r) for r in results)
    return told._replace(formula=f"({body})" if len(results) > 1 else body)


def _cast(told: Told, wanted: DType) -> Told | None:
    """Return what is told with its only result in another floating-point type; None of several results."""
    one = not isinstance(ast.parse(told.formula, mode="eval").body, ast.Tuple)
    return (
        told._replace(formula=f"({told.formula}).to(torch.{wanted.value})")
        if one and wanted.is_float
        else None
    )


def _types(types: list[DType], told: Told) -> tuple[DType, ...] | None:
    """Return the type of all tensors; None where some have another one."""
    masks = {"mask", "cond", "condition"} & set(told.variables)
    floats = [t for t in types if not (t is DType.BOOL and masks) and t not in told.types.values()]
    floats = list(dict.fromkeys([*floats, *([told.floats] if told.floats is not None else [])]))
    return tuple(floats) if len(floats) <= 1 else None


def _take_sequence(text: MarkedText) -> None:
    """Take "then" between two equations: they hold in their order as it is."""
    equations = sorted(m.begin for m in text.marks if m.kind == "operator")
    for begin in equations[1:]:
        said = _SEQUENCE.search(text.rest[:begin])
        if said is not None:
            text.mark(*said.span(), "filler")


def _take_new_values(text: MarkedText, told: Told) -> None:
    """Take "(the new buf)" behind the equation that gives it: a name stands for its new value from there on."""
    for match in re.finditer(words()["told"]["new value"], text.text):
        if any(name == match["name"] and end <= match.start() for name, end in told.ends):
            text.mark(*match.span(), "filler")


def _reduced(text: MarkedText) -> str | None:
    """Take a mean or a sum of what the last equation gives: "averaged", "结果求平均"."""
    ends = [m.end for m in text.marks if m.kind == "operator"]
    for name in ("mean", "sum"):
        pattern = re.compile(words()["told"][name])
        for match in pattern.finditer(text.rest):
            if match.start() >= max(ends):
                text.mark(*match.span(), "filler")
                return name
    return None


def _names_fit(text: MarkedText, told: Told) -> bool:
    """Take names of operators that the equations apply, or that name the whole; say whether there are no others."""
    named = find_operators(text.rest)
    agreed = _agrees_with(text, told, named)
    inside = {_ALIKE.get(n, n) for n in operations_of(told.formula)}
    first = min(m.begin for m in text.marks if m.kind == "operator")
    introduced = _NAMES_IT.search(text.text[:first]) or _GIVES_IT.match(text.text[first:])
    for found in named:
        entry = operator_named(found.operator)
        whole = is_composite(found.operator) or found.operator.endswith("_backward")
        whole = whole or (entry is not None and entry.category in _NAMED_AS_WHOLES)
        if found.operator == "erf" and "gelu" in inside:
            text.mark(found.begin, found.end, "filler")  # "exact erf gelu"
            continue
        if found.operator in ("split", "chunk") and _HALF.search(told.formula):
            text.mark(found.begin, found.end, "filler")
            continue
        applied = _ALIKE.get(found.operator, found.operator) in inside or _parts(found.operator) & inside
        whole = whole or describes(told.formula, found.operator)
        stands = agreed or introduced or _LABELS_IT.match(text.text[found.end :])
        if not applied and not agreed and not (whole and stands and found.begin < first):
            return False
        if not applied and not agreed and _is_another(found.operator, told):
            return False  # "linear + relu: y = x @ w.T + b"
        text.mark(found.begin, found.end, "filler")
    return True


def _is_another(name: str, told: Told) -> bool:
    """Say whether the operator is known to be something else than the equations compute."""
    if _HALF.search(told.formula):
        return False  # which half is gated, the equations say
    found = relation(name, told.formula, told.variables)
    return found is not None and found.kind == "other"


def _parts(name: str) -> set[str]:
    """Return the operators that a name of several words is made of: "softmax_backward" of softmax."""
    return set(name.split("_")) if "_" in name else set()


def _is_loss(told: Told) -> bool:
    named = find_operators(told.text.text)
    return any((e := operator_named(n.operator)) is not None and e.category == "loss" for n in named) or bool(
        re.search(r"(?<![a-z])(?:loss|nll)(?![a-z])|损失", told.text.text)
    )


def _settled(
    told: Told, axes: list[Value], *, every_sample: bool, averaged: str | None, is_loss: bool
) -> str | None:
    """Return the formula with the axes of its reductions; None where an axis is lacking or was said for nothing."""
    tree = ast.parse(told.formula, mode="eval").body
    _name_axes(tree)
    results = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    is_reducing = open_reductions(told.formula)
    if axes == [-1] and not is_reducing and has_norm(tree):
        axes = []  # as norms go
    if axes and not is_reducing and _along_already(tree, axes, len(told.shapes[0]) if told.shapes else 0):
        axes = []
    if len(axes) > 1 or (axes and not is_reducing) or (every_sample and (axes or not is_reducing)):
        return None
    whole = is_open(tree) and sum(is_open(n) for n in ast.walk(tree)) == 1
    if whole and not axes and not every_sample and is_loss:
        axes = [None]
    if is_reducing and not axes and told.shapes and len(max(told.shapes, key=len)) == 1:
        axes = [-1]  # the only one
    if is_reducing and not axes and not every_sample:
        if averaged is None or not told.shapes or len(max(told.shapes, key=len)) != len((0, 0)):
            return None
        axes = [-1]  # a mean follows: of one value for every row
    if every_sample and not told.shapes:
        return None
    dim: object = (
        tuple(range(1, len(max(told.shapes, key=len)))) if every_sample else axes[0] if axes else None
    )
    if isinstance(dim, str):
        several = re.fullmatch(r"last (\d)", dim)
        dim = tuple(range(-int(several[1]), 0)) if several else None
    for result in results:
        keep = _bare_tensor(result)
        _along(result, dim, keep=keep)
        _keep_axes(result, keep=keep)
    if averaged is not None:
        if len(results) > 1:
            return None
        tree = ast.Call(ast.parse(f"torch.{averaged}", mode="eval").body, [tree], [])
    return ast.unparse(ast.fix_missing_locations(tree))


def _along(tree: ast.expr, dim: object, *, keep: bool) -> None:
    for node in [n for n in ast.walk(tree) if is_open(n)]:
        assert isinstance(node, ast.Call)
        if dim is None:
            continue
        _reduce_alone(node)
        node.keywords = [k for k in node.keywords if k.arg not in ("dim", "axis")]
        node.keywords.append(ast.keyword("dim", ast.parse(repr(dim), mode="eval").body))
        if keep:
            node.keywords.append(ast.keyword("keepdim", ast.Constant(True)))


def _along_already(tree: ast.expr, axes: list[Value], rank: int) -> bool:
    """Say whether all reductions of a formula have the axis that words say, too: "per row ... max(x, dim=-1)"."""
    said = [
        k.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Call)
        and (reduces(ast.unparse(n.func)) or ast.unparse(n.func).endswith("softmax"))
        for k in n.keywords
        if k.arg == "dim"
    ]
    wanted = {a % rank if isinstance(a, int) and rank else a for a in axes}
    try:
        found = {d % rank if isinstance(d := ast.literal_eval(v), int) and rank else d for v in said}
    except ValueError:
        return False
    return bool(said) and found == wanted


def _reduce_alone(node: ast.Call) -> None:
    """Write a maximum along an axis as the one that returns no index."""
    path = ast.unparse(node.func)
    if path in ("torch.max", "torch.min"):
        node.func = ast.parse(path.replace("torch.m", "torch.am"), mode="eval").body


def _name_axes(tree: ast.expr) -> None:
    """Write the axis of "mean(h^2, -1)" under its name."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and reduces(ast.unparse(node.func))
            and len(node.args) == len(("x", "dim"))
        ):
            try:
                dim = ast.literal_eval(node.args[1])
            except ValueError:
                continue
            if isinstance(dim, int):
                node.keywords.append(ast.keyword("dim", node.args.pop()))


def _keep_axes(tree: ast.expr, *, keep: bool) -> None:
    """Keep the axes of reductions whose own is said in the formula, "max(abs(x), dim=-1)", where a tensor is beside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and reduces(ast.unparse(node.func)):
            said = {k.arg for k in node.keywords}
            if "dim" in said:
                _reduce_alone(node)
            if keep and "dim" in said and "keepdim" not in said:
                node.keywords.append(ast.keyword("keepdim", ast.Constant(True)))


def _bare_tensor(tree: ast.expr) -> bool:
    """Say whether a tensor stands outside all reductions, so that what is reduced is put beside it."""
    if isinstance(tree, ast.Call) and reduces(ast.unparse(tree.func)):
        return False
    if isinstance(tree, ast.Name):
        return tree.id != "torch"
    if isinstance(tree, ast.Call):
        if isinstance(tree.func, ast.Attribute) and _bare_tensor(tree.func.value):
            return True
        return any(_bare_tensor(a) for a in tree.args)
    return any(_bare_tensor(n) for n in ast.iter_child_nodes(tree) if isinstance(n, ast.expr))


def _nothing_left(text: MarkedText, told: Told) -> bool:
    for pattern in _fillers():
        text.take(pattern, "filler")
    built = {n for shape in told.shapes for n in shape if n > len((0, 0))}
    for match in re.finditer(r"(?<![\w.])(?P<letter>[a-z]) ?= ?(?P<size>\d+)(?![\w.])", text.rest):
        if int(match["size"]) in built and match["letter"] not in told.variables:
            text.mark(*match.span(), "label")  # "over the last dim (N=640)"
    for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", text.rest):
        if int(match[0]) in built:
            text.mark(*match.span(), "label")
    begin = min(m.begin for m in text.marks if m.kind == "operator")
    if _NAMES_IT.search(text.text[:begin]):
        text.mark(0, begin, "filler")  # what it is called: "LoRA: y = xW + ..."
    if text.left():
        take_remarks(text)
    return not [word for word in text.left() if not misspelt_filler(word)]


@cache
def _fillers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    said = words()
    latin = sorted([*said["filler"], *said["told"]["filler"]], key=len, reverse=True)
    chinese = sorted([*said["filler_zh"], *said["told"]["filler_zh"]], key=len, reverse=True)
    return (
        re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, latin))})(?![a-z0-9_])"),
        re.compile("|".join(map(re.escape, chinese))),
    )
