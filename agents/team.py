"""Who works on a run: planner, coder and critic, as the configuration names them."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.model_call import CallLimits, CallStore, Price
from akgen.agents.calls.retry import RetryPolicy
from akgen.agents.coder import ChatCoder
from akgen.agents.critic import ChatCritic, RuleCritic
from akgen.agents.dsl_coder import DslCoder, PassesCoder
from akgen.agents.models.resolve import (
    COMPOSER,
    ModelOptions,
    endpoint_name,
    resolve_model,
    speaks_kernelgen,
)
from akgen.agents.planner import ChatPlanner, SamePlan
from akgen.agents.prompts.builder import Describe, EnglishPrompts, PromptBuilder
from akgen.agents.prompts.experience import ExperiencePrompts, Recall
from akgen.agents.prompts.kernelgen import KernelGenPrompts
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.understanding import ModelUnderstanding, Understand
from akgen.agents.roles import Coder, Critic, Planner
from akgen.knowledge.chip import Chip
from akgen.tools.compose.front.raw import Trace
from akgen.tools.core.outcome import InputError

if TYPE_CHECKING:
    from akgen.agents.composer.model_free import ModelFree

Route = Literal["dsl", "dsl+passes", "ascendc"]


@dataclass(frozen=True)
class Team:
    """The three deciders of a run, and who understands a person's sentences."""

    planner: Planner
    coder: Coder
    critic: Critic
    understand: Understand
    conversation: Conversation | None = None  # with the model; None where the composer works


@dataclass(frozen=True)
class Talk:
    """How a run talks to its model: where calls are kept, how many samples share a request, what may be spent."""

    calls: CallStore | None = None
    samples: int = 1
    price: Price | None = None
    limits: CallLimits | None = None
    recall: Recall | None = None  # what was learnt earlier, for the coder


def make_team(
    model: str,
    options: ModelOptions,
    *,
    planner: Literal["model", "composer"],
    critic: Literal["rules", "model"] = "rules",
    route: Route | None,
    chip: Chip,
    budget: Budget,
    describe: Describe,
    talk: Talk | None = None,
    trace: Trace | None = None,
) -> Team:
    """Make the deciders that `model` and `planner` name; `trace` is how the composer traces, else in this process.

    Raises InputError when the model cannot be used or the route is not one that it can take.
    """
    if model == COMPOSER:
        if route in ("ascendc", "dsl+passes"):
            raise InputError(
                "The composer writes through the tile DSL, and programs take every pass.",
                "Leave --route out, or give a --model.",
            )
        free = _composer(chip, trace)
        return Team(planner=free, coder=free, critic=RuleCritic(), understand=parse_request)
    talk = talk or Talk()
    conversation = Conversation(
        resolve_model(model, options),
        model,
        endpoint_name(model, options),
        options.seed,
        RetryPolicy(tries=options.tries, first_wait_s=options.first_wait_s),
        calls=talk.calls,
        samples=talk.samples,
        price=talk.price,
        limits=talk.limits,
        sampling=options.sampling,
    )
    trained = speaks_kernelgen(model)
    if trained and route in ("dsl", "dsl+passes"):
        raise InputError(
            "KernelGen-LM writes Ascend C; it was not trained on the tile DSL.", "Leave --route out."
        )
    prompts: PromptBuilder = (KernelGenPrompts if trained else EnglishPrompts)(chip, budget, describe)
    if talk.recall is not None:
        prompts = ExperiencePrompts(prompts, talk.recall)
    planning: Planner = (
        SamePlan(_composer(chip, trace))
        if planner == "composer"
        else ChatPlanner(
            conversation,
            chip,
            budget,
            "ascendc" if route in (None, "ascendc") else "dsl",
            prompts=prompts,
            fallback=cache(
                lambda: SamePlan(_composer(chip, trace))
            ),  # one for all samples: it keeps what it composed
        )
    )
    direct = ChatCoder(conversation, chip, budget, describe, prompts)
    through = DslCoder(conversation, chip, budget, describe)
    coders: dict[Route, Coder] = {
        "dsl": through,
        "dsl+passes": PassesCoder(through, direct),
        "ascendc": direct,
    }
    return Team(
        planner=planning,
        coder=coders[route or "ascendc"],
        critic=ChatCritic(conversation, chip) if critic == "model" else RuleCritic(),
        understand=ModelUnderstanding(conversation),
        conversation=conversation,
    )


def _composer(chip: Chip, trace: Trace | None) -> "ModelFree":
    from akgen.agents.composer.model_free import ModelFree  # a compiler: only for those who compose

    return ModelFree(chip, trace)
