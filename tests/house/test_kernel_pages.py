"""The pages of docs/kernels/ are what the composer and the passes make today."""

from collections.abc import Iterator

import pytest

from akgen.bench.kernel_pages import FOLDER, TIMELINE, names, shown
from akgen.tools.reference.client import ReferenceWorker

REMEDY = (
    "run `python -m akgen.bench.kernel_pages --keep-timelines` (or `make kernel-pages`, which runs them anew)"
)


@pytest.fixture(scope="module")
def reference() -> Iterator[ReferenceWorker]:
    with ReferenceWorker() as worker:
        yield worker


@pytest.mark.parametrize("name", names())
def test_a_page_shows_what_is_made_today(reference: ReferenceWorker, name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text()
    made, timeline, drawn = page.partition(TIMELINE)
    assert made == shown(name, reference)[2], f"docs/kernels/{name}.md is stale: {REMEDY}"
    assert timeline and drawn.count("|") > 20
