"""How kernels are to be written: one model that runs, bench runs and the command line share.

A field's description is the help of the option of its name; src/akgen/options.py makes the options.
"""

from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field

from akgen.agents.budget import Budget
from akgen.agents.calls.model_call import CallLimits, Price, Sampling
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.toolchain import ToolchainName

MODELS = (
    "composer, vllm:NAME, kernelgen:NAME, openai:NAME, local:FOLDER, scripted:FILE, replay:FILE-OR-RUN, "
    "record:FILE:MODEL."
)
COMPOSER = "composer"  # the embedded planner and coder; not a chat model


def with_full_paths(model: str) -> str:
    """Return the model's name with the files in it as full paths: workers and later processes are elsewhere."""
    kind, _, rest = model.partition(":")
    file, _, inner = rest.partition(":") if kind == "record" else (rest, "", "")
    if kind not in ("local", "scripted", "replay", "record") or not file:
        return model
    full = f"{kind}:{Path(file).expanduser().absolute()}"
    return f"{full}:{with_full_paths(inner)}" if inner else full


class Command(StrEnum):
    """What began a run."""

    SOLVE = "solve"
    BENCH = "bench"
    CHAT = "chat"
    OPTIMISE = "optimise"


class Route(StrEnum):
    """How a coder writes Ascend C."""

    DSL = "dsl"  # through the tile DSL, lowered by a program
    DSL_PASSES = "dsl+passes"  # through the tile DSL, lowered by the model pass by pass
    TENSOR = "tensor"  # what is computed, line by line; the composer schedules it
    ASCENDC = "ascendc"
    DIRECT = "direct"  # one file whose host function launches its kernels with <<<>>>


class PlannerKind(StrEnum):
    """Who plans: the model itself, or the composer for it."""

    MODEL = "model"
    COMPOSER = "composer"


class CriticKind(StrEnum):
    """Who criticises."""

    RULES = "rules"
    MODEL = "model"  # beside the rules
    COMPILER = "compiler"  # nobody: what rules and remedies are worth shows beside it


class SolveConfig(Frozen):
    """Who writes kernels, for which chip, how many, and within which limits."""

    model: str = Field(default="composer", description=MODELS)
    base_url: str | None = Field(default=None, description="The model's endpoint, ending in /v1.")
    planner: PlannerKind = Field(
        default=PlannerKind.MODEL, description="Who plans: the model itself, or the composer for it."
    )
    critic: CriticKind = Field(
        default=CriticKind.RULES,
        description="Who criticises: the rules alone, the model as well, or nobody but the compiler, in its own words.",
    )
    chip: str | None = Field(default=None, description="The chip to build for.")
    strict: bool = Field(default=False, description="Take for errors what devices tolerate, on the twin.")
    route: Route | None = Field(
        default=None,
        description="How the coder writes: the tile DSL, lowered by a program or by the model (+passes), "
        "tensor programs that the composer schedules, Ascend C with its operator definition, "
        "or one file with <<<>>> (direct).",
    )
    take_over: tuple[str, ...] = Field(
        default=(),
        description="With --route dsl+passes: what the model may change of the lowered program, as pass:init, "
        "stage:compute or kernel:CLASS; the whole kernel unless given. May be repeated.",
    )
    start: str | None = Field(
        default=None,
        description="A folder of projects that are the first attempts (DIR/TASK/SAMPLE, DIR/TASK or DIR); "
        "the model mends them.",
    )
    samples: int = Field(default=1, ge=1, description="How many samples to write; the best correct one wins.")
    parallel: int = Field(default=1, ge=1, description="How many samples to work on at the same time.")
    limits: CallLimits = CallLimits()  # of all model calls together
    price: Price | None = None  # of the model; without one nothing costs anything
    sampling: Sampling = Sampling()
    memory: bool = Field(
        default=False, description="Show the coder what earlier runs learnt, and learn from this one."
    )
    seed: int = Field(default=0, description="The seed of hidden inputs and models; random unless given.")

    def shared(self) -> dict[str, Any]:
        """Return the values of these fields, to make another configuration with."""
        return {name: getattr(self, name) for name in SolveConfig.model_fields}


class RunConfig(SolveConfig):
    """The resolved configuration of a run: enough to go on with it in another process. Holds no key."""

    command: Command
    toolchain: ToolchainName = Field(
        default=ToolchainName.TWIN, description="What builds and runs the kernel."
    )
    tune: int = Field(
        default=0, ge=0, description="How many attempts may go into speed once the kernel is correct."
    )
    budget: Budget = Budget()  # of each sample
    extra: dict[str, Any] = Field(default={})  # what a command adds of its own, such as the suite
