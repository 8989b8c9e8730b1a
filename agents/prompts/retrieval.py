"""What a coder is shown of what is known: chosen for the task within a budget of tokens, recorded, and later marked
as used or not."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from akgen.agents.plan import Plan
from akgen.agents.roles import ContextItem, Feedback
from akgen.knowledge.cards import ApiCard, cards, cards_of, every_host, every_kernel, listing, operations
from akgen.knowledge.patterns import Pattern, expert_for
from akgen.knowledge.search import search
from akgen.tools.compose.front.traced import CaseTracer, TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

TOKENS = 5_000
CHARACTERS_PER_TOKEN = 3  # of code and signatures, an estimate on the safe side
SEARCHED = 4  # cards that words alone suggest
FIRST = 4  # how much less the tenth card of an operation is wanted than its first
OTHER_CHIPS = "other chips"  # the family of what this chip does not have

Operations = Callable[[Task], Sequence[str]]
"""Names the ATen operations that a task's reference calls, in their order."""


class Retrieved(Frozen):
    """What was chosen, most telling first."""

    cards: tuple[ApiCard, ...]
    pattern: Pattern | None
    shown: tuple[ContextItem, ...]


def retrieve(
    task: Task,
    plan: Plan | None,
    feedback: Feedback | None,
    tokens: int = TOKENS,
    *,
    called: Sequence[str] | None = None,
    with_pattern: bool = True,
    direct: bool = False,
) -> Retrieved:
    """Choose cards and, for a first draft, one expert kernel for what the reference calls.

    In this order, as long as there is room: the plan's interfaces, those that the findings name, what every kernel
    needs, what computes the operations that the reference calls (`called`, else the names in its source): first a call
    of each, then all that their cards say; the expert kernel, what all host code needs, what a search finds. An expert
    kernel that solves the task itself is never shown. `direct` leaves out what kernels launched with `<<<>>>` have no
    use for. Tokens are those of the cards' `listing`: each card counts what it adds to it.
    """
    chosen = _Chosen(tokens, direct=direct)
    of_operations = [cards_of(operation) for operation in called or _in_source(task)]
    wanted = (*_planned(plan), *_known(_named(feedback)), *every_kernel(), *_most_wanted(of_operations))
    chosen.take(card.brief() for card in wanted)
    chosen.take(wanted)
    categories = (*((plan.category,) if plan else ()), task.category)
    drafted = with_pattern and feedback is None
    pattern = expert_for(called or _in_source(task), categories, task.name) if drafted else None
    pattern = next((p for p in _parts(pattern) if _pattern_tokens(p) <= chosen.left), None)
    if pattern is not None:
        chosen.left -= _pattern_tokens(pattern)
    chosen.take(every_host())
    found = search(f"{task.category} {task.op_type} {task.description}")
    chosen.take(_known([hit.name for hit in found if hit.kind == "api"][:SEARCHED]))
    return Retrieved(cards=tuple(chosen.cards.values()), pattern=pattern, shown=chosen.shown(pattern))


class _Chosen:
    """Cards as they are chosen, and the tokens that are left."""

    def __init__(self, tokens: int, *, direct: bool) -> None:
        self.cards: dict[str, ApiCard] = {}
        self.left = tokens
        self._length = 0  # of the listing of the cards
        self._direct = direct

    def take(self, offered: Iterable[ApiCard]) -> None:
        """Take what there is room for; what is there in brief is taken whole in its place."""
        for card in offered:
            if card.family == OTHER_CHIPS or (self._direct and card.of_op_def):
                continue
            longer = _tokens(listing((self.cards | {card.name: card}).values()))
            if longer - self._length <= self.left:
                self.cards[card.name] = card
                self.left, self._length = self.left - (longer - self._length), longer

    def shown(self, pattern: Pattern | None) -> tuple[ContextItem, ...]:
        """Return what was chosen, with the tokens that each adds."""
        shown, before = [], 0
        for count, card in enumerate(self.cards.values(), start=1):
            after = _tokens(listing(list(self.cards.values())[:count]))
            shown.append(ContextItem(kind="card", name=card.name, tokens=after - before))
            before = after
        if pattern is not None:
            shown.append(ContextItem(kind="pattern", name=pattern.name, tokens=_pattern_tokens(pattern)))
        return tuple(shown)


def traced_operations(trace: CaseTracer) -> Operations:
    """Return a function that names a task's operations by tracing its smallest case, once for each task."""
    known: dict[str, tuple[str, ...]] = {}
    turn = threading.Lock()  # samples that are planned side by side must be shown the same

    def operations_of(task: Task) -> tuple[str, ...]:
        key = task.model_dump_json()
        with turn:
            if key not in known:
                known[key] = _traced(task, trace)
            return known[key]

    return operations_of


def _traced(task: Task, trace: CaseTracer) -> tuple[str, ...]:
    if not task.cases:
        return ()
    try:
        graph = trace(task.reference, min(task.cases, key=lambda c: c.size_bytes or 0))
    except Unsupported:
        return ()
    return (*_interface(graph), *dict.fromkeys(n.target for n in graph.nodes if n.kind == "call"))


def _interface(graph: TracedGraph) -> Iterator[str]:
    """Yield what of the operator's interface asks for cards of its own, by the names that `cards_of` knows."""
    if any(isinstance(given, tuple) for given in graph.inputs):
        yield "tensor_list"
    if graph.attrs:
        yield "attributes"


def mark_used(shown: tuple[ContextItem, ...], project: KernelProject | None) -> tuple[ContextItem, ...]:
    """Return what was shown, each card with whether the project's code names it."""
    if project is None:
        return shown
    words = set(re.findall(r"\w+", "\n".join(project.files.values())))
    return tuple(
        s.model_copy(update={"used": s.name.rpartition("::")[2] in words}) if s.kind == "card" else s
        for s in shown
    )


def _planned(plan: Plan | None) -> Iterator[ApiCard]:
    """Yield the plan's interfaces; a plan of the composer names operations of the tile DSL in their place."""
    by_lower = {name.lower(): card for name, card in cards().items()}
    for name in plan.apis if plan else ():
        if name in cards():
            yield cards()[name]
        elif made_of := cards_of(name):
            yield from made_of
        elif name.lower() in by_lower:
            yield by_lower[name.lower()]


def _most_wanted(several: Sequence[Sequence[ApiCard]]) -> list[ApiCard]:
    """Return the cards of all operations, first those that stand first or that many want."""
    wanted: dict[str, float] = {}
    for names in several:
        for place, card in enumerate(names):
            wanted[card.name] = wanted.get(card.name, 0.0) + 1 / (FIRST + place)
    return list(_known(sorted(wanted, key=lambda name: -wanted[name])))


def _in_source(task: Task) -> list[str]:
    """Return the words of the reference's source that are names of operations."""
    path = task.reference.path
    if path.suffix != ".py" or not path.is_file():
        return []
    words = re.findall(r"[A-Za-z_]\w*", path.read_text(errors="replace"))
    spelt = {name.replace("_", ""): name for name in operations()}  # LayerNorm and layer_norm
    found = (spelt.get(word.lower().replace("_", "")) for word in words)
    return list(dict.fromkeys(name for name in found if name is not None))


def _known(names: Iterable[str]) -> Iterator[ApiCard]:
    table = cards()
    return (table[name] for name in names if name in table)


def _named(feedback: Feedback | None) -> Iterator[str]:
    """Yield the words of the findings that may be interfaces."""
    for found in feedback.diagnostics if feedback and not feedback.bare else ():
        yield from re.findall(r"[A-Z]\w+", f"{found.api or ''} {found.text} {found.remedy or ''}")


def _parts(pattern: Pattern | None) -> Iterator[Pattern]:
    """Yield an expert kernel with its host code, and without."""
    if pattern is not None:
        yield pattern
        kernel = {path: text for path, text in pattern.files.items() if path.startswith("op_kernel/")}
        yield pattern.model_copy(update={"files": kernel})


def _pattern_tokens(pattern: Pattern) -> int:
    return _tokens("".join(pattern.files.values()))


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN + 1
