"""Where a decider is called from: the run, the task, the stage, what may still be spent; and the spans that say so.

The graph sets the call context around each stage, so that deciders need not hand it on and nothing outside the graph
has to know it. Spans of what a run does bear OpenTelemetry's names for generative AI; without an endpoint they cost
nothing. OpenTelemetry is not needed: `start_tracing` asks for it, and until it has been called no span is made.
LangSmith needs nothing from here: LangChain sends to it by itself when its variables are set.
"""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from akgen.agents.budget import Budget
from akgen.agents.calls.model_call import ModelCall, ModelRequest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

_AGENTS = {"plan": "planner", "write": "coder", "criticise": "critic"}
_started: list[Any] = []  # the tracer, once there is one


class CallContext(Frozen):
    """None where nothing is known: outside of the graph."""

    run: str | None = None
    task: str | None = None
    sample: int | None = None
    attempt: int | None = None
    node: str | None = None
    left: Budget | None = None  # of the sample, when the stage began


_NOW: ContextVar[CallContext] = ContextVar("call_context", default=CallContext())  # noqa: B039 (frozen)


def call_context() -> CallContext:
    return _NOW.get()


@contextmanager
def use_context(now: CallContext) -> Iterator[None]:
    """Set the call context for this thread until the end of the block."""
    token = _NOW.set(now)
    try:
        yield
    finally:
        _NOW.reset(token)


class TraceSpan:
    """A span, or nothing. Values that are None are left out."""

    def __init__(self, inner: Any | None) -> None:
        self._inner = inner

    def set(self, attributes: dict[str, Any]) -> None:
        if self._inner is not None:
            for name, value in attributes.items():
                if value is not None:
                    self._inner.set_attribute(name, value)

    def failed(self, text: str) -> None:
        if self._inner is not None:
            status = importlib.import_module("opentelemetry.trace.status")
            self._inner.set_status(status.Status(status.StatusCode.ERROR, text))


def start_tracing(endpoint: str, service: str = "akgen") -> None:
    """Send spans to an OTLP/HTTP endpoint from now on, in the background; what is left is sent when the process ends.

    Raises InputError if OpenTelemetry is not installed.
    """
    if _started:
        return
    try:
        sdk = importlib.import_module("opentelemetry.sdk.trace")
        export = importlib.import_module("opentelemetry.sdk.trace.export")
        otlp = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        resources = importlib.import_module("opentelemetry.sdk.resources")
    except ImportError as problem:
        raise InputError(
            "An OpenTelemetry endpoint is set, and OpenTelemetry is not installed.",
            "pip install 'akgen[otel]', or unset OTEL_EXPORTER_OTLP_ENDPOINT.",
        ) from problem
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": service}))
    exporter = otlp.OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    _started.append(provider.get_tracer("akgen"))


@contextmanager
def span(name: str, attributes: dict[str, Any]) -> Iterator[TraceSpan]:
    """Open a span around a block; spans that are opened inside it are its children."""
    if not _started:
        yield TraceSpan(None)
        return
    with _started[0].start_as_current_span(name) as inner:
        made = TraceSpan(inner)
        made.set(attributes)
        yield made


def stage_span(now: CallContext) -> tuple[str, dict[str, Any]]:
    """Return name and attributes of a stage: an agent's turn, or the use of a tool."""
    node = now.node or ""
    where = {
        "akgen.run": now.run,
        "akgen.task": now.task,
        "akgen.sample": now.sample,
        "akgen.attempt": now.attempt,
        "akgen.node": node,
    }
    agent = _AGENTS.get(node)
    if agent is not None:
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        return f"invoke_agent {agent}", {**told, **where}
    return f"execute_tool {node}", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": node,
        **where,
    }


def call_attributes(
    model: str, endpoint: str, request: ModelRequest, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a span says of a request, under OpenTelemetry's names."""
    kind, _, name = model.partition(":")
    return {
        "gen_ai.operation.name": "text_completion" if kind == "kernelgen" else "chat",
        "gen_ai.provider.name": kind,
        "gen_ai.request.model": name,
        "gen_ai.request.temperature": parameters.get("temperature"),
        "gen_ai.request.top_p": parameters.get("top_p"),
        "gen_ai.request.max_tokens": parameters.get("max_tokens"),
        "gen_ai.request.seed": parameters.get("seed"),
        "gen_ai.request.choice.count": len(request.samples),
        "gen_ai.output.type": "json" if "schema" in parameters else "text",
        "server.address": endpoint,
        "akgen.role": request.role,
        "akgen.turn": request.turn,
    }


def answer_attributes(call: ModelCall) -> dict[str, Any]:
    """Return what a span says of the answer, under OpenTelemetry's names."""
    return {
        "gen_ai.usage.input_tokens": call.usage.input_tokens,
        "gen_ai.usage.output_tokens": call.usage.output_tokens,
        "gen_ai.response.finish_reasons": [reply.finish or reply.ended for reply in call.replies],
        "akgen.tries": call.tries,
        "akgen.cost": call.usage.cost,
    }
