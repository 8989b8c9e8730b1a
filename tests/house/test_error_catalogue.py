"""Every stable code that the sources use has an entry in the error catalogue, and every entry is complete."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = json.loads((ROOT / "knowledge/data/errors.json").read_text())
# trap("CODE", ...) and warn("CODE", ...) in C++, code="CODE" in Python
CPP = re.compile(r'\b(?:trap|warn)\(\s*"([A-Z][A-Z0-9_]+)"')
PY = re.compile(r'\bcode="([A-Z][A-Z0-9_]+)"')


def _used() -> dict[str, str]:
    used: dict[str, str] = {}
    for room in ("tools", "agents", "graph", "bench", "finetune"):
        for path in (ROOT / room).rglob("*"):
            if path.suffix in {".cpp", ".h", ".py"} and path.is_file():
                pattern = PY if path.suffix == ".py" else CPP
                for code in pattern.findall(path.read_text(errors="replace")):
                    used.setdefault(code, path.relative_to(ROOT).as_posix())
    return used


def test_every_code_in_the_sources_is_in_the_catalogue() -> None:
    missing = {code: where for code, where in _used().items() if code not in CATALOGUE}
    assert not missing


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_an_entry_says_what_happened_why_and_what_to_do(code: str) -> None:
    entry = CATALOGUE[code]
    assert set(entry) >= {"stage", "sentence", "cause", "remedy"}
    assert all(isinstance(v, str) and v for name, v in entry.items() if name != "special")
    for case in entry.get("special", []):
        assert set(case) >= {"cause", "remedy"} and set(case) & {"text", "api"}
        assert all(isinstance(v, str) and v for v in case.values())
    assert entry["sentence"].endswith(".")


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / "knowledge/data").glob("*.json")))
def test_no_key_stands_twice_in_an_object(file: str) -> None:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len({k for k, _ in pairs}) == len(pairs), [k for k, _ in pairs]
        return dict(pairs)

    json.loads((ROOT / "knowledge/data" / file).read_text(), object_pairs_hook=once)


def _named_in_tests() -> set[str]:
    words: set[str] = set()
    for path in (ROOT / "tests").rglob("*"):
        if path.suffix in {".py", ".cpp", ".h", ".json"} and "house" not in path.relative_to(ROOT).parts:
            words |= set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", path.read_text(errors="replace")))
    return words


def test_every_code_is_named_in_a_test_or_a_kernel_of_the_corpus() -> None:
    assert not set(CATALOGUE) - _named_in_tests()
