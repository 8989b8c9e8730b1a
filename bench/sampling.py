"""How much one request for n samples saves over n requests, measured against a server."""

import time

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.model_call import Usage
from akgen.agents.models.resolve import ModelOptions, endpoint_name, resolve_model, speaks_kernelgen
from akgen.agents.plan import Plan
from akgen.agents.prompts.builder import EnglishPrompts
from akgen.agents.prompts.kernelgen import KernelGenPrompts
from akgen.knowledge.chip import Chip
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Task

TARGET = 3.0  # times faster together than one after the other


class SamplingFigures(Frozen):
    """Seconds for the same number of samples, and how many tokens they had."""

    model: str
    samples: int
    together_s: float
    apart_s: float
    together_tokens: int
    apart_tokens: int
    prompt_tokens: int

    @property
    def ratio(self) -> float:
        """Return how much faster a token comes together than apart: replies differ in length."""
        return (self.apart_s / self.apart_tokens) / (self.together_s / self.together_tokens)

    @property
    def holds(self) -> bool:
        return self.ratio >= TARGET


def measure(model: str, options: ModelOptions, task: Task, chip: Chip, samples: int) -> SamplingFigures:
    """Ask for a task's kernel: once to warm up, then for all samples at once, then for one after the other.

    Raises InputError if the model gives one sample a request only or none at all, InfraError if its endpoint cannot
    be used.
    """
    talk = Conversation(
        resolve_model(model, options), model, endpoint_name(model, options), options.seed, samples=samples
    )
    if "n" not in talk.features:
        raise InputError(f"{model} gives one sample a request.", "Use a server, such as vllm:NAME.")
    made = (KernelGenPrompts if speaks_kernelgen(model) else EnglishPrompts)(chip, Budget(), None)
    plan = Plan(origin="bench", category="other", thought="Split the work over the cores.")
    prompt = made.coder(task, plan, None, None)

    def ask(attempt: int, sample: int, *, shared: bool) -> Usage:
        answer = talk.ask(
            prompt.system, prompt.user, role="coder", attempt=attempt, sample=sample, shared=shared
        )
        if answer.usage.output_tokens == 0:
            raise InputError(
                f"{model} gives no sample ({answer.ended}).",
                "Serve it with room for the prompt and a reply (`akgen serve --max-len`), or take another --task.",
            )
        return answer.usage

    ask(1, 0, shared=False)
    begin = time.monotonic()
    together = [ask(2, n, shared=True) for n in range(samples)]
    between = time.monotonic()
    apart = [ask(3, n, shared=False) for n in range(samples)]
    end = time.monotonic()
    return SamplingFigures(
        model=model,
        samples=samples,
        together_s=between - begin,
        apart_s=end - between,
        together_tokens=sum(u.output_tokens for u in together),
        apart_tokens=sum(u.output_tokens for u in apart),
        prompt_tokens=apart[0].input_tokens,
    )
