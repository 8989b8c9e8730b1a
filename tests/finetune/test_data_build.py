"""Records are built deterministically, go on where they stopped, and no damage to them goes unnoticed."""

import random
from pathlib import Path

import pytest

from akgen.finetune.data.build import ChunkDone, ChunkJob
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import files_of, read_records, read_shard, write_shard
from akgen.finetune.data.verifier import Verifier
from akgen.finetune.data.worker import make_chunk
from akgen.finetune.operators.tasks import drawn
from akgen.tools.core.outcome import InputError
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.toolchain import TwinToolchain
from tests.command import command
from tests.finetune.conftest import CONFIG, OPERATORS

Built = tuple[Path, ChunkDone]


def _of(built: Built, part: DataPart) -> list[TrainingRecord]:
    return [r for r in read_records(built[0]) if r.part is part]


def test_an_operator_gives_a_program_and_a_project_that_the_judge_found_correct(built: Built) -> None:
    records = _of(built, DataPart.OPERATORS)
    assert [(r.task, r.kind) for r in records] == [(o.name, k) for o in OPERATORS for k in ("dsl", "project")]
    for r in records:
        assert (r.outcome, r.claims[0].outcome, r.claims[0].correct) == ("correct", "correct", 3)
        assert r.kernel is not None
        assert r.kernel in r.answer
        assert "class Model" in r.prompt[0].content
        assert (r.rewards.compiles, r.rewards.correct) == (1.0, 1.0)
    assert {r.split for r in records if r.family == "loss"} == {"families"}


@pytest.mark.slow
def test_the_same_chunk_has_the_same_bytes(
    built: Built, judge: Judge, twin: TwinToolchain, tmp_path: Path
) -> None:
    folder, _ = built
    make_chunk(ChunkJob(chunk="00000", kind="operators", operators=OPERATORS), CONFIG, judge, twin, tmp_path)
    assert [p.name for p in files_of(tmp_path)] == [p.name for p in files_of(folder)]
    for one, other in zip(files_of(folder), files_of(tmp_path), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.parent.name


def test_a_claim_is_said_again_and_a_false_one_is_not(built: Built, judge: Judge, tmp_path: Path) -> None:
    record = _of(built, DataPart.OPERATORS)[0]
    verifier = Verifier(judge, tmp_path, CONFIG.seed)
    task = verifier.task_of_record(record)
    assert verifier.says_again(record.claims[0], task) is None
    slower = record.claims[0].model_copy(update={"time_us": 2 * (record.claims[0].time_us or 0.0)})
    assert "us now" in (verifier.says_again(slower, task) or "")
    broken = record.claims[0].model_copy(update={"text": record.claims[0].text.replace("load(", "fetch(")})
    assert "correct when it was written, compile_error now" in (verifier.says_again(broken, task) or "")


def test_operators_go_on_after_known_ones_as_if_nothing_had_happened() -> None:
    whole = list(drawn(3, 12))
    for cut in (1, 7, 11):
        assert list(drawn(3, 12, known=whole[:cut])) == whole[cut:]


def test_flipped_bits_are_noticed(built: Built, tmp_path: Path) -> None:
    source = files_of(built[0])[0].read_bytes()
    records = list(read_shard(files_of(built[0])[0]))
    rng, path = random.Random(0), tmp_path / "x.parquet"
    for _ in range(40):
        place = rng.randrange(len(source))
        path.write_bytes(
            source[:place] + bytes([source[place] ^ 1 << rng.randrange(8)]) + source[place + 1 :]
        )
        try:
            assert list(read_shard(path)) == records  # a harmless one
        except InputError as refused:
            assert "damaged" in refused.text
    path.write_bytes(source[: len(source) // 2])
    with pytest.raises(InputError, match="is damaged"):
        list(read_shard(path))


def test_a_row_that_says_something_else_than_its_digest_is_refused(built: Built, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pq.read_table(files_of(built[0])[0]).to_pylist()
    rows[1]["answer"] = "nothing"
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=f"record {rows[1]['id']} is not what was written"):
        list(read_shard(tmp_path / "x.parquet"))


def test_an_empty_shard_has_the_same_columns(tmp_path: Path) -> None:
    assert write_shard([], tmp_path / "x.parquet") == 0
    assert list(read_shard(tmp_path / "x.parquet")) == []


@pytest.mark.slow
def test_the_command_builds_with_workers_and_goes_on(tmp_path: Path) -> None:
    asked = (
        "data",
        "build",
        tmp_path,
        "--seed",
        "11",
        "--families",
        "pointwise",
        "--parts",
        "operators",
        "--json",
    )
    first = command(*asked, "--count", "1", "--workers", "1")
    assert first.code == 0, first.err
    assert (first.document["pairs"], first.document["records"]) == (1, {"operators": 2})
    before = files_of(tmp_path)[0].stat().st_mtime_ns
    again = command(*asked, "--count", "1", "--workers", "1")
    assert again.document["pairs"] == 1
    assert files_of(tmp_path)[0].stat().st_mtime_ns == before
    other = command(*asked[:3], "--seed", "12", *asked[5:], "--count", "1")
    assert other.code == 2
    assert "was begun with another seed" in other.out + other.err
    unknown = command("data", "build", tmp_path / "x", "--parts", "poems")
    assert (unknown.code, "There is no part 'poems'" in unknown.err) == (2, True)
