"""Draw shapes beside those that a dynamic task lists, so that a kernel made for the listed ones only is found.

The task's own input function makes the new inputs, from params with other sizes; so what belongs together stays so.
A number of the params is a size that may change where cases of the same form (the same params, lists of the same
lengths) differ in it, and where a dimension of an input follows it. What is drawn lies between the smallest and the
largest listed value, is a multiple of what all of them are multiples of, and is not far from one of the small cases: a
kernel may rely on what holds for every listed case. Equal sizes of a case change together.

The judge draws a small case to judge a kernel on, and a large one where large ones are listed (drawn_large.py), by a
secret seed; the composer draws witnesses beside every kind of case, which tell what is a rule from what is equal by
chance.
"""

import copy
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Params, Task

Describe = Callable[[Case], Call]
Position = tuple[str, int | None]  # a param, and the element where it is a list
Sizes = dict[Position, tuple[int, set[int]]]  # of a case, and those of all cases of its form
Change = dict[Position, int]  # what becomes of sizes

_MOST_TRIED = 6  # calls that the reference is asked for
_ROOM_BYTES = 1 << 18  # of a drawn case, if no listed case is as small
GROWTH = 1.25
NOTHING_CHANGES = "no size of its inputs could be changed by itself"


class DrawnCase(Frozen):
    """A case that the task does not list, and its call's shapes; or why there is none."""

    case: Case | None = None
    shapes: tuple[tuple[int, ...], ...] = ()  # of the inputs, lists flattened
    why_not: str = ""


def draw(task: Task, cases: Sequence[Case], describe: Describe, seed: int) -> DrawnCase:
    """Draw one case beside the listed ones; `describe` gives a case's call and raises InputError if it has none."""
    if kept := why_kept(task, cases):
        return DrawnCase(why_not=kept)
    rng = random.Random(seed)
    asked = 0
    bytes_of = {c.id: describe(c).size_bytes for c in cases}
    small = small_bytes(bytes_of.values())
    near = [c for c in cases if bytes_of[c.id] <= small]
    for base in rng.sample(near, len(near)):
        call, sizes = describe(base), sizes_of(base, cases)
        for change in _changes(sizes, rng):
            if asked == _MOST_TRIED:
                break
            asked += 1
            found = tried(base, sizes, change, call, describe, largest(call))
            if found is not None:
                return found
    return DrawnCase(why_not=NOTHING_CHANGES)


def why_kept(task: Task, cases: Sequence[Case]) -> str:
    """Say why a task keeps to its listed shapes; empty where it does not."""
    if task.mode != Mode.DYNAMIC:
        return "the task is static"
    if not task.draws_shapes:
        return "the task forbids it"
    if task.own_checker:
        return "the task's own checker is made for its own cases"
    return "fewer than two of its cases are judged" if len(cases) < 2 else ""


def small_bytes(listed: Iterable[int]) -> int:
    """Return how large a listed case may be that the small one is drawn beside."""
    return max(_ROOM_BYTES, min(listed))


def near_witness(cases: Sequence[Case], base: Case, describe: Describe, seed: int) -> Case | None:
    """Return a case near `base`, which is listed, as the judge may draw it; None if there is none."""
    call, sizes = describe(base), sizes_of(base, cases)
    for change in islice(_changes(sizes, random.Random(seed)), 1 + _MOST_TRIED // 2):
        found = tried(base, sizes, change, call, describe, largest(call))
        if found is not None:
            return found.case
    return None


def far_witnesses(cases: Sequence[Case], base: Case, describe: Describe) -> list[Case]:
    """Return cases beyond what is listed: one whose sizes of one stay, since such graphs are of their own kind, and one
    where those that differ between the listed cases change as well; none that the reference refuses.

    Every other size is another, also those that never change, and none stands to another as it did. What the listed
    cases promise (as that sizes are at most 64) need not hold of it.
    """
    call, varying = describe(base), sizes_of(base, cases)
    lengths = {n for shape in shapes_of(call.inputs) for n in shape}
    fixed: Sizes = {p: (v, {v}) for p, v in positions(base.params) if v > 1 and v in lengths}
    longer: Sizes = {p: size for p, size in varying.items() if size[0] > 1}
    ways = [(fixed | varying, varying)]
    if len(longer) < len(varying):
        ways.insert(0, (fixed | longer, longer))
    found = (_beyond(base, call, way, describe) for way in ways)
    return [case for case in found if case is not None]


def _beyond(base: Case, call: Call, ways: Sequence[Sizes], describe: Describe) -> Case | None:
    """Return the case with all sizes of the first way that the reference takes changed; None if it takes none."""
    for sizes in ways:
        change: Change = {}
        for position, (value, listed) in sizes.items():
            step = math.gcd(*listed) if len(listed) > 1 else value & -value
            steps = [(sizes[p][0], n) for p, n in change.items()]
            fresh = (value + k * step for k in range(1, 3 + 3 * len(sizes)))
            change[position] = next((n for n in fresh if _unrelated(value, n, steps)), value + step)
        case = _changed(base, sizes, change)
        try:
            found = describe(case)
        except InputError:
            continue
        if change and _same_interface(call, found) and found.size_bytes <= _ROOM_BYTES + 8 * call.size_bytes:
            return case
    return None


def _unrelated(old: int, new: int, steps: Sequence[tuple[int, int]]) -> bool:
    """Say whether neither sums nor ratios with the other sizes stay, and none is equal."""
    return all(new != n and new - n != old - v and new * v != old * n for v, n in steps)


def largest(call: Call) -> int:
    """Return how many bytes a case may have that is drawn beside this small one."""
    return max(_ROOM_BYTES, int(GROWTH * call.size_bytes))


def tried(
    base: Case, sizes: Sizes, change: Change, call: Call, describe: Describe, most_bytes: int
) -> DrawnCase | None:
    """Return the case with these sizes changed, None where the reference or the operator's interface refuses it."""
    case = _changed(base, sizes, change)
    try:
        found = describe(case)
    except InputError:
        return None
    return (
        DrawnCase(case=case, shapes=shapes_of(found.inputs))
        if _fits(call, found, _steps(sizes, change), most_bytes)
        else None
    )


def positions(params: Params) -> Iterator[tuple[Position, int]]:
    """Find the integers of the params."""
    for key, value in params.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield (key, None), value
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, int) and not isinstance(item, bool):
                    yield (key, i), item


def form_of(params: Params) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((k, len(v) if isinstance(v, list) else -1) for k, v in params.items()))


def sizes_of(base: Case, cases: Sequence[Case]) -> Sizes:
    """Return the integers of a case in which cases of its form differ, with the values that these have."""
    alike = [dict(positions(c.params)) for c in cases if form_of(c.params) == form_of(base.params)]
    found = {}
    for position, value in positions(base.params):
        listed = {c[position] for c in alike if position in c}
        if len(listed) > 1 and min(listed) >= 1:
            found[position] = value, listed
    return found


def _changes(sizes: Sizes, rng: random.Random) -> Iterator[Change]:
    """Propose what becomes of the sizes: of all at once, then of each alone; equal ones stay equal."""
    listed: dict[int, list[set[int]]] = {}
    for value, values in sizes.values():
        listed.setdefault(value, []).append(values)
    choices = {value: _choices(value, all_values) for value, all_values in listed.items()}
    choices = {value: fresh for value, fresh in choices.items() if fresh}
    whole: dict[int, int] = {}
    for value, fresh in choices.items():
        others = [n for n in fresh if n not in whole.values() and n not in listed] or fresh
        whole[value] = rng.choice(others)
    by_value = [whole] if whole else []
    if len(whole) > 1:
        by_value += [{value: min(choices[value])} for value in rng.sample(sorted(choices), len(choices))]
    yield from ({p: new[v] for p, (v, _) in sizes.items() if v in new} for new in by_value)


def _choices(value: int, listed: Sequence[set[int]]) -> list[int]:
    """Return what a size may become that has one of these values in the listed cases."""
    step = math.lcm(*(math.gcd(*values) for values in listed))
    lowest = max(*(min(values) for values in listed), value - value // 2)
    highest = min(*(max(values) for values in listed), value + max(3 * step, value // 2))
    between = range(-(-lowest // step) * step, highest + 1, step)
    return [n for n in between if all(n not in values for values in listed)]


def _steps(sizes: Sizes, change: Change) -> set[tuple[int, int]]:
    """Return what changes into what."""
    return {(sizes[position][0], new) for position, new in change.items()}


def _changed(base: Case, sizes: Sizes, change: Change) -> Case:
    params: Params = copy.deepcopy(base.params)
    for (key, index), new in change.items():
        held = params[key]
        if isinstance(held, list) and index is not None:
            held[index] = new  # type: ignore[call-overload]
        else:
            params[key] = new
    steps = dict.fromkeys((sizes[position][0], new) for position, new in change.items())
    return Case(id=f"{base.id}_drawn_" + "_".join(f"{old}to{new}" for old, new in steps), params=params)


def _fits(before: Call, after: Call, steps: set[tuple[int, int]], most_bytes: int) -> bool:
    """Say whether an operator of the same interface takes both calls, and the sizes are what changed."""
    if after.size_bytes > most_bytes:
        return False
    if not _same_interface(before, after):
        return False
    if any(not _follows(a.value, b.value, steps) for a, b in zip(before.attrs, after.attrs, strict=True)):
        return False
    moved = {
        (x, y)
        for a, b in zip(shapes_of(before.inputs), shapes_of(after.inputs), strict=True)
        for x, y in zip(a, b, strict=True)
    }
    return steps <= moved


def _same_interface(before: Call, after: Call) -> bool:
    """Say whether both calls have as many tensors of the same dtypes and ranks, and as many attributes."""
    old, new = (list(_flat((*c.inputs, *(o.meta for o in c.outputs)))) for c in (before, after))
    return (
        [_kind(m) for m in old] == [_kind(m) for m in new]
        and len(before.inputs) == len(after.inputs)
        and len(before.attrs) == len(after.attrs)
    )


def _follows(before: AttrValue, after: AttrValue, steps: set[tuple[int, int]]) -> bool:
    """Say whether an attribute stayed, or went along with a size."""
    old, new = (v if isinstance(v, tuple) else (v,) for v in (before, after))
    return len(old) == len(new) and all(x == y or (x, y) in steps for x, y in zip(old, new, strict=True))


def _kind(meta: TensorMeta | None) -> tuple[str, int] | None:
    return None if meta is None else (meta.dtype.value, len(meta.shape))


def _flat(arguments: Sequence[Argument]) -> Iterator[TensorMeta | None]:
    for argument in arguments:
        yield from argument if isinstance(argument, tuple) else (argument,)


def shapes_of(arguments: Sequence[Argument]) -> tuple[tuple[int, ...], ...]:
    return tuple(m.shape for m in _flat(arguments) if m is not None)
