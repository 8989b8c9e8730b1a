"""Who works on a run: planner, coder and critic, as the configuration names them.

What a chat model needs (its client, prompts, LangChain) is imported for the runs that have one, and the compiler for
those who compose.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from akgen.agents.calls.model_call import CallStore
from akgen.agents.critic import ChatCritic, CompilerCritic, RuleCritic
from akgen.agents.plan import Plan
from akgen.agents.roles import Coder, Critic, Feedback, Planned, Planner, Written
from akgen.agents.run_config import COMPOSER, CriticKind, PlannerKind, Route, RunConfig
from akgen.knowledge.chip import DEFAULT_CHIP, Chip, chip
from akgen.tools.compose.front.traced import CaseTracer
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
    from akgen.agents.calls.conversation import Conversation
    from akgen.agents.composer.model_free import ModelFree
    from akgen.agents.prompts.builder import Describe, PromptBuilder
    from akgen.agents.prompts.experience import Recall
    from akgen.agents.requests.language import Language
    from akgen.agents.requests.request import ParsedRequest, Request
    from akgen.agents.requests.understanding import Understand

# How a plan names the route that it is for.
_PLANNED: dict[Route | None, Literal["ascendc", "dsl", "direct"]] = {
    None: "ascendc",
    Route.ASCENDC: "ascendc",
    Route.DSL: "dsl",
    Route.DSL_PASSES: "dsl",
    Route.TENSOR: "dsl",
    Route.DIRECT: "direct",
}


def make_conversation(
    config: RunConfig, settings: Settings, calls: CallStore | None = None
) -> "Conversation | None":
    """Return the conversation with the configuration's model, kept in `calls`; None where the composer works.

    Raises InputError when the model cannot be used.
    """
    if config.model == COMPOSER:
        return None
    from akgen.agents.calls.conversation import Conversation
    from akgen.agents.calls.retry import RetryPolicy
    from akgen.agents.models.resolve import endpoint_name, model_options, resolve_model

    options = model_options(config, settings)
    return Conversation(
        resolve_model(config.model, options),
        config.model,
        endpoint_name(config.model, options),
        config.seed,
        RetryPolicy(tries=settings.model_tries, first_wait_s=settings.model_wait_s),
        calls=calls,
        samples=config.samples,
        price=config.price,
        limits=config.limits,
        sampling=config.sampling,
    )


def make_deciders(
    config: RunConfig,
    conversation: "Conversation | None",
    describe: "Describe",
    recall: "Recall | None" = None,
    trace: CaseTracer | None = None,
) -> tuple[Planner, Coder, Critic]:
    """Make the three deciders of a run; `recall` gives the coder what was learnt earlier.

    `trace` is how the composer traces, else in this process.

    Raises InputError when the route is not one that the model can take.
    """
    if config.take_over and config.route is not Route.DSL_PASSES:
        raise InputError(
            "--take-over says what a model may change of lowered programs.", "Add --route dsl+passes."
        )
    if config.start is not None and (conversation is None or config.route not in (None, Route.ASCENDC)):
        raise InputError(
            "--start gives projects with op_host and op_kernel for a model to mend.",
            "Add --model, and no --route but ascendc.",
        )
    if conversation is not None:
        return _by_model(config, conversation, describe, recall, trace)
    if config.route in (Route.ASCENDC, Route.DSL_PASSES, Route.TENSOR, Route.DIRECT):
        raise InputError(
            "The composer writes through the tile DSL, and programs take every pass.",
            "Leave --route out, or give a --model.",
        )
    free = _composer(chip(config.chip or DEFAULT_CHIP), trace)
    return free, free, RuleCritic()


def _by_model(
    config: RunConfig,
    conversation: "Conversation",
    describe: "Describe",
    recall: "Recall | None",
    trace: CaseTracer | None,
) -> tuple[Planner, Coder, Critic]:
    from akgen.agents.coder import ChatCoder, DirectCoder
    from akgen.agents.models.resolve import is_local, speaks_kernelgen
    from akgen.agents.planner import ChatPlanner, SamePlan
    from akgen.agents.prompts.builder import EnglishPrompts
    from akgen.agents.prompts.experience import ExperiencePrompts
    from akgen.agents.prompts.kernelgen import KernelGenPrompts
    from akgen.agents.prompts.retrieval import traced_operations

    target, budget, route = chip(config.chip or DEFAULT_CHIP), config.budget, config.route
    trained = speaks_kernelgen(config.model)
    if trained and route not in (None, Route.ASCENDC):
        raise InputError(
            "KernelGen-LM writes Ascend C with op_host and op_kernel; it was trained on nothing else.",
            "Leave --route out.",
        )
    local = is_local(config.model)
    critic = _critic(config.critic, conversation, target)
    if route is Route.TENSOR or (local and route is None):
        from akgen.agents.tensor_coder import NothingPlanned, TensorCoder

        program = TensorCoder(conversation, budget, describe, trained=local)
        return NothingPlanned(), program, critic
    if route is Route.DIRECT and config.toolchain is not ToolchainName.TWIN:
        raise InputError("The direct form is built and run by the twin.", "Leave --toolchain out.")
    called = traced_operations(trace) if trace is not None else None
    prompts: PromptBuilder
    if trained:
        prompts = KernelGenPrompts(target, budget, describe, called)
    elif route is Route.DIRECT:
        from akgen.agents.prompts.dsl import DirectPrompts

        prompts = DirectPrompts(target, budget, describe, called)
    elif route in (Route.DSL, Route.DSL_PASSES):
        from akgen.agents.prompts.dsl import DslPrompts

        prompts = DslPrompts(target, budget, describe, called)
    else:
        prompts = EnglishPrompts(target, budget, describe, called)
    if recall is not None:
        prompts = ExperiencePrompts(prompts, recall)
    planner: Planner = (
        SamePlan(_composer(target, trace))
        if config.planner is PlannerKind.COMPOSER
        else ChatPlanner(
            conversation,
            target,
            budget,
            _PLANNED[route],
            prompts=prompts,
            # One for all samples: it keeps what it composed.
            fallback=cache(lambda: SamePlan(_composer(target, trace))),
        )
    )
    writer = DirectCoder if route is Route.DIRECT else ChatCoder
    whole = writer(conversation, target, budget, describe, prompts)
    coder: Coder = whole
    if route in (Route.DSL, Route.DSL_PASSES):
        from akgen.agents.dsl_coder import DslCoder, PassesCoder

        through = DslCoder(conversation, target, budget, describe)
        coder = PassesCoder(through, whole, config.take_over) if route is Route.DSL_PASSES else through
    if config.start is not None:
        planner, coder = StartedPlanner(planner), StartedCoder(Path(config.start), coder)
    return planner, coder, critic


def _critic(kind: CriticKind, conversation: "Conversation", target: Chip) -> Critic:
    match kind:
        case CriticKind.MODEL:
            return ChatCritic(conversation, target)
        case CriticKind.COMPILER:
            return CompilerCritic()
        case CriticKind.RULES:
            return RuleCritic()


def make_understanding(conversation: "Conversation | None") -> "Understand":
    """Return who understands a person's sentences."""
    if conversation is None:
        return _understand_alone
    from akgen.agents.requests.understanding import ModelUnderstanding

    return ModelUnderstanding(conversation)


def _understand_alone(text: str, known: "Request", before: "Language", _: object) -> "ParsedRequest":
    from akgen.agents.requests.sentence import parse_request  # thousands of words: only for those who talk

    return parse_request(text, known, before)


def _composer(target: Chip, trace: CaseTracer | None) -> "ModelFree":
    from akgen.agents.composer.model_free import ModelFree

    return ModelFree(target, trace)


class StartedPlanner:
    """Plans nothing for a project that exists; another planner is asked when mending has not helped."""

    def __init__(self, planner: Planner) -> None:
        self.name = planner.name
        self._planner = planner

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        if feedback is None:
            return Planned(
                plan=Plan(origin="start", category="other", thought="The project exists.", shared=True)
            )
        return self._planner.plan(task, feedback, sample)


class StartedCoder:
    """Begins with the projects of a folder: `<folder>/<task>/<sample>/`, `<folder>/<task>/`, or the folder itself.

    Raises InputError for a task without one.
    """

    def __init__(self, folder: Path, coder: Coder) -> None:
        self.name = coder.name
        self._folder, self._coder = folder, coder

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        if feedback is None:
            return Written(project=self._project(task, sample))
        return self._coder.write(task, plan, feedback, previous, sample)

    def _project(self, task: Task, sample: int) -> KernelProject:
        base = self._folder / task.name
        for folder in (base / str(sample), base, self._folder):
            if (folder / "op_kernel").is_dir():
                return KernelProject.read_from(folder, task.op_type, task.kernel)
        raise InputError(
            f"{self._folder} holds no project to start {task.name} with.",
            f"Give op_host and op_kernel in {base}, or leave --start out.",
        )
