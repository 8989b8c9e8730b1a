"""`akgen doctor --npu`: everything between this machine and a kernel on its NPU, with what is needed and what to do."""

import tempfile
from pathlib import Path

from rich.table import Table
from rich.text import Text

from akgen.terminal import Terminal, finish
from akgen.tools.cann.preflight import missing, preflight, verdict
from akgen.tools.cann.preflight_device import tried_rows
from akgen.tools.cann.prerequisite import Prerequisite
from akgen.tools.cann.trial import trial
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName
from akgen.tools.toolchains import cann_settings, make_toolchain


def doctor_npu(settings: Settings, terminal: Terminal) -> None:
    """Look, and end with a kernel that is compiled, run and profiled if all that it needs is there."""
    found = [*preflight(cann_settings(settings, settings.chip)), *_sandbox(settings)]
    ran = False
    if not missing(cann_settings(settings, settings.chip)):
        chain = make_toolchain(ToolchainName.CANN, settings, settings.chip)
        folder = Path(tempfile.mkdtemp(prefix="akgen-doctor-"))
        found += tried_rows(cann_settings(settings, settings.chip))
        tried = tuple(trial(chain, folder, terminal.line))
        ran = all(f.found for f in tried)
        found += tried
    else:
        found.append(
            Prerequisite(
                name="known-good kernel",
                found=False,
                detail="not tried, since something that it needs is missing",
                remedy="Mend what is missing, then run this again.",
                group="kernel",
            )
        )
    table = Table()
    for name in ("", "what", "found", "needed", "remedy"):
        table.add_column(name, overflow="fold")
    group = ""
    for f in found:
        mark = ("yes", "green") if f.found else ("no", "yellow" if f.optional else "red")
        said = Text.assemble(mark, "  ", f.detail)
        table.add_row(
            f.group if f.group != group else "", f.name, said, Text(f.needed or ""), Text(f.remedy or "")
        )
        group = f.group
    terminal.show(table)
    for line in (lines := verdict(tuple(found), ran=ran)):
        terminal.line(line)
    terminal.result({"cann": ran, "verdict": lines, "findings": [f.model_dump() for f in found]})
    finish(ran)


def _sandbox(settings: Settings) -> list[Prerequisite]:
    """Say whether candidates' builds and runs are confined; they can be done without."""
    if not settings.npu_confined:
        detail, remedy = "turned off: candidates' host code has your rights", "Unset AKGEN_NPU_CONFINED."
        return [
            Prerequisite(
                name="sandbox", found=False, detail=detail, remedy=remedy, group="sandbox", optional=True
            )
        ]
    from akgen.tools.toolchains import make_twin
    from akgen.tools.twin.sandboxed import sandbox_state

    try:
        state = sandbox_state(make_twin(settings, settings.chip).runtime)
    except InfraError as problem:
        return [
            Prerequisite(
                name="sandbox", found=False, detail=problem.text, remedy=problem.remedy, group="sandbox"
            )
        ]
    return [Prerequisite(name="sandbox", found=True, detail=state.in_words, group="sandbox")]
