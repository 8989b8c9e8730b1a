"""`akgen doctor`: what this machine has, what it lacks, and what to do about it."""

import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.cann.preflight import inspect, missing, preflight, verdict
from akgen.tools.cann.preflight_device import tried_rows
from akgen.tools.cann.preflight_software import Prerequisite
from akgen.tools.cann.trial import trial
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.settings import Settings, package_version
from akgen.tools.core.toolchain import SEAL_REMEDY, ToolchainName
from akgen.tools.toolchains import cann_settings, make_toolchain

_SEAL = "seal"  # without which the twin works, and the sandbox alone holds candidates


def doctor(
    context: typer.Context,
    npu: Annotated[
        bool,
        typer.Option(
            "--npu", help="All that CANN needs, and a kernel compiled, run and profiled on the NPU."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at compiler, sandbox, PyTorch, CANN, NPU and endpoint. Exit 0 if the twin can be used."""
    from akgen.tools.twin.settings import TwinSettings

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if npu:
        doctor_npu(settings, terminal)
        return
    twin = TwinSettings(
        cache=settings.cache,
        chip=settings.chip,
        compiler=settings.compiler,
        path=settings.path,
        cache_limit_bytes=settings.cache_limit_bytes,
    )
    machine = [*_python(), *_twin(terminal, twin)]
    needed = [f for f in machine if f.name != _SEAL]
    optional = [
        *(f for f in machine if f.name == _SEAL),
        *inspect(cann_settings(settings, settings.chip)),
        *_server(),
        *_endpoint(settings),
    ]
    table = Table()
    for name in ("", "what", "found", "remedy"):
        table.add_column(name, overflow="fold")
    for group, findings in (("the twin needs", needed), ("optional", optional)):
        for i, finding in enumerate(findings):
            mark = ("yes", "green") if finding.found else ("no", "red" if group != "optional" else "yellow")
            what = Text.assemble(mark, "  ", finding.detail)
            table.add_row(group if i == 0 else "", finding.name, what, Text(finding.remedy or ""))
    terminal.show(table)
    usable = all(f.found for f in needed)
    terminal.line("the twin can be used" if usable else "the twin cannot be used yet; see the remedies above")
    terminal.result(
        {
            "twin": usable,
            "cann": not missing(cann_settings(settings, settings.chip)),
            "findings": [f.model_dump() | {"needed": f in needed} for f in (*needed, *optional)],
        }
    )
    finish(usable)


def _python() -> Iterator[Prerequisite]:
    yield Prerequisite(name="Python", found=True, detail=platform.python_version())
    torch = package_version("torch")
    yield Prerequisite(
        name="PyTorch",
        found=torch is not None,
        detail=torch or "not installed",
        remedy=None if torch else "pip install torch (a CPU build suffices).",
    )


def _twin(terminal: Terminal, settings: "TwinSettings") -> Iterator[Prerequisite]:  # type: ignore[name-defined]  # noqa: F821
    from akgen.tools.cache.eviction import cache_bytes
    from akgen.tools.twin.compiler import find_compiler
    from akgen.tools.twin.runtime_build import build_runtime
    from akgen.tools.twin.sandboxed import sandbox_state

    try:
        compiler = find_compiler(settings)
    except InfraError as problem:
        yield Prerequisite(name="C++ compiler", found=False, detail="none", remedy=problem.remedy)
        return
    yield Prerequisite(name="C++ compiler", found=True, detail=f"{compiler.path}, {compiler.version}")
    yield Prerequisite(
        name="addr2line",
        found=compiler.addr2line is not None,
        detail=str(compiler.addr2line or "none: findings come without source lines"),
        remedy=None if compiler.addr2line else "Install binutils.",
    )
    try:
        runtime = build_runtime(settings, terminal.line)
    except InfraError as problem:
        yield Prerequisite(name="twin runtime", found=False, detail=problem.text, remedy=problem.remedy)
        return
    size = cache_bytes(settings.cache) / 2**30
    limit = f" of at most {settings.cache_limit_bytes / 2**30:g}" if settings.cache_limit_bytes else ""
    yield Prerequisite(name="build cache", found=True, detail=f"{size:.1f}{limit} GiB in {settings.cache}")
    yield Prerequisite(name="twin runtime", found=True, detail=f"built, {runtime.digest[:12]}")
    yield Prerequisite(
        name=_SEAL,
        found=runtime.sealed,
        detail="kernels' code is checked" if runtime.sealed else "kernels run unsealed",
        remedy=None if runtime.sealed else SEAL_REMEDY,
    )
    try:
        state = sandbox_state(runtime)
    except InfraError as problem:
        yield Prerequisite(name="sandbox", found=False, detail=problem.text, remedy=problem.remedy)
        return
    yield Prerequisite(name="sandbox", found=True, detail=state.in_words)


def _server() -> Iterator[Prerequisite]:
    """Look for vLLM beside AKGen; one of another environment is found by `akgen serve --python`."""
    vllm = package_version("vllm")
    missing = "Install it here, or give the interpreter that has it to akgen serve --python."
    yield Prerequisite(
        name="vLLM",
        found=vllm is not None,
        detail=vllm or "not installed here; only `akgen serve` needs it",
        remedy=None if vllm else missing,
    )


def _endpoint(settings: Settings) -> Iterator[Prerequisite]:
    """Ask the model endpoint for its list of models, if one is set."""
    if settings.base_url is None:
        yield Prerequisite(
            name="model endpoint",
            found=False,
            detail="none set; the composer needs none",
            remedy="Set AKGEN_BASE_URL, or give --base-url, for a model.",
        )
        return
    import httpx

    url = settings.base_url.rstrip("/") + "/models"
    key = settings.api_key or "none"
    try:
        answer = httpx.get(url, headers={"Authorization": f"Bearer {key}"}, timeout=5)
        answer.raise_for_status()
        names = [m["id"] for m in answer.json()["data"]]
    except (httpx.HTTPError, ValueError, KeyError) as problem:
        yield Prerequisite(
            name="model endpoint",
            found=False,
            detail=f"{settings.base_url}: {problem}",
            remedy="Start the server, or correct AKGEN_BASE_URL and AKGEN_API_KEY.",
        )
        return
    yield Prerequisite(name="model endpoint", found=True, detail=f"{settings.base_url}: {', '.join(names)}")


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
