"""Every part's records say what happened: errors are told and mended, times and tilings are the predicted ones."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.finetune.data.build import ChunkDone
from akgen.finetune.data.parts import documents
from akgen.finetune.data.parts.documents import SnippetJudge, chunks
from akgen.finetune.data.record import DataPart, Provenance, TrainingRecord
from akgen.finetune.data.shards import read_records
from akgen.finetune.data.verifier import Verifier
from akgen.knowledge.cards import ApiCard
from akgen.tools.faults.programs import drawn_mutants, program_faults, program_mutants
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.toolchain import TwinToolchain
from tests.finetune.conftest import CONFIG

Built = tuple[Path, ChunkDone]


@pytest.fixture(scope="module")
def records(built: Built) -> list[TrainingRecord]:
    return list(read_records(built[0]))


def _of(records: list[TrainingRecord], part: DataPart) -> list[TrainingRecord]:
    found = [r for r in records if r.part is part]
    assert found, part
    return found


def test_ids_are_unique_and_every_claim_names_an_outcome(records: list[TrainingRecord]) -> None:
    assert max(Counter(r.id for r in records).values()) == 1
    assert all(c.outcome for r in records for c in r.claims)


def test_an_error_is_told_and_its_repair_is_the_verified_kernel(records: list[TrainingRecord]) -> None:
    for r in _of(records, DataPart.ERRORS):
        before, after = r.claims
        assert before.outcome in ("compile_error", "tiling_error", "trap")
        assert before.code is not None
        assert before.code in r.thought
        assert after.outcome == "correct"
        if before.form == "project":
            files = json.loads(before.text)
            mended, refused = apply_edits(files, read_edits(r.answer, "op_kernel/x.cpp"))
            assert refused is None
            assert mended == json.loads(after.text)
        else:
            assert after.text.strip() in r.answer


def test_what_computes_wrongly_compiles_and_has_its_mistake_named(records: list[TrainingRecord]) -> None:
    found = _of(records, DataPart.WRONG)
    for r in found:
        wrong = next(c for c in r.claims if c.role in ("before", "rejected"))
        assert (wrong.outcome, wrong.code) == ("wrong", "OUTPUT_MISMATCH")
        if r.rejected is not None:
            assert wrong.text.strip() in r.rejected
            assert r.imitable
    rebuilt = [r for r in found if r.kind.startswith("rebuild")]
    assert rebuilt
    assert all("In the program, line" in r.thought for r in rebuilt)


def test_the_slower_and_the_faster_kernel_are_both_correct_and_differ_in_time(
    records: list[TrainingRecord],
) -> None:
    for r in _of(records, DataPart.OPTIMISE):
        times = [c.time_us for c in r.claims]
        assert all(c.outcome == "correct" for c in r.claims)
        assert r.margin is not None
        assert max(t or 0 for t in times) / min(t or 0 for t in times) == pytest.approx(r.margin)


def test_the_thought_of_a_kernel_quotes_the_tiling_and_the_time_that_were_found(
    records: list[TrainingRecord],
) -> None:
    for r in _of(records, DataPart.CODE):
        time_us = r.claims[0].time_us
        assert time_us is not None
        assert f"{time_us:.3f} us predicted" in r.thought
        cores = re.search(r"BlockDim (\d+), TilingKey \d+\.", r.thought)
        assert cores is not None
        assert f"{time_us:.3f} us predicted on {cores[1]} core" in r.thought
    assert {r.kind for r in _of(records, DataPart.CODE)} == {"kernel", "pair"}


def test_the_world_model_is_asked_for_every_text_once(records: list[TrainingRecord]) -> None:
    world = _of(records, DataPart.WORLD)
    assert len({r.claims[0].text for r in world}) == len(world)
    for r in world:
        assert json.loads(r.answer)["outcome"] == r.claims[0].outcome == r.outcome
    assert len({r.outcome for r in world}) >= 3


def test_claims_of_every_part_hold_when_they_are_judged_again(
    records: list[TrainingRecord], judge: Judge, twin: TwinToolchain, tmp_path: Path
) -> None:
    verifier = Verifier(judge, tmp_path, CONFIG.seed, twin)
    for part in (DataPart.ERRORS, DataPart.WRONG, DataPart.OPTIMISE):
        record = _of(records, part)[-1]
        assert [verifier.holds(claim, record) for claim in record.claims] == [None] * len(record.claims), part


def test_answers_from_cards_are_built_and_their_mistakes_are_told(
    twin: TwinToolchain, tmp_path: Path
) -> None:
    number = next(
        n for n, c in enumerate(chunks()) if isinstance(c[0], ApiCard) and c[0].frame == "registration"
    )
    judge, left_out = SnippetJudge(twin, tmp_path), Counter[str]()
    found = list(documents.records(number, judge, Provenance(source="cards"), left_out))
    assert found
    assert {r.language for r in found} == {"en", "zh"}
    claims = [c for r in found for c in r.claims]
    assert {c.role for c in claims} == {"answer", "refused"}
    refused = next(c for c in claims if c.role == "refused")
    assert judge.says_again(refused) is None
    assert "NO_SUCH_CODE when it was written" in (
        judge.says_again(refused.model_copy(update={"code": "NO_SUCH_CODE"})) or ""
    )


def test_codes_have_questions_in_both_languages(twin: TwinToolchain, tmp_path: Path) -> None:
    number = next(n for n, c in enumerate(chunks()) if isinstance(c[0], str))
    found = list(documents.records(number, SnippetJudge(twin, tmp_path), Provenance(source="x"), Counter()))
    assert len(found) == 2 * len(chunks()[number])


def test_a_fault_changes_one_place_and_leaves_quoted_text_alone() -> None:
    import random

    text = 'def f(x):\n    """exp(a, b)"""\n    exp(t0, t1)\n    add(t0, t0, t1)\n'
    fault = next(f for f in program_faults("program") if f.name == "C function for an operation")
    (mutant,) = program_mutants(text, fault)
    assert (mutant.line, mutant.before, mutant.after) == (3, "exp(t0, t1)", "expf(t0, t1)")
    drawn = list(drawn_mutants(text, "meaning", random.Random(0)))
    assert {m.before for m in drawn} == {"exp(t0, t1)", "add(t0, t0, t1)"}
    assert len({m.text for m in drawn}) == len(drawn)
