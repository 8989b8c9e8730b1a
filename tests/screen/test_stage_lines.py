"""What is being prepared is shown in one line that changes, until something else is said."""

from pathlib import Path

import pytest

from akgen.agents.run_config import Command, RunConfig
from akgen.graph.run import begin
from akgen.screen.plain import PlainFace
from akgen.terminal import StageLines, Terminal

_CURSOR_BACK = "\x1b[?25h"


def test_the_line_that_changes_ends_when_something_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    terminal = Terminal()
    with StageLines(terminal) as lines:
        config = RunConfig(command=Command.CHAT)
        face = PlainFace(begin(tmp_path / "run", config, "a version"), terminal, lines)
        lines.say("building")
        face.say("Which operator?")
        shown = capsys.readouterr().out
    assert "building" in shown
    assert _CURSOR_BACK in shown[: shown.index("Which operator?")]  # the line that changes has ended
