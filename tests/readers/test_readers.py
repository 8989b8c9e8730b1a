"""A few mutated documents of a fixed seed for every reader; `make fuzz-readers N=5000` gives each that many."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.readers.catalogue import Reader, catalogue
from tests.sampled import sampled

SPEC = importlib.util.spec_from_file_location("fuzz_readers", Path(__file__).with_name("fuzz.py"))
assert SPEC is not None and SPEC.loader is not None
FUZZ: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FUZZ)
READERS = catalogue()


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_document_as_it_should_be_is_read(reader: Reader, tmp_path: Path) -> None:
    reader.read(reader.seeds[0], tmp_path)


@pytest.mark.parametrize("reader", sampled(READERS, 3), ids=lambda reader: reader.name)
def test_hostile_documents_end_in_a_value_or_in_one_sentence(reader: Reader, tmp_path: Path) -> None:
    assert FUZZ.failures(reader, range(12), 0, tmp_path) == []
