"""Records for supervised training, made of pairs: wordings drawn, some asked again after a fault."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from akgen.agents.tensor_coder import findings_told, repair_prompt, task_prompt
from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.fragments import WORD, renamed
from akgen.finetune.training.pairs import PromptForm, TensorPair
from akgen.finetune.training.recipe import DataRecipe
from akgen.tools.compose.tensor_program.ir import FORMS
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome

_STEP = re.compile(r"(\w+) = ")
_BETWEEN = re.compile(r"(?<=\.) |(?<=。)|\n")  # sentences of either language, or lines of code
_NO_TENSOR = frozenset(FORMS) | {"return", "a", "b", "c"}  # words of a step's lines
WORLD_QUESTION = "?"  # what is asked of a program whose outcome is to be said
_OUTCOME = "# "  # begins the line that says it, behind the program that the task needs


class PromptRecord(Frozen):
    """A prompt and its answer; `kind` says what it teaches."""

    prompt: str
    completion: str
    kind: str


def training_records(pairs: Sequence[TensorPair], recipe: DataRecipe, seed: int) -> Iterator[PromptRecord]:
    """Yield records in an order that the seed decides, the same each time."""
    rng = random.Random(seed)
    for _ in range(recipe.repeats):
        order = list(pairs)
        rng.shuffle(order)
        for pair in order:
            yield _record(pair, rng.choice(order), recipe, rng)


def _record(pair: TensorPair, other: TensorPair, recipe: DataRecipe, rng: random.Random) -> PromptRecord:
    if recipe.shuffled:
        pair, other = pair.with_inputs_shuffled(rng), other.with_inputs_shuffled(rng)
    form = rng.choices(list(recipe.forms), list(recipe.forms.values()))[0]
    told = pair.code if form == "code" else pair.said[form]
    prompt = task_prompt(pair.inputs, told)
    answer = with_thought(pair, told) if recipe.thought else pair.program
    if rng.random() < recipe.repairs:
        # An attempt as the model itself would make it: with its thought, which often is where it went wrong.
        bad = misread(answer, with_thought(other, other.code if form == "code" else other.said[form]), rng)
        bad = bad if bad is not None and rng.random() < 0.5 else faulty(answer, rng)
        found = ProgramEnvironment.of(pair).judged(bad)
        if found.outcome is not Outcome.CORRECT:
            asked = repair_prompt(prompt, bad, findings_told(found.diagnostics, found.outcome))
            return PromptRecord(prompt=asked, completion=answer, kind="repair")
    if rng.random() < recipe.world:
        shown = faulty(pair.program, rng) if rng.random() < 0.5 else pair.program
        return _world(pair, prompt, shown, answer)
    return PromptRecord(prompt=prompt, completion=answer, kind=f"task {form}")


def with_thought(pair: TensorPair, told: str) -> str:
    """Return the program with each step of the task as a comment before the lines that it becomes.

    A model then copies a step and turns it into lines, instead of keeping count of both. Where steps and sentences do
    not correspond, the program comes as it is.
    """
    steps = [m[1] for m in (_STEP.match(line) for line in pair.code.splitlines()) if m]
    said = [s for s in _BETWEEN.split(told) if s.strip() and not s.startswith("return ")]
    lines = pair.program.splitlines()
    if len(said) != len(steps):
        return pair.program
    ends = [max((k for k, line in enumerate(lines) if line.startswith(f"{s} = ")), default=-1) for s in steps]
    begin = len(pair.inputs.splitlines())
    if ends != sorted(set(ends)) or ends[0] < begin:
        return pair.program
    out = lines[:begin]
    for sentence, end in zip(said, ends, strict=True):
        out += [f"# {sentence.strip()}", *lines[begin : end + 1]]
        begin = end + 1
    return "\n".join([*out, *lines[begin:]]) + "\n"


def answer_of(pair: TensorPair, form: PromptForm) -> str:
    """Return what a model is taught to answer to a wording: the program, with each step said before its lines."""
    return with_thought(pair, pair.code if form == "code" else pair.said[form])


def world_records(pairs: Sequence[TensorPair], seed: int) -> Iterator[PromptRecord]:
    """Yield tasks with a program, right or with a fault, and what the judge says: the world model's exercise."""
    rng = random.Random(seed)
    for pair in pairs:
        prompt = task_prompt(pair.inputs, pair.said["en"])
        program = pair.program if rng.random() < 0.5 else faulty(pair.program, rng)
        yield _world(pair, prompt, program, with_thought(pair, pair.said["en"]))


def _world(pair: TensorPair, prompt: str, program: str, answer: str) -> PromptRecord:
    """Ask for the outcome of a program. The answer derives the task's own program first, and then compares."""
    found = ProgramEnvironment.of(pair).judged(program)
    said = " ".join(findings_told(found.diagnostics, found.outcome))
    asked = repair_prompt(prompt, program, (WORLD_QUESTION,))
    return PromptRecord(prompt=asked, completion=f"{answer.rstrip()}\n{_OUTCOME}{said}\n", kind="world")


def outcome_said(text: str) -> str:
    """Return the outcome with which an answer about a program ends; nothing if it ends otherwise."""
    last = text.strip().rpartition("\n")[2]
    return last.removeprefix(_OUTCOME) if last.startswith(_OUTCOME) else ""


def faulty(program: str, rng: random.Random) -> str:
    """Return the program with one line of another operation, operand or axis, or without a line."""
    lines = program.splitlines()
    places = [k for k, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    at = rng.choice(places)
    target, said = lines[at].split(" = ")
    op, rest = said.split("(", 1)
    before = (line for line in lines[: at + 1] if not line.startswith("#"))
    names = sorted({w for line in before for w in WORD.findall(line.split(" = ")[0].split(":")[0])})
    match rng.randrange(4):
        case 0:
            alike = [o for o, form in FORMS.items() if o != op and op in FORMS and form == FORMS[op]]
            lines[at] = f"{target} = {rng.choice(alike or sorted(FORMS))}({rest}"
        case 1:
            args = rest.rstrip(")").split(", ")
            args[rng.randrange(len(args))] = rng.choice(names)
            lines[at] = f"{target} = {op}({', '.join(args)})"
        case 2:
            lines[at] = f"{target} = {op}({rest.replace('1', '0') if '1' in rest else rest.replace('0', '1')}"
        case _:
            del lines[at]
    return "\n".join(lines) + "\n"


def misread(program: str, other: str, rng: random.Random) -> str | None:
    """Return the program with a thought and its lines from another one, on its own tensors; None without thoughts."""
    own, foreign = _steps(program), _steps(other)
    if not own or not foreign:
        return None
    (start, end), (first, last) = rng.choice(own), rng.choice(foreign)
    lines, given = program.splitlines(), other.splitlines()[first:last]
    mine, theirs = _tensors(lines[start:end]), _tensors(given)
    named = {name: mine[min(k, len(mine) - 1)] for k, name in enumerate(theirs)}
    return "\n".join([*lines[:start], *(renamed(line, named) for line in given), *lines[end:]]) + "\n"


def _steps(program: str) -> list[tuple[int, int]]:
    """Return where each thought begins and its lines end."""
    lines = program.splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("#")]
    return list(pairwise([*starts, len(lines) - 1]))


def _tensors(step: Sequence[str]) -> list[str]:
    """Return the tensors that a step's lines name, the one it makes first."""
    words = [w for line in reversed(step) if not line.startswith("#") for w in WORD.findall(line)]
    return [w for w in dict.fromkeys(words) if w not in _NO_TENSOR]
