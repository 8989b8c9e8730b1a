"""Pairs of a task and the tensor program that solves it, drawn without end, each run beside PyTorch before it is kept.

What is held out says `akgen.finetune.operators.splits`: a model has seen every operation, and neither the families nor
the compositions that it is measured on.
"""

import json
import multiprocessing
import random
import re
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ValidationError

from akgen.agents.tensor_coder import spoken, task_prompt
from akgen.finetune.operators.splits import Split, split_of
from akgen.finetune.operators.tasks import Operator, drawn, write
from akgen.finetune.training.fragments import SIZES, DrawnSource, Fragments
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.instantiate import instantiate
from akgen.tools.compose.tensor_program.numeric import Array, run_graph
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import first_fault, read_json_lines
from akgen.tools.dsl.errors import DslError

PromptForm = Literal["en", "zh", "code"]
# Of these the language says nearly all; conversions, roundings and masks by position it does not.
DRAWN_FAMILIES = (
    "pointwise", "broadcast", "reduction", "normalisation", "loss", "optimizer", "fused", "product", "scan",
    "varied",
)  # fmt: skip
_CHUNK = 20  # operators that a process verifies together
_LENGTH = re.compile(r"\b[A-Z]\w*\b")
TOLERANCE = 1e-4  # both run in double precision
_REMEDY = "Write the pairs again: akgen train pairs FOLDER."


class TensorPair(Frozen):
    """A task in three wordings, and its program. `composition` names its operations in order."""

    name: str
    family: str
    difficulty: int
    digest: str
    composition: str
    inputs: str  # lines that declare the inputs, as the program begins
    said: dict[str, str]  # by language
    code: str  # the reference's lines
    program: str

    def prompt(self, form: PromptForm) -> str:
        """Return what a model is asked: the inputs, then what is computed."""
        return task_prompt(self.inputs, self.code if form == "code" else self.said[form])

    def with_inputs_shuffled(self, rng: random.Random) -> "TensorPair":
        """Return the same task with its inputs in another order, and so under other names.

        As they are drawn, nearly every task begins with x, and the next input is y: a model that has seen no other
        order writes that instead of reading the name (held-out optimizers, which begin with y, became steps on x).
        """
        lines = self.inputs.splitlines()
        rng.shuffle(lines)
        begin = len(lines)
        program = "\n".join([*lines, *self.program.splitlines()[begin:]]) + "\n"
        # Lengths have their letters by position as well.
        before, now = (dict.fromkeys(_LENGTH.findall(text)) for text in (self.inputs, "\n".join(lines)))
        letters = dict(zip(now, before, strict=True))
        program = _LENGTH.sub(lambda m: letters.get(m[0], m[0]), program)
        lines = program.splitlines()[:begin]
        inputs, code, program, *said = spoken("\n".join(lines), self.code, program, *self.said.values())
        told = dict(zip(self.said, said, strict=True))
        return self.model_copy(update={"inputs": inputs, "code": code, "program": program, "said": told})


def drawn_pairs(
    seed: int, count: int, known: Container[str] = (), tasks: Path | None = None, workers: int = 1
) -> Iterator[TensorPair]:
    """Yield verified pairs of up to `count` drawn operators; what the language cannot say is left out.

    Operators whose digest is `known` are passed over. What is held out is written as task folders below `tasks`, a
    suite for each split. However many processes verify them, the pairs and their order are the same.
    """
    fresh = (o for o in drawn(seed, count, DRAWN_FAMILIES) if o.digest not in known)
    for operator, pair in _verified(fresh, workers):
        if pair is None:
            continue
        split = split_of(pair.family, pair.composition)
        if tasks is not None and split != "train":
            write(operator, tasks / split)
        yield pair


def _verified(operators: Iterator[Operator], workers: int) -> Iterator[tuple[Operator, TensorPair | None]]:
    if workers == 1:
        fragments = Fragments()
        yield from ((o, pair_of(o, fragments)) for o in operators)
        return
    context = multiprocessing.get_context("forkserver")  # a process that runs threads cannot be copied
    context.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        open_: deque[tuple[list[Operator], Future[list[TensorPair | None]]]] = deque()
        while True:
            while len(open_) < 3 * workers and (chunk := list(islice(operators, _CHUNK))):
                open_.append((chunk, pool.submit(_pairs_of, chunk)))
            if not open_:
                return
            done, found = open_.popleft()
            yield from zip(done, found.result(), strict=True)


def _pairs_of(operators: Sequence[Operator]) -> list[TensorPair | None]:
    fragments = _fragments()
    return [pair_of(o, fragments) for o in operators]


@cache
def _fragments() -> Fragments:
    return Fragments()


def pair_of(operator: Operator, fragments: Fragments) -> TensorPair | None:
    """Return an operator's pair, None if no program says it or the program computes something else."""
    source = DrawnSource(operator.reference)
    try:
        program = fragments.program(source)
        parsed = parse_tensor_program(program)
        for rows, columns in SIZES:
            given, expected = source.run(rows, columns)
            metas = [TensorMeta(dtype=DType.FLOAT32, shape=g.shape) for g in given]
            got = run_graph(instantiate(parsed, metas, (DType.FLOAT32,) * len(expected)), given)
            if not all(map(close, got, expected)):
                return None
    except (Unsupported, DslError):
        return None
    inputs = "\n".join(program.splitlines()[: len(parsed.inputs)])
    inputs, code, program, *said = spoken(inputs, source.code, program, *operator.said.values())
    return TensorPair(
        name=operator.name, family=operator.family, difficulty=operator.difficulty, digest=operator.digest,
        composition=operator.composition, inputs=inputs, said=dict(zip(operator.said, said, strict=True)), code=code,
        program=program,
    )  # fmt: skip


def close(got: Array, expected: Array, tolerance: float = TOLERANCE) -> bool:
    """Say whether numbers agree, relative to the larger of each expected one and the mean magnitude."""
    if got.shape != expected.shape:
        return False
    scale = np.abs(expected) + np.mean(np.abs(expected)) + 1e-6
    with np.errstate(invalid="ignore"):  # infinity less infinity is no difference that is small enough
        return bool(np.all(np.abs(got - expected) <= tolerance * scale))


def splits(pairs: Iterable[TensorPair]) -> dict[Split, list[TensorPair]]:
    """Part pairs; of the families that are held out, those whose composition is not met in training."""
    found: dict[Split, list[TensorPair]] = {"train": [], "compositions": [], "families": []}
    for pair in pairs:
        found[split_of(pair.family, pair.composition)].append(pair)
    met = {p.composition for p in found["train"]}
    found["families"] = [p for p in found["families"] if p.composition not in met]
    return found


def fresh_tasks(file: Path, skip: int, count: int | None) -> list[TensorPair]:
    """Return so many training tasks after the first `skip`, which a model may have been trained on.

    Raises InputError if none is left.
    """
    found = splits(read_pairs(file))["train"]
    if skip >= len(found):
        raise InputError(f"{file} holds {len(found)} training tasks.", "Skip fewer, or draw more.")
    asked = found[skip:] if count is None else found[skip : skip + count]
    return [p.with_inputs_shuffled(random.Random(p.digest)) for p in asked]


def write_pairs(
    file: Path, seed: int, count: int, told: Callable[[int], None] | None = None, workers: int = 1
) -> int:
    """Write the pairs of so many operators that the file lacks; return how many it holds. A half line is dropped."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_file():
        whole = file.read_bytes()
        file.write_bytes(whole[: whole.rfind(b"\n") + 1])
    known = {p.digest for p in read_pairs(file)} if file.is_file() and file.stat().st_size else set()
    made = len(known)
    pairs = drawn_pairs(seed, count, known, file.parent / "tasks", workers)
    with file.open("a", encoding="utf-8") as out:
        for pair in pairs:
            out.write(json.dumps(pair.model_dump(), ensure_ascii=False) + "\n")
            out.flush()
            made += 1
            if told is not None:
                told(made)
    return made


def read_pairs(file: Path) -> list[TensorPair]:
    """Return the pairs of a file; no program twice. Raises InputError for a file that holds none."""
    if not file.is_file():
        raise InputError(f"There are no pairs at {file}.", _REMEDY)
    try:
        found = {p.digest: p for p in map(TensorPair.model_validate, read_json_lines(file, _REMEDY))}
    except ValidationError as problem:
        raise InputError(f"{file} holds what is no pair: {first_fault(problem)}.", _REMEDY) from problem
    if not found:
        raise InputError(f"{file} holds no pairs.", _REMEDY)
    return list(found.values())
