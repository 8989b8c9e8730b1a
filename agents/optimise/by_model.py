"""Changes that a chat model proposes: a hypothesis, the gain that it promises, and a small edit."""

import re
from collections.abc import Sequence

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.calls.replies import spoken
from akgen.agents.optimise.proposal import Hypothesis, Member, Proposal, Trial
from akgen.agents.prompts import render
from akgen.agents.prompts.advice import advice_for
from akgen.agents.prompts.builder import Describe, task_text
from akgen.knowledge.chip import Chip
from akgen.tools.core.task import Task

_HYPOTHESIS = re.compile(r"^\W*hypothesis\W*[:：]\s*(.+?)\s*$", re.I | re.M)
_GAIN = re.compile(r"^\W*predicted gain\W*[:：]\s*([\d.]+)\s*(%?)", re.I | re.M)
SHOWN_TRIALS = 12


class ByModel:
    """Asks for one change at a time; each request tells what was tried and what came of it."""

    def __init__(self, conversation: Conversation, chip: Chip, describe: Describe | None) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation, self._chip, self._describe = conversation, chip, describe
        self._asked = 0

    def propose(self, task: Task, member: Member, tried: Sequence[Trial], count: int) -> tuple[Proposal, ...]:
        profile = member.slowest
        user = render(
            "optimise_user",
            task_text=task_text(task, self._describe),
            member=member,
            profile=profile,
            advice=advice_for(profile) if profile else (),
            tried=tried[-SHOWN_TRIALS:],
        )
        found = []
        for _ in range(count):
            self._asked += 1
            answer = self._conversation.ask(
                render("optimise_system", chip=self._chip), user, role="coder", attempt=self._asked, sample=0
            )
            found.append(_read(answer.text, member).model_copy(update={"usage": answer.usage}))
            if answer.ended == "budget":
                break
        return tuple(found)


def _read(text: str, member: Member) -> Proposal:
    said = spoken(text)
    stated, gain = _HYPOTHESIS.search(said), _GAIN.search(said)
    hypothesis = Hypothesis(
        kind="edit",
        text=stated[1][:200] if stated else "a change that the model did not explain",
        predicted_gain=_factor(float(gain[1]), percent=bool(gain[2])) if gain else None,
    )
    edits = read_edits(said, member.project.kernel_file)
    if not edits:
        return Proposal(hypothesis=hypothesis, project=None, problem="The reply holds no edit.")
    files, refused = apply_edits(member.project.files, edits)
    if refused is not None:
        return Proposal(hypothesis=hypothesis, project=None, problem=refused.text)
    return Proposal(hypothesis=hypothesis, project=member.project.model_copy(update={"files": files}))


def _factor(number: float, *, percent: bool) -> float | None:
    """Return a stated gain as time before over time after: `1.3`, `1.3x` or `20%` less time."""
    if percent:
        return round(1 / (1 - number / 100), 3) if number < 100 else None
    return number if number > 0 else None
