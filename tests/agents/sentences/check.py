"""Read a file of sentences and say of each whether the right thing is understood.

A line is `what is said => what is expected`. Turns of a conversation are joined by ` >> `, line breaks are `\\n`.
Expected is a task, `expression | shapes | types`, where x0, x1, ... are the task's inputs and then its parameters;
shapes are those of the tensors, the cases' apart by `;`. Or a question: `?dtype`, `?shape`, `?attribute`, `?unclear`.
Or a refusal: `!`.

A task is right if its reference has those shapes and types, and computes the same as the expression on random values of
inputs and parameters. Sizes above 64 are made smaller for that, each the same everywhere.
"""

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import torch

from akgen.agents.requests.needs import missing
from akgen.agents.requests.request import ParsedRequest, Request
from akgen.agents.requests.sentence import parse_request, says_yes
from akgen.agents.requests.task import reference_for, task_for
from tests.agents.sentences.made import smaller, space_of

HERE = Path(__file__).parent
TYPES = {
    "h": "float16", "b": "bfloat16", "f": "float32", "d": "float64", "i": "int32", "i64": "int64", "i8": "int8",
    "u8": "uint8", "i16": "int16", "bool": "bool",
}  # fmt: skip
SMALL = 64


class Sentence(NamedTuple):
    """One line of a file."""

    turns: tuple[str, ...]
    expected: str


class Judged(NamedTuple):
    """Whether what was understood is right; `silent` if something else would have been built."""

    right: bool
    silent: bool
    why: str


def sentences(name: str) -> list[Sentence]:
    found = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        said, _, expected = line.rpartition(" => ")
        turns = tuple(turn.replace("\\n", "\n") for turn in said.split(" >> "))
        found.append(Sentence(turns, expected.strip()))
    return found


def heard(turns: tuple[str, ...]) -> ParsedRequest:
    """Hold the conversation and return what was understood at its end."""
    parsed = ParsedRequest(request=Request())
    for turn in turns:
        said = parsed.offer if parsed.offer and says_yes(turn) else turn
        parsed = parse_request(said, parsed.request)
    return parsed


def judge(sentence: Sentence) -> Judged:
    parsed = heard(sentence.turns)
    outcome = _outcome(parsed)
    if sentence.expected == "!":
        if outcome == "task":
            failed = _fails(parsed.request)
            return Judged(failed is not None, failed is None, f"a task: {parsed.request.steps}")
        return Judged(outcome in ("!", "?unclear"), False, outcome)
    if sentence.expected.startswith("?"):
        return Judged(
            outcome == sentence.expected,
            outcome == "task",
            f"{outcome} {parsed.problem or parsed.request.steps}",
        )
    if outcome != "task":
        return Judged(False, False, f"{outcome}: {parsed.problem}")
    why = difference(parsed.request, sentence.expected)
    return Judged(why is None, why is not None, why or "")


def _outcome(parsed: ParsedRequest) -> str:
    if parsed.problem is not None:
        return "!" if parsed.kind == "refused" else "?unclear"
    lacking = missing(parsed.request)
    if not lacking:
        return "task"
    return "?unclear" if lacking[0] == "operator" else f"?{lacking[0]}"


def difference(request: Request, expected: str) -> str | None:
    """Return how the request's task differs from the expected one; None if it does not."""
    expression, shapes, types = (part.strip() for part in expected.rsplit("|", 2))
    wanted = [TYPES[t] for t in types.split(",")]
    if [d.value for d in request.dtypes] != wanted:
        return f"types {request.dtypes}"
    cases = [[_shape(s) for s in case.split()] for case in shapes.split(";")]
    source = reference_for(request)
    task = task_for(request, Path("reference.py"), "asked")
    plain = [c for c in task.cases if c.id.startswith("asked")]
    if len(plain) != len(cases) * len(wanted):
        return f"{len(plain)} cases"
    try:
        for case, want in zip(plain, cases * len(wanted), strict=True):
            with torch.device("meta"):
                tensors, _, _ = _built(source, case.params, 0)
            got = [tuple(t.shape) for t in tensors]
            if got[: len(want)] != want:
                return f"shapes {got}"
        return _computes_other(source, plain[0].params, expression)
    except (
        RuntimeError,
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
        NameError,
        KeyError,
        SyntaxError,
    ) as wrong:
        return f"{type(wrong).__name__}: {wrong}\n{source}"


def _fails(request: Request) -> str | None:
    try:
        task = task_for(request, Path("reference.py"), "asked")
        _, model, inputs = _built(reference_for(request), _smaller(task.cases[0].params), 0)
        model(*inputs)
    except (RuntimeError, ValueError, TypeError, IndexError) as wrong:
        return str(wrong)
    return None


def _computes_other(source: str, params: dict[str, Any], expression: str) -> str | None:
    computed = {**_smaller(params)}
    if computed["dtype"] in ("float16", "bfloat16"):
        computed["dtype"] = "float32"
    for seed in (0, 1):
        tensors, model, inputs = _built(source, computed, seed)
        names: dict[str, Any] = {f"x{i}": t for i, t in enumerate(tensors)}
        with torch.no_grad():
            got = model(*inputs)
            want = eval(
                _scaled(expression, params, computed), {"torch": torch, "F": torch.nn.functional, **names}
            )
        if not _same(got, want):
            return f"computes something else:\n{source}"
    return None


def _built(
    source: str, params: dict[str, Any], seed: int
) -> tuple[list[torch.Tensor], Any, list[torch.Tensor]]:
    """Return all tensors, inputs and then parameters, the model and its inputs."""
    space = space_of(source)
    torch.manual_seed(seed)
    inputs = list(space["get_inputs"](params))
    model = (
        space["Model"](*space["get_init_inputs"](params)) if "get_init_inputs" in space else space["Model"]()
    )
    model = model.eval()
    state = [t for t in model.state_dict().values() if t.is_floating_point() or t.dim() > 0]
    if inputs and not inputs[0].is_meta:
        with torch.no_grad():
            for tensor in state:
                tensor.copy_(torch.rand_like(tensor) + 0.1)
    return [*inputs, *state], model, inputs


def _smaller(params: dict[str, Any]) -> dict[str, Any]:
    return {k: [smaller(n, SMALL) for n in v] if isinstance(v, list) else v for k, v in params.items()}


def _scaled(expression: str, params: dict[str, Any], computed: dict[str, Any]) -> str:
    """Write the smaller sizes where the expression names a size, as in a normalised shape."""
    sizes = {n for v in params.values() if isinstance(v, list) for n in v if n > SMALL}
    return re.sub(
        r"\d+", lambda m: str(smaller(int(m[0]), SMALL)) if int(m[0]) in sizes else m[0], expression
    )


def _same(got: Any, want: Any) -> bool:
    if isinstance(got, tuple | list) and isinstance(want, tuple | list):
        return len(got) == len(want) and all(_same(g, w) for g, w in zip(got, want, strict=True))
    if not isinstance(got, torch.Tensor) or not isinstance(want, torch.Tensor) or got.shape != want.shape:
        return False
    exact = not got.is_floating_point()
    return (
        torch.equal(got, want)
        if exact
        else torch.allclose(got.double(), want.double(), 1e-4, 1e-5, equal_nan=True)
    )


def _shape(text: str) -> tuple[int, ...]:
    shape = tuple(int(n) for n in text.split("x"))
    assert math.prod(shape) >= 0
    return shape


def report(name: str, *, show: bool = True) -> tuple[int, int, int]:
    """Judge a file; return how many are right, how many wrong silently, how many there are."""
    judged = [(s, judge(s)) for s in sentences(name)]
    for sentence, result in judged:
        if show and not result.right:
            mark = "SILENT " if result.silent else ""
            print(f"{mark}{' >> '.join(sentence.turns)!r} => {sentence.expected}", result.why, sep="\n    ")
    return sum(j.right for _, j in judged), sum(j.silent and not j.right for _, j in judged), len(judged)


if __name__ == "__main__":
    import sys

    for file in sys.argv[1:]:
        right, silent, count = report(file)
        print(f"{file}: {right} of {count} right ({right / count:.1%}), {silent} silently wrong")
