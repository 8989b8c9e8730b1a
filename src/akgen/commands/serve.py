"""`akgen serve`: a model server on this machine, until it is interrupted."""

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.tools.serving.options import Adapter, Device
    from akgen.tools.serving.server import Serving

FOR_EVER_S = 1e9


def serve(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="A checkpoint's folder, or a name that vLLM can find.")],
    npu: Annotated[bool, typer.Option("--npu", help="Serve on NPUs, with vLLM-Ascend.")] = False,
    gpu: Annotated[bool, typer.Option("--gpu", help="Serve on GPUs.")] = False,
    cpu: Annotated[bool, typer.Option("--cpu", help="Serve on the CPU.")] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    name: Annotated[
        str | None, typer.Option(help="The name that clients ask for; the folder's unless given.")
    ] = None,
    max_len: Annotated[
        int | None, typer.Option(min=1, help="How many tokens prompt and reply may have together.")
    ] = None,
    lora: Annotated[list[str] | None, typer.Option(help="An adapter, NAME=FOLDER; may be repeated.")] = None,
    tensor_parallel: Annotated[int, typer.Option(min=1, help="How many devices share the model.")] = 1,
    dtype: Annotated[
        str | None, typer.Option(help="The type of the weights: bfloat16, float16, float32.")
    ] = None,
    eager: Annotated[bool, typer.Option("--eager", help="Compile nothing, and start sooner.")] = False,
    cache_gb: Annotated[int, typer.Option(min=1, help="GiB for keys and values, on the CPU.")] = 2,
    threads: Annotated[
        int | None, typer.Option(min=1, help="How many threads, on the CPU; all cores unless given.")
    ] = None,
    python: Annotated[Path | None, typer.Option(help="The Python interpreter that has vLLM.")] = None,
    wait: Annotated[
        float, typer.Option(min=1.0, help="How many seconds to wait until the server answers.")
    ] = 1800.0,
    as_json: AsJson = False,
) -> None:
    """Serve MODEL over an OpenAI-compatible API until interrupted; vLLM gets what follows -- as it is."""
    from akgen.tools.cann.environment import cann_version
    from akgen.tools.core.untrusted import path_of
    from akgen.tools.serving.options import ServeOptions
    from akgen.tools.serving.server import cause, serving

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    folder = path_of(model)
    options = ServeOptions(
        model=str(folder.resolve()) if folder.is_dir() else model,
        device=_device(npu, gpu, cpu),
        python=(python or Path(sys.executable)).expanduser().absolute(),
        host=host,
        port=port,
        name=name,
        max_len=max_len,
        adapters=tuple(_adapter(text) for text in lora or ()),
        tensor_parallel=tensor_parallel,
        dtype=dtype,
        eager=eager,
        cache_gb=cache_gb,
        threads=threads or os.cpu_count() or 1,
        cann=cann_version(home) if (home := settings.cann_home) and home.is_dir() else None,
        nodes=settings.npu_nodes,
        more=tuple(context.args),
    )
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # a shell lets what it starts in the background ignore the first
        signal.signal(number, signal.default_int_handler)
    with terminal.people.status("starting vLLM") as status:
        show = status.update if terminal.people.is_terminal else _quiet
        try:
            with serving(options, os.environ, settings.cache / "serve", show, wait) as (answering, service):
                status.stop()
                _tell(terminal, answering)
                service.wait(FOR_EVER_S)
                raise InfraError(f"The server ended: {cause(answering.log)}", f"Its log is {answering.log}.")
        except KeyboardInterrupt:
            terminal.line("stopped")


def _device(npu: bool, gpu: bool, cpu: bool) -> "Device":
    from akgen.tools.serving.server import this_machines_device

    if npu + gpu + cpu > 1:
        raise InputError("More than one device is named.", "Give one of --npu, --gpu and --cpu, or none.")
    return "npu" if npu else "gpu" if gpu else "cpu" if cpu else this_machines_device()


def _adapter(text: str) -> "Adapter":
    from akgen.tools.core.untrusted import path_of
    from akgen.tools.serving.options import Adapter

    name, _, folder = text.partition("=")
    if not name or not folder:
        raise InputError(f"--lora {text!r} cannot be read.", "Write NAME=FOLDER.")
    return Adapter(name=name, folder=path_of(folder))


def _quiet(text: str) -> None:
    """Show no changing line where there is no terminal."""


def _tell(terminal: Terminal, answering: "Serving") -> None:
    terminal.line(f"serving {', '.join(answering.models)} at {answering.base_url}, log {answering.log}")
    for name in answering.models:
        terminal.line(f"  akgen solve softmax_rows --model vllm:{name} --base-url {answering.base_url}")
    terminal.line("  KernelGen-LM is asked in its own form with kernelgen:NAME instead of vllm:NAME")
    terminal.line("interrupt (Ctrl-C) to stop")
    terminal.result(answering)
    sys.stdout.flush()
