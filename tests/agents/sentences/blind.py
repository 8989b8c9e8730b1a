"""Score sentences that were written without a look at AKGen against the references that their writer gave.

A line of the file: {"id", "lang", "turns", "expect": "task" | "ask" | "refuse", "reference", "free", "why"}. The
reference is Python with `Model` and `get_inputs()`. What the person left open (`free`: "shape", "dtype") and AKGen asks
about is answered as the reference has it.

A task is right if its tensors have the reference's shapes and types and it computes the same on the same numbers.
Weights that one of the two has as parameters may be inputs of the other. Large sizes are made smaller.

    python tests/agents/sentences/blind.py FILE [ID ...]
"""

import copy
import itertools
import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import torch

from akgen.agents.requests.needs import missing, tensors_of
from akgen.agents.requests.request import ParsedRequest, Request
from akgen.agents.requests.sentence import parse_request, says_yes
from akgen.agents.requests.task import reference_for, task_for
from tests.agents.sentences.made import smaller, space_of

SHARES = {
    "blind_first.jsonl": 0.92,
    "blind_second.jsonl": 0.72,
    "blind_third.jsonl": 0.65,
    "blind_fourth.jsonl": 0.58,
    "blind_fifth.jsonl": 0.43,
    "blind_sixth.jsonl": 0.36,
    "blind_seventh.jsonl": 0.92,
    "blind_eighth.jsonl": 0.71,
    "blind_ninth.jsonl": 0.74,
    "blind_tenth.jsonl": 0.64,
    "blind_eleventh.jsonl": 0.55,
    "blind_twelfth.jsonl": 0.34,
    "blind_thirteenth.jsonl": 0.53,
    "blind_fourteenth.jsonl": 0.62,
    "blind_fifteenth.jsonl": 0.86,
    "blind_sixteenth.jsonl": 0.58,
    "blind_seventeenth.jsonl": 0.9,
    "blind_eighteenth.jsonl": 0.71,
    "blind_mechanisms.jsonl": 0.88,
}  # of right ones at least, since they were mended against
ENOUGH = 1 << 21  # elements of all tensors up to which sizes stay as they are
AFFORDED = 1 << 24  # elements up to which sizes stay where the smaller ones differ
SMALL = 48
MOST_ORDERS = 200
_BROKEN = (
    RuntimeError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    NameError,
    KeyError,
    SyntaxError,
    AssertionError,
)


class Score(NamedTuple):
    """`kind`: right, asked (needlessly), silent (something else would be built), refused (wrongly)."""

    kind: str
    why: str
    offered: bool = False  # asked, with an offer that a yes accepts


class Side(NamedTuple):
    """A reference that was made: all its tensors, those of the model last, and how many of them are inputs."""

    tensors: list[torch.Tensor]
    inputs: int
    model: Any


def score(line: dict[str, Any]) -> Score:
    parsed, outcome = converse(line)
    said = parsed.problem or f"{[s.formula or (s.operator, s.attributes) for s in parsed.request.steps]}"
    if line["expect"] != "task":
        if outcome != "task" or _raises(parsed.request) is not None:
            return Score("right", outcome)
        return Score("silent", f"a task: {said} {parsed.request.shapes} {parsed.request.dtypes}")
    if outcome != "task":
        return Score(
            "refused" if outcome == "refused" else "asked", f"{outcome}: {said}", parsed.offer is not None
        )
    if (raised := _raises(parsed.request)) is not None:
        return Score(
            "refused", raised
        )  # what a conversation says when it runs the reference, before work begins
    try:
        why = difference(line, parsed.request)
    except _BROKEN as wrong:
        why = f"{type(wrong).__name__}: {wrong}\n{_shown(parsed.request)}"
    return Score("right", said) if why is None else Score("silent", why)


def _raises(request: Request) -> str | None:
    """Return what the request's reference raises at its first case; None if it runs, or is too large to try."""
    source, task = reference_for(request), task_for(request, Path("reference.py"), "asked")
    params = next(c for c in task.cases if c.id.startswith("asked")).params
    if sum(math.prod(v) for v in params.values() if isinstance(v, list)) > ENOUGH:
        return None
    try:
        side = _made(source, params, {})
        side.model.to(next((t.dtype for t in side.tensors if t.is_floating_point()), torch.float32))
        with torch.no_grad():
            if not _runs_without_numbers(side):  # in float32: half convolutions take minutes on a CPU
                side.model.float()(
                    *(t.float() if t.is_floating_point() else t for t in side.tensors[: side.inputs])
                )
    except _BROKEN as wrong:
        return f"the reference raises {type(wrong).__name__}: {wrong}"
    return None


def _runs_without_numbers(side: Side) -> bool:
    try:
        copy.deepcopy(side.model).to("meta")(*(t.to("meta") for t in side.tensors[: side.inputs]))
    except (*_BROKEN, NotImplementedError):
        return False  # it may need the numbers
    return True


def converse(line: dict[str, Any]) -> tuple[ParsedRequest, str]:
    """Hold the conversation, and answer what was left open; return what was understood at its end, what is asked."""
    parsed, problems = ParsedRequest(request=Request()), []
    for turn in line["turns"]:
        said = turn
        if parsed.offer and says_yes(turn):
            said = parsed.offer
            problems.pop()  # it was answered
        parsed = parse_request(said, parsed.request)
        problems += [parsed.problem] if parsed.problem else []
    if problems and not parsed.problem:  # a turn that was asked about was not said again
        return parsed.model_copy(update={"problem": " / ".join(problems)}), "unclear"
    for _ in range(3):
        if parsed.problem is not None:
            return parsed, "refused" if parsed.kind == "refused" else "unclear"
        lacking = missing(parsed.request)
        if not lacking:
            return parsed, "task"
        if line["expect"] != "task" or lacking[0] not in line.get("free", ()):
            return parsed, lacking[0]
        inputs = space_of(line["reference"])["get_inputs"]()
        count = tensors_of(parsed.request.steps[0]) if parsed.request.steps else 1
        shapes = list(dict.fromkeys(tuple(t.shape) for t in inputs[:count]))
        answer = (
            " and ".join(str(list(shape)) for shape in shapes)
            if lacking[0] == "shape"
            else str(next((t.dtype for t in inputs if t.is_floating_point()), inputs[0].dtype)).removeprefix(
                "torch."
            )
        )
        parsed = parse_request(answer, parsed.request)
    return parsed, "unclear"


def difference(line: dict[str, Any], request: Request) -> str | None:
    """Return how the request's task differs from the line's reference; None if it does not."""
    source, task = reference_for(request), task_for(request, Path("reference.py"), "asked")
    case = next(c for c in task.cases if c.id.startswith("asked"))
    free = line.get("free", ())
    theirs = _made(line["reference"], None, {})
    ours = _made(source, case.params, {})
    small = {}
    if sum(t.numel() for t in theirs.tensors) > ENOUGH:
        small = {n: smaller(n, SMALL) for t in theirs.tensors for n in t.shape if n > SMALL}
    shapes = [tuple(t.shape) for t in theirs.tensors[: theirs.inputs]]
    sizes = {_squeezed(t) for t in ours.tensors}
    if "shape" not in free and not {_squeezed(t) for t in theirs.tensors[: theirs.inputs]} <= sizes | {()}:
        return f"shapes {[tuple(t.shape) for t in ours.tensors]} for {shapes}\n{_shown(request)}"
    weights = {f"torch.{d.value}": 1 for d in request.dtypes} if len(ours.tensors) > ours.inputs else {}
    given = {**_kinds(ours), **weights}
    if "dtype" not in free and (kinds := _kinds(theirs)) != _kinds(ours) and kinds != Counter(given):
        return f"types {_kinds(ours)} for {kinds}\n{_shown(request)}"
    if not small:
        return _compared_in_its_types(theirs, ours, request, free="shape" in free)
    why: str | None
    try:
        shrunk = _made(line["reference"], None, small), _made(source, case.params, small)
        why = _compared_in_its_types(*shrunk, request, free="shape" in free)
    except _BROKEN as wrong:
        why = f"{type(wrong).__name__}: {wrong}\n{_shown(request)}"
    if why is None or sum(t.numel() for t in theirs.tensors) > AFFORDED:
        return why
    return _compared(theirs, ours, request, free="shape" in free)  # numbers of a reference may be sizes


def _compared_in_its_types(theirs: Side, ours: Side, request: Request, *, free: bool) -> str | None:
    """Compare in float32; where a reference casts on the way, which only its own types fit, in those."""
    try:
        return _compared(theirs, ours, request, free=free)
    except RuntimeError as wrong:
        if "same dtype" not in str(wrong):
            raise
    return _compared(theirs, ours, request, free=free, widened=False)


def _compared(theirs: Side, ours: Side, request: Request, *, free: bool, widened: bool = True) -> str | None:
    wide = _wide if widened else torch.Tensor.detach
    with torch.no_grad():
        for side in (theirs, ours):
            side.model.eval()
            if widened:
                side.model.float()
        for tensor in (*theirs.tensors[theirs.inputs :], *ours.tensors[ours.inputs :]):
            if tensor.is_floating_point():
                tensor.copy_(torch.rand_like(tensor) + 0.1)
        shapes = [_squeezed(t) for t in theirs.tensors]
        for name, value in ours.model.state_dict().items():
            if name.endswith("bias") and _squeezed(value) not in shapes:
                value.zero_()  # PyTorch's default has one, the person did not say
        given = [wide(t) for t in ours.tensors]
        got = _run(ours, given)
        shown = ""
        for order in itertools.islice(_orders(theirs.tensors, ours.tensors, free=free), MOST_ORDERS):
            values = [wide(t) for t in theirs.tensors]
            for at, taken in enumerate(order):
                if taken is not None:
                    values[at] = given[taken]
            want = _run(theirs, values)
            if _same(got, want):
                return None
            shown = shown or f"{_sizes(got)} for {_sizes(want)}"
    return f"computes something else: {shown}\n{_shown(request)}"


def _run(side: Side, values: list[torch.Tensor]) -> Any:
    for tensor, value in zip(side.tensors[side.inputs :], values[side.inputs :], strict=True):
        tensor.copy_(value.reshape(tensor.shape))
    return side.model(
        *[
            v if v.dim() == t.dim() else v.reshape(t.shape)
            for v, t in zip(values[: side.inputs], side.tensors, strict=False)
        ]
    )


def _orders(theirs: list[torch.Tensor], ours: list[torch.Tensor], *, free: bool) -> Any:
    """Yield which of our tensors stands for each of theirs, the same order first; None: their own number."""
    fitting = []
    for tensor in theirs:
        alike = [
            i
            for i, t in enumerate(ours)
            if _kind(t) == _kind(tensor)
            and (t.dim() == tensor.dim() if free else _squeezed(t) == _squeezed(tensor))
        ]
        fitting.append(alike or [None])
    for order in itertools.product(*fitting):
        used = [o for o in order if o is not None]
        if len(set(used)) == len(used):
            yield order


def _made(source: str, params: dict[str, Any] | None, small: dict[int, int]) -> Side:
    torch.manual_seed(0)
    space = space_of(source, small)
    if params is None:
        inputs = list(space["get_inputs"]())
        given = space["get_init_inputs"]() if "get_init_inputs" in space else []
    else:
        params = {k: [small.get(n, n) for n in v] if isinstance(v, list) else v for k, v in params.items()}
        try:
            inputs = list(space["get_inputs"](params))
            given = space["get_init_inputs"](params) if "get_init_inputs" in space else []
        except TypeError:
            inputs, given = list(space["get_inputs"]()), []
    model = space["Model"](*given).eval()
    flat = [
        t for i in inputs for t in (i if isinstance(i, list | tuple) else [i]) if isinstance(t, torch.Tensor)
    ]
    state = [t for t in model.state_dict().values() if t.dim() > 0 and t.is_floating_point()]
    model.float()
    state = [t for t in model.state_dict().values() if t.dim() > 0 and t.is_floating_point()]
    return Side([*flat, *state], len(flat), model)


def _kinds(side: Side) -> Counter[str]:
    return Counter({str(t.dtype) for t in side.tensors[: side.inputs]})


def _kind(tensor: torch.Tensor) -> str:
    return "float" if tensor.is_floating_point() else "bool" if tensor.dtype == torch.bool else "int"


def _squeezed(tensor: torch.Tensor) -> tuple[int, ...]:
    return tuple(n for n in tensor.shape if n != 1)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().float() if tensor.is_floating_point() else tensor.detach()


def _sizes(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_sizes, value))})"
    return f"{value.dtype} {tuple(value.shape)}" if isinstance(value, torch.Tensor) else repr(value)


def _same(got: Any, want: Any) -> bool:
    if isinstance(got, tuple | list) or isinstance(want, tuple | list):
        got, want = (list(v) if isinstance(v, tuple | list) else [v] for v in (got, want))
        if len(got) != len(want):
            return False
        orders = itertools.permutations(got)  # several results: in which order is seldom said
        return any(all(_same(g, w) for g, w in zip(order, want, strict=True)) for order in orders)
    if got.numel() != want.numel() or _squeezed(got) != _squeezed(want):
        return False
    coarse = torch.float32 not in (got.dtype, want.dtype) or got.dtype != want.dtype
    got, want = got.reshape(want.shape).double(), want.double()
    return torch.allclose(got, want, 1e-2 if coarse else 2e-3, 1e-3 if coarse else 2e-4, equal_nan=True)


def _shown(request: Request) -> str:
    lines = reference_for(request).splitlines()
    begin = next((i for i, text in enumerate(lines) if text.startswith("class")), 0)
    end = next((i for i, text in enumerate(lines) if text.startswith("def get_inputs")), len(lines))
    return "\n".join(
        ["", *(text for text in lines[begin:end] if text.strip()), f"{request.shapes} {request.dtypes}"]
    )


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def report(path: Path, only: list[str]) -> Counter[str]:
    """Print every miss, and return how many lines of each kind there are."""
    counted: Counter[str] = Counter()
    for line in read(path):
        if only and line["id"] not in only:
            continue
        found = score(line)
        counted[found.kind] += 1
        if found.offered:
            accepted = score({**line, "turns": [*line["turns"], "yes"]})
            counted["right after a yes" if accepted.kind == "right" else "not right after a yes"] += 1
        if found.kind != "right" or only:
            print(
                f"{found.kind.upper()} {line['id']} {' >> '.join(line['turns'])!r} expect {line['expect']} free "
                f"{line.get('free')}: {line['why']}\n    {found.why.replace(chr(10), chr(10) + '    ')}"
            )
            if found.kind == "silent" and line["reference"]:
                print("    THEIRS " + line["reference"].replace("\n", "\n    "))
    return counted


if __name__ == "__main__":
    total = report(Path(sys.argv[1]), sys.argv[2:])
    lines = sum(count for kind, count in total.items() if not kind.endswith("after a yes"))
    print(dict(total), f"{total['right'] / max(1, lines):.1%} right")
