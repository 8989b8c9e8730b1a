"""Who works on a run: planner, coder and critic, as the configuration names them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from akgen.agents.briefing import Describe
from akgen.agents.budget import Budget
from akgen.agents.coder import ChatCoder
from akgen.agents.conversation import Conversation
from akgen.agents.critic import RuleCritic
from akgen.agents.models.resolve import COMPOSER, ModelOptions, endpoint_name, resolve_model
from akgen.agents.models.transport import RetryPolicy
from akgen.agents.planner import ChatPlanner
from akgen.agents.requests.sentence import hear
from akgen.agents.requests.understanding import ModelUnderstanding, Understand
from akgen.agents.roles import Coder, Critic, Planner
from akgen.knowledge.chip import Chip
from akgen.tools.outcome import InputError

if TYPE_CHECKING:
    from akgen.agents.composer.model_free import ModelFree

Route = Literal["dsl", "ascendc"]


@dataclass(frozen=True)
class Team:
    """The three deciders of a run, and who understands a person's sentences."""

    planner: Planner
    coder: Coder
    critic: Critic
    understand: Understand


def make_team(
    model: str,
    options: ModelOptions,
    *,
    planner: Literal["model", "composer"],
    route: Route | None,
    chip: Chip,
    budget: Budget,
    describe: Describe,
) -> Team:
    """Make the deciders that `model` and `planner` name.

    Raises InputError when the model cannot be used or the route is not one that it can take.
    """
    if model == COMPOSER:
        if route == "ascendc":
            raise InputError(
                "The composer writes through the tile DSL.",
                "Leave --route out, or give a --model for ascendc.",
            )
        free = _composer(chip)
        return Team(planner=free, coder=free, critic=RuleCritic(), understand=hear)
    if route == "dsl":
        raise InputError(
            "A model writes Ascend C directly.", "Leave --route out, or use the composer for the dsl route."
        )
    conversation = Conversation(
        resolve_model(model, options),
        model,
        endpoint_name(model, options),
        options.seed,
        RetryPolicy(tries=options.tries),
    )
    planning: Planner = (
        _composer(chip)
        if planner == "composer"
        else ChatPlanner(conversation, chip, budget, describe=describe)
    )
    return Team(
        planner=planning,
        coder=ChatCoder(conversation, chip, budget, describe),
        critic=RuleCritic(),
        understand=ModelUnderstanding(conversation),
    )


def _composer(chip: Chip) -> "ModelFree":
    from akgen.agents.composer.model_free import ModelFree  # brings torch: only for those who compose

    return ModelFree(chip)
