"""Operators without end, as a folder of task folders, which is a suite: `akgen bench run FOLDER` solves and judges it.

What is drawn depends on the seed, the family and a number alone, so a larger folder of the same seed begins with the
smaller one. An operator whose lines were drawn before, in any family, is left out.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from itertools import count as numbered
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template

from akgen.bench.builtin import TaskFile
from akgen.finetune.operators.families import FAMILIES, GivenUp, rng_of
from akgen.finetune.operators.sketch import LANGUAGES, REACH, SQUARE_PART, Language, Sketch, Variable, telling
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.op_spec import camel_case, entry_name
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case

DIFFICULTIES = (1, 2, 3)
_DTYPES = ("float32",) * 6 + ("float16",) * 3 + ("bfloat16",)
_WORDS = 3  # of operations, in an operator's name
_DRAWS = 20  # for each operator that is asked for, before a family counts as exhausted
_MOST_PRODUCT = 96  # rows and columns of a matrix that is multiplied


class Operator(Frozen):
    """A drawn operator. `digest` tells operators apart by what they compute, whatever they are called.

    `composition` names its operations in order, with ";" between them.
    """

    name: str
    family: str
    difficulty: int
    number: int
    digest: str
    composition: str
    reference: str
    task: TaskFile
    said: dict[Language, str]


def drawn(
    seed: int, count: int, families: Sequence[str] = tuple(FAMILIES), known: Sequence[Operator] = ()
) -> Iterator[Operator]:
    """Yield up to `count` different operators, the families and difficulties in turn.

    With the first ones `known`, yield those that come after them. Raises InputError for a family that is not known. A
    family that has no more to offer is left out from then on.
    """
    unknown = [f for f in families if f not in FAMILIES]
    if unknown:
        raise InputError(f"There is no family {unknown[0]!r}.", f"Known ones are {', '.join(FAMILIES)}.")
    numbers = dict.fromkeys(families, 0) | {o.family: o.number for o in known}
    seen = {o.digest for o in known}
    names = {o.name for o in known}
    made = len(known)
    turn = list(families)
    if known:
        after = turn.index(known[-1].family) + 1
        turn = turn[after:] + turn[:after]
    while made < count and turn:
        family = turn.pop(0)
        operator = None
        for _ in range(_DRAWS):
            numbers[family] += 1
            operator = _draw(seed, family, numbers[family], names)
            if operator is not None and operator.digest not in seen:
                break
            operator = None
        if operator is None:
            continue
        turn.append(family)
        seen.add(operator.digest)
        names.add(operator.name)
        made += 1
        yield operator


def write(operator: Operator, folder: Path) -> Path:
    """Write a task folder, with `operator.json` for what a task does not hold; return it."""
    place = make_folder(folder / operator.name)
    write_whole(place / "reference.py", operator.reference)
    write_whole(place / "task.json", json_text(operator.task, indent=1) + "\n")
    more = operator.model_dump(include={"family", "difficulty", "number", "digest", "composition", "said"})
    write_whole(place / "operator.json", json.dumps(more, ensure_ascii=False, indent=1) + "\n")
    return place


def _draw(seed: int, family: str, number: int, names: set[str]) -> Operator | None:
    rng = rng_of(seed, family, number)
    difficulty = DIFFICULTIES[number % len(DIFFICULTIES)]
    sketch = Sketch(rng)
    try:
        outputs = FAMILIES[family](sketch, difficulty)
    except GivenUp:
        return None
    inputs, steps = sketch.reached(outputs)
    if not steps or any(not output.code for output in outputs):
        return None
    said = {language: _description(steps, outputs, k) for k, language in enumerate(LANGUAGES)}
    lines = "\n".join(f"{v.name} = {v.code}" for v in steps) + "\n" + ",".join(v.name for v in outputs)
    cases = _cases(rng, inputs)
    if family == "single":  # one operation on each type and shape of operand
        lines += "".join(f"\n{v.kind}" for v in inputs) + "".join(f"\n{c.params['dtype']}" for c in cases)
    name = _name(steps, names)
    return Operator(
        name=name,
        family=family,
        difficulty=difficulty,
        number=number,
        digest=hashlib.sha256(lines.encode()).hexdigest(),
        composition=";".join(v.operation for v in steps),
        reference=_reference(said["en"], inputs, steps, outputs),
        task=TaskFile(level=difficulty, category=family, description=said["en"], cases=cases),
        said=said,
    )


def _name(steps: Sequence[Variable], names: set[str]) -> str:
    words = [v.operation for v in steps]
    short = words if len(words) <= _WORDS else [*words[: _WORDS - 1], words[-1]]
    name = "_".join(short)
    candidates = chain((name,), (f"{name}_{k}" for k in numbered(2)))
    return next(n for n in candidates if n not in names and entry_name(n) == n and camel_case(n))


def _description(steps: Sequence[Variable], outputs: Sequence[Variable], language: int) -> str:
    words = telling(LANGUAGES[language])
    last = {v.name for v in outputs}
    sentences = [words.result if v.name in last else words.step for v in steps]
    told = (form.format(name=v.name, what=v.said[language]) for form, v in zip(sentences, steps, strict=True))
    return words.between.join(told)


def _reference(
    doc: str, inputs: Sequence[Variable], steps: Sequence[Variable], outputs: Sequence[Variable]
) -> str:
    reach = {v.name: REACH / SQUARE_PART if v.kind == "square" else REACH for v in inputs}
    return _template().render(doc=doc, inputs=inputs, steps=steps, outputs=outputs, reach=reach)


@cache
def _template() -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    return environment.from_string((Path(__file__).parent / "reference.j2").read_text())


def _cases(rng: random.Random, inputs: Sequence[Variable]) -> tuple[Case, ...]:
    """Return a tiny case, one of whole blocks and a ragged one, in one dtype or several."""
    most = _MOST_PRODUCT if any(v.kind == "square" for v in inputs) else 1024
    shapes = {
        "tiny": [rng.randint(2, 6), rng.choice((3, 5, 7, 9, 11))],
        "blocks": [rng.choice((16, 32, 64)), min(most, 64 * rng.randint(1, 8))],
        "ragged": [rng.randint(7, 60), min(most - 1, 2 * rng.randint(16, 300) + 1)],
    }
    mixed = rng.random() < 0.3
    dtype = rng.choice(_DTYPES)
    return tuple(
        Case(id=name, params={"shape": shape, "dtype": rng.choice(_DTYPES) if mixed else dtype})
        for name, shape in shapes.items()
    )
