"""Records as Parquet: whole or absent, the same bytes for the same records, and no damage that goes unnoticed.

Pages carry checksums, and every row carries the digest of its record: Parquet alone lets flipped bits through.
"""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from akgen.finetune.data.record import TrainingRecord
from akgen.graph.store.files import make_folder, writing
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import first_fault

SHARDS = "parts/*/*.parquet"  # of a build
FILES = "data/*.parquet"  # of a mixed data set
_ROW_GROUP = 256
_REMEDY = "Delete the file and give the same command again: what is missing is made anew."


def write_shard(records: Iterable[TrainingRecord], path: Path) -> int:
    """Write a file of records at once; return how many. Raises InfraError if the disk refuses."""
    import datasets  # seconds of imports

    rows = [{**record.model_dump(mode="json"), "digest": record.digest} for record in records]
    datasets.disable_progress_bars()
    columns = {name: [row[name] for row in rows] for name in _features()}
    table = datasets.Dataset.from_dict(columns, features=_features())
    buffer = io.BytesIO()
    table.to_parquet(buffer, batch_size=_ROW_GROUP, write_page_checksum=True)
    make_folder(path.parent)
    with writing(path):
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as handle:
                handle.write(buffer.getvalue())
                handle.flush()
                os.fsync(handle.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return len(rows)


def read_shard(path: Path) -> Iterator[TrainingRecord]:
    """Yield a file's records. Raises InputError if it is damaged, or written by another version."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                for row in file.read_row_group(group).to_pylist():
                    yield _record(row, path)
    except (pa.ArrowException, OSError) as problem:
        why = " ".join(str(problem).split())[:160]
        raise InputError(f"{path} is damaged: {why}.", _REMEDY) from problem


def files_of(folder: Path) -> list[Path]:
    """Return the Parquet files of a data set or of a build, in order. Raises InputError if there are none."""
    found = sorted(folder.glob(FILES)) or sorted(folder.glob(SHARDS))
    if not found:
        raise InputError(
            f"{folder} holds no records.", "Give a folder that `akgen data build` or `akgen data mix` wrote."
        )
    return found


def read_records(folder: Path) -> Iterator[TrainingRecord]:
    """Yield the records of a data set or of a build, in order. Raises InputError."""
    for path in files_of(folder):
        yield from read_shard(path)


def digest_of_records(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of a folder's Parquet files, in hex."""
    h = hashlib.sha256()
    for path in files_of(folder):
        h.update(f"{path.relative_to(folder)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return h.hexdigest()


def _record(row: dict[str, Any], path: Path) -> TrainingRecord:
    said = row.pop("digest", None)
    try:
        record = TrainingRecord.model_validate(row)
    except ValidationError as problem:
        raise InputError(
            f"{path} is damaged, or was written by another version: {first_fault(problem)}.", _REMEDY
        ) from problem
    if record.digest != said:
        raise InputError(f"{path} is damaged: record {record.id} is not what was written.", _REMEDY)
    return record


@cache
def _features() -> Any:
    """Return the columns' types, so that a file of records that lack something has the same ones."""
    from datasets import Features, List, Value

    text, number, real = Value("string"), Value("int64"), Value("float64")
    message = {"role": text, "content": text}
    claim = {
        **dict.fromkeys(("role", "form", "text", "outcome", "code", "bound", "frame"), text),
        "time_us": real, "cases": number, "correct": number,
    }  # fmt: skip
    source = {
        **dict.fromkeys(("source", "generator", "toolchain", "run", "model", "licence"), text),
        **dict.fromkeys(("seed", "number", "judge_seed"), number),
    }
    columns: dict[str, Any] = dict.fromkeys(TrainingRecord.model_fields, text)
    columns |= {
        "level": number, "margin": real, "prompt": List(message), "claims": List(claim), "provenance": source,
        "rewards": dict.fromkeys(("form", "compiles", "silent", "share", "correct", "speed"), real),
        "token_ids": List(Value("int32")), "logprobs": List(Value("float32")),
    }  # fmt: skip
    return Features({**columns, "digest": text})
