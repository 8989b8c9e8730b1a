"""Workspace that nobody asked for is another's memory: it is not there."""

from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

HOST = "op_host/scale_shift.cpp"
KERNEL = "op_kernel/scale_shift.cpp"
TOUCH = (
    "__gm__ int32_t *kept = (__gm__ int32_t *)({at}) + 16 * GetBlockIdx(); kept[0] = 1; t.total *= kept[0];"
)
NOT_ASKED = {
    "none, and the system's part": ("0", TOUCH.format(at="workspace")),
    "none, and the user's part": ("0", TOUCH.format(at="GetUserWorkspace(workspace)")),
    "none, and the pointer of the system": ("0", TOUCH.format(at="GetSysWorkSpacePtr()")),
    "less than is used": ("4096", TOUCH.format(at="workspace + 4096")),
    "less than the system's part": ("4096", TOUCH.format(at="GetUserWorkspace(workspace)")),
    "the system's part alone": ("16 << 20", TOUCH.format(at="GetUserWorkspace(workspace)")),
}


def _judged(court: Any, asked: str, entry: str) -> Verdict:
    text = court.honest.files[HOST]
    host = text.replace("workspaces[0] = 0", f"workspaces[0] = {asked}")
    return court.files({KERNEL: court._filled(KERNEL, {"entry": entry}), HOST: host})


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if n else []) for n, k in enumerate(NOT_ASKED)]
)
def test_what_was_not_asked_for_is_not_there(
    court: Any, codes: Callable[[Verdict], set[str]], kind: str
) -> None:
    verdict = _judged(court, *NOT_ASKED[kind])
    assert verdict.outcome == Outcome.TRAP, verdict.why()
    assert codes(verdict) & {"GM_OVERRUN", "NULL_POINTER", "BAD_POINTER"}, codes(verdict)


@pytest.mark.parametrize(
    ("asked", "at"), [("4096", "workspace"), ("(16 << 20) + 4096", "GetUserWorkspace(workspace)")]
)
def test_what_was_asked_for_may_be_used(court: Any, asked: str, at: str) -> None:
    assert _judged(court, asked, TOUCH.format(at=at)).outcome == Outcome.CORRECT
