"""A data card: README.md that `load_dataset` accepts, with counts, lengths as a picture, licences, seeds and digest."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import FILES, digest_of_records, read_records
from akgen.finetune.data.texts import render
from akgen.finetune.operators.splits import SPLITS
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

CHARACTERS_PER_TOKEN = 3.0  # where no tokenizer is given
PICTURE = "tokens.svg"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
Length = Callable[[str], int]


class Card(Frozen):
    """What a card says in numbers. Tokens are of prompt, thought and answer together."""

    records: int
    tasks: int
    digest: str
    by_part: dict[str, int]
    by_kind: dict[str, int]
    by_family: dict[str, int]
    by_dtype: dict[str, int]
    by_outcome: dict[str, int]
    by_split: dict[str, int]
    by_language: dict[str, int]
    claims: int  # texts that the judge has judged, and judges again
    licences: dict[str, int]
    sources: dict[str, int]
    seeds: tuple[int, ...]
    toolchains: tuple[str, ...]
    generators: tuple[str, ...]
    tokens: int
    histogram: tuple[tuple[int, int], ...]  # upper bound of a bin, how many records
    quantiles: dict[str, int]


def card_of(records: Iterable[TrainingRecord], digest: str, length: Length) -> Card:
    """Count."""
    counts: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("part", "kind", "family", "dtype", "outcome", "split", "language", "licence", "source")
    }
    tasks: set[str] = set()
    seeds: set[int] = set()
    toolchains: set[str] = set()
    generators: set[str] = set()
    lengths: list[int] = []
    claims = 0
    for r in records:
        for name in ("part", "family", "dtype", "split", "language"):
            counts[name][str(getattr(r, name))] += 1
        counts["kind"][f"{r.part}: {r.kind}"] += 1
        counts["outcome"][str(r.outcome or "none")] += 1
        counts["licence"][r.provenance.licence] += 1
        counts["source"][r.provenance.source] += 1
        claims += len(r.claims)
        tasks |= {r.task} - {None}  # type: ignore[arg-type]
        seeds |= {r.provenance.seed} - {None}  # type: ignore[arg-type]
        toolchains |= {r.provenance.toolchain} - {None}  # type: ignore[arg-type]
        generators |= {r.provenance.generator} - {None}  # type: ignore[arg-type]
        lengths.append(length("".join(m.content for m in r.prompt) + r.text))
    lengths.sort()
    return Card(
        records=len(lengths), tasks=len(tasks), digest=digest, claims=claims,
        by_part={p: counts["part"][p] for p in DataPart if counts["part"][p]},
        by_split={s: counts["split"][s] for s in SPLITS if counts["split"][s]},
        **{f"by_{name}": _ordered(counts[name]) for name in ("kind", "family", "dtype", "outcome", "language")},
        licences=_ordered(counts["licence"]), sources=_ordered(counts["source"]), seeds=tuple(sorted(seeds)),
        toolchains=tuple(sorted(toolchains)), generators=tuple(sorted(generators)), tokens=sum(lengths),
        histogram=_histogram(lengths), quantiles=_quantiles(lengths),
    )  # fmt: skip


def write_card(folder: Path, tokenizer: str | None = None) -> Card:
    """Write README.md and the picture into a data set or a build. Raises InputError."""
    card = card_of(read_records(folder), digest_of_records(folder), measure(tokenizer))
    mixed = {
        split: f"data/{split}-*.parquet" for split in SPLITS if any(folder.glob(f"data/{split}-*.parquet"))
    }
    size = next((text for most, text in _SIZES if card.records < most), "1M<n<10M")
    certificate = (folder / "certificate.json").is_file()
    write_whole(
        folder / PICTURE,
        render("histogram.svg", card=card, top=max((n for _, n in card.histogram), default=1)),
    )
    write_whole(
        folder / "README.md",
        render(
            "card.md", card=card, files=mixed or {"train": "parts/*/*.parquet"}, size=size, picture=PICTURE,
            tokenizer=tokenizer, mixed=bool(any(folder.glob(FILES))), certified=certificate,
            per_token=CHARACTERS_PER_TOKEN,
        ),
    )  # fmt: skip
    return card


def measure(tokenizer: str | None) -> Length:
    """Return what measures a text in tokens: of this tokenizer, else by its characters. Raises InputError."""
    if tokenizer is None:
        return lambda text: math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    from transformers import AutoTokenizer

    try:
        found = AutoTokenizer.from_pretrained(tokenizer, local_files_only=True)
    except (OSError, ValueError) as problem:
        why = " ".join(str(problem).split())[:160]
        raise InputError(
            f"There is no tokenizer in {tokenizer}: {why}.", "Give a folder with tokenizer.json."
        ) from problem
    return lambda text: len(found(text, add_special_tokens=False)["input_ids"])


def _ordered(counts: "Counter[str]") -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _histogram(lengths: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return bins whose bounds double, from the first to the last that holds something."""
    bins = Counter(max(6, math.ceil(math.log2(max(1, n)))) for n in lengths)
    return tuple((2**k, bins[k]) for k in range(min(bins, default=6), max(bins, default=6) + 1))


def _quantiles(lengths: Sequence[int]) -> dict[str, int]:
    if not lengths:
        return {}
    at = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "most": 1.0}
    return {name: lengths[min(len(lengths) - 1, int(len(lengths) * share))] for name, share in at.items()}
