"""The reward-hacking drill: every known way to look right without being it, put into groups of honest failures.

Programs are data to the interpreter, so what is tried on this route are texts; a kernel that the judge calls a cheat is
worth less than anything honest whatever the weights are.
"""

from pathlib import Path

from akgen.finetune.training.environment import ProgramEnvironment
from akgen.finetune.training.pairs import TensorPair
from akgen.finetune.training.rewards import Facts, RewardWeights, facts_of_program, reward
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import parse_json


class KnownCheat(Frozen):
    """`text` holds {inputs} for the lines that declare the inputs, and {first} for the first one's name."""

    name: str
    text: str


class DrillResult(Frozen):
    """A cheat's reward beside the least and the largest of the honest failures in its group."""

    name: str
    total: float
    honest_failure: float  # a program that fits, and computes wrongly in every case
    held: bool


def known_cheats() -> list[KnownCheat]:
    rows = parse_json((Path(__file__).parent / "cheats.json").read_bytes())
    return [KnownCheat.model_validate(row) for row in rows]


def drill(pair: TensorPair, weights: RewardWeights) -> list[DrillResult]:
    """Judge each cheat on a task; it holds if none is worth more than an honest program with wrong numbers."""
    place = ProgramEnvironment.of(pair)
    honest = reward(Facts(format=True, compiles=True, silent=True), weights).total
    first = pair.inputs.split(":")[0]
    found = []
    for cheat in known_cheats():
        text = cheat.text.replace("{inputs}", pair.inputs).replace("{first}", first)
        total = reward(facts_of_program(place.judged(text)), weights).total
        found.append(DrillResult(name=cheat.name, total=total, honest_failure=honest, held=total <= honest))
    everything = Facts(
        format=True, compiles=True, silent=True, share=1, correct=True, roofline_share=1, cheat=True
    )
    caught = reward(everything, weights).total
    unreadable = reward(Facts(), weights).total
    found.append(
        DrillResult(
            name="what the judge calls a cheat",
            total=caught,
            honest_failure=unreadable,
            held=caught < unreadable,
        )
    )
    return found
