"""Write a follow-up in the words that the readers of changes know: without its reasons, with values in place of names.

"changed my mind, average pooling would be better, same window" becomes "average pooling instead, kernel_size=3,
stride=2"; "forget that, give me argsort on the same input" becomes "give me argsort"; "append silu" "then silu".
"""

import re
from collections.abc import Callable

from akgen.agents.requests.added_tensors import with_alike_tensor
from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.follow_up_words import clauses, pattern, patterns, plainly, rewrites
from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.other_operator import with_other_operator
from akgen.agents.requests.pads import other_mode
from akgen.agents.requests.places import dtype_of
from akgen.agents.requests.remembered import operators_of
from akgen.agents.requests.request import Request
from akgen.agents.requests.said_of_known import (
    as_a_whole,
    kept_value,
    of_the_known,
    with_axis_alone,
    without_repeats,
)
from akgen.agents.requests.set_values import gone_back, kept_values, set_values, without_old
from akgen.knowledge.forms import form_named
from akgen.knowledge.operators import find_operators, operator_named

_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_SHAPED = re.compile(r"[\[(] ?\d+ ?,|\d ?x ?\d")
_EXCHANGES = re.compile(r"(?<![a-z])instead(?![a-z])|[改换]")
_TRUTHS = ("isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not", "logical_xor")
_WHOLE = re.compile(r"整体|全部|everything|whole")
_TYPE = re.compile(r"[a-z]+\d*", re.I | re.A)


def rephrased(text: str, known: Request) -> str:
    """Return a follow-up in other words; code, and what follows code, as it is."""
    if known.empty or known.source is not None or _CODE.search(text):
        return text
    text = _without_reasons(text)
    text = _without_forgotten(text, known)
    if (reduced := _reduced(text, known) or _counted(text, known)) is not None:
        return reduced
    for said, written in rewrites():
        text = said.sub(written, text)
    text = pattern("the one").sub(
        lambda m: m[0] if _operator(m["what"]) else f"{m['verb']} {m['what']}", text
    )
    text = as_a_whole(with_axis_alone(with_other_operator(text, known), known), known)
    bare = any(n.operator == "rms_norm" for n in find_operators(text.lower()))
    text = without_old(text, known)
    for rewrite in (
        *(() if _EXCHANGES.search(text) else (kept_value,)),
        of_the_known,
        set_values,
        other_mode,
        _of_its_kind,
        _preferred,
        _unscaled,
        _masked_causally,
        _unreduced,
        kept_values,
        gone_back,
        *([_unshifted] if bare else []),
    ):
        text = _each_clause(text, lambda part, rewrite=rewrite: rewrite(part, known))  # type: ignore[misc]
    if operators_of(known) == {"add"} or _is_sum(known):
        text = pattern("one more addend").sub(r"another input \g<name> of the same shape and add it", text)
    alike = with_alike_tensor(text, known)
    if alike == text:
        alike = _each_clause(text, lambda part: _changed(part, with_alike_tensor(part, known)))
    text = without_repeats(alike)
    return _appended(re.sub(r"reduction none(?:[,;] ?reduction none)+", "reduction none", text))


def _changed(part: str, written: str) -> str | None:
    return None if written == part else written


def _each_clause(text: str, rewrite: Callable[[str], str | None]) -> str:
    """Return a text with those of its clauses in other words that a rewriting has words for; "" leaves one out."""
    done: set[str] = set()
    for part in clauses(text):
        written = rewrite(part)
        if written == "" and part == text.strip():
            continue
        if written in done:
            written = ""  # said twice
        done |= {written} if written else set()
        if written is not None:
            text = _put(text, part, written)
    return text


def _put(text: str, part: str, written: str) -> str:
    if written:
        return text.replace(part, written, 1)
    joint = ". " if part.isascii() else "，"
    return re.sub(rf"[\s,，;；。.!！]*{re.escape(part)}[\s,，;；。.!！]*", joint, text, count=1).strip(
        " ,，。.;；\n"
    )


def _without_reasons(text: str) -> str:
    """Leave out clauses that only say why something is changed, or that something is."""
    parts = clauses(text)
    reasons = [p for p in parts if any(r.fullmatch(plainly(p)) for r in patterns("reasons"))]
    for part in parts:
        others = [p for p in parts if p is not part and p not in reasons]
        if part in reasons or not others:
            continue
        said = pattern("typed reason").fullmatch(plainly(part))
        name = said["type"] or said["type2"] if said is not None else ""
        told = {dtype_of(w) for p in others for w in _TYPE.findall(p)} - {None}
        if said is not None and {dtype_of(name)} == told:
            reasons.append(part)
    for part in reasons if len(reasons) < len(parts) else ():
        text = _put(text, part, "")
    return text


def _without_forgotten(text: str, known: Request) -> str:
    """Leave out "forget that" in front of another operator, where there is but one turn that it may mean."""
    said = pattern("forget").match(text)
    rest = text[said.end() :] if said is not None else text
    same = pattern("same input").search(rest)
    if said is None or not find_operators(rest.lower()):
        return text
    if len(known.said) > 1 and same is None and not _SHAPED.search(rest):
        return text  # of the last turn, or of all of them?
    return rest if same is None else f"{rest[: same.start()]}{rest[same.end() :]}".strip()


def _preferred(part: str, _known: Request) -> str | None:
    """Write "average pooling would be better" as "average pooling instead"."""
    match = pattern("better").fullmatch(plainly(part))
    name = next((g for g in match.groups() if g), "") if match is not None else ""
    return (f"{name} instead" if name.isascii() else f"改成 {name}") if _operator(name) else None


def _unscaled(part: str, known: Request) -> str | None:
    """Write "no 1/sqrt(d) scaling" of attention as "scale=1.0"."""
    names = [s.formula or entry_of(s).category for s in known.steps]
    if not any("attention" in name for name in names):
        return None
    said = plainly(part)
    match = pattern("not scaled").fullmatch(said)
    denied = match is not None and (match["root"] or match["scaling"]) and pattern("denies").search(said)
    return "scale=1.0" if denied or pattern("unscaled").fullmatch(said) else None


def _masked_causally(part: str, known: Request) -> str | None:
    """Write "add a causal mask" of attention as "make it causal": its result is not masked."""
    names = [s.formula or entry_of(s).category for s in known.steps]
    if len(names) != 1 or "attention" not in names[0]:
        return None
    return "make it causal" if pattern("masked causally").fullmatch(plainly(part)) else None


def _loss(known: Request) -> str | None:
    """Return the only loss of a request."""
    heads = [form_named((s.formula or "").partition("(")[0]) for s in known.steps]
    names = {*operators_of(known), *(n for form in heads if form is not None for n in form.operators)}
    losses = [n for n in names if (e := operator_named(n)) is not None and e.category == "loss"]
    return losses[0] if len(losses) == 1 else None


def _reduced(text: str, known: Request) -> str | None:
    """Write "don't average, just sum" of a loss as "sum instead of mean"."""
    loss, said = _loss(known), plainly(text)
    entry = operator_named(loss) if loss is not None else None
    if entry is None or len(known.steps) != 1 or "reduction" not in parameters_of(entry):
        return None
    step = known.steps[0]
    written = re.search(r"reduction='(\w+)'", step.formula or "")
    now = written[1] if written is not None else step.attributes.get("reduction", "mean")
    wanted = next(
        (v for v, n in (("sum", "summed"), ("mean", "averaged")) if pattern(n).fullmatch(said)), now
    )
    return f"{wanted} instead of {now}" if wanted != now else None


def _of_its_kind(part: str, known: Request) -> str | None:
    """Write "avg instead" of a pooling, "xor instead", "the smallest 10 instead" of a top-k in full."""
    said = plainly(part)
    match = pattern("of its kind").fullmatch(said)
    steps = [s.operator for s in known.steps if s.formula is None]
    if match is None or len(steps) != 1 or len(known.steps) != 1:
        return None
    (name,) = steps
    if match["pool"] and "_pool" in name:
        return f"{'max' if match['pool'].lower() in ('max', '最大') else 'average'} pooling instead"
    if match["bit"] and name.partition("_")[0] in ("bitwise", "logical"):
        bits = {"与": "and", "或": "or", "异或": "xor"}
        return f"{name.partition('_')[0]} {bits.get(match['bit'], match['bit'].lower())} instead"
    if match["logits"] and name == "binary_cross_entropy":
        return "binary cross entropy with logits instead"
    count = match["count"] or match["count_zh"]
    if name.startswith("topk") and count:
        least = re.search(r"small|low|least|min|最小", said, re.I) is not None
        return f"{'smallest' if least else 'largest'}, k={count}"
    return None


def _counted(text: str, known: Request) -> str | None:
    """Write "count how many are true in each row" behind a comparison as "then count_nonzero per row"."""
    last = known.steps[-1] if known.steps else None
    if last is None:
        return None
    compared = re.search(r"[<>]|[=!]=", last.formula or "") if last.formula is not None else None
    entry = entry_of(last) if last.formula is None else None
    match = pattern("count them").fullmatch(plainly(text))
    truths = entry is not None and (entry.category == "comparison" or entry.name in _TRUTHS)
    if match is None or not (compared or truths):
        return None
    said = (match["axis"] or match["axis_zh"] or "").strip()
    where = "over all elements" if not said or _WHOLE.search(said) else said
    return f"then count_nonzero {'per column' if '列' in said else where}"


def _unreduced(part: str, known: Request) -> str | None:
    """Write "give me the per row loss" as "reduction none", where that is a value for each row."""
    loss = _loss(known)
    if loss is None or not known.shapes:
        return None
    said = plainly(part)
    labelled = loss in ("cross_entropy", "nll_loss") and len(known.shapes[0][0]) == len("NC")
    rows = labelled and pattern("per row").fullmatch(said)
    return "reduction none" if rows or pattern("per element").fullmatch(said) else None


def _unshifted(part: str, known: Request) -> str | None:
    """Leave out "and no beta then" beside a norm that has none, where none is declared."""
    if any({"bias", "beta"} & {*step.variables} for step in known.steps):
        return None
    match = re.compile(words()["edits"]["drop"], re.I).fullmatch(plainly(part))
    name = next((g for g in match.groups() if g), "") if match is not None else ""
    return "" if name.strip().lower() in ("bias", "beta", "偏置", "the bias", "shift") else None


def _appended(text: str) -> str:
    """Write "append silu" and "末尾接个 relu" as "then silu"."""
    said = plainly(text)
    match = pattern("append").fullmatch(said) or pattern("add at the end").fullmatch(text.strip(" .。!！"))
    name = next((g.strip() for g in match.groups() if g), "") if match is not None else ""
    named = find_operators(name.lower())
    if len(named) != 1 or named[0].begin != 0 or _SHAPED.search(name):
        return text
    return f"then {name}" if name.isascii() and said.isascii() else f"然后 {name}"


def _is_sum(known: Request) -> bool:
    """Say whether all that is known is a sum of tensors."""
    only = known.steps[0].formula if len(known.steps) == 1 else None
    return only is not None and re.fullmatch(r"\w+(?: \+ \w+)+", only) is not None


def _operator(name: str) -> bool:
    named = find_operators(name.lower())
    return len(named) == 1 and (named[0].begin, named[0].end) == (0, len(name))
