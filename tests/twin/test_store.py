"""Built things are kept by content: made once, never half, and a broken cache is the machine's fault."""

import threading
from pathlib import Path

import pytest

from akgen.tools.outcome import InfraError
from akgen.tools.twin.store import Store, digest


def test_an_entry_is_built_once_even_by_threads_that_want_it_together(tmp_path: Path) -> None:
    store, built = Store(tmp_path), []
    start = threading.Barrier(4)

    def want() -> None:
        start.wait()
        store.get("aabb", lambda folder: built.append((folder / "x").write_text("1")))

    threads = [threading.Thread(target=want) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(built) == 1
    assert (store.entry("aabb") / "x").read_text() == "1"


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Store(tmp_path).get("aabb", fail)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_cache_that_cannot_be_written_is_an_infra_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfraError, match="cannot be used") as caught:
        Store(tmp_path / "file").get("aabb", lambda folder: None)
    assert "XDG_CACHE_HOME" in caught.value.remedy


def test_borders_between_parts_count() -> None:
    assert digest("ab", "c") != digest("a", "bc")
