"""Built things are kept by content: made once, never half or damaged; a broken cache is the machine's fault."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.tools.cache.content import MANIFEST, ContentCache, digest
from akgen.tools.cache.eviction import RECENT_S, evict
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.twin.build_cache import fetch, write_result


def test_an_entry_is_built_once_even_by_threads_that_want_it_together(tmp_path: Path) -> None:
    store, built = ContentCache(tmp_path), []
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
        ContentCache(tmp_path).get("aabb", fail)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_cache_that_cannot_be_written_is_an_infra_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfraError, match="cannot be used") as caught:
        ContentCache(tmp_path / "file").get("aabb", lambda folder: None)
    assert "XDG_CACHE_HOME" in caught.value.remedy


@pytest.mark.parametrize(
    ("code", "kept"), [("COMPILE_RESOURCES", False), ("HOST_TIMEOUT", False), ("TYPE_MISMATCH", True)]
)
def test_a_build_that_ended_at_a_limit_is_tried_again_and_a_wrong_kernel_is_not(
    tmp_path: Path, code: str, kept: bool
) -> None:
    def fails(folder: Path) -> None:
        write_result(folder, (Diagnostic(code=code, text="x"),))

    cache = ContentCache(tmp_path)
    assert not fetch(cache, "aabb", fails)[1].ok
    _, result, built = fetch(cache, "aabb", lambda folder: write_result(folder, ()))
    assert (result.ok, built) == ((False, False) if kept else (True, True))


def test_borders_between_parts_count() -> None:
    assert digest("ab", "c") != digest("a", "bc")


KEY = "ab" * 12


def build(folder: Path) -> None:
    (folder / "include").mkdir()
    (folder / "include" / "a.h").write_text("int a;")
    (folder / "kernel.so").write_bytes(b"machine code")


def corrupted(folder: Path) -> None:
    (folder / "kernel.so").write_bytes(b"machine c0de")


def corrupted_with_its_old_time(folder: Path) -> None:
    facts = (folder / "kernel.so").stat()
    corrupted(folder)
    os.utime(folder / "kernel.so", ns=(facts.st_atime_ns, facts.st_mtime_ns))


def cut_short(folder: Path) -> None:
    os.truncate(folder / "kernel.so", 3)


def emptied_by_a_full_disk(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.truncate(path, 0)


def without_a_file(folder: Path) -> None:
    (folder / "include" / "a.h").unlink()


def with_a_file_more(folder: Path) -> None:
    (folder / "include" / "b.h").write_text("int b;")


@pytest.mark.parametrize(
    "harm",
    [
        corrupted,
        corrupted_with_its_old_time,
        cut_short,
        emptied_by_a_full_disk,
        without_a_file,
        with_a_file_more,
    ],
)
def test_a_damaged_entry_is_built_again_and_never_used(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    cache = ContentCache(tmp_path)
    entry = cache.get(KEY, build)
    assert cache.usable(KEY)
    harm(entry)
    assert not cache.usable(KEY)
    assert cache.get(KEY, build) == entry
    assert {p.name: p.read_bytes() for p in entry.rglob("*.*") if not p.name.startswith(".")} == {
        "a.h": b"int a;",
        "kernel.so": b"machine code",
    }
    assert [p for p in entry.parent.iterdir() if p != entry] == []
    cache.get(KEY, lambda _: pytest.fail("it is sound"))


def test_damage_of_a_large_entry_is_noticed_though_it_is_not_read_every_time(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    entry = cache.get(KEY, lambda folder: (folder / "std.h.gch").write_bytes(bytes(5 << 20)) and None)
    facts = (entry / "std.h.gch").stat()
    with (entry / "std.h.gch").open("r+b") as stream:
        stream.seek(1 << 20)
        stream.write(b"x")
    os.utime(entry / "std.h.gch", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert not cache.usable(KEY)


def test_a_large_entry_is_read_again_once_a_day(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    entry = cache.get(KEY, lambda folder: (folder / "std.h.gch").write_bytes(bytes(5 << 20)) and None)
    manifest = json.loads((entry / MANIFEST).read_text())
    wrong = {"std.h.gch": ["0" * 64, *manifest["files"]["std.h.gch"][1:]]}  # as if the disk had lost bits
    (entry / MANIFEST).write_text(json.dumps(manifest | {"files": wrong}))
    assert cache.usable(KEY)
    (entry / MANIFEST).write_text(json.dumps(manifest | {"files": wrong, "read": time.time() - 90000}))
    assert not cache.usable(KEY)


def test_an_entry_that_lies_in_the_place_of_another_is_not_used(tmp_path: Path) -> None:
    cache, other = ContentCache(tmp_path), "ab" * 11 + "cd"
    cache.get(KEY, build).rename(cache.entry(other))
    assert not cache.usable(other)


def test_another_hard_link_is_no_damage(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path / "cache")
    entry = cache.get(KEY, build)
    (tmp_path / "kernel.so").hardlink_to(entry / "kernel.so")
    cache.get(KEY, lambda _: pytest.fail("it is sound"))


WRITER = """
import sys, time
from pathlib import Path
from akgen.tools.cache.content import ContentCache
root, log = Path(sys.argv[1]), Path(sys.argv[2])
print("ready", flush=True); sys.stdin.readline()
for i in range(20):
    def build(folder):
        with log.open("a") as stream:
            stream.write(f"{i}\\n")
        if i == 7 and len(log.read_text().splitlines()) % 2:
            raise RuntimeError  # the next in the queue builds it
        (folder / "half").write_text(str(i)); time.sleep(0.002); (folder / "whole").write_text(str(i))
    try:
        entry = ContentCache(root).get(f"{i:02d}" * 12, build)
    except RuntimeError:
        continue
    assert (entry / "half").read_text() == (entry / "whole").read_text() == str(i)
"""


def test_many_processes_build_each_entry_once_and_see_it_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", WRITER, tmp_path / "cache", log]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    writers = [subprocess.Popen(command, **pipes) for _ in range(6)]  # type: ignore[call-overload]
    for writer in writers:
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    said = [writer.communicate()[1] for writer in writers]
    assert [w.returncode for w in writers] == [0] * 6, said
    built = log.read_text().split()
    assert {i: built.count(i) for i in set(built) - {"7"}} == {str(i): 1 for i in range(20) if i != 7}
    assert {p.name for p in (tmp_path / "cache").glob("*/*")} == {f"{i:02d}" * 12 for i in range(20)}


READER = """
import sys
from pathlib import Path
from akgen.tools.cache.content import ContentCache
cache, built = ContentCache(Path(sys.argv[1]) / "kernel"), 0
def build(folder):
    global built
    built += 1
    (folder / "kernel.so").write_bytes(bytes(1000))
print("ready", flush=True); sys.stdin.readline()
for i in range(300):
    entry = cache.get(f"{i:03d}" * 8, build)
    for _ in range(20):
        assert (entry / "kernel.so").read_bytes() == bytes(1000)
print(built)
"""


def test_eviction_never_takes_an_entry_from_under_a_reader(tmp_path: Path) -> None:
    """The reader begins with the entry that was used last, eviction with the one that was not used for longest."""
    cache = ContentCache(tmp_path / "kernel")
    keys = [f"{i:03d}" * 8 for i in range(300)]
    for i, key in enumerate(keys):
        made = cache.get(key, lambda folder: (folder / "kernel.so").write_bytes(bytes(1000)) and None)
        then = time.time() - 2 * RECENT_S - i
        os.utime(made, (then, then))
    command = [sys.executable, "-c", READER, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        assert reader.stdout.readline() == b"ready\n"
        reader.stdin.write(b"go\n")
        reader.stdin.flush()
        removed = 0
        while reader.poll() is None:
            removed += evict(tmp_path, 0).removed
        said = reader.stdout.read()
    assert reader.returncode == 0
    assert (
        int(said) == removed > 0
    )  # what went before the reader asked for it was built again, and nothing else
    assert all(cache.usable(key) for key in keys)
