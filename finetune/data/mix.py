"""Mix builds into a data set: quotas per part and family, three kinds of de-duplication, a limit of length, packing.

The result depends on the records and the options alone. `mix.json` says what was left out, `packing.jsonl` which
records share a sequence: first fit, the longest first, never one record over two sequences.
"""

import hashlib
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from akgen.finetune.data.card import Card, measure, write_card
from akgen.finetune.data.normal_form import normal_form
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import digest_of_records, read_records, write_shard
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import read_model

_PER_FILE = 4096  # records
_PERMUTATIONS = 64
_SHINGLE = 3  # words
_WORD = re.compile(r"\w+|[^\w\s]")


class MixConfig(Frozen):
    """Quotas are numbers of records. `near` is the likeness from which of two texts one is left out."""

    quotas: dict[DataPart, int] = Field(default_factory=dict)
    most_per_family: int | None = None
    near: float = 0.95
    tokenizer: str | None = None
    most_tokens: int | None = None
    sequence_tokens: int = 8192
    seed: int = 0


class Mixed(Frozen):
    """What a mix holds. `left_out` counts records by the reason why they are not in it."""

    config: MixConfig
    sources: dict[str, str]  # folder to digest
    records: int
    left_out: dict[str, int]
    sequences: int
    filled: float  # share of the sequences' tokens


def mix(sources: Sequence[Path], out: Path, config: MixConfig) -> tuple[Mixed, Card]:
    """Write a data set into an empty folder. Raises InputError for damaged sources, or if `out` holds something."""
    if any(out.glob("data/*.parquet")):
        raise InputError(f"{out} holds a data set already.", "Mix into another folder.")
    left_out: Counter[str] = Counter()
    length = measure(config.tokenizer)
    records = [r for source in sources for r in read_records(source)]
    records.sort(key=lambda r: hashlib.sha256(f"{config.seed}/{r.part}/{r.id}/{r.digest}".encode()).digest())
    kept = list(
        _unlike(_different(_short(records, config, length, left_out), left_out), config.near, left_out)
    )
    kept = list(_within(kept, config, left_out))
    if not kept:
        raise InputError("Nothing is left to mix.", "Raise the quotas or the limit of length.")
    by_split: dict[str, list[TrainingRecord]] = {}
    for record in kept:
        by_split.setdefault(record.split, []).append(record)
    for split, found in by_split.items():
        for number, first in enumerate(range(0, len(found), _PER_FILE)):
            write_shard(found[first : first + _PER_FILE], out / "data" / f"{split}-{number:05}.parquet")
    sequences, filled = _pack(out, config, length)
    mixed = Mixed(
        config=config, sources={str(s): digest_of_records(s) for s in sources}, records=len(kept),
        left_out=dict(left_out.most_common()),
        sequences=sequences,
        filled=filled,
    )  # fmt: skip
    write_whole(out / "mix.json", json_text(mixed, indent=1) + "\n")
    return mixed, write_card(out, config.tokenizer)


def renewed(data: Path) -> None:
    """Write packing and card of a mixed data set anew, after records were taken out of it."""
    if not (data / "mix.json").is_file():
        return
    config = read_model(Mixed, data / "mix.json", "Mix again into another folder.").config
    _pack(data, config, measure(config.tokenizer))
    write_card(data, config.tokenizer)


def _pack(data: Path, config: MixConfig, length: Callable[[str], int]) -> tuple[int, float]:
    """Write packing.jsonl; return how many sequences there are, and what share of their tokens is used."""
    lengths: dict[str, list[tuple[str, int]]] = {}
    for record in read_records(data):
        lengths.setdefault(record.split, []).append((record.id, _tokens(record, length)))
    lines = [
        {"split": split, "tokens": tokens, "records": names}
        for split, found in lengths.items()
        for tokens, names in packed(found, config.sequence_tokens)
    ]
    write_whole(data / "packing.jsonl", "".join(json_text(line) + "\n" for line in lines))
    room = config.sequence_tokens
    used = sum(min(tokens, room) for found in lengths.values() for _, tokens in found)
    return len(lines), round(used / (max(1, len(lines)) * room), 4)


def packed(lengths: Iterable[tuple[str, int]], room: int) -> list[tuple[int, list[str]]]:
    """Put texts into sequences of `room` tokens by best fit, the longest first; longer ones stand alone."""
    packs: list[tuple[int, list[str]]] = []
    free: list[tuple[int, int]] = []  # tokens that are left, and the sequence's number
    for name, length in sorted(lengths, key=lambda item: (-item[1], item[0])):
        at = bisect_left(free, (length, -1))
        if at < len(free):
            left, number = free.pop(at)
            packs[number] = (packs[number][0] + length, [*packs[number][1], name])
        else:
            left, number = room, len(packs)
            packs.append((length, [name]))
        if left > length:
            insort(free, (left - length, number))
    return packs


def _tokens(record: TrainingRecord, length: Callable[[str], int]) -> int:
    return length("".join(m.content for m in record.prompt) + record.text)


def _short(
    records: Iterable[TrainingRecord],
    config: MixConfig,
    length: Callable[[str], int],
    left_out: "Counter[str]",
) -> Iterator[TrainingRecord]:
    for record in records:
        if config.most_tokens is not None and _tokens(record, length) > config.most_tokens:
            left_out[f"longer than {config.most_tokens} tokens"] += 1
        else:
            yield record


def _different(records: Iterable[TrainingRecord], left_out: "Counter[str]") -> Iterator[TrainingRecord]:
    """Leave out the same text again, and the same computation again where a record is a whole kernel."""
    seen: set[str] = set()
    for record in records:
        exact = hashlib.sha256(json_text([record.prompt, record.text, record.rejected]).encode()).hexdigest()
        if exact in seen:
            left_out["the same text"] += 1
            continue
        seen.add(exact)
        if record.part in (DataPart.OPERATORS, DataPart.CODE):
            form = normal_form(record.reference, constants=True)
            same = f"{record.part}/{record.kind}/{record.dtype}/{form}"
            if form is not None and same in seen:
                left_out["the same computation"] += 1
                continue
            seen.add(same)
        yield record


def _unlike(
    records: Iterable[TrainingRecord], near: float, left_out: "Counter[str]"
) -> Iterator[TrainingRecord]:
    """Leave out what is nearly the text of a record before it. World records are as alike as their sources: kept."""
    from datasketch import MinHash, MinHashLSH

    if near >= 1:
        yield from records
        return
    shelves: dict[str, MinHashLSH] = {}
    for record in records:
        if record.part in (DataPart.WORLD, DataPart.CODE):
            yield record
            continue
        words = _WORD.findall(_telling(record))
        shingles = {
            " ".join(words[i : i + _SHINGLE]).encode() for i in range(max(1, len(words) - _SHINGLE + 1))
        }
        sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
        sketch.update_batch(sorted(shingles))
        shelf = shelves.setdefault(
            f"{record.part}/{record.kind}/{record.dtype}/{record.language}",
            MinHashLSH(threshold=near, num_perm=_PERMUTATIONS),
        )
        if shelf.query(sketch):
            left_out["nearly the same text"] += 1
        else:
            shelf.insert(f"{len(shelf.keys)}", sketch)
            yield record


def _telling(record: TrainingRecord) -> str:
    """Return the text by which records of a part differ: composed kernels share their frame."""
    if record.part is DataPart.OPERATORS:
        return record.description_en
    if record.description_en:
        return f"{record.description_en} {record.thought} {record.rejected or ''}"
    return "".join(m.content for m in record.prompt) + record.answer


def _within(
    records: Iterable[TrainingRecord], config: MixConfig, left_out: "Counter[str]"
) -> Iterator[TrainingRecord]:
    parts: Counter[DataPart] = Counter()
    families: Counter[tuple[DataPart, str]] = Counter()
    quotas: Mapping[DataPart, int] = config.quotas
    for record in records:
        family = (record.part, record.family)
        if parts[record.part] >= quotas.get(record.part, 1 << 62):
            left_out[f"beyond the quota of {record.part}"] += 1
        elif config.most_per_family is not None and families[family] >= config.most_per_family:
            left_out["beyond the quota of its family"] += 1
        else:
            parts[record.part] += 1
            families[family] += 1
            yield record
