"""The cache stays within its size: what was not used for longest goes, what is in use stays."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.cache.content import ContentCache
from akgen.tools.cache.eviction import CACHES, RECENT_S, cache_bytes, cache_use, clear, evict, evict_when_due
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings
from akgen.tools.twin.toolchain import TwinToolchain

MB = 1 << 20


def fill(cache: Path, *ages_s: float) -> list[str]:
    """Build one entry of a megabyte for each age."""
    store = ContentCache(cache / "kernel")
    keys = [f"{i:02d}{'0' * 22}" for i in range(len(ages_s))]
    for key, age in zip(keys, ages_s, strict=True):
        made = store.get(key, lambda folder: (folder / "kernel.so").write_bytes(bytes(MB)) and None)
        then = time.time() - age
        os.utime(made, (then, then))
    return keys


def there(cache: Path, keys: list[str]) -> list[bool]:
    return [ContentCache(cache / "kernel").entry(k).is_dir() for k in keys]


def test_the_oldest_go_first_and_only_as_far_as_needed(tmp_path: Path) -> None:
    keys = fill(tmp_path, 3 * RECENT_S, 9 * RECENT_S, 6 * RECENT_S)
    assert cache_bytes(tmp_path) == 3 * MB
    done = evict(tmp_path, 2 * MB)
    assert (done.removed, done.removed_bytes, done.size_bytes) == (1, MB, 2 * MB)
    assert there(tmp_path, keys) == [True, False, True]


def test_what_was_used_lately_stays_whatever_the_limit(tmp_path: Path) -> None:
    keys = fill(tmp_path, 9 * RECENT_S, RECENT_S / 2)
    evict(tmp_path, 0)
    assert there(tmp_path, keys) == [False, True]


def test_asking_for_an_entry_is_a_use(tmp_path: Path) -> None:
    keys = fill(tmp_path, 9 * RECENT_S, 8 * RECENT_S)
    ContentCache(tmp_path / "kernel").get(keys[0], lambda _: pytest.fail("it is there"))
    evict(tmp_path, 0)
    assert there(tmp_path, keys) == [True, False]


def test_what_another_process_holds_stays_until_it_ends(tmp_path: Path) -> None:
    keys = fill(tmp_path, 9 * RECENT_S)
    code = (
        "import sys; from pathlib import Path; from akgen.tools.cache.content import ContentCache\n"
        "ContentCache(Path(sys.argv[1])).hold(sys.argv[2]); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "kernel", keys[0]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as holder:  # fmt: skip
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        evict(tmp_path, 0)
        assert there(tmp_path, keys) == [True]
        holder.stdin.close()
        holder.wait()
    evict(tmp_path, 0)
    assert there(tmp_path, keys) == [False]


def test_it_is_done_once_a_day(tmp_path: Path) -> None:
    fill(tmp_path, 9 * RECENT_S)
    first = evict_when_due(tmp_path, 0)
    assert first is not None and first.removed == 1
    fill(tmp_path, 9 * RECENT_S)
    assert evict_when_due(tmp_path, 0) is None


def test_it_is_done_on_the_same_day_where_much_was_built(tmp_path: Path) -> None:
    assert evict_when_due(tmp_path, 0) is None  # an empty cache
    (old,) = fill(tmp_path, 9 * RECENT_S)

    def large(folder: Path) -> None:
        (folder / "host_std.h.gch").touch()
        os.truncate(folder / "host_std.h.gch", 65 * MB)

    ContentCache(tmp_path / "objects").get("ab" * 12, large)
    done = evict_when_due(tmp_path, 2 * MB)
    assert done is not None and done.removed == 1
    assert there(tmp_path, [old]) == [False]
    assert evict_when_due(tmp_path, 2 * MB) is None


def test_a_build_whose_host_library_has_left_the_cache_still_runs(
    twin: TwinToolchain, project: Callable[..., KernelProject], calls: Any, tmp_path: Path
) -> None:
    other = TwinToolchain(TwinSettings(cache=tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    for name in ("runtime", "objects"):  # only what this test builds is its own
        (tmp_path / "cache" / name).symlink_to(twin.settings.cache / name)
    x = np.ones(64, np.float32)
    call = calls.scale_add(x, x, tmp_path, alpha=1.0)
    build = other.compile(project("scale_add"), [call], tmp_path / "build")
    (entry,) = (p for p in (tmp_path / "cache" / "host").glob("*/*") if p.is_dir())
    shutil.rmtree(entry)  # as another process would that evicts
    launch = other.run(build, call, tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics


def test_holding_an_entry_again_takes_no_further_handle(tmp_path: Path) -> None:
    (key,) = fill(tmp_path, 1.0)
    ContentCache(tmp_path / "kernel").hold(key)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        ContentCache(tmp_path / "kernel").hold(key)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_cache_says_what_it_holds_and_how_often_it_had_what_was_asked_for(tmp_path: Path) -> None:
    kernels = ContentCache(tmp_path / "kernel")
    for key in ("aa11", "aa22", "aa11", "aa11"):
        kernels.get(key, lambda folder: folder.joinpath("x").write_bytes(b"123"))
    use = next(u for u in cache_use(tmp_path) if u.name == "kernel")
    assert (use.entries, use.size_bytes, use.hits, use.misses, use.hit_rate) == (2, 6, 2, 2, 0.5)
    assert clear(tmp_path).removed == 2
    assert [(u.entries, u.hits, u.misses) for u in cache_use(tmp_path)] == [(0, 0, 0)] * len(CACHES)


def test_clearing_leaves_what_a_process_holds(tmp_path: Path) -> None:
    kernels = ContentCache(tmp_path / "kernel")
    for key in ("aa11", "aa22"):
        kernels.get(key, lambda folder: folder.joinpath("x").write_bytes(b"123"))
    kernels.hold("aa11")
    assert clear(tmp_path).removed == 1 and kernels.usable("aa11")
