"""Error-derived records: a fault is put into a verified kernel, the twin says what is wrong, and the repair follows.

A record is kept only if the text fails before with the finding it names and is the verified one after. Faults of
projects come in the shares that models make them in; those of programs are refused by the DSL's checks.
"""

import difflib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.critic import RuleCritic
from akgen.agents.prompts import render as render_prompt
from akgen.agents.prompts.builder import task_text
from akgen.agents.prompts.repair import CHARACTERS_PER_TOKEN, TOKENS, repair_user
from akgen.finetune.data.parts.operators import of_task
from akgen.finetune.data.record import DataPart, JudgedText, Message, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced, render
from akgen.finetune.data.verifier import SolvedTask, Verifier, claim_of, project_claim, rewards_of
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import chip
from akgen.tools.core.outcome import Outcome, first_cause
from akgen.tools.core.verdict import Verdict
from akgen.tools.faults.programs import Mutant, ProgramMutant, Side, draw, drawn_mutants

Pairs = Sequence[tuple[Operator, SolvedTask]]
PER_OPERATOR = {"kernel": 0.6, "host": 0.2, "program": 0.3}  # faults that are tried
_FAILS = (Outcome.COMPILE_ERROR, Outcome.TILING_ERROR, Outcome.TRAP)
_CONTEXT = 8  # lines around a change, before it is given up to make it unique


def records(
    verifier: Verifier, pairs: Pairs, origins: dict[str, Provenance], rng: random.Random,
    left_out: "Counter[str]",
) -> Iterator[TrainingRecord]:  # fmt: skip
    """Yield the repairs of a chunk's kernels. Faults that are not noticed are counted in `left_out`."""
    by_kernel = {solved.project.kernel: (operator, solved) for operator, solved in pairs}
    sides: tuple[Side, ...] = ("kernel", "host")
    for side in sides:
        count = round(PER_OPERATOR[side] * len(pairs))
        drawn = draw([s.project for _, s in pairs], side, count, rng.randrange(2**31)) if pairs else ()
        for mutant in drawn:
            operator, solved = by_kernel[mutant.project.kernel]
            made = _project(verifier, operator, solved, mutant, origins[operator.name])
            if made is None:
                left_out[f"fault not noticed: {mutant.fault}"] += 1
            else:
                yield made
    chosen = rng.sample(list(pairs), round(PER_OPERATOR["program"] * len(pairs)))
    for operator, solved in chosen:
        mutant_ = next(drawn_mutants(solved.dsl, "program", rng), None)
        if mutant_ is None:
            continue
        found = _program(verifier, operator, solved, mutant_, origins[operator.name])
        if found is None:
            left_out[f"fault not noticed: {mutant_.fault}"] += 1
        else:
            yield found


def _project(
    verifier: Verifier, operator: Operator, solved: SolvedTask, mutant: Mutant, origin: Provenance
) -> TrainingRecord | None:
    verdict = verifier.judged(mutant.project, solved.task)
    cause = first_cause(verdict.findings)
    answer = edit_of(mutant.file, mutant.project.files[mutant.file], solved.project.files[mutant.file])
    if verdict.outcome not in _FAILS or cause is None or cause.severity != "error" or answer is None:
        return None
    mended, refused = apply_edits(mutant.project.files, read_edits(answer, mutant.file))
    if refused is not None or mended != solved.project.files:
        return None
    decision = RuleCritic().criticise(solved.task, solved.plan, verdict, 1, 1)
    if decision.feedback is None:
        return None
    system = render_prompt("repair_system", chip=chip())
    brief = task_text(solved.task, verifier.judge.describe, "task_brief")
    room = TOKENS * CHARACTERS_PER_TOKEN - len(system)
    user, _ = repair_user(brief, "", decision.feedback, mutant.project, room)
    thought = render(
        "repair_thought", cause=cause, file=mutant.file, before=mutant.after, after=mutant.before, why=""
    )
    return _record(
        operator, solved, f"repair {mutant.kind}", mutant.fault, mutant.line, verdict, origin,
        prompt=(Message(role="system", content=system), Message(role="user", content=user)),
        thought=thought, answer=answer, before=project_claim(verdict, "before", mutant.project),
        after=project_claim(solved.verdict, "answer", solved.project),
    )  # fmt: skip


def _program(
    verifier: Verifier, operator: Operator, solved: SolvedTask, mutant: ProgramMutant, origin: Provenance
) -> TrainingRecord | None:
    verdict = verifier.judged_dsl(mutant.text, solved.task)
    cause = first_cause(verdict.findings)
    if verdict.outcome not in _FAILS or cause is None or cause.severity != "error":
        return None
    told = {"task": solved.task, "said": operator.said, "reference": operator.reference, "language": "en"}
    thought = render(
        "repair_thought",
        cause=cause,
        file="the program",
        before=mutant.after,
        after=mutant.before,
        why=mutant.why,
    )
    return _record(
        operator, solved, f"program {mutant.kind}", mutant.fault, mutant.line, verdict, origin,
        prompt=asked("repair_dsl", program=mutant.text, findings=verdict.findings[:3], **told),
        thought=thought, answer=fenced(solved.dsl, "python"),
        before=claim_of(verdict, "before", "dsl", mutant.text),
        after=claim_of(solved.verdict, "answer", "dsl", solved.dsl),
    )  # fmt: skip


def _record(
    operator: Operator, solved: SolvedTask, kind: str, fault: str, line: int, verdict: Verdict,
    origin: Provenance, *, before: JudgedText, after: JudgedText, **more: Any,
) -> TrainingRecord:  # fmt: skip
    return TrainingRecord(
        id=f"{operator.name}/{kind}/{fault}/{line}", part=DataPart.ERRORS, kind=kind, claims=(before, after),
        outcome=before.outcome, code=before.code, rewards=rewards_of(verdict), provenance=origin,
        **of_task(operator, solved), **more,
    )  # fmt: skip


def edit_of(path: str, wrong: str, right: str) -> str | None:
    """Return the change from one text to another as an edit whose old lines stand there once; None if there is none."""
    old, new = wrong.splitlines(keepends=True), right.splitlines(keepends=True)
    changes = [
        c for c in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if c[0] != "equal"
    ]
    if not changes:
        return None
    (_, a1, _, b1, _), (_, _, a2, _, b2) = changes[0], changes[-1]
    for more in range(_CONTEXT + 1):
        low, high = max(0, a1 - more), min(len(old), a2 + more)
        before = "".join(old[low:high])
        if before.strip() and wrong.count(before) == 1:
            after = "".join(new[b1 - (a1 - low) : b2 + (high - a2)])
            return f"{path}\n<<<<<<< SEARCH\n{_ended(before)}=======\n{_ended(after)}>>>>>>> REPLACE\n"
    return None


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"
