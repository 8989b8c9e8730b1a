"""The record of a data set: what is asked, what is answered and why, and what the judge said of every text in it.

All parts have this one form. Training reads, of part "operators": `task`, `family`, `level`, `dtype`, `split`,
`description_en`, `description_zh`, `reference` (PyTorch source), `cases` (shapes and dtypes, JSON) and `answer`, which
for kind "dsl" is the program in the tile DSL, for kind "project" every file of the Ascend C project.
`finetune.data.shards.read_records(folder)` yields records, their digests checked; `split` is "train", "compositions"
(of operations; unseen in training) or "families" (unseen in training, whole).
"""

import hashlib
import json
from enum import StrEnum
from typing import Literal

from pydantic import Field

from akgen.finetune.operators.splits import Split
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Bound
from akgen.tools.core.task import Case

FORMAT = 1
Language = Literal["en", "zh"]
Ended = Literal["compiles"] | Outcome  # "compiles": it was built and not run


class DataPart(StrEnum):
    """Where records come from; the order is that of a card."""

    OPERATORS = "operators"  # a drawn operator and its kernel
    CODE = "code"  # a kernel for one shape, with what was weighed
    DOCUMENTS = "documents"  # questions about interfaces, findings, the twin and patterns
    ERRORS = "errors"  # a fault that was put in, and its repair
    WRONG = "wrong"  # compiles and computes wrongly, and the kernel rebuilt
    ATTEMPTS = "attempts"  # of recorded runs
    OPTIMISE = "optimise"  # a kernel and a faster one
    WORLD = "world"  # what becomes of a text
    GENERAL = "general"  # a user's files, not verified


class Message(Frozen):
    role: Literal["system", "user", "assistant"]
    content: str


class JudgedText(Frozen):
    """What the judge said of a text: said again from the stored text, or the record does not hold.

    `text` is a program of the tile DSL, the files of a project as JSON, or a card's snippet.
    """

    role: Literal["answer", "before", "rejected", "refused"]
    form: Literal["dsl", "project", "snippet"]
    text: str
    outcome: str  # Ended
    code: str | None = None  # of the first error, or of the warning that is meant
    time_us: float | None = None  # the sum over the cases, predicted
    bound: Bound | None = None
    cases: int = 0
    correct: int = 0
    frame: str | None = None  # of a snippet: the program that it is put into


class Rewards(Frozen):
    """The parts of a reward, never added up here; None where it did not come so far."""

    form: float | None = None  # the answer can be read
    compiles: float | None = None
    silent: float | None = None  # no check says anything, warnings included
    share: float | None = None  # of cases that are correct
    correct: float | None = None  # all of them
    speed: float | None = None  # the roofline's share of the slowest case


class Provenance(Frozen):
    """How to make it again, and under which licence it may be used."""

    source: str  # "generator", "cards", "errors", "docs", "patterns", "run", "file"
    seed: int | None = None
    number: int | None = None  # of the operator in its family
    generator: str | None = None  # a digest of the code that drew it
    toolchain: str | None = None
    judge_seed: int | None = None
    run: str | None = None
    model: str | None = None
    licence: str = "Apache-2.0"


class TrainingRecord(Frozen):
    """One example. Absent is None; texts of the task are empty where a record has none."""

    id: str
    part: DataPart
    kind: str
    family: str = "none"
    dtype: str = "none"
    level: int = Field(default=1, ge=1)
    split: Split = "train"
    language: Language = "en"
    task: str | None = None
    op_type: str | None = None
    kernel: str | None = None
    composition: str | None = None
    description_en: str = ""
    description_zh: str = ""
    reference: str = ""
    cases: str = "[]"  # JSON of the task's cases
    prompt: tuple[Message, ...]
    thought: str = ""
    answer: str
    rejected: str | None = None  # of a pair for preference learning
    outcome: str | None = None  # of what the record is about: the answer, or the code that it mends
    code: str | None = None
    claims: tuple[JudgedText, ...] = ()
    rewards: Rewards = Rewards()
    margin: float | None = None  # time of the slower over that of the faster kernel
    token_ids: tuple[int, ...] | None = None  # of the answer, where the server gave them
    logprobs: tuple[float, ...] | None = None
    provenance: Provenance

    @property
    def digest(self) -> str:
        """Return the SHA-256 of everything in it, in hex."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def text(self) -> str:
        """Return the answer as a model writes it: its thought first, if there is one."""
        return f"<think>\n{self.thought.strip()}\n</think>\n\n{self.answer}" if self.thought else self.answer

    @property
    def listed_cases(self) -> tuple[Case, ...]:
        return tuple(Case.model_validate(case) for case in json.loads(self.cases))

    @property
    def imitable(self) -> bool:
        """Say whether the answer may be imitated: no cheat, and nothing that the judge found wrong."""
        good = ("compiles", Outcome.CORRECT)
        if self.part is DataPart.ATTEMPTS and self.outcome != Outcome.CORRECT:
            return False
        return self.outcome != Outcome.CHEAT and all(
            c.outcome in good for c in self.claims if c.role == "answer"
        )
