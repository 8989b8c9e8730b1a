"""Find what a data set and a benchmark share: names, what references compute, runs of code, and meaning if asked."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from akgen.bench.suites import suite_folders
from akgen.finetune.data.normal_form import normal_form
from akgen.finetune.data.record import TrainingRecord
from akgen.knowledge.operators import operator_named, squashed
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import read_text

Check = Literal["name", "reference", "code", "meaning"]
GRAM = 13  # tokens
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\w\s]")
_COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|#(?!\s*(?:include|define|if|endif|else|pragma))[^\n]*|"""(?s:.*?)"""', re.S
)
_CODE = {".cpp", ".h", ".hpp", ".cc", ".py", ".asc"}
_VERSION = re.compile(r"(?<=[a-z])_\d+$")
_KEYWORDS = frozenset((
    "for", "while", "if", "else", "return", "const", "auto", "int", "float", "half", "uint32_t", "int32_t", "int64_t",
    "void", "class", "public", "private", "struct", "template", "typename", "static", "inline", "using", "namespace",
    "def", "with", "in", "range", "and", "or", "not", "import", "from", "self", "lambda",
))  # fmt: skip


class BenchmarkTask(Frozen):
    """One task of the other side: its reference's text and all code that comes with it."""

    suite: str
    name: str
    reference: str
    code: str

    @property
    def label(self) -> str:
        return f"{self.suite}/{self.name}"


class Leak(Frozen):
    """A record and a benchmark's task that are alike; `score` is at least the check's threshold."""

    check: Check
    record: str
    task: str
    score: float


def benchmark(suite: str, root: Path | None) -> list[BenchmarkTask]:
    """Read a suite's texts. Raises InputError for a checkout that is missing."""
    found = []
    for name, place in suite_folders(suite, root).items():
        files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in _CODE)
        texts = {p: read_text(p) for p in files if p.is_file() and "__pycache__" not in p.parts}
        references = [t for p, t in texts.items() if p.suffix == ".py" and "def forward" in t] or [
            t for p, t in texts.items() if p.suffix == ".py"
        ]
        found.append(
            BenchmarkTask(
                suite=suite, name=name, reference=references[0] if references else "",
                code="\n".join(texts.values()),
            )
        )  # fmt: skip
    return found


def digest_of_tasks(tasks: Iterable[BenchmarkTask]) -> str:
    return hashlib.sha256("".join(t.model_dump_json() for t in tasks).encode()).hexdigest()


def by_name(records: Sequence[TrainingRecord], tasks: Sequence[BenchmarkTask]) -> list[Leak]:
    """Compare the names of operators, whatever their spelling; the aliases that are known count as one name."""
    known = {_operator(t.name): t.label for t in tasks}
    found = []
    for r in records:
        for name in {r.task, r.op_type, r.kernel} - {None}:
            assert name is not None
            if (label := known.get(_operator(name))) is not None:
                found.append(Leak(check="name", record=r.id, task=label, score=1.0))
                break
    return found


def by_reference(records: Sequence[TrainingRecord], tasks: Sequence[BenchmarkTask]) -> list[Leak]:
    """Compare what references compute; names, layout, constants and comments do not count."""
    known = {form: t.label for t in tasks if (form := normal_form(t.reference)) is not None}
    form_of = cache(normal_form)
    forms = ((r, form_of(r.reference)) for r in records if r.reference)
    return [
        Leak(check="reference", record=r.id, task=known[form], score=1.0)
        for r, form in forms
        if form in known
    ]


def by_code(
    records: Sequence[TrainingRecord], tasks: Sequence[BenchmarkTask], threshold: float
) -> list[Leak]:
    """Compare runs of 13 tokens, numbers and our own words counted as one each, comments left out.

    The score is the larger share of the task's runs that the record has, or of the record's that the task has.
    """
    shelf: dict[int, set[int]] = defaultdict(set)
    sizes = []
    for number, task in enumerate(tasks):
        grams = _grams(task.code)
        sizes.append(len(grams))
        for gram in grams:
            shelf[gram].add(number)
    found = []
    for r in records:
        grams = _grams(f"{r.reference}\n{r.answer}")
        shared: Counter[int] = Counter(n for gram in grams for n in shelf.get(gram, ()))
        if not shared or not grams:
            continue
        number, count = max(
            shared.items(), key=lambda item: item[1] / max(1, min(sizes[item[0]], len(grams)))
        )
        score = count / max(1, min(sizes[number], len(grams)))
        if score >= threshold:
            found.append(Leak(check="code", record=r.id, task=tasks[number].label, score=round(score, 4)))
    return found


def by_meaning(
    records: Sequence[TrainingRecord], tasks: Sequence[BenchmarkTask], threshold: float,
    embed: Callable[[Sequence[str]], "Sequence[Sequence[float]]"],
) -> list[Leak]:  # fmt: skip
    """Compare references by the cosine of their embeddings."""
    import numpy as np

    with_reference = [r for r in records if r.reference]
    ours = {text: n for n, text in enumerate(dict.fromkeys(r.reference for r in with_reference))}
    theirs = [t for t in tasks if t.reference]
    if not ours or not theirs:
        return []
    a, b = (_unit(np.asarray(embed(texts))) for texts in (list(ours), [t.reference for t in theirs]))
    likeness = a @ b.T
    found = []
    for r in with_reference:
        row = likeness[ours[r.reference]]
        best = int(row.argmax())
        if row[best] >= threshold:
            score = round(float(row[best]), 4)
            found.append(Leak(check="meaning", record=r.id, task=theirs[best].label, score=score))
    return found


def _unit(rows: "np.ndarray") -> "np.ndarray":  # type: ignore[name-defined]  # noqa: F821
    import numpy as np

    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


@cache
def _operator(name: str) -> str:
    """Return an operator's one name: that of the table of names if it is an alias, else its letters and digits.

    A trailing number tells operators of one name apart; benchmarks begin theirs with one.
    """
    plain = _VERSION.sub("", re.sub(r"^\d+_+", "", name))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_+", " ", plain).strip().lower()
    entry = operator_named(spaced) or operator_named(plain)
    return squashed(entry.name) if entry is not None else squashed(plain).lower()


def _grams(text: str) -> set[int]:
    tokens = [_plain(t) for t in _TOKEN.findall(_COMMENT.sub(" ", text))]
    return {hash(tuple(tokens[i : i + GRAM])) for i in range(len(tokens) - GRAM + 1)}


@cache
def _plain(token: str) -> str:
    """Return a token as it counts: words that a person chose are one, and so are numbers."""
    if token[0].isdigit():
        return "0"
    return (
        token
        if token in _KEYWORDS or token[0].isupper() or (not token[0].isalpha() and token[0] != "_")
        else "v"
    )
